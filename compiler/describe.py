"""
Describe a lowered module to the runtime: its `Program`, and its constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ..dialects.dims import Dim, dim, greatest, product, symbols_of
from ..dialects.graph.literal import to_value
from ..dialects.graph.storage.buffer import BufferAttr, LifetimeAttr
from ..dialects.loop.ops.kernel import KernelOp
from ..dialects.loop.ops.program import CallOp, CallOutOp, ProgramOp
from ..dialects.loop.ops.program_flow import DefineOp, RequireOp
from ..dialects.shape import computed_type, dtype, sizes, tensor_type
from ..lowering.loop_to_llvm.program.context_layout import (
    defined_by,
    entry_list,
    symbols_of_program,
)
from ..runtime.constant_block import ConstantBlock
from ..runtime.program import CallOut, Program, Slot, TensorInfo, check_symbols
from .errors import CompileError
from .weights import WeightStore


def program_of(module: ModuleOp) -> ProgramOp:
    """The program of a lowered module."""
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    return program


def describe(program: ProgramOp) -> Program:
    """The program as the runtime knows it; raises `CompileError` for a free symbol."""
    symbols = symbols_of_program(program)
    inputs = tensors(program, "input")
    defined = defined_by(program)
    calls = [op for op in program.walk() if isinstance(op, CALLS)]
    passed = [
        dim(each.data) for op in calls if isinstance(op, CallOp) for each in op.symbols
    ]
    used = dict.fromkeys([*symbols, *(s for d in passed for s in symbols_of(d))])
    alone = {size for each in inputs for size in each.shape}
    for name in [each for each in used if each not in defined]:
        if name not in alone:
            raise CompileError(
                f"expected every symbol to be a dimension of an input by itself, got "
                f"{name}, which is not; give the model an input that has it"
            )
    known = dictionary(program.entries.data.get("plan"))
    limits = dictionary(program.entries.data.get("symbols"))
    made = Program(
        name=program.sym_name.data,
        inputs=tuple(inputs),
        outputs=tuple(tensors(program, "output")),
        symbols=symbols,
        defined=tuple(defined),
        room=tuple(room(program)) if defined else (),
        is_shared=is_shared(program),
        ranges={n: to_value(each) for n, each in limits.items() if n in symbols},
        checks=tuple(pairs(entry_list(program, "checks"))),
        slots=tuple(slots(program)),
        planner=text(known.get("planner"), "conflict-driven"),
        bytes=number(known.get("bytes")),
        lower_bound=number(known.get("lower_bound")),
        calls=tuple(text(op.attributes.get("source"), op.name) for op in calls),
        call_outs=tuple(call_out(op) for op in calls if isinstance(op, CallOutOp)),
    )
    try:
        check_symbols(made)
    except ValueError as error:
        raise CompileError(str(error)) from error
    return made


CALLS = (CallOp, CallOutOp, DefineOp, RequireOp)
"""The ops of a program that may end a run, in whose order they are counted."""


def is_shared(program: ProgramOp) -> bool:
    """Whether threads may share the work of a kernel that a program calls."""
    module = program.parent_op()
    assert isinstance(module, ModuleOp)
    return any(isinstance(op, KernelOp) and op.work is not None for op in module.ops)


def room(program: ProgramOp) -> list[int | str]:
    """The most elements that each output can have."""
    ranges = {name: op.range for name, op in defined_by(program).items()}
    return [
        plain(greatest(product(sizes(tensor_type(type))), ranges))
        for type in entry_list(program, "outputs")
    ]


def dictionary(attribute: Attribute | None) -> Mapping[str, Attribute]:
    """The entries that an attribute holds."""
    return attribute.data if isinstance(attribute, DictionaryAttr) else {}


def pairs(entries: Sequence[Attribute]) -> list[tuple[str, str]]:
    """The strings of a list two by two."""
    texts = [text(each, "") for each in entries]
    return list(zip(texts[::2], texts[1::2], strict=True))


def text(attribute: Attribute | None, default: str) -> str:
    """The string that an attribute holds."""
    return attribute.data if isinstance(attribute, StringAttr) else default


def number(attribute: Attribute | None) -> int:
    """The number that an attribute holds, or zero."""
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def plain(size: Dim) -> int | str:
    """A dimension as the runtime knows it: a number, or its text."""
    return size if isinstance(size, int) else str(size)


def tensor_info(type: Attribute, name: str) -> TensorInfo:
    """A tensor as the runtime knows it."""
    known = computed_type(type)
    return TensorInfo(name, dtype(known).name, tuple(map(plain, sizes(known))))


def tensors(program: ProgramOp, kind: str) -> list[TensorInfo]:
    """The inputs or outputs of a program, with their names."""
    types = entry_list(program, f"{kind}s")
    names = [text(each, "") for each in entry_list(program, f"{kind}_names")]
    if len(names) != len(types):
        names = (
            [kind] if len(types) == 1 else [f"{kind}_{at}" for at in range(len(types))]
        )
    return [tensor_info(type, name) for type, name in zip(types, names, strict=True)]


def slots(program: ProgramOp) -> list[Slot]:
    """The activations of a program."""
    found: list[Slot] = []
    buffers, lives = entry_list(program, "slots"), entry_list(program, "lifetimes")
    for buffer, life in zip(buffers, lives, strict=True):
        assert isinstance(buffer, BufferAttr)
        assert isinstance(life, LifetimeAttr)
        found.append(
            Slot(
                plain(buffer.size), life.first.data, life.last.data, buffer.offset.data
            )
        )
    return found


def call_out(op: CallOutOp) -> CallOut:
    """A fallback op as the runtime knows it."""

    def infos(name: str) -> tuple[TensorInfo, ...]:
        types = op.attributes[name]
        assert isa(types, ArrayAttr)
        return tuple(tensor_info(type, "") for type in types)

    return CallOut(text(op.attributes.get("op"), ""), infos("inputs"), infos("outputs"))


def constant_block(program: ProgramOp, weights: WeightStore) -> ConstantBlock:
    """The block of constants: every weight where the program looks for it."""
    entries = constant_places(entry_list(program, "constants"))
    return ConstantBlock(tuple((at, weights[key]) for key, at in entries))


def constant_places(entries: Sequence[Attribute]) -> list[tuple[str, int]]:
    """The keys of weights, and where each is, from a list in which they alternate."""
    pairs = zip(entries[::2], entries[1::2], strict=True)
    return [(text(key, ""), number(at)) for key, at in pairs]
