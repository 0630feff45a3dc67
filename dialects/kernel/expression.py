"""
Expression trees, which say what a kernel computes at one point, and their nests.

The walks here find the loads and the positions of a tree, and rebuild it at other
positions. A shared subtree is one object, which is visited and built once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from xdsl.ir import Attribute, SSAValue

from ..dims import Dim
from ..graph import Body, Combiner, Extent, Linear, Where
from .reach import Reach


@dataclass(frozen=True, eq=False)
class Index:
    """An index that is loaded from memory, counted from the front."""

    load: Load
    bound: Dim
    wraps: bool


@dataclass(frozen=True, eq=False)
class Load:
    """An element of the buffer of a value, at a linear offset."""

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
    """The body of an op applied to operands."""

    body: Body
    operands: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Parts:
    """What builds several scalars together, applied to operands."""

    bodies: Callable[..., Sequence[SSAValue]]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """One of several scalars that are built together."""

    parts: Parts
    number: int


@dataclass(frozen=True)
class Accumulator:
    """The result of a reduction of this nest: that of a stage, or the only one."""

    stage: int = 0


Expression: TypeAlias = (
    Load | Constant | Apply | Parts | Part | Accumulator | Extent | Where
)


@dataclass(frozen=True, eq=False)
class Stage:
    """A reduction of each row, which may also store a value for every column."""

    element: Expression
    """The expression that is reduced."""

    combine: Combiner
    type: Attribute
    kept: tuple[tuple[Expression, Load], ...] = ()
    """Expressions stored during the reduction, each with its destination."""


@dataclass(frozen=True, eq=False)
class KernelNest:
    """
    One loop nest of a kernel: the value computed at every point, and its destination.
    """

    bounds: tuple[Dim, ...]
    reductions: int
    element: Expression
    """
    The expression computed at each point; it is reduced when the nest has reductions.
    """

    combine: Combiner | None
    type: Attribute
    """The type of the element, and of the accumulator."""

    epilogue: Expression
    """What is stored: the element itself, or an epilogue of the accumulator."""

    store: Load
    """The element that is stored to."""

    is_contraction: bool
    onto: Combiner | None = None
    """
    How a stored value is combined with the one in memory; None when it replaces that.
    """

    ordered: frozenset[int] = frozenset()
    """The axes whose points must run in order."""

    in_turn: frozenset[int] = frozenset()
    """The reduced axes whose points are combined in order where rounding tells."""

    keeps_accumulators: bool = False
    """Whether each step of the reduction stores the accumulator, as in a prefix sum."""

    stages: tuple[Stage, ...] = ()
    """The reductions of each row in order, unless the only one is of `element`."""

    is_wide: bool = False
    """Whether the nest stores an element for every column after its stages."""

    clamped: tuple[tuple[Linear, Dim], ...] = ()
    """Additional coordinates, numbered after the axes, each clamped below a bound."""

    also: tuple[tuple[Expression, Load], ...] = ()
    """What else a point stores, after all that it loads, each with its destination."""

    reaches: tuple[Reach, ...] = ()
    """Where along reduced axes what is summed may be other than zero."""

    @property
    def roots(self) -> Iterator[Expression]:
        """Every expression of the nest, destinations included."""
        for stage in self.stages:
            yield stage.element
            for pair in stage.kept:
                yield from pair
        yield from (self.element, self.epilogue, self.store)
        for pair in self.also:
            yield from pair


def walk(*roots: Expression) -> Iterator[Expression]:
    """Every subexpression once, operands first."""
    done: set[int] = set()
    for root in roots:
        for each in left(root, done, _nested_expressions):
            done.add(id(each))
            yield each


def left(
    root: Expression,
    done: Container[int],
    parts: Callable[[Expression], Iterable[Expression]],
) -> Iterator[Expression]:
    """
    The parts of an expression that are not in `done`, operands first. The caller adds
    the identity of each to `done` before it asks for the next.
    """
    # An explicit stack, as a chain of ops may be deeper than Python's stack.
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


def _nested_expressions(each: Expression) -> Iterable[Expression]:
    """The operands of an expression, and the loads of its indices."""
    match each:
        case Load():
            return [index.load for index, _ in each.lookups]
        case _:
            return operands_of(each)


def operands_of(each: Expression) -> Iterable[Expression]:
    """The operands of an expression."""
    match each:
        case Apply() | Parts():
            return each.operands
        case Part():
            return (each.parts,)
        case _:
            return ()


def loads(*roots: Expression) -> Iterator[Load]:
    """
    Every load of expressions; the loads of an index come before the load that uses it.
    """
    return (each for each in walk(*roots) if isinstance(each, Load))


def elements(*roots: Expression) -> Iterator[Load]:
    """The loads of expressions that are elements, and no indices of other loads."""
    done: set[int] = set()
    for root in roots:
        for each in left(root, done, operands_of):
            done.add(id(each))
            if isinstance(each, Load):
                yield each


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
    """
    Rebuilds expressions with every position changed, and with other values in place of
    some; shared subtrees stay shared.
    """

    def __init__(
        self,
        change: Callable[[Linear], Linear],
        values: Mapping[SSAValue, SSAValue] | None = None,
    ):
        self.change, self.values = change, values or {}
        self.done: dict[int, tuple[Expression, Expression]] = {}
        """
        By the identity of the original, which is kept alive so that its identity is not
        reused.
        """

    def __call__(self, root: Expression) -> Expression:
        """The expression with its positions changed."""
        for each in left(root, self.done, operands_of):
            self.done[id(each)] = each, self.move(each)
        return self.done[id(root)][1]

    def move(self, root: Expression) -> Expression:
        """
        The expression with its positions changed, once its operands are in `done`.
        """
        match root:
            case Load():
                return self.load(root)
            case Apply():
                operands = (self.done[id(each)][1] for each in root.operands)
                return Apply(root.body, tuple(operands))
            case Parts():
                operands = (self.done[id(each)][1] for each in root.operands)
                return Parts(root.bodies, tuple(operands))
            case Part():
                parts = self.done[id(root.parts)][1]
                assert isinstance(parts, Parts), "what is moved stays what it is"
                return Part(parts, root.number)
            case Where():
                return Where(self.change(root.position))
            case _:
                return root

    def load(self, load: Load) -> Load:
        """A load with its position changed."""
        lookups = tuple(
            (Index(self.load(index.load), index.bound, index.wraps), stride)
            for index, stride in load.lookups
        )
        buffer = self.values.get(load.buffer, load.buffer)
        return Load(buffer, self.change(load.at), lookups)

    def nest(self, nest: KernelNest) -> KernelNest:
        """A nest with its expressions changed."""
        return replace(
            nest,
            element=self(nest.element),
            epilogue=self(nest.epilogue),
            store=self.load(nest.store),
            also=tuple((self(each), self.load(at)) for each, at in nest.also),
            stages=tuple(
                replace(
                    stage,
                    element=self(stage.element),
                    kept=tuple((self(e), self.load(at)) for e, at in stage.kept),
                )
                for stage in nest.stages
            ),
        )
