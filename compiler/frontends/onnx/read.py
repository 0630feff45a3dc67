"""Read an ONNX model into a module of the graph dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, ValueInfoProto
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
from xdsl.ir import Attribute, Block, Region, SSAValue

from ....dialects import (
    DTYPES,
    Array,
    Dim,
    SizeError,
    Tensor,
    sizes,
    tensor,
    tensor_type,
)
from ....runtime.call import to_array
from ....runtime.program import TensorInfo
from ...ir import SrContext
from ...session import CompileError, Given, SourceFile, UnsupportedModelError
from ..unsupported import Unsupported
from .call_graph import functions_of
from .control_flow import REGIONS
from .element import element
from .emit import Emitter
from .graph_builder import GraphBuilder
from .known import Known
from .model_file import check, opset_of, read_bytes, read_file
from .operator_names import operator_names
from .scope import Lost, Scope
from .skeleton import Bytes
from .symbols import GREATEST, Symbols
from .tensor import TensorReader


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
    graph, opset = model.graph, opset_of(model.opset_import)
    stored = {each.name for each in graph.initializer}
    stored |= {each.values.name for each in graph.sparse_initializer}
    inputs = [each for each in graph.input if each.name not in stored]
    _check_names(graph, inputs)
    pinned = _pinned(inputs, given.constants)
    inputs = [each for each in inputs if each.name not in pinned]
    functions = functions_of(model)
    symbols = Symbols(_dimension_names(inputs), given.bounds)
    block = Block()
    tensors = TensorReader(name, folder, data)
    emit = Emitter(block, ctx.weights)
    builder = GraphBuilder(block, emit, symbols, tensors, functions, REGIONS)
    scope = Scope(opset, graph.node)
    builder.add_weights(graph, scope)
    for value, array in pinned.values():
        _bind(value, array, symbols)
        known = replace(Known.of(array), name=value.name, is_weight=True)
        scope.entries[value.name] = known
    for value in inputs:
        _add_input(value, builder, scope)
    builder.add_nodes(scope)
    results = _results(graph, builder, scope)
    if builder.unsupported:
        # Inputs that are no tensors are reported by themselves.
        infos = [
            _info(name, tensor_type(argument))
            for name, argument in zip(builder.inputs, block.args, strict=True)
        ]
        outputs = [each.name for each in graph.output]
        raise UnsupportedModelError(builder.unsupported, str(name), infos, outputs)
    ctx.weights.files |= tensors.notes
    block.add_op(ReturnOp(*results))
    return _module(block, [each.name for each in inputs], graph, symbols)


def _info(name: str, type: Tensor) -> TensorInfo:
    """An input as the runtime knows it."""
    shape = tuple(each if isinstance(each, int) else str(each) for each in sizes(type))
    return TensorInfo(name, DTYPES[type.element_type].name, shape)


def _check_names(graph: GraphProto, inputs: Sequence[ValueInfoProto]) -> None:
    """Raises `CompileError` unless inputs and outputs have distinct names."""
    for what, values in (("input", inputs), ("output", graph.output)):
        names = [each.name for each in values]
        if "" in names or len(set(names)) < len(names):
            raise CompileError(f"expected a name for each {what}, got {names}")
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


def _add_input(value: ValueInfoProto, builder: GraphBuilder, scope: Scope) -> None:
    """Adds an argument for an input of the model."""
    try:
        type = _input_type(value, builder.symbols)
    except Unsupported as reason:
        builder.unsupported.append(reason.report("input", value.name))
        scope.entries[value.name] = Lost()
        return
    except SizeError as error:
        raise CompileError(f"input {value.name!r}: {error}") from error
    argument = builder.block.insert_arg(type, len(builder.block.args))
    builder.inputs.append(value.name)
    if SSAValue.is_valid_name(value.name):
        argument.name_hint = value.name
    scope.entries[value.name] = argument


def _pinned(
    inputs: Sequence[ValueInfoProto], constants: Mapping[str, Any]
) -> dict[str, tuple[ValueInfoProto, Array]]:
    """The inputs that the user gives as constants, with their arrays."""
    known = {each.name: each for each in inputs}
    if unknown := [name for name in constants if name not in known]:
        raise CompileError(
            f"expected constants for inputs of the model ({', '.join(known)}), got "
            f"{', '.join(unknown)}"
        )
    return {
        name: (known[name], _array(known[name], constants[name])) for name in constants
    }


def _array(value: ValueInfoProto, given: Any) -> Array:
    """The constant that an input is, with elements of the input's type."""
    try:
        dtype = DTYPES[element(value.type.tensor_type.elem_type)]
        return to_array(given, TensorInfo(value.name, dtype.name, ()))
    except Unsupported as reason:
        raise CompileError(f"constant {value.name!r}: {reason}") from reason
    except (TypeError, ValueError) as error:
        raise CompileError(f"constant for {error}") from error


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


def _input_type(value: ValueInfoProto, symbols: Symbols) -> Tensor:
    """The type of an input."""
    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        raise Unsupported(f"a {(kind or 'value of no type').removesuffix('_type')}")
    described = value.type.tensor_type
    if not described.HasField("shape"):
        raise Unsupported("a tensor of any number of axes")
    dims: list[Dim] = []
    for place, size in enumerate(described.shape.dim):
        name = f"{value.name}_dim{place}"
        if size.HasField("dim_value") and size.dim_value >= 0:
            dims.append(size.dim_value)
        else:
            dims.append(symbols.read(size.dim_param, name))
    return tensor(element(described.elem_type), *dims)


def _results(graph: GraphProto, builder: GraphBuilder, scope: Scope) -> list[SSAValue]:
    """The values of the outputs, as far as they are supported."""
    results: list[SSAValue] = []
    for output in graph.output:
        if output.name not in scope.entries:
            raise CompileError(
                f"expected a node that computes the output {output.name!r}, got none"
            )
        result = builder.tensor(scope.entries[output.name])
        if result is not None:
            results.append(result)
    return results


def _module(
    block: Block, inputs: Sequence[str], graph: GraphProto, symbols: Symbols
) -> ModuleOp:
    """The module with `block` as its function."""
    end = block.last_op
    assert isinstance(end, ReturnOp), "the block ends with the results"
    types = [each.type for each in block.args], [each.type for each in end.arguments]
    function = FuncOp("main", types, Region(block))
    function.location = NameLoc(StringAttr(graph.name), NoneAttr())
    ranges: dict[str, Attribute] = {
        name: ArrayAttr([IntegerAttr(0, i64), IntegerAttr(GREATEST, i64)])
        for name in symbols.names
        if name not in symbols.defined
    }
    outputs = [each.name for each in graph.output]
    function.attributes["graph.input_names"] = ArrayAttr(map(StringAttr, inputs))
    function.attributes["graph.output_names"] = ArrayAttr(map(StringAttr, outputs))
    function.attributes["graph.symbols"] = DictionaryAttr(ranges)
    return ModuleOp([function])
