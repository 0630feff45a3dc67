"""Read an ONNX model into a module of the graph dialect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from onnx import FunctionProto, GraphProto, ModelProto, ValueInfoProto
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region
from xdsl.utils.exceptions import VerifyException

from ....dialects import Array
from ...ir import INPUT_NAMES, OUTPUT_NAMES, SYMBOLS, SrContext
from ...session import CompileError, Form, Given, SourceFile, UnsupportedModelError
from ..known import Known
from .call_graph import functions_of
from .control_flow import REGIONS
from .emit import Emitter
from .foreign import ForeignCalls
from .forks import Forks
from .graph_builder import GraphBuilder
from .inputs import Inputs, is_texts, pinned
from .model_file import check, opset_of, read_bytes, read_file
from .operator_names import operator_names
from .outputs import outputs_of
from .scope import Scope, Several, Texts
from .sequences import build as build_sequences
from .skeleton import Bytes
from .symbols import GREATEST, Symbols
from .tensor import TensorReader
from .text_tables import vocabulary
from .texts import build as build_texts


def read(
    source: Path | SourceFile | bytes | ModelProto,
    ctx: SrContext,
    given: Given = Given(),
) -> ModuleOp:
    """The implementation of `read_onnx`."""
    name: str | Path = "the model"
    folder: Path | None = None
    data: Bytes | None = None
    match source:
        case Path() | SourceFile():
            file = read_file(source) if isinstance(source, Path) else source
            name, folder, data = file.path, file.folder, file.data
            model = read_bytes(data, name)
        case bytes():
            data = np.frombuffer(source, np.uint8)
            model = read_bytes(data, name)
        case _:
            model = source
            check(model, name)
    if ctx.operators is not None:
        ctx.operators |= operator_names(model)
    forks, kept, first = Forks(), set(ctx.weights), None
    while True:
        try:
            return _read_once(model, name, folder, data, ctx, given, forks)
        except (CompileError, VerifyException) as error:
            first = first or error
            if not forks.turn() and not forks.settle():
                raise first
        for each in set(ctx.weights) - kept:
            ctx.weights.drop(each)


def _read_once(
    model: ModelProto,
    name: Path | str,
    folder: Path | None,
    data: Bytes | None,
    ctx: SrContext,
    given: Given,
    forks: Forks,
) -> ModuleOp:
    """The module of a model that takes these branches."""
    graph, opset = model.graph, opset_of(model.opset_import)
    stored = {each.name for each in graph.initializer}
    stored |= {each.values.name for each in graph.sparse_initializer}
    inputs = [each for each in graph.input if each.name not in stored]
    _check_names(graph, inputs)
    constants = _pinned(inputs, given.constants)
    gone = {value.name for value, _ in constants}
    inputs = [each for each in inputs if each.name not in gone]
    functions = functions_of(model)
    symbols = Symbols(_dimension_names(inputs), given.bounds)
    block = Block()
    tensors = TensorReader(name, folder, data)
    emit = Emitter(block, ctx.weights)
    foreign = _foreign_calls(model, functions.values(), symbols, emit, given)
    tables = functions, REGIONS, foreign
    builder = GraphBuilder(block, emit, symbols, tensors, *tables)
    builder.forks = forks
    builder.draws = given.draws
    builder.apart = build_sequences, build_texts
    builder.versions = {each.domain: each.version for each in model.opset_import}
    scope = Scope(opset, graph.node)
    builder.add_weights(graph, scope)
    for value, known in constants:
        tensor = known.numbers if isinstance(known, Texts) else known
        if isinstance(tensor, Known):
            _bind(value, tensor.array, symbols)
        if isinstance(known, Known):
            known = replace(known, name=value.name, is_weight=True)
        scope.entries[value.name] = known
    forms = {name: e for name, e in given.constants.items() if isinstance(e, Form)}
    texts: tuple[str, ...] = ()
    if any(map(is_texts, inputs)):
        given_texts = [e.texts for _, e in constants if isinstance(e, Texts)]
        texts = vocabulary(model, chain.from_iterable(given_texts))
    arguments = Inputs(builder, scope, forms, texts)
    for value in inputs:
        arguments.add(value)
    builder.add_nodes(scope)
    results = outputs_of(graph, builder, scope)
    if builder.unsupported:
        outputs = [each.name for each in graph.output]
        known = arguments.infos, outputs
        raise UnsupportedModelError(builder.unsupported, str(name), *known)
    ctx.weights.files |= tensors.notes
    block.add_op(ReturnOp(*results.values))
    names, structure = results.names, results.structure(arguments.tree, texts)
    return _module(block, arguments.names, names, graph.name, symbols, structure)


def _foreign_calls(
    model: ModelProto,
    functions: Iterable[FunctionProto],
    symbols: Symbols,
    emit: Emitter,
    given: Given,
) -> ForeignCalls | None:
    """What lets other implementations run nodes, if that is asked for."""
    if given.fallback != "foreign":
        return None
    opsets = {each.domain: each.version for each in model.opset_import}
    return ForeignCalls(given.foreign_ops, opsets, tuple(functions), symbols, emit)


def _check_names(graph: GraphProto, inputs: Sequence[ValueInfoProto]) -> None:
    """Raises `CompileError` unless inputs and outputs have distinct names."""
    for what, values in (("input", inputs), ("output", graph.output)):
        names = [each.name for each in values]
        if "" in names:
            place = names.index("")
            raise CompileError(f"expected a name for each {what}, got none for {place}")
        if twice := [each for each, count in Counter(names).items() if count > 1]:
            raise CompileError(
                f"expected {what}s with different names, got {twice[0]!r} "
                f"{names.count(twice[0])} times; give the others a name of their own"
                f"{', by an Identity of it' * (what == 'output')}"
            )
    if not graph.output:
        raise CompileError("expected a model with outputs, got none")


def _dimension_names(inputs: Sequence[ValueInfoProto]) -> list[str]:
    """The names that the inputs give to dimensions."""
    return [
        size.dim_param
        for value in inputs
        for size in value.type.tensor_type.shape.dim
        if size.dim_param
    ]


def _pinned(
    inputs: Sequence[ValueInfoProto], constants: Mapping[str, Any]
) -> list[tuple[ValueInfoProto, Known | Several | Texts | None]]:
    """The inputs that the user gives as constants, each with its constant."""
    known = {each.name: each for each in inputs}
    if unknown := [name for name in constants if name not in known]:
        raise CompileError(
            f"expected constants for inputs of the model ({', '.join(known)}), got "
            f"{', '.join(unknown)}"
        )
    return [
        (known[name], pinned(known[name], value))
        for name, value in constants.items()
        if not isinstance(value, Form)
    ]


def _bind(value: ValueInfoProto, array: Array, symbols: Symbols) -> None:
    """Gives the dimensions of an input the sizes of the constant that it is."""
    described = value.type.tensor_type
    if not described.HasField("shape"):
        return
    shape = described.shape.dim
    wanted = ", ".join(
        str(each.dim_value) if each.HasField("dim_value") else each.dim_param or "?"
        for each in shape
    )
    fits = len(shape) == array.ndim and all(
        not each.HasField("dim_value") or each.dim_value in (-1, size)
        for each, size in zip(shape, array.shape, strict=False)
    )
    if not fits:
        raise CompileError(
            f"constant {value.name!r}: expected shape [{wanted}], got {[*array.shape]}"
        )
    for each, size in zip(shape, array.shape, strict=True):
        if each.dim_param:
            symbols.bind(each.dim_param, size)


def _module(
    block: Block,
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str,
    symbols: Symbols,
    structure: Mapping[str, Attribute],
) -> ModuleOp:
    """The module with `block` as its function."""
    end = block.last_op
    assert isinstance(end, ReturnOp), "the block ends with the results"
    types = [each.type for each in block.args], [each.type for each in end.arguments]
    function = FuncOp("main", types, Region(block))
    function.location = NameLoc(StringAttr(name), NoneAttr())
    ranges: dict[str, Attribute] = {
        name: ArrayAttr([IntegerAttr(0, i64), IntegerAttr(GREATEST, i64)])
        for name in symbols.names
        if name not in symbols.defined
    }
    function.attributes[INPUT_NAMES] = ArrayAttr(map(StringAttr, inputs))
    function.attributes[OUTPUT_NAMES] = ArrayAttr(map(StringAttr, outputs))
    function.attributes[SYMBOLS] = DictionaryAttr(ranges)
    function.attributes.update(structure)
    return ModuleOp([function])
