"""Read a model in textual IR: one function of the graph dialect, and its weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.hints import isa

from ...dialects import dtype, sizes, tensor, tensor_type
from ...dialects.graph import (
    TRACE,
    ForeignOp,
    GetAttrOp,
    GraphOp,
    WeightOp,
    operator_name,
)
from ...dialects.graph.compose.random import SEED
from ...dialects.graph.storage import StoredOp
from ...runtime.program import ARRAY, CLASSES, STRUCTURE, TEXTS, read_structure
from ..ir import (
    INPUT_NAMES,
    OUTPUT_NAMES,
    SYMBOLS,
    SrContext,
    WeightStore,
    load_sidecar,
    parse_module,
    verify,
)
from ..session import CompileError, Given, ModelFileError, SourceFile
from .foreign import FRAMEWORKS


def read_mlir(
    source: Path | SourceFile | str, ctx: SrContext, given: Given = Given()
) -> ModuleOp:
    """
    The module in a file or a text; raises `CompileError` when it cannot be read, or has
    nodes of frameworks that are not `given` leave to run.
    """
    if isinstance(source, Path):
        source = SourceFile.read(source)
    if isinstance(source, SourceFile):
        text, name = _text_of(source), str(source.path)
    else:
        text, name = source, "<text>"
    try:
        module = parse_module(ctx, text, name)
        verify(module)
    except ParseError as error:
        # The message already has the file, line and column.
        raise CompileError(str(error).strip()) from error
    except VerifyException as error:
        raise CompileError(f"{name}: {str(error).strip()}") from error
    if isinstance(source, SourceFile):
        load_sidecar(module, source.path, ctx.weights)
    function = only_function(module)
    try:
        _check_ops(function, ctx.weights, given)
        _check_attributes(function)
    except CompileError as error:
        raise CompileError(f"{name}: {error}") from error
    _name_inputs(function)
    if ctx.operators is not None:
        named = (op for op in module.walk() if isinstance(op, GraphOp) and op.operands)
        ctx.operators |= {operator_name(each) for each in named}
    return module


def _text_of(source: SourceFile) -> str:
    """The text of a file, with normalized line ends."""
    try:
        text = source.data.tobytes().decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"{source.path}: expected text, got {error.reason}"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def only_function(module: ModuleOp) -> func.FuncOp:
    """The function of the model; raises `CompileError` unless there is exactly one."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    others = [op.name for op in module.ops if not isinstance(op, func.FuncOp)]
    if len(functions) != 1 or others:
        beside = f" and {', '.join(others)}" if others else ""
        raise CompileError(
            f"expected a model of one function, got {len(functions)} functions{beside}"
        )
    return functions[0]


def _check_ops(function: func.FuncOp, weights: WeightStore, given: Given) -> None:
    """
    Raises `CompileError` for ops of other dialects, unknown weights, and nodes that a
    framework may not run.
    """
    if len(function.body.blocks) != 1:
        raise CompileError(
            f"expected a function of one block, got {len(function.body.blocks)}"
        )
    for op in function.body.walk():
        # Marks are those of the compile that they were given in.
        op.attributes.pop(TRACE, None)
        if isinstance(op, GraphOp) or op.name.startswith("graph."):
            if isinstance(op, StoredOp):
                _check_weight(op, weights)
            elif isinstance(op, ForeignOp):
                _check_foreign(op, given)
        elif not isinstance(op, func.ReturnOp):
            raise CompileError(f"expected ops of the graph dialect, got {op.name}")


def _check_foreign(op: ForeignOp, given: Given) -> None:
    """Raises `CompileError` unless a framework that we know may run a node."""
    framework = op.framework.data
    if framework not in FRAMEWORKS:
        known = ", ".join(FRAMEWORKS)
        raise CompileError(
            f"{op.name}: expected a framework of {known}, got {framework}"
        )
    if given.fallback != "foreign":
        raise CompileError(
            f"expected no {op.name}, which runs code of others, got {op.op.data} of "
            f"{framework}; if you trust who wrote the model, compile it with "
            'Options(fallback="foreign")'
        )


