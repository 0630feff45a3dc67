"""
`Unsupported`: raised by a front end for a construct that the compiler cannot express.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from xdsl.ir import SSAValue

from ...dialects import Dim, symbols_of
from ..session import Cause, UnsupportedOp


class Unsupported(Exception):
    """A construct that the graph dialect cannot express; the message is the reason."""

    cause = Cause.OP
    names: tuple[str, ...] = ()
    """The sizes, by their symbols, that are the reason."""

    @property
    def is_lacking(self) -> bool:
        """Whether nothing but an op of ours is missing."""
        return self.cause in (Cause.OP, Cause.UNREGISTERED, Cause.PROCESSOR)

    def report(
        self,
        op: str,
        node: str,
        inputs: tuple[str, ...] = (),
        of_run: Container[str] = (),
    ) -> UnsupportedOp:
        """What a user is told of a node; sizes `of_run` cannot be made numbers."""
        names = self.names
        if self.cause is Cause.SIZE:
            names = tuple(each for each in names if each not in of_run)
        return UnsupportedOp(op, node, str(self), inputs, self.cause, names)


class Foreign(Unsupported):
    """A node that no framework can run for us; the message is the reason."""

    cause = Cause.FOREIGN


class TakesGraphs(Unsupported):
    """An op that takes graphs, which its framework does not run for us either."""

    cause = Cause.GRAPHS


class Unregistered(Unsupported):
    """An op of a domain or a library that a user may register."""

    cause = Cause.UNREGISTERED


class ForOneProcessor(Unsupported):
    """An op on channels in blocks, as the processor that wrote the model likes them."""

    cause = Cause.PROCESSOR


class Training(Unsupported):
    """A construct that only training has."""

    cause = Cause.TRAINING


class Random(Unsupported):
    """Numbers at random, where the user gives no seed for them."""

    cause = Cause.RANDOM


class WrongElement(Unsupported):
    """Elements of a type that the compiler does not have."""

    cause = Cause.ELEMENT

    def __init__(self, got: str, known: Iterable[str]):
        """The type by the name of the framework, and those that there are."""
        super().__init__(f"elements of {got}, not of {', '.join(known)}")


class Shapeless(Unsupported):
    """A tensor of any number of axes."""

    cause = Cause.SHAPE


class Varies(Unsupported):
    """A construct that can be expressed where some sizes are numbers."""

    cause = Cause.SIZE

    def __init__(self, reason: str, *sizes: Dim):
        """The reason, and the sizes."""
        super().__init__(reason)
        symbols = (name for each in sizes for name in sorted(symbols_of(each)))
        self.names = tuple(dict.fromkeys(symbols))


class NeedsValue(Unsupported):
    """A construct that can be expressed where some values are known when compiling."""

    cause = Cause.VALUE

    def __init__(self, values: Iterable[SSAValue], reason: str):
        """Values that the graph computes and that must be known, and the reason."""
        super().__init__(reason)
        self.values = tuple(values)


class NeedsBound(NeedsValue):
    """A construct that can be expressed where some sizes of the run have a bound."""

    cause = Cause.BOUND

    def __init__(self, values: Iterable[SSAValue], reason: str, names: Iterable[str]):
        """The values of these sizes, the reason, and what the bounds go by."""
        super().__init__(values, reason)
        self.names = tuple(names)
