"""`graph.rnn`: a plain recurrent layer, in one direction of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, result_def

from ...shape import Array
from ..recurrent import RecurrentOp, columns
from .binary import AddOp
from .matmul import MatmulOp


@irdl_op_definition
class RnnOp(RecurrentOp):
    """
    The outputs of a plain recurrent layer, and its last state.

    A state is a function of the weighted sum of the input and the previous state.

    ```mlir
    %7, %8 = graph.rnn %0, %1, %2, %3, %4, %5 {functions = ["tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
    %9, %10 = graph.rnn %0, %1, %2, %3, %4, %5, %6 {functions = ["hard_sigmoid 0.2 0.5"], backward = true, given = ["lengths"]} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32>, tensor<2xi64> -> tensor<4x2x6xf32>, tensor<2x6xf32>
    ```
    """

    name = "graph.rnn"
    GATES: ClassVar = 1
    FUNCTION_COUNT: ClassVar = 1

    output = result_def(TensorType)
    last = result_def(TensorType)

    def step(
        self, x: Array, states: Sequence[Array], operands: Mapping[str, Array]
    ) -> Sequence[Array]:
        """The state after a step."""
        (function,) = self.gates
        product = np.tensordot(states[0], operands["recurrent_weight"], (1, 2))
        sums = x + product + operands["recurrent_bias"]
        return (function.numpy(self.held_array(sums[:, 0])),)

    def captured(self, operands: Mapping[str, SSAValue]) -> dict[str, SSAValue]:
        """Builds the recurrent weight as a matrix."""
        return {"weight": columns(operands["recurrent_weight"])}

    def build_step(
        self, x: SSAValue, states: Sequence[SSAValue], captured: Mapping[str, SSAValue]
    ) -> Sequence[SSAValue]:
        """Builds the state after a step."""
        (function,) = self.gates
        sums = AddOp(MatmulOp(states[0], captured["weight"]), x).result
        return (function.build(self.held(sums)),)