def _check_weight(op: StoredOp, weights: WeightStore) -> None:
    """Raises `CompileError` unless there is a weight of the key and type of `op`."""
    key, type = op.key.data, tensor_type(op.result)
    if isinstance(op, GetAttrOp) and key == SEED and type == tensor(i64):
        return  # `bind-seed` gives it a value
    if key not in weights:
        known = ", ".join([*weights][:8]) or "none; name their file, and pass the path"
        raise CompileError(f"expected weights with {key!r}, got {known}")
    array = weights[key]
    shape = sizes(type)
    if isinstance(op, WeightOp) and op.panels is not None:
        shape = op.panels.shape
    if array.dtype != dtype(type) or array.shape != shape:
        raise CompileError(
            f"expected {key!r} to be {type}, got {array.dtype} of shape {array.shape}"
        )


def _check_attributes(function: func.FuncOp) -> None:
    """Raises `CompileError` for malformed names and ranges."""
    outputs = function.function_type.outputs
    counts = {INPUT_NAMES: len(function.args), OUTPUT_NAMES: len(outputs)}
    for key, count in counts.items():
        names = _to_names(function.attributes.get(key))
        if names is not None and (len(names) != count or len({*names}) != count):
            raise CompileError(f"expected {key} to be {count} names, got {names}")
    _check_structure(function)
    ranges = function.attributes.get(SYMBOLS, DictionaryAttr({}))
    if not isinstance(ranges, DictionaryAttr):
        raise CompileError(f"expected {SYMBOLS} to be a dictionary, got {ranges}")
    for name, each in ranges.data.items():
        match _to_numbers(each):
            case [least, most] if 0 <= least <= most:
                pass
            case _:
                raise CompileError(
                    f"expected the range of {name} to be [least, most], got {each}"
                )


def _check_structure(function: func.FuncOp) -> None:
    """Raises `CompileError` for a malformed structure, and for one that has classes."""
    if (known := function.attributes.get(STRUCTURE)) is None:
        return
    if not isinstance(known, StringAttr):
        raise CompileError(f"expected {STRUCTURE} to be a text, got {known}")
    try:
        found = read_structure(known.data, len(function.function_type.outputs))
    except ValueError as error:
        raise CompileError(f"{STRUCTURE}: {error}") from error
    inputs = _to_names(function.attributes.get(INPUT_NAMES)) or []
    for tree in (found.inputs, found.outputs):
        for each in () if tree is None else tree.nodes():
            # What a text names is not imported: who wrote it need not be trusted.
            if each.kind in CLASSES:
                raise CompileError(
                    f"{STRUCTURE}: expected containers of Python's own, got the class "
                    f"{each.name}"
                )
    if found.inputs is not None:
        names = [
            each.name for each in found.inputs.leaves() if each.kind in (ARRAY, TEXTS)
        ]
        if names != inputs:
            raise CompileError(f"{STRUCTURE}: expected inputs {inputs}, got {names}")


def _to_names(attribute: Attribute | None) -> list[str] | None:
    """The names in a list; empty for another attribute, and None for a missing one."""
    if attribute is None:
        return None
    return [each.data for each in _items(attribute) if isinstance(each, StringAttr)]


def _to_numbers(attribute: Attribute) -> list[int]:
    """The numbers in a list; empty for another attribute."""
    found: list[int] = []
    for each in _items(attribute):
        if isa(each, IntegerAttr):
            found.append(each.value.data)
    return found


def _items(attribute: Attribute) -> Sequence[Attribute]:
    """The elements of a list; empty for another attribute."""
    return attribute.data if isa(attribute, ArrayAttr[Attribute]) else ()


def _name_inputs(function: func.FuncOp) -> None:
    """Names the inputs as the text does, unless they are named already."""
    if INPUT_NAMES not in function.attributes:
        names = [each.name_hint or f"input_{each.index}" for each in function.args]
        function.attributes[INPUT_NAMES] = ArrayAttr(
            [StringAttr(name) for name in names]
        )
