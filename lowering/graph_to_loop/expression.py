"""
Put the nests of a group of ops together: what a kernel computes at one point, as a
tree.

A group is one op, or the ops of a `graph.fusion`. A value inside the group is not
stored: where it is read, the tree of what it computes stands instead, at the position
it is read at. What comes after an op that reduces sees its `Total`. Several reductions
are stages of one nest (`dialects/graph/stages.py`); what one of them keeps, those after
it load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from ...dialects.dims import Dim
from ...dialects.graph import scalar
from ...dialects.graph.literal import to_array
from ...dialects.graph.nest import (
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
from ...dialects.graph.stages import Stages, arrange
from .row import flatten, looked_up, strides
from .tree import (
    Apply,
    Constant,
    Expression,
    Index,
    KernelNest,
    Load,
    Stage,
    Total,
    loads,
)


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
            for load in loads(*nest.roots):
                found[load.buffer] = None
        found.pop(self.result, None)
        return list(found)


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
        self.reducer: Operation | None = None
        self.totals: dict[Operation, Total] = {}
        self.kept: dict[Operation, Load] = {}
        """Values that an earlier stage has stored, and where."""
        self.group = Group(op.results[0])
        self.build(root, ops)

    def build(self, root: GraphOp, ops: Sequence[GraphOp]) -> None:
        """Fills the group from the op whose value it has."""
        reducers = [op for op in ops if any(n.reductions for n in nests(op))]
        stages = arrange({op: nests(op) for op in ops}) if reducers else None
        if stages is not None and not stages.is_one_total:
            self.group.nests.append(self.in_stages(stages, root))
            return
        assert len(reducers) <= 1, "a group reduces once"
        if not reducers:
            self.add_plain(root)
            return
        (reducer,) = reducers
        (nest,) = nests(reducer)
        self.reducer = reducer
        self.group.nests.append(self.reduce(reducer, nest, root))

    def add_plain(self, root: GraphOp) -> None:
        """Adds the nests of an op, none of which reduces."""
        type = tensor_type(root.results[0])
        for nest in nests(root):
            point = identity(nest)
            value = self.apply(root, nest, point)
            at = [self.position(root, each, point) for each in nest.write]
            self.group.nests.append(
                KernelNest(
                    nest.bounds,
                    0,
                    value,
                    None,
                    type.element_type,
                    value,
                    element(self.group.result, at),
                    False,
                    nest.onto,
                    nest.ordered,
                )
            )

    def reduce(self, reducer: GraphOp, nest: Nest, root: GraphOp) -> KernelNest:
        """The nest of an op that reduces, and of what is computed from its total."""
        type = tensor_type(reducer.results[0])
        combined = self.apply(reducer, nest, identity(nest))
        write = tuple(each for each in nest.write if isinstance(each, Linear))
        assert write == nest.write, "a total has its own place"
        assert nest.onto is None, "a total has its own place"
        finish = self.value(root.results[0], write)
        contracts = nest.combine == "add" and nest.body is scalar.mul
        return KernelNest(
            nest.bounds,
            nest.reductions,
            combined,
            nest.combine,
            type.element_type,
            finish,
            element(self.group.result, write),
            contracts,
            keeps_totals=nest.keeps_totals,
        )

    def in_stages(self, plan: Stages, root: GraphOp) -> KernelNest:
        """The nest of several reductions of the same rows, and of what uses them."""
        result = root.results[0]
        store = element(self.group.result, plan.places[result])
        stages: list[Stage] = []
        for number, reducer in enumerate(plan.reducers):
            (nest,) = nests(reducer)
            assert nest.combine is not None, "a reduction combines"
            combined = self.apply(reducer, nest, identity(nest))
            kept = [op for op, first in plan.kept.items() if first == number]
            values = [
                (self.value(op.results[0], plan.places[op.results[0]]), store)
                for op in kept
            ]
            type = tensor_type(reducer.results[0]).element_type
            stages.append(Stage(combined, nest.combine, type, tuple(values)))
            self.totals[reducer] = Total(number)
            self.kept |= dict.fromkeys(kept, store)
            self.forget(plan)
        value = self.value(result, plan.places[result])
        return KernelNest(
            plan.bounds,
            plan.columns,
            value,
            None,
            tensor_type(result).element_type,
            value,
            store,
            False,
            stages=tuple(stages),
            is_wide=plan.is_wide,
        )

    def forget(self, plan: Stages) -> None:
        """Forgets what was computed for each column, which a stage does for itself."""
        rows = len(plan.bounds) - plan.columns
        for value, at in list(self.memo):
            if any(axis >= rows for each in at for axis, _ in each.factors):
                del self.memo[value, at]

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
        if owner is self.reducer:
            return Total()
        if isinstance(owner, Operation) and owner in self.totals:
            return self.totals[owner]
        if isinstance(owner, Operation) and owner in self.kept:
            return self.kept[owner]
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
