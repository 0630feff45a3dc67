"""
What a kernel computes at one point, as a tree: the nests of a group of ops, put
together.

A group is one op, or the ops of a `graph.fusion`. A value inside the group is not
stored: where it is read, the tree of what it computes stands instead, at the position
it is read at. Behind a nest of the last op at most one op reduces; what comes after it
sees its `Total`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Attribute, SSAValue

from ...dialects.dims import Dim
from ...dialects.graph import scalar
from ...dialects.graph.literal import to_array
from ...dialects.graph.nest import (
    Body,
    Combiner,
    Extent,
    Linear,
    Nest,
    Position,
    Read,
    Source,
    Where,
    axes,
)
from ...dialects.graph.op import GraphOp
from ...dialects.graph.ops.constant import ConstantOp
from ...dialects.graph.ops.fusion import FusionOp
from ...dialects.graph.shape import sizes, tensor_type
from .row import flatten, looked_up, strides


@dataclass(frozen=True, eq=False)
class Index:
    """An index that is looked up, counted from the front."""

    load: Load
    bound: Dim
    wraps: bool


@dataclass(frozen=True, eq=False)
class Load:
    """An element of the buffer of a value, at a place in its row of elements."""

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
class Total:
    """What the reduction of this nest came to."""


Expression: TypeAlias = Load | Constant | Apply | Total | Extent | Where


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
    """What is stored: the element itself, or something computed from the total."""

    store: Load
    """The element that is set."""

    is_contraction: bool
    onto: Combiner | None = None
    """How what is stored is combined with what is there, if it is."""

    ordered: frozenset[int] = frozenset()
    """The axes whose points come one after the other."""

    keeps_totals: bool = False
    """Whether each step of the reduction stores what it came to."""


@dataclass(frozen=True)
class Check:
    """That indices of a buffer are below a bound."""

    indices: SSAValue
    count: Dim
    start: Dim
    step: Dim
    bound: Dim
    wraps: bool


@dataclass
class Group:
    """
    The nests of a group of ops, the values they read, and what must hold of those.
    """

    result: SSAValue
    nests: list[KernelNest] = field(default_factory=list[KernelNest])
    checks: list[Check] = field(default_factory=list[Check])

    def buffers(self) -> list[SSAValue]:
        """The values that the nests load, in the order in which they first do."""
        found: dict[SSAValue, None] = {}
        for check in self.checks:
            found[check.indices] = None
        for nest in self.nests:
            for root in (nest.element, nest.finish, nest.store):
                for load in loads(root):
                    found[load.buffer] = None
        found.pop(self.result, None)
        return list(found)


def loads(root: Expression) -> Iterator[Load]:
    """Every load of an expression, those of looked-up indices first."""
    match root:
        case Load():
            for index, _ in root.lookups:
                yield index.load
            yield root
        case Apply():
            for operand in root.operands:
                yield from loads(operand)
        case _:
            return


def linears(root: Expression) -> Iterator[Linear]:
    """Every position that an expression depends on."""
    if isinstance(root, Where):
        yield root.position
    elif isinstance(root, Apply):
        for operand in root.operands:
            yield from linears(operand)
    else:
        for load in loads(root):
            yield load.at


def rewrite(root: Expression, change: Callable[[Linear], Linear]) -> Expression:
    """The expression with every position changed; what is shared stays shared."""
    done: dict[int, Expression] = {}

    def load(each: Load) -> Load:
        lookups = tuple(
            (Index(load(index.load), index.bound, index.wraps), stride)
            for index, stride in each.lookups
        )
        return Load(each.buffer, change(each.at), lookups)

    def visit(each: Expression) -> Expression:
        if id(each) not in done:
            match each:
                case Load():
                    done[id(each)] = load(each)
                case Apply():
                    operands = tuple(visit(operand) for operand in each.operands)
                    done[id(each)] = Apply(each.body, operands)
                case Where():
                    done[id(each)] = Where(change(each.position))
                case _:
                    done[id(each)] = each
        return done[id(each)]

    return visit(root)


def element(value: SSAValue, at: Sequence[Linear | Index]) -> Load:
    """The element of a value in memory at a position for each axis."""
    steps = strides(shape := sizes(tensor_type(value)))
    fixed = [each if isinstance(each, Linear) else Linear() for each in at]
    lookups = tuple(
        (each, step)
        for each, step in zip(at, steps, strict=True)
        if isinstance(each, Index)
    )
    return Load(value, flatten(fixed, shape), lookups)


def make_group(op: GraphOp) -> Group:
    """The group of one op, or of the ops of a fusion."""
    return _Builder(op).group


class _Builder:
    """Puts the nests of a group together."""

    def __init__(self, op: GraphOp):
        self.outer: dict[SSAValue, SSAValue] = {}
        root, ops = op, [op]
        if isinstance(op, FusionOp):
            self.outer = dict(zip(op.body.block.args, op.operands, strict=True))
            ops = list(op.ops)
            assert isinstance(op.root.owner, GraphOp)
            root = op.root.owner
        self.inner = set(ops)
        self.memo: dict[tuple[SSAValue, tuple[Linear, ...]], Expression] = {}
        self.reducers = {op for op in ops if any(n.reductions for n in nests(op))}
        self.group = Group(op.results[0])
        for nest in nests(root):
            reducer = self.reducer(root, nest)
            self.group.nests.append(
                self.plain(root, nest)
                if reducer is None
                else self.reduce(reducer, root, nest)
            )

    def reducer(self, root: GraphOp, nest: Nest) -> GraphOp | None:
        """The op that reduces behind a nest of the last op, if there is one."""
        if root in self.reducers:
            return root
        read = [each.operand for each in nest.sources if isinstance(each, Read)]
        waiting, found = [root.operands[each].owner for each in read], set[GraphOp]()
        while waiting:
            op = waiting.pop()
            if not isinstance(op, GraphOp) or op not in self.inner:
                continue
            if op in self.reducers:
                found.add(op)
            else:
                waiting += [each.owner for each in op.operands]
        assert len(found) <= 1, "a nest reduces once"
        return found.pop() if found else None

    def plain(self, root: GraphOp, nest: Nest) -> KernelNest:
        """The nest of an op behind which nothing reduces."""
        point = identity(nest)
        value = self.apply(root, nest, point)
        at = [self.position(root, each, point) for each in nest.write]
        return KernelNest(
            nest.bounds,
            0,
            value,
            None,
            tensor_type(root.results[0]).element_type,
            value,
            element(self.group.result, at),
            False,
            nest.onto,
            nest.ordered,
        )

    def reduce(self, reducer: GraphOp, root: GraphOp, last: Nest) -> KernelNest:
        """The nest of an op that reduces, and of what is computed from its total."""
        (nest,) = nests(reducer)
        write = tuple(each for each in nest.write if isinstance(each, Linear))
        assert not nest.is_scattered, "a total has its own place"
        finish: Expression = Total()
        at: Sequence[Linear | Index] = write
        if root is not reducer:
            # The last op goes over the totals, each at its own place.
            finish = self.apply(root, last, write)
            at = [self.position(root, each, write) for each in last.write]
        return KernelNest(
            nest.bounds,
            nest.reductions,
            self.apply(reducer, nest, identity(nest)),
            nest.combine,
            tensor_type(reducer.results[0]).element_type,
            finish,
            element(self.group.result, at),
            nest.combine == "add" and nest.body is scalar.mul,
            keeps_totals=nest.keeps_totals,
        )

    def apply(self, op: GraphOp, nest: Nest, point: Sequence[Linear]) -> Expression:
        """What `op` computes at a point of its nest."""
        operands = tuple(self.source(op, each, point) for each in nest.sources)
        return Apply(nest.body, operands)

    def source(
        self, op: GraphOp, source: Source, point: Sequence[Linear]
    ) -> Expression:
        """A scalar that a nest reads."""
        match source:
            case Read():
                at = [self.position(op, each, point) for each in source.at]
                return self.read(op.operands[source.operand], at)
            case Extent():
                return source
            case Where():
                return Where(source.position.at(point))

    def position(
        self, op: GraphOp, position: Position, point: Sequence[Linear]
    ) -> Linear | Index:
        """A position of a nest, at a point that is a function of another."""
        if isinstance(position, Linear):
            return position.at(point)
        indices = self.outer.get(
            op.operands[position.operand], op.operands[position.operand]
        )
        assert indices.owner not in self.inner, "what is looked up is in memory"
        shape = sizes(tensor_type(indices))
        among = looked_up(position.at, shape)
        check = Check(indices, *among, position.bound, position.wraps)
        if check not in self.group.checks:
            self.group.checks.append(check)
        at = flatten([each.at(point) for each in position.at], shape)
        return Index(Load(indices, at), position.bound, position.wraps)

    def read(self, value: SSAValue, at: Sequence[Linear | Index]) -> Expression:
        """The element of `value` at a position for each axis."""
        plain = tuple(each for each in at if isinstance(each, Linear))
        if len(plain) == len(at):
            return self.value(value, plain)
        value = self.outer.get(value, value)
        assert value.owner not in self.inner, "what is looked up is in memory"
        return element(value, at)

    def value(self, value: SSAValue, at: tuple[Linear, ...]) -> Expression:
        """The element of `value` at a place: computed here, or loaded."""
        key = (value, at)
        if key not in self.memo:
            self.memo[key] = self.compute(value, at)
        return self.memo[key]

    def compute(self, value: SSAValue, at: tuple[Linear, ...]) -> Expression:
        """What `value` has not been computed to yet."""
        owner = value.owner
        if owner in self.reducers:
            return Total()
        if isinstance(owner, GraphOp) and owner in self.inner:
            (nest,) = nests(owner)
            return self.apply(owner, nest, at)
        outer = self.outer.get(value, value)
        if (number := inline_constant(outer)) is not None:
            return number
        return element(outer, at)


def inline_constant(value: SSAValue) -> Constant | None:
    """The number that `value` is, when it is a constant of one element."""
    if not isinstance(value.owner, ConstantOp):
        return None
    array = to_array(value.owner.value)
    if array.size != 1:
        return None
    return Constant(array.item(), tensor_type(value).element_type)


def identity(nest: Nest) -> tuple[Linear, ...]:
    """The point of a nest as a function of itself."""
    return axes(len(nest.bounds))


def nests(op: GraphOp) -> Sequence[Nest]:
    """The nests of an op that has some."""
    found = op.nests()
    assert found is not None, f"{op.name} has loops"
    return found
