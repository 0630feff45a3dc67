"""
How long a program runs, and where it lets itself be interrupted: between calls of
kernels, and trips of loops.

Python runs the handlers of signals, such as that of Ctrl-C, in its main thread and
between its own instructions; a long run has none. So a run that may be long asks Python
for them, four times a second at most. When a handler raises, the run ends with the
status `INTERRUPTED`, and the exception is set where Python looks for it.

The context has Python's thread while a run is long and without the GIL. Where it has
none, as in short runs and in those that keep the GIL, nothing is asked, and a poll is a
branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.ir import Block

from ...dialects import Dim, evaluate, greatest, guess, product, total
from ...dialects.loop import (
    ArgsortOp,
    CallOp,
    CallOutOp,
    ForOp,
    IfOp,
    KernelOp,
    NativeOp,
    ParallelOp,
    ProgramOp,
    RepeatOp,
    TileOp,
    is_unlimited,
)

POINTS_PER_POLL = 1 << 22
"""
Points of loops after which a run looks at the clock, and from which on it may be
interrupted at all: a tenth of a millisecond of products, or some of other kernels.
"""

_POLL_SHARE = 8
"""
The part of the kernels of a program, or of a loop's trip, as 1 / SHARE, after which
there is an interruption point.
"""

LEAST = 1 << 20
"""Points of loops that are worth an interruption point."""

TRIP = 64
"""Points that a trip, or the call of a kernel, is as long as besides its own."""

_MAX_POINTS = 1 << 40
"""Points that are told apart from more."""


@dataclass(frozen=True)
class Length:
    """How long the runs of a program are."""

    work: Dim
    """
    A bound of the points of loops: symbols of inputs remain, and those that the program
    defines are at the end of their range.
    """

    is_endless: bool
    """
    Whether `work` guesses: there is a loop without a limit, or a C function of a user.
    """

    calls_out: bool
    """Whether Python code is run, which may take any time."""

    @property
    def is_always_long(self) -> bool:
        """Whether every run may be interrupted."""
        long = isinstance(self.work, int) and self.work >= POINTS_PER_POLL
        return long or self.is_endless or self.calls_out

    @property
    def is_ever_long(self) -> bool:
        """Whether some run may be interrupted."""
        return self.is_always_long or not isinstance(self.work, int)


def length_of(program: ProgramOp) -> Length:
    """How long the runs of a program are."""
    ops = [*program.walk()]
    repeats = [op for op in ops if isinstance(op, RepeatOp)]
    return Length(
        bounded(greatest(program.points, program.ranges)),
        any(is_unlimited(op.limit) for op in repeats)
        or any(map(_calls_outside, program.kernels.values())),
        any(isinstance(op, CallOutOp) for op in ops),
    )


def _calls_outside(kernel: KernelOp) -> bool:
    """Whether a kernel calls a function that is not compiled with it."""
    ops = kernel.body.block.ops
    return any(isinstance(op, NativeOp) and not op.text.data for op in ops)


def bounded(work: Dim) -> Dim:
    """The points, or `_MAX_POINTS` where there are more."""
    if isinstance(work, int):
        return min(work, _MAX_POINTS)
    return (
        work if all(factor < _MAX_POINTS for _, factor in work.terms) else _MAX_POINTS
    )


@dataclass
class Spent:
    """Points of loops since an interruption point, by what ran."""

    parts: list[Dim] = field(default_factory=list[Dim])
    guessed: int = 0
    """How many these are, as cost models guess."""

    def add(self, points: Dim) -> None:
        """Adds the points of what runs next."""
        self.parts.append(points)
        self.guessed += guess(points)

    @property
    def whole(self) -> Dim:
        """All of these points."""
        return total(self.parts)


def share(block: Block, kernels: Mapping[str, KernelOp]) -> int:
    """The points of loops after which there is an interruption point."""
    spent = Spent()
    ops = [*block.ops]
    for op in ops:
        match op:
            case IfOp() | ParallelOp():
                ops += [each for region in op.regions for each in region.block.ops]
            case CallOp():
                spent.add(weight(op, kernels))
            case _:
                pass
    return max(spent.guessed // _POLL_SHARE, LEAST)


def weight(op: CallOp, kernels: Mapping[str, KernelOp]) -> Dim:
    """The points of loops in a call of a kernel, and those that the call counts for."""
    kernel = kernels[op.kernel_name]
    return evaluate(_points(kernel.body.block), sizes_of(op, kernel)) + TRIP


def sizes_of(op: CallOp, kernel: KernelOp) -> dict[str, Dim]:
    """What the symbols of a kernel are in a call."""
    names = [each.data for each in kernel.symbols]
    return dict(zip(names, op.sizes, strict=True))


def _points(block: Block) -> Dim:
    """The points of the loops of a kernel, with a few for what is around them."""
    points: Dim = 0
    for op in block.ops:
        match op:
            case TileOp():
                points = points + product(op.sizes)
            case ArgsortOp():
                points = points + op.points
            case NativeOp():
                points = points + op.size
            case ForOp():
                inner = _points(op.body.block)
                points = points + op.size * (1 if inner == 0 else inner)
            case _:
                pass
    return points
