"""
Describe a lowered module to the runtime: its `Program`, and its constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from ...dialects import (
    dim,
    greatest,
    product,
    sizes,
    symbols_of,
)
from ...dialects.loop import (
    CALLS,
    CallOutOp,
    CheckAttr,
    ProgramOp,
    SkipAttr,
    SlotAttr,
    TensorAttr,
)
from ...runtime.program import (
    GROWTH,
    CallOut,
    Check,
    ConstantBlock,
    Growth,
    Program,
    Skip,
    Slot,
    TensorInfo,
    Way,
    check_symbols,
    read_growth,
)
from ..ir import WeightStore, plain, structure_of, tensor_info
from ..session import CompileError


def program_of(module: ModuleOp) -> ProgramOp:
    """The program of a lowered module."""
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    return program


def describe(program: ProgramOp) -> Program:
    """The program as the runtime knows it; raises `CompileError` for a free symbol."""
    inputs = tuple(map(_tensor_info, program.inputs))
    _check_closed(program, {size for each in inputs for size in each.shape})
    defined, plan = program.defined, program.plan
    ranges = {each.label.data: each.limits for each in program.symbols}
    calls = [op for op in program.walk() if isinstance(op, CALLS)]
    names = {each.label.data for each in program.inputs}
    made = Program(
        name=program.sym_name.data,
        inputs=inputs,
        outputs=tuple(map(_tensor_info, program.outputs)),
        symbols=program.symbol_names,
        defined=tuple(defined),
        capacities=tuple(_output_capacities(program)) if defined else (),
        is_shared=bool(plan.branches)
        or any(each.work is not None for each in program.kernels.values()),
        ranges={name: each for name, each in ranges.items() if each is not None},
        checks=tuple(map(_check, program.checks)),
        slots=tuple(map(slot, program.slots)),
        planner=plan.planner.data,
        bytes=max(plan.bytes.data, 0),
        lower_bound=max(plan.lower_bound.data, 0),
        skips=tuple(_skips(program)),
        folded=program.folded.value.data,
        donations=tuple((d.input.data, d.output.data) for d in program.donations),
        orders=tuple(tuple(one.data for one in each) for each in plan.orders),
        branches=tuple((a, b, c, d) for a, b, c, d in plan.branch_rows),
        calls=tuple(source(op) for op in calls),
        call_outs=tuple(_call_out(op) for op in calls if isinstance(op, CallOutOp)),
        structure=structure_of(program, names, len(program.outputs)),
        growth=_growth(program),
    )
    try:
        check_symbols(made)
    except ValueError as error:
        raise CompileError(str(error)) from error
    return made


def _growth(program: ProgramOp) -> Growth | None:
    """How caches grow from call to call; raises `CompileError` for another text."""
    known = program.attributes.get(GROWTH)
    if not isinstance(known, StringAttr):
        return None
    try:
        return read_growth(known.data, len(program.inputs), len(program.outputs))
    except ValueError as error:
        raise CompileError(f"{GROWTH}: {error}") from error


def _check_closed(program: ProgramOp, alone: Set[int | str]) -> None:
    """
    Raises `CompileError` for a symbol that is not one of the sizes `alone`, and for a
    condition that fails in every run.
    """
    used = dict.fromkeys(program.symbol_names)
    for check in program.checks:
        quantity = dim(check.quantity.data)
        if isinstance(quantity, int) and quantity < 0:
            got = " and ".join(each.data for each in check.shown)
            raise CompileError(check.message.data + (got and f", got {got}"))
        used |= dict.fromkeys(sorted(symbols_of(quantity)))
    for name in used:
        if name not in alone:
            raise CompileError(
                "expected every symbol to follow from a size of an input, such as n "
                f"or 2 * n, got {name}, which does not; give the model an input that "
                "has it"
            )


def _check(check: CheckAttr) -> Check:
    """A condition on sizes as the runtime knows it."""
    shown = tuple(each.data for each in check.shown)
    return Check(check.quantity.data, check.message.data, shown)


def source(op: Operation) -> str:
    """What an op of a program is in the model, for messages."""
    known = op.attributes.get("source")
    return known.data if isinstance(known, StringAttr) else op.name


def _output_capacities(program: ProgramOp) -> list[int | str]:
    """The most elements that each output can have."""
    ranges = program.ranges
    return [
        plain(greatest(product(sizes(type)), ranges)) for type in program.output_types
    ]


def _tensor_info(tensor: TensorAttr) -> TensorInfo:
    """An input or an output as the runtime knows it."""
    return tensor_info(tensor.type, tensor.label.data)


def slot(slot: SlotAttr) -> Slot:
    """Memory of an activation as the runtime knows it."""
    return Slot(
        plain(slot.size),
        slot.first.data,
        slot.last.data,
        slot.offset.data,
        slot.source.data,
    )


def _skips(program: ProgramOp) -> Iterator[Skip]:
    """The skips as the runtime knows them, each slot with all that it may be."""
    for slot in program.skipped_slots:
        entries = [each for each in program.skips if each.slot.data == slot]
        first = entries[0]
        yield Skip(
            slot, first.kernel.data, first.source.data, tuple(map(_way, entries))
        )


def _way(skip: SkipAttr) -> Way:
    """What a slot may be, as the runtime knows it."""
    when = tuple(tuple(map(plain, clause)) for clause in skip.when)
    place = skip.region.data, skip.number.data, plain(skip.offset)
    return Way(*place, when, skip.order.data)


def _call_out(op: CallOutOp) -> CallOut:
    """A fallback op as the runtime knows it."""
    return CallOut(
        op.op.data,
        tuple(map(tensor_info, op.inputs)),
        tuple(map(tensor_info, op.outputs)),
        source(op),
        "" if op.framework is None else op.framework.data,
    )


def constant_block(program: ProgramOp, weights: WeightStore) -> ConstantBlock:
    """The block of constants: every weight where the program looks for it."""
    return ConstantBlock(
        tuple((each.offset.data, weights[each.key.data]) for each in program.constants)
    )
