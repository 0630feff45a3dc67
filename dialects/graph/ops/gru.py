"""`graph.gru`: a layer of gated recurrent units, in one direction of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def

from ...shape import Array, sizes, tensor_type
from ..literal import to_names
from ..recurrent import RecurrentOp, column_blocks, columns, part
from .binary import AddOp, MulOp, SubOp
from .concat import ConcatOp
from .matmul import MatmulOp
from .reshape import ReshapeOp


@irdl_op_definition
class GruOp(RecurrentOp):
    """
    The outputs of a GRU layer, and its last state.

    The gates are the reset gate, the update gate, and the new state. The functions are
    one for the first two, and one for the new state. The reset gate is applied to the
    product with the recurrent weight when `resets_product`, else to the previous state.

    ```mlir
    %7, %8 = graph.gru %0, %1, %2, %3, %4, %5 {functions = ["sigmoid", "tanh"], backward = false, resets_product = true} : tensor<4x2x5xf32>, tensor<3x6x5xf32>, tensor<3x6x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
    %9, %10 = graph.gru %0, %1, %2, %3, %4, %5, %6 {functions = ["sigmoid", "tanh"], backward = true, resets_product = false, clip = 2.0 : f64, given = ["lengths"]} : tensor<5x2x5xf32>, tensor<3x6x5xf32>, tensor<3x6x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>, tensor<2x6xf32>, tensor<2xi64> -> tensor<5x2x6xf32>, tensor<2x6xf32>
    ```
    """

    name = "graph.gru"
    GATES: ClassVar = 3
    FUNCTION_COUNT: ClassVar = 2

    resets_product = prop_def(IntegerAttr.constr(i1))
    output = result_def(TensorType)
    last = result_def(TensorType)

    @property
    def is_reset_late(self) -> bool:
        """Whether the reset gate is applied to the product."""
        return bool(self.resets_product.value.data)

    def step(
        self, x: Array, states: Sequence[Array], operands: Mapping[str, Array]
    ) -> Sequence[Array]:
        """The state after a step."""
        (state,) = states
        gate, new_state = (each.numpy for each in self.gates)
        weight, bias = operands["recurrent_weight"], operands["recurrent_bias"]
        products = np.tensordot(state, weight, (1, 2)) + bias
        r, z = (
            gate(self.held_array(x[:, each] + products[:, each])) for each in (0, 1)
        )
        if self.is_reset_late:
            after = r * products[:, 2]
        else:
            after = (r * state) @ weight[2].T + bias[2]
        n = new_state(self.held_array(x[:, 2] + after))
        return (n + z * (state - n),)

    def folded_bias(self, operands: Mapping[str, SSAValue]) -> SSAValue:
        """Builds the bias without the part that the reset gate multiplies."""
        if not self.is_reset_late:
            return super().folded_bias(operands)
        bias, recurrent = operands["bias"], operands["recurrent_bias"]
        both = AddOp(part(bias, 0, 0, 2), part(recurrent, 0, 0, 2))
        return ConcatOp(both, part(bias, 0, 2, 1), axis=0).result

    def captured(self, operands: Mapping[str, SSAValue]) -> dict[str, SSAValue]:
        """
        Builds the recurrent weight as a matrix, split for the new state where needed.
        """
        weight = operands["recurrent_weight"]
        if not self.is_reset_late:
            gates, new = part(weight, 0, 0, 2), part(weight, 0, 2, 1)
            return {"weight": columns(gates), "new": columns(new)}
        bias = part(operands["recurrent_bias"], 0, 2, 1)
        hidden = to_names(sizes(tensor_type(bias))[1:])
        shift = ReshapeOp(bias, shape=hidden).result
        return {"weight": columns(weight), "bias": shift}

    def build_step(
        self, x: SSAValue, states: Sequence[SSAValue], captured: Mapping[str, SSAValue]
    ) -> Sequence[SSAValue]:
        """Builds the state after a step."""
        (state,) = states
        gate, new_state = (each.build for each in self.gates)
        _, hidden = sizes(tensor_type(state))
        products = MatmulOp(state, captured["weight"]).result
        count = 3 if self.is_reset_late else 2
        of_state = column_blocks(products, count, hidden)
        of_input = column_blocks(x, 3, hidden)
        r, z = (
            gate(self.held(AddOp(of_input[each], of_state[each]).result))
            for each in (0, 1)
        )
        if self.is_reset_late:
            after = MulOp(r, AddOp(of_state[2], captured["bias"]))
        else:
            after = MatmulOp(MulOp(r, state), captured["new"])
        n = new_state(self.held(AddOp(of_input[2], after).result))
        return (AddOp(n, MulOp(z, SubOp(state, n))).result,)
