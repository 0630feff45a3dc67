"""
What a kernel computes at one point, as a tree, and the nests that it is part of.

A tree is read by the walks here: what it loads, which positions it depends on, and the
same tree at other positions. A subtree may stand in several others; it is one object,
visited and later built once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import Attribute, SSAValue

from ..dims import Dim
from ..graph.nest import Body, Combiner, Extent, Linear, Where


@dataclass(frozen=True, eq=False)
class Index:
    """An index that is looked up, counted from the front."""

    load: Load
    bound: Dim
    wraps: bool


@dataclass(frozen=True, eq=False)
class Load:
    """An element of the buffer of a value, at an offset in its row of elements."""

    buffer: SSAValue
    at: Linear
    lookups: tuple[tuple[Index, Dim], ...] = ()


@dataclass(frozen=True, eq=False)
class Constant:
    """A number known when the model is compiled."""

    value: float
    element: Attribute


@dataclass(frozen=True, eq=False)
class Apply:
    """What an op's body computes of its operands."""

    body: Body
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Accumulator:
    """What a reduction of this nest came to: that of a stage, or the only one."""

    stage: int = 0


Expression: TypeAlias = Load | Constant | Apply | Accumulator | Extent | Where


@dataclass(frozen=True, eq=False)
class Stage:
    """A reduction of each row, which may keep what it computes of every column."""

    element: Expression
    """What is combined."""

    combine: Combiner
    type: Attribute
    kept: tuple[tuple[Expression, Load], ...] = ()
    """What is stored on the way, and where."""


@dataclass(frozen=True, eq=False)
class KernelNest:
    """One loop nest of a kernel: for every point, where a value goes and what it is."""

    bounds: tuple[Dim, ...]
    reductions: int
    element: Expression
    """What is computed at each point; what is combined, when the nest reduces."""

    combine: Combiner | None
    type: Attribute
    """The type of what is combined."""

    finish: Expression
    """
    What is stored: the element itself, or something computed from the accumulator.
    """

    store: Load
    """The element that is set."""

    is_contraction: bool
    onto: Combiner | None = None
    """How what is stored is combined with what is there, if it is."""

    ordered: frozenset[int] = frozenset()
    """The axes whose points come one after the other."""

    keeps_accumulators: bool = False
    """Whether each step of the reduction stores what it came to."""

    stages: tuple[Stage, ...] = ()
    """
    The reductions of each row, one after the other, when not just one of `element`.
    """

    is_wide: bool = False
    """Whether after its stages the nest stores an element for every column."""

    @property
    def roots(self) -> Iterator[Expression]:
        """All that is computed, and where it is stored."""
        for stage in self.stages:
            yield stage.element
            for pair in stage.kept:
                yield from pair
        yield from (self.element, self.finish, self.store)


def walk(*roots: Expression) -> Iterator[Expression]:
    """Every part of expressions once, what a part is computed of before it."""
    done: set[int] = set()
    for root in roots:
        for each in left(root, done, parts):
            done.add(id(each))
            yield each


def left(
    root: Expression,
    done: Container[int],
    parts: Callable[[Expression], Iterable[Expression]],
) -> Iterator[Expression]:
    """
    The parts of an expression that are not done yet, what one is computed of before it.
    What it gives must be done before the next, by its identity.
    """
    # A path of its own, as a chain of ops may be deeper than Python's stack.
    path = [] if id(root) in done else [(root, iter(parts(root)))]
    while path:
        here, rest = path[-1]
        for each in rest:
            if id(each) not in done:
                path.append((each, iter(parts(each))))
                break
        else:
            path.pop()
            yield here


def parts(each: Expression) -> Iterable[Expression]:
    """What an expression is computed of, and the loads that say where it is."""
    match each:
        case Apply():
            return each.operands
        case Load():
            return [index.load for index, _ in each.lookups]
        case _:
            return ()


def operands_of(each: Expression) -> Iterable[Expression]:
    """What an expression is computed of."""
    return each.operands if isinstance(each, Apply) else ()


def loads(*roots: Expression) -> Iterator[Load]:
    """Every load of expressions, those of looked-up indices first."""
    return (each for each in walk(*roots) if isinstance(each, Load))


def linears(*roots: Expression) -> Iterator[Linear]:
    """Every position that expressions depend on."""
    for each in walk(*roots):
        match each:
            case Load():
                yield each.at
            case Where():
                yield each.position
            case _:
                pass


class Moved:
    """Expressions with every position changed; what is shared stays shared."""

    def __init__(self, change: Callable[[Linear], Linear]):
        self.change = change
        self.done: dict[int, tuple[Expression, Expression]] = {}
        """By the identity of what was moved, which is kept so that it stays its own."""

    def __call__(self, root: Expression) -> Expression:
        """The expression at its other positions."""
        for each in left(root, self.done, operands_of):
            self.done[id(each)] = each, self.move(each)
        return self.done[id(root)][1]

    def move(self, root: Expression) -> Expression:
        """The expression, when its operands have been moved and it has not."""
        match root:
            case Load():
                return self.load(root)
            case Apply():
                operands = (self.done[id(each)][1] for each in root.operands)
                return Apply(root.body, tuple(operands))
            case Where():
                return Where(self.change(root.position))
            case _:
                return root

    def load(self, load: Load) -> Load:
        """A load at its other position."""
        lookups = tuple(
            (Index(self.load(index.load), index.bound, index.wraps), stride)
            for index, stride in load.lookups
        )
        return Load(load.buffer, self.change(load.at), lookups)
