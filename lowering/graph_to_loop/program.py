"""
Build the program of a function: a view of memory for each value, a call for each op.

The buffers were assigned before; here each value becomes a view of its buffer, and each
op or fusion a call of its kernel, or of several. Kernels of equal contents are one,
whatever sizes the calls give to its symbols.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...dialects import (
    Dim,
    greatest,
    is_nonnegative,
    product,
    sizes,
    symbols_of,
    tensor_type,
    total,
)
from ...dialects.graph import (
    ConstantOp,
    CopyOp,
    DefineSymbolOp,
    ForeignOp,
    FusionOp,
    GraphOp,
    IfOp,
    LoopOp,
    MemoryMap,
    ParallelOp,
    Part,
    Requirement,
    defined_symbols,
    describe,
    kernel_name,
    offset_of,
    ranges_of,
)
from ...dialects.graph.custom import CustomOp
from ...dialects.graph.storage import buffer_of, donated_to
from ...dialects.kernel import structure
from ...dialects.loop import (
    MAY_SHARE,
    OWN,
    PREFERENCE,
    STRATEGIES,
    CallOp,
    CallOutOp,
    CheckAttr,
    DefineOp,
    ElementOp,
    KernelOp,
    ProgramOp,
    RepeatOp,
    RequireOp,
    SymbolAttr,
    TensorAttr,
    TileOp,
    ViewOp,
    is_unlimited,
    preference_of,
    sizes_used,
    strategies_of,
)
from ...dialects.loop import IfOp as FlowIfOp
from ...dialects.loop import ParallelOp as FlowParallelOp
from ...runtime.program import GROWTH, STRUCTURE
from .kernel import Kernel, build_kernels, contents
from .origin import as_function, with_origin
from .signature import Storage, plan_of, tensors_of
from .skips import Skips, is_folded


@dataclass(frozen=True)
class Made:
    """How ops of one structure call their kernel."""

    name: str
    operands: tuple[int, ...]
    """Which operands are passed, in this order."""

    symbols: tuple[str, ...]
    work: Dim
    """The points of its loops."""


class ProgramBuilder:
    """Turns the ops of one function into calls, and collects the kernels they need."""

    def __init__(self, function: func.FuncOp, kernels: dict[Hashable, KernelOp]):
        """A program for `function`; `kernels` go by their contents."""
        self.function = function
        self.kernels = kernels
        self.memory = MemoryMap(function.body.block)
        self.defined = defined_symbols(function.body.block)
        self.views: dict[tuple[SSAValue, Dim], SSAValue] = {}
        self.trips: dict[LoopOp, SSAValue] = {}
        self.made: dict[Hashable, list[Made]] = {}
        """What is known of the kernels of ops, by the structure of the op."""
        self.built: dict[Hashable, Kernel] = {}
        """The kernels that only move parts, by what they depend on."""
        self.start = Block()
        """The views that need no trip, which come first."""
        self.body = Block()
        self.call_outs = 0
        self.work: list[Dim] = []
        """The points of the loops of each call, a measure of how long a run is."""
        self.storage = Storage(function, self.memory)
        self.ranges = ranges_of(function)
        self.least = {name: least for name, (least, _) in self.ranges.items()}
        self.skips = Skips(self.memory, self.storage, self.is_late)
        self.checks: dict[CheckAttr, None] = {}
        """What must hold of inputs."""
        self.positive: dict[Dim, bool] = {}
        """Whether a size is known not to be negative."""

    def build(self) -> ProgramOp:
        """The program of the function; its kernels are then among `kernels`."""
        self.add_ops(self.function.body.block)
        for op in list(self.body.ops):
            op.detach()
            self.start.add_op(op)
        inputs, outputs = tensors_of(self.function)
        made = ProgramOp(
            self.function.sym_name.data,
            self.start,
            inputs=inputs,
            outputs=outputs,
            symbols=self.symbols(inputs, outputs),
            constants=self.storage.constants,
            slots=self.storage.slots,
            plan=plan_of(self.function, self.storage.steps),
            checks=[*self.checks],
            skips=self.skips.entries,
            folded=sum(map(is_folded, self.function.walk())),
            # The entry asks for it before the run has defined any symbol.
            work=greatest(total(self.work), self.defined),
        )
        known = self.function.attributes
        made.attributes |= {
            name: known[name] for name in (STRUCTURE, GROWTH) if name in known
        }
        return made

    def symbols(
        self, inputs: Sequence[TensorAttr], outputs: Sequence[TensorAttr]
    ) -> list[SymbolAttr]:
        """The symbols that a call must give values, its tensors' symbols first."""
        shapes = [size for each in (*inputs, *outputs) for size in sizes(each.tensor)]
        used = (size for op in self.start.walk() for size in sizes_used(op))
        names = (name for d in (*shapes, *used) for name in sorted(symbols_of(d)))
        free = [name for name in dict.fromkeys(names) if name not in self.defined]
        return [SymbolAttr.of(name, self.ranges.get(name, ())) for name in free]

    def add_ops(self, block: Block) -> None:
        """Adds what the ops of a block do."""
        for op in block.ops:
            inside = block is not self.function.body.block
            for each in self.requirements(op):
                if inside or self.is_late(each.value, *each.sizes):
                    self.body.add_op(RequireOp(each.value, each.message, each.sizes))
                else:
                    check = CheckAttr.of(each.value, each.message, each.sizes)
                    self.checks[check] = None
            match op:
                case IfOp():
                    self.add_if(op)
                case LoopOp():
                    self.add_loop(op)
                case ParallelOp():
                    self.body.add_op(FlowParallelOp([*map(self.inside, op.blocks)]))
                case DefineSymbolOp():
                    define = DefineOp(op.symbol.data, self.view(op.value), *op.range)
                    self.body.add_op(with_origin(define, op))
                case GraphOp() if op.results and not op.IS_VIEW:
                    self.add(op)
                case _:
                    pass

    def requirements(self, op: Operation) -> Iterator[Requirement]:
        """What must hold of sizes before an op runs, told with its place."""
        found: dict[Requirement, None] = {}
        for each in op.walk() if isinstance(op, FusionOp) else (op,):
            if not isinstance(each, GraphOp):
                continue
            for needed in (*each.all_requirements(), *self.sizes_of(each)):
                message = f"{describe(each)}: {needed.message}"
                found[Requirement(needed.value, message, needed.sizes)] = None
        for each in found:
            if not isinstance(each.value, int) or each.value < 0:
                yield each

    def sizes_of(self, op: GraphOp) -> Iterator[Requirement]:
        """That no size of a result is below zero, where a run could have that."""
        tensors = (each for each in op.results if isinstance(each.type, TensorType))
        for type in map(tensor_type, tensors):
            for size in sizes(type):
                if size not in self.positive:
                    self.positive[size] = is_nonnegative(size, self.least)
                if not self.positive[size]:
                    message = f"expected sizes of zero or more in {type}"
                    yield Requirement(size, message)

    def is_late(self, *sizes: Dim) -> bool:
        """Whether one of some sizes is known only after the program has computed it."""
        return any(not symbols_of(each).isdisjoint(self.defined) for each in sizes)

    def inside(self, block: Block, trips: Dim = 1) -> Block:
        """The calls of a region that runs a number of times."""
        body, work = self.body, self.work
        self.body, self.work = Block(), []
        self.add_ops(block)
        made, self.body = self.body, body
        work.append(greatest(total(self.work), self.defined) * trips)
        self.work = work
        return made

    def add_if(self, op: IfOp) -> None:
        """Adds the choice between two regions."""
        blocks = map(self.inside, op.blocks)
        self.body.add_op(FlowIfOp(self.view(op.condition), *blocks))

    def add_loop(self, op: LoopOp) -> None:
        """Adds the repetition of a region."""
        marker = Block(arg_types=[IndexType()])
        self.trips[op] = marker.args[0]
        trips = _ASSUMED_TRIPS if is_unlimited(op.limit) else op.limit
        made = self.inside(op.body.block, trips)
        for each in list(made.ops):
            each.detach()
            marker.add_op(each)
        conditions: list[SSAValue] = []
        if op.condition is not None:
            end = op.body.block.last_op
            assert end is not None
            conditions = [self.view(op.condition), self.view(end.operands[0])]
        self.body.add_op(RepeatOp(op.limit, marker, *conditions))

    def add(self, op: GraphOp) -> None:
        """Adds the call of one op."""
        if isinstance(op, ConstantOp):
            return
        if isinstance(op, FusionOp) or op.has_kernel:
            self.add_call(op)
        else:
            if isinstance(op, CustomOp):
                op.check_runs()
            self.add_call_out(op)

    def add_call(self, op: GraphOp) -> None:
        """Adds the call of an op's kernel."""
        key = structure(op)
        if key not in self.made:
            kernels = list(build_kernels(op, "kernel", self.built))
            donated = donated_to(op) if len(kernels) == 1 else ()
            self.made[key] = [self.make(op, each, donated) for each in kernels]
        for made in self.made[key]:
            self.work.append(made.work)
            read = [op.operands[each] for each in made.operands]
            buffers = [self.view(each) for each in (*read, *op.results)]
            is_copy = isinstance(op, CopyOp) and len(buffers) == 2
            skip = self.skips.number_of(op, made.name, made.operands)
            call = CallOp(made.name, buffers, made.symbols, is_copy, skip)
            self.body.add_op(with_origin(call, op))

    def make(self, op: GraphOp, kernel: Kernel, donated: Sequence[int]) -> Made:
        """
        Adds a kernel of an op, unless there is one of equal contents; the result may be
        in the memory of `donated` operands.
        """
        if donated:
            given = {op.operands[each] for each in donated}
            shared = [n for n, each in enumerate(kernel.buffers) if each in given]
            kernel.op.attributes[MAY_SHARE] = DenseArrayBase.from_list(i64, shared)
        if (preference := preference_of(op)) != OWN:
            kernel.op.attributes[PREFERENCE] = preference
        if strategies := strategies_of(op):
            tiles = sum(isinstance(each, TileOp) for each in kernel.op.walk())
            if len(strategies) == tiles:
                kernel.op.attributes[STRATEGIES] = ArrayAttr(strategies)
        if (key := contents(kernel.op)) not in self.kernels:
            name = f"{kernel_name(op)}_{len(self.kernels)}"
            self.kernels[key], kernel.op.sym_name = kernel.op, StringAttr(name)
        known = self.kernels[key]
        places: dict[SSAValue, int] = {}
        for place, value in enumerate(op.operands):
            places.setdefault(value, place)
        operands = tuple(places[each] for each in kernel.buffers)
        return Made(known.sym_name.data, operands, kernel.symbols, kernel.work)

    def add_call_out(self, op: GraphOp) -> None:
        """Adds the call of an op's reference."""
        for result in op.results:
            tensor_type(result)
        buffers = [self.view(each) for each in (*op.operands, *op.results)]
        types = op.operand_types, op.result_types
        framework = op.framework if isinstance(op, ForeignOp) else None
        text = as_function(op)
        call = CallOutOp(self.call_outs, text, buffers, *types, framework)
        self.call_outs += 1
        self.body.add_op(with_origin(call, op))

    def view(self, value: SSAValue) -> SSAValue:
        """The view of the memory of a value."""
        start, value = offset_of(value), self.memory.storage_of(value)
        part = self.memory.parts.get(value)
        if start != 0 and (part is not None or self.is_late(start)):
            raise VerifyException(
                "expected a subview of memory whose place is known before the run, "
                f"got one of {value.type} from element {start} on"
            )
        if part is not None:
            return self.part(value, part)
        if (value, start) not in self.views:
            region, number = self.storage.number_of(buffer_of(value))
            view = ViewOp(region, number, tensor_type(value).element_type, start)
            self.start.add_op(view)
            self.views[value, start] = view.result
        return self.views[value, start]

    def part(self, value: SSAValue, part: Part) -> SSAValue:
        """The view of an element that belongs to a trip of a loop."""
        stride = product(sizes(tensor_type(value)))
        backward = part.loop.limit if part.loop.is_backward(part.number) else 0
        trip = self.trips[part.loop]
        element = ElementOp(self.view(part.whole), trip, stride, backward)
        self.body.add_op(element)
        return element.result


_ASSUMED_TRIPS = 64
"""Trips that are assumed of a loop which its condition alone ends."""
