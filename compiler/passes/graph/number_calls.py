"""
Number the ops that become calls, and note what each of them executes, for a trace.

Before:

    %1 = graph.exp %0 {graph.buffers = …} : tensor<4xf32> -> tensor<4xf32>

After:

    builtin.module attributes {graph.executed = [
        {family = "exp", operators = ["graph::exp v1/6;0|6;0"]}]} {
      …
      %1 = graph.exp %0 {graph.buffers = …, graph.trace = 0 : i64} : …

It runs where it is decided which ops become one kernel. The lowering gives each call
the number of its op, and the emitter lets the call set that mark; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike
from xdsl.utils.hints import isa

from ....dialects import ELEMENT_TYPES, tensor_type
from ....dialects.graph import (
    EXECUTED,
    FUSION_NUMBER,
    TRACE,
    ControlOp,
    FusionOp,
    GraphOp,
    kernel_name,
    operator_name,
)
from ....dialects.graph.storage import StoredOp
from ....dialects.loop import TRACED, CallOp, CallOutOp, KernelOp, element_type
from ...ir import Executed
from ...selective import kernel_key


class NumberCalls(ModulePass):
    """Gives each op that becomes calls a number, and notes what it computes."""

    name = "number-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found: list[DictionaryAttr] = []
        for each in op.walk():
            if isinstance(each, GraphOp) and _becomes_calls(each):
                each.attributes[TRACE] = IntegerAttr(len(found), i64)
                found.append(_described(each))
        op.attributes[EXECUTED] = ArrayAttr(found)


def _becomes_calls(op: GraphOp) -> bool:
    """Whether an op is computed by calls of its own."""
    if not op.results or op.IS_VIEW or op.has_trait(ConstantLike):
        return False
    is_part = isinstance(op.parent_op(), FusionOp)
    return not (is_part or isinstance(op, ControlOp | StoredOp))


def _described(op: GraphOp) -> DictionaryAttr:
    """What calls of an op execute."""
    keys = (f"{operator_name(part)} {_key_of(part)}" for part in _fused_ops(op))
    made: dict[str, Attribute] = {
        "family": StringAttr(kernel_name(op)),
        "operators": ArrayAttr([StringAttr(each) for each in dict.fromkeys(keys)]),
    }
    if (number := op.attributes.get(FUSION_NUMBER)) is not None:
        made["fusion"] = number
    return DictionaryAttr(made)


def _fused_ops(op: GraphOp) -> Iterator[GraphOp]:
    """The ops that one op computes: the ops of a fusion, or itself."""
    for each in op.ops if isinstance(op, FusionOp) else (op,):
        if not isinstance(each, StoredOp) and not each.has_trait(ConstantLike):
            yield each


def _key_of(op: GraphOp) -> str:
    """The dtypes and layouts of operands and results."""
    values = (*op.operands, *op.results)
    rows = (ELEMENT_TYPES[tensor_type(each).element_type] for each in values)
    numbers = (each.scalar_number for each in rows)
    return kernel_key(zip(numbers, op.layouts(), strict=True))


def _dtypes(elements: Iterable[Attribute]) -> list[str]:
    """PyTorch's names of element types."""
    return [ELEMENT_TYPES[each].scalar_type for each in elements]


def executed_of(module: ModuleOp) -> list[Executed]:
    """What calls execute, by their numbers, of a module that was lowered since."""
    described = module.attributes[EXECUTED]
    assert isa(described, ArrayAttr[DictionaryAttr]), "the pass describes each number"
    found = [_executed(each) for each in described]
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    for op in module.walk():
        if TRACED not in op.attributes:
            continue
        made = found[number_of(op)]
        made.is_called = True
        if isinstance(op, CallOutOp):
            made.is_fallback = True
        elif isinstance(op, CallOp):
            kernel = kernels[op.kernel_name]
            buffers = (element_type(each) for each in kernel.body.block.args)
            made.dtypes = sorted({*made.dtypes, *_dtypes(buffers)})
            made.is_shared |= kernel.work is not None
    return found


def _executed(described: DictionaryAttr) -> Executed:
    """What is executed, as the pass described it."""
    family, keys = described.data["family"], described.data["operators"]
    assert isinstance(family, StringAttr)
    assert isa(keys, ArrayAttr[StringAttr])
    number = described.data.get("fusion")
    made = Executed(family.data, fusion=_integer(number) if number else None)
    for each in keys:
        name, _, key = each.data.partition(" ")
        made.operators.setdefault(name, []).append(key)
    return made


def number_of(op: Operation) -> int:
    """The number of a call."""
    return _integer(op.attributes[TRACED])


def _integer(number: Attribute) -> int:
    """The value of an attribute that is a number."""
    assert isa(number, IntegerAttr), "calls and fusions are numbered by integers"
    return number.value.data
