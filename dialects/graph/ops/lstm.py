"""`graph.lstm`: a long short-term memory layer, in one direction of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, result_def

from ...shape import Array, sizes, tensor_type
from ..literal import to_names
from ..recurrent import RecurrentOp, column_blocks, columns, complement, part
from .binary import AddOp, MulOp
from .matmul import MatmulOp
from .permute import PermuteOp
from .reshape import ReshapeOp


@irdl_op_definition
class LstmOp(RecurrentOp):
    """
    The outputs of an LSTM layer, its last state, and its last cell.

    The gates are the input gate, the forget gate, the new cell and the output gate. The
    functions are one for the three gates, one for the new cell, and one for the cell in
    the output. `peepholes` are the weights of the cell in the input, forget and output
    gates. With `couples_gates` the forget gate is one minus the input gate.

    ```mlir
    %8, %9, %10 = graph.lstm %0, %1, %2, %3, %4, %5, %6 {functions = ["sigmoid", "tanh", "tanh"], backward = false} : tensor<3x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x6xf32>, tensor<2x6xf32> -> tensor<3x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>
    %11, %12, %13 = graph.lstm %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 {functions = ["sigmoid", "tanh", "tanh"], backward = true, clip = 2.0 : f64, couples_gates = true, given = ["peepholes", "projection", "lengths"]} : tensor<5x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x7xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x7xf32>, tensor<2x6xf32>, tensor<3x6xf32>, tensor<7x6xf32>, tensor<2xi64> -> tensor<5x2x7xf32>, tensor<2x7xf32>, tensor<2x6xf32>
    ```
    """

    name = "graph.lstm"
    GATES: ClassVar = 4
    FUNCTION_COUNT: ClassVar = 3
    STATES: ClassVar = ("state", "cell")
    OPTIONAL: ClassVar = ("peepholes", "projection", "lengths")

    couples_gates = opt_prop_def(IntegerAttr.constr(i1))
    output = result_def(TensorType)
    last = result_def(TensorType)
    last_cell = result_def(TensorType)

    @property
    def is_coupled(self) -> bool:
        """Whether the forget gate is one minus the input gate."""
        return bool(self.values().get("couples_gates", False))

    def step(
        self, x: Array, states: Sequence[Array], operands: Mapping[str, Array]
    ) -> Sequence[Array]:
        """The state and the cell after a step."""
        state, cell = states
        gate, new_cell, shown = (each.numpy for each in self.gates)
        sums = x + np.tensordot(state, operands["recurrent_weight"], (1, 2))
        i, f, g, o = np.moveaxis(sums + operands["recurrent_bias"], 1, 0)
        peepholes = operands.get("peepholes")
        if peepholes is not None:
            i, f = i + peepholes[0] * cell, f + peepholes[1] * cell
        entering = gate(self.held_array(i))
        kept = 1 - entering if self.is_coupled else gate(self.held_array(f))
        cell = kept * cell + entering * new_cell(self.held_array(g))
        if peepholes is not None:
            o = o + peepholes[2] * cell
        state = gate(self.held_array(o)) * shown(cell)
        if "projection" in operands:
            state = state @ operands["projection"].T
        return state, cell

    def captured(self, operands: Mapping[str, SSAValue]) -> dict[str, SSAValue]:
        """Builds the recurrent weight as a matrix, the peepholes and the projection."""
        found = {"weight": columns(operands["recurrent_weight"])}
        if "peepholes" in operands:
            _, hidden = sizes(tensor_type(operands["peepholes"]))
            for number, name in enumerate("ifo"):
                row = part(operands["peepholes"], 0, number, 1)
                found[name] = ReshapeOp(row, shape=to_names([hidden])).result
        if "projection" in operands:
            turned = PermuteOp(operands["projection"], order=(1, 0))
            found["projection"] = turned.result
        return found

    def build_step(
        self, x: SSAValue, states: Sequence[SSAValue], captured: Mapping[str, SSAValue]
    ) -> Sequence[SSAValue]:
        """Builds the state and the cell after a step."""
        state, cell = states
        gate, new_cell, shown = (each.build for each in self.gates)
        _, hidden = sizes(tensor_type(cell))

        def with_cell(value: SSAValue, name: str, cell: SSAValue) -> SSAValue:
            if name in captured:
                value = AddOp(value, MulOp(captured[name], cell)).result
            return self.held(value)

        sums = AddOp(MatmulOp(state, captured["weight"]), x).result
        i, f, g, o = column_blocks(sums, 4, hidden)
        entering = gate(with_cell(i, "i", cell))
        if self.is_coupled:
            kept = complement(entering)
        else:
            kept = gate(with_cell(f, "f", cell))
        fresh = MulOp(entering, new_cell(self.held(g)))
        cell = AddOp(MulOp(kept, cell), fresh).result
        state = MulOp(gate(with_cell(o, "o", cell)), shown(cell)).result
        if "projection" in captured:
            state = MatmulOp(state, captured["projection"]).result
        return state, cell
