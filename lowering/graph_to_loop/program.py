"""
Build the program of a function: a view of memory for each value, a call for each op.

The buffers were assigned before; here each value becomes a view of its buffer, and each
op or fusion a call of its kernel. Kernels of one text are one kernel, whatever sizes
the calls give to its symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    IntegerAttr,
    NameLoc,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects.dims import Dim, product
from ...dialects.graph.buffer import BUFFERS, LIFETIMES, BufferAttr, buffer_of
from ...dialects.graph.op import GraphOp
from ...dialects.graph.ops.constant import ConstantOp
from ...dialects.graph.ops.fusion import FusionOp
from ...dialects.graph.ops.weight import WeightOp
from ...dialects.graph.shape import tensor_type
from ...dialects.loop.ops.kernel import KernelOp
from ...dialects.loop.ops.program import CallOp, CallOutOp, ProgramOp, ViewOp
from .expression import make_group
from .kernel import build_kernel

CHECKS = "graph.checks"
"""What must hold of symbols for ops that are no longer there, as `requirements` says."""


@dataclass
class ProgramBuilder:
    """Turns the ops of one function into calls, and collects the kernels they need."""

    function: func.FuncOp
    kernels: dict[str, KernelOp]
    """The kernels by their text without a name."""

    views: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    body: Block = field(default_factory=Block)
    call_outs: int = 0
    work: Dim = 0
    """The points of all loops, a measure of how long a run is."""

    def build(self) -> ProgramOp:
        """The program of the function; its kernels are then among `kernels`."""
        for op in self.function.body.block.ops:
            if isinstance(op, GraphOp) and not op.IS_VIEW:
                self.add(op)
        known = entries(self.function) | {
            "work": StringAttr(str(self.work)),
            "checks": ArrayAttr(requirements(self.function)),
        }
        return ProgramOp(self.function.sym_name.data, known, self.body)

    def add(self, op: GraphOp) -> None:
        """Adds the call of one op."""
        if isinstance(op, ConstantOp):
            return
        if isinstance(op, FusionOp) or op.nests() is not None:
            self.add_call(op)
        else:
            self.add_call_out(op)

    def add_call(self, op: GraphOp) -> None:
        """Adds the call of an op's kernel."""
        group = make_group(op)
        for nest in group.nests:
            self.work = self.work + product(nest.bounds)
        kernel = build_kernel(group, "kernel")
        known = self.kernels.setdefault(str(kernel.op), kernel.op)
        if known is kernel.op:
            known.sym_name = StringAttr(f"{kernel_name(op)}_{len(self.kernels) - 1}")
        buffers = [self.view(each) for each in (*kernel.buffers, op.results[0])]
        call = CallOp(known.sym_name.data, buffers, kernel.symbols)
        call.attributes["source"] = StringAttr(describe(op))
        self.body.add_op(call)

    def add_call_out(self, op: GraphOp) -> None:
        """Adds the call of an op's reference."""
        for result in op.results:
            tensor_type(result)
        buffers = [self.view(each) for each in (*op.operands, *op.results)]
        call = CallOutOp(self.call_outs, buffers)
        self.call_outs += 1
        call.attributes["source"] = StringAttr(describe(op))
        call.attributes["op"] = StringAttr(as_function(op))
        call.attributes["inputs"] = ArrayAttr(op.operand_types)
        call.attributes["outputs"] = ArrayAttr(op.result_types)
        self.body.add_op(call)

    def view(self, value: SSAValue) -> SSAValue:
        """The view of the memory of a value."""
        if value not in self.views:
            buffer = buffer_of(value)
            element = tensor_type(value).element_type
            where = buffer.place
            number = buffer.slot.data
            if where == "constants":
                number = buffer.offset.data
            view = ViewOp(where, number, buffer.offset.data, element)
            self.body.add_op(view)
            self.views[value] = view.result
        return self.views[value]


def kernel_name(op: GraphOp) -> str:
    """A name that tells what a kernel computes: those of its ops, but not too many."""
    ops = list(op.ops) if isinstance(op, FusionOp) else [op]
    names = [each.name.removeprefix("graph.") for each in ops]
    names = [name for name in names if name != "constant"]
    if len(names) > 4:
        names = [*names[:2], "etc", names[-1]]
    return "_".join(names)


def describe(op: Operation) -> str:
    """What an op is in the model, for messages: its name, and where it came from."""
    location = op.location
    if isinstance(location, NameLoc):
        return f"{op.name} at {location.desc.data}"
    if isinstance(location, FileLineColLoc):
        place = f"{location.filename.data}:{location.line.data}"
        return f"{op.name} at {place}"
    if isinstance(op, FusionOp):
        return " and ".join(describe(each) for each in op.ops)
    return op.name


def as_function(op: Operation) -> str:
    """The text of a function of just this op, from which the op can be made again."""
    body = Block(arg_types=op.operand_types)
    copy = op.clone(dict(zip(op.operands, body.args, strict=True)))
    for name in (BUFFERS, LIFETIMES):
        copy.attributes.pop(name, None)
    body.add_ops([copy, func.ReturnOp(*copy.results)])
    function = func.FuncOp("op", (op.operand_types, op.result_types))
    function.body.detach_block(0)
    function.body.add_block(body)
    return str(function)


def requirements(function: func.FuncOp) -> list[StringAttr]:
    """What must hold of symbols: quantities, each followed by what is expected."""
    known = function.attributes.get(CHECKS, ArrayAttr([]))
    assert isa(known, ArrayAttr[StringAttr])
    texts = [each.data for each in known]
    found = dict.fromkeys(zip(texts[::2], texts[1::2], strict=True))
    for op in function.walk():
        if isinstance(op, GraphOp):
            for each in op.requirements():
                if not isinstance(each.value, int):
                    found[str(each.value), f"{describe(op)}: {each.message}"] = None
    return [StringAttr(text) for pair in found for text in pair]


def entries(function: func.FuncOp) -> dict[str, Attribute]:
    """What the runtime must know of the function."""
    block = function.body.block
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    slots: dict[int, BufferAttr] = {}
    lifetimes: dict[int, Attribute] = {}
    constants: list[Attribute] = []
    for op in block.ops:
        if BUFFERS not in op.attributes:
            continue
        for result in op.results:
            buffer = buffer_of(result)
            if buffer.place == "activations" and buffer.slot.data not in slots:
                slots[buffer.slot.data] = buffer
                lives = op.attributes[LIFETIMES]
                assert isa(lives, ArrayAttr)
                lifetimes[buffer.slot.data] = lives.data[result.index]
            if isinstance(op, WeightOp):
                constants += [op.key, IntegerAttr(buffer.offset.data, i64)]
    known: dict[str, Attribute] = {
        "inputs": ArrayAttr([each.type for each in block.args]),
        "outputs": ArrayAttr([each.type for each in end.operands]),
        "constants": ArrayAttr(constants),
        "slots": ArrayAttr([slots[each] for each in sorted(slots)]),
        "lifetimes": ArrayAttr([lifetimes[each] for each in sorted(slots)]),
    }
    for name, attribute in function.attributes.items():
        if name.startswith("graph."):
            known[name.removeprefix("graph.")] = attribute
    return known
