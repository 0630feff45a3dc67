"""
Put the nests of a group of ops together, each expression at the position it is read at.

A value that the group computes is not stored: where it is read, the expression that
computes it stands. Several reductions of the same rows are stages of one nest, and the
values that one of them stores, later ones load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from ..dims import Dim
from ..graph import (
    FusionOp,
    GraphOp,
    Linear,
    Nest,
)
from ..shape import tensor_type
from .collapse import collapse
from .evaluation import Evaluation
from .expression import (
    Accumulator,
    Apply,
    Expression,
    Index,
    KernelNest,
    Load,
    Part,
    Parts,
    Stage,
    walk,
)
from .grid import Alone, all_feeding, check_runs_over, feeding, in_step, linear, over
from .group import Group, element
from .placed import placed
from .points import (
    identity,
    in_turn,
    nests,
    only_nest,
    written,
)
from .reach import reaches_of
from .row_reductions import Stages, arrange, is_contraction


def make_group(op: GraphOp) -> Group:
    """The group of one op, or of the ops of a fusion, with collapsed axes."""
    builder = _Builder(op)
    nests = tuple(map(collapse, builder.made))
    return Group(op.results[0], nests, tuple(builder.checks))


class _Builder(Evaluation):
    """Merges the nests of a group."""

    def __init__(self, op: GraphOp):
        outer: dict[SSAValue, SSAValue] = {}
        root, ops = op, [op]
        if isinstance(op, FusionOp):
            outer = dict(zip(op.body.block.args, op.operands, strict=True))
            ops = list(op.ops)
            assert isinstance(op.root.owner, GraphOp)
            root = op.root.owner
        super().__init__({op: nests(op) for op in ops}, outer)
        self.result = op.results[0]
        for op, found in self.nests.items():
            if found and found[0].bodies is not None:
                self.tiles[op] = Part(self.parts_of(op, found[0]), 0)
        self.once = self.reducers | self.movers | {*self.tiles}
        self.made: list[KernelNest] = []
        plan = arrange(self.nests) if self.reducers else None
        if plan is not None and not plan.is_one_reduction:
            self.made.append(self.in_stages(plan, root))
            return
        for first in self.nests[root]:
            for last, nest in placed(root, first, self.nests):
                self.alone = Alone()
                if self.movers:
                    # What is computed over another grid is not that of this one.
                    self.memo.clear()
                reducer = feeding(
                    last, nest, self.nests.keys(), self.reducers | {*self.tiles}
                )
                if reducer is None:
                    self.made += self.plain(last, nest)
                elif reducer in self.tiles:
                    self.made.append(self.tile(reducer, last, nest))
                else:
                    self.made.append(self.reduce(reducer, last, nest))

    def grid(self, root: GraphOp, nest: Nest) -> tuple[GraphOp, Nest] | None:
        """The op that rearranges what a nest of the last op reads, if any."""
        among = self.movers - {root} if len(self.nests[root]) > 1 else self.movers
        op = feeding(root, nest, self.nests.keys(), among, self.reducers)
        if op is not None and op is not root:
            check_runs_over(nest, op)
        return None if op is None else (op, only_nest(op, self.nests[op]))

    def plain(self, root: GraphOp, nest: Nest) -> Iterator[KernelNest]:
        """
        The nests of an op that no reduction feeds: that of the op, or one over each
        grid of the ops that rearrange what it reads, or join it of parts.
        """
        ops = [*all_feeding(root, nest, self.nests.keys(), self.movers - {root})]
        for op in ops:
            check_runs_over(nest, op)
        for grids in in_step({op: self.nests[op] for op in ops} or {root: (nest,)}):
            grid = grids[0]
            point = linear(grid.write) if ops else identity(nest)
            self.parts = dict(zip(ops, grids, strict=False))
            self.alone = Alone(grid.bounds, dict.fromkeys(ops, point))
            yield self.pointwise(root, nest, grid.bounds, point)
            if ops:
                self.memo.clear()
        self.parts = {}

    def pointwise(
        self,
        root: GraphOp,
        nest: Nest,
        bounds: tuple[Dim, ...],
        point: Sequence[Linear],
    ) -> KernelNest:
        """A nest that stores what the last op computes at each point."""
        value = self.apply(root, nest, point)
        at = [self.position(root, each, point) for each in nest.write]
        type, to = tensor_type(root.results[0]).element_type, element(self.result, at)
        return KernelNest(
            bounds, 0, value, None, type, value, to, False, nest.onto, nest.ordered
        )

    def reduce(self, reducer: GraphOp, root: GraphOp, last: Nest) -> KernelNest:
        """The nest of a reduction with its epilogue."""
        (nest,) = self.nests[reducer]
        write, point = linear(nest.write), identity(nest)
        assert not nest.is_scattered, "an accumulator has its own element"
        places: dict[Operation, Sequence[Linear]] = {reducer: write}
        if (found := self.grid(root, last)) is not None:
            op, grid = found
            nest, point, places[reducer] = over(grid, nest, reducer)
            write = identity(grid) if op is root else linear(grid.write)
            places[op] = write
        elif root is not reducer:
            check_runs_over(last, reducer)
        epilogue: Expression = Accumulator()
        at: Sequence[Linear | Index] = write
        if root is not reducer:
            # The last op reads each accumulator at its own position.
            self.alone = Alone(nest.bounds, places)
            epilogue = self.apply(root, last, write)
            at = [self.position(root, each, write) for each in last.write]
            self.alone = Alone()
        return KernelNest(
            nest.bounds,
            nest.reductions,
            self.apply(reducer, nest, point),
            nest.combine,
            tensor_type(reducer.results[0]).element_type,
            epilogue,
            element(self.result, at),
            is_contraction(nest),
            in_turn=in_turn(nest),
            keeps_accumulators=nest.keeps_accumulators,
            reaches=reaches_of(nest),
        )

    def parts_of(self, op: GraphOp, nest: Nest) -> Parts:
        """All scalars of a point of an op that stores tiles."""
        assert nest.bodies is not None, "such a nest builds several scalars"
        opened = self.open(op, nest, identity(nest))
        whole = self.put_together(opened)
        assert isinstance(whole, Apply), "an op is applied to its operands"
        return Parts(nest.bodies, whole.operands)

    def tile(self, op: GraphOp, root: GraphOp, last: Nest) -> KernelNest:
        """The nest of an op whose points store tiles, with the tail of each scalar."""
        (nest,) = self.nests[op]
        if root is not op:
            check_runs_over(last, op)
        parts, pairs = self.tiles[op].parts, list[tuple[Expression, Load]]()
        for number, at in enumerate(written(nest)):
            self.tiles[op] = value = Part(parts, number)
            if root is op:
                pairs.append((value, element(self.result, at)))
                continue
            self.alone = Alone(nest.bounds, {op: at})
            to = [self.position(root, each, at) for each in last.write]
            pairs.append((self.apply(root, last, at), element(self.result, to)))
            # What is made of a scalar is not that of the next.
            for known, made in list(self.memo.items()):
                if any(isinstance(each, Part) for each in walk(made)):
                    del self.memo[known]
        (value, store), *also = pairs
        return KernelNest(
            nest.bounds,
            0,
            value,
            None,
            tensor_type(root.results[0]).element_type,
            value,
            store,
            False,
            clamped=nest.clamped,
            also=tuple(also),
        )

    def in_stages(self, plan: Stages, root: GraphOp) -> KernelNest:
        """The nest of several reductions of the same rows, and of their users."""
        result = root.results[0]
        store = element(self.result, plan.coordinates[result])
        stages: list[Stage] = []
        for number, reducer in enumerate(plan.reducers):
            (nest,) = self.nests[reducer]
            assert nest.combine is not None, "a reduction combines"
            combined = self.apply(reducer, nest, identity(nest))
            kept = [op for op, first in plan.kept.items() if first == number]
            values = [
                (self.value(op.results[0], plan.coordinates[op.results[0]]), store)
                for op in kept
            ]
            type = tensor_type(reducer.results[0]).element_type
            stages.append(Stage(combined, nest.combine, type, tuple(values)))
            self.accumulators[reducer] = Accumulator(number)
            self.kept |= dict.fromkeys(kept, store)
            self.forget(plan)
        value = self.value(result, plan.coordinates[result])
        return KernelNest(
            plan.bounds,
            plan.columns,
            value,
            None,
            tensor_type(result).element_type,
            value,
            store,
            False,
            in_turn=in_turn(self.nests[plan.reducers[0]][0]),
            stages=tuple(stages),
            is_wide=plan.is_wide,
        )

    def forget(self, plan: Stages) -> None:
        """Forgets what varies along the columns: each stage computes it again."""
        rows = len(plan.bounds) - plan.columns
        for known in list(self.memo):
            if any(axis >= rows for each in known.at for axis, _ in each.factors):
                del self.memo[known]
