"""A lap is the time since the one before it, by whatever clock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.dialects.loop import ProgramOp
from static_runtime.lowering.host_to_bytecode import lower_program_to_bytecode
from static_runtime.lowering.host_to_mlir import functions_to_mlir
from static_runtime.lowering.program_to_host.profile import lower_laps
from static_runtime.runtime.abi import ProfileLayout
from static_runtime.runtime.call.profile import Profile

from ..host_interpreter import Oracle

SECOND = 10**9

PROGRAM = """
loop.program @calls inputs [#loop.tensor<"x" : tensor<4xf32>>]
    attributes {loop.profiled} {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols [] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) {
}
"""


class Clock:
    """A clock that tests set."""

    now = 0

    def __call__(self, _: int, time: int) -> int:
        """Writes seconds, and nanoseconds."""
        words = (ctypes.c_int64 * 2).from_address(time)
        words[:] = divmod(self.now, SECOND)
        return 0


def no_kernel(name: str, _: Sequence[int]) -> int:
    """What runs a kernel."""
    raise AssertionError(name)


def lap(oracle: Oracle, clock: Clock, now: int, name: str, *arguments: int) -> None:
    """Calls a function at a time."""
    clock.now = now
    oracle.call(name, *arguments)


@pytest.mark.parametrize("room", [0, 2, 9])
def test_laps_are_summed_up_and_noted_where_there_is_room(room: int):
    clock = Clock()
    module = functions_to_mlir(lower_laps())
    oracle = Oracle(module, no_kernel, {"clock_gettime": clock})
    profile = Profile(3, events=room)
    at, start = profile.address, 7 * SECOND - 5
    for _ in range(2):
        lap(oracle, clock, start, "sr_begin", at)
        lap(oracle, clock, start + 10, "sr_lap", at, 2)
        lap(oracle, clock, start + 13, "sr_lap", at, 0)
        # What is before another beginning is nobody's.
        lap(oracle, clock, start + 50, "sr_begin", at)
        lap(oracle, clock, start + 54, "sr_lap", at, 2)
    assert profile.times.tolist() == [2 * 3, 0, 2 * 14]
    assert profile.counts.tolist() == [2, 0, 4]
    events = [
        [2, start, start + 10],
        [0, start + 10, start + 13],
        [2, start + 50, start + 54],
    ] * 2
    assert profile.events.tolist() == events[:room]
    profile.clear()
    assert not np.any([profile.times, profile.counts])
    assert profile.events.shape == (0, ProfileLayout.EVENT)


def test_bytecode_has_no_profile():
    program = parse_module(context(), PROGRAM, "program").body.block.first_op
    assert isinstance(program, ProgramOp)
    with pytest.raises(VerifyException, match="no call of sr_begin in bytecode"):
        lower_program_to_bytecode(program)
