"""Regions run in numpy: what is inside of them knows the sizes of the run."""

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from static_runtime.dialects import dim
from static_runtime.dialects.graph.compose.shaping import filled
from static_runtime.dialects.graph.ops.binary import AddOp
from static_runtime.dialects.graph.ops.control_flow import LoopOp
from static_runtime.dialects.graph.ops.fusion import YieldOp
from static_runtime.dialects.graph.region import run_block
from static_runtime.dialects.shape import ELEMENTS, tensor


def test_a_loop_in_a_loop_knows_the_sizes_of_a_run():
    kind = tensor(ELEMENTS[np.dtype(np.float32)], dim("n"))

    def looped(depth: int, x: SSAValue) -> SSAValue:
        if not depth:
            return AddOp(x, filled(np.array(1, np.float32), [dim("n")])).result
        block = Block(arg_types=[kind])
        with ImplicitBuilder(block):
            YieldOp(looped(depth - 1, block.args[0]))
        return LoopOp.of(block, 2, carried=[x]).results[0]

    block = Block(arg_types=[kind])
    with ImplicitBuilder(block):
        YieldOp(looped(3, block.args[0]))
    (y,) = run_block(block, [np.zeros(3, np.float32)], {"n": 3})
    np.testing.assert_array_equal(y, [8, 8, 8])
