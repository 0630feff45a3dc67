"""
Edges of ONNX models: sizes and numbers of a model, each at the edges of what it can be.

A change keeps the structure of a model, so that most reach the compiler: a size of its
inputs becomes 0, 1, open or computed from one that is open, wherever it stands; a
number of an attribute or of a small constant becomes 0, 1, negative or huge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from math import prod
from typing import Any, TypeAlias

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, defs, helper
from onnx.numpy_helper import from_array, to_array

Change: TypeAlias = tuple[bool, Callable[[ModelProto], None]]
"""What is changed in a model, and whether that is nothing but its sizes."""

SIZES = (0, 1, 33, "n", "2*n", "n + 1")
"""What each size of the inputs becomes."""

WHOLE = (0, 1, -1, 3, 2**31, 2**62, -(2**63))
REAL = (0.0, -1.0, 1e30, float("inf"), float("nan"))

UNCLEAR = {
    *(("Attention", "softcap"), ("Celu", "alpha")),
    ("TreeEnsemble", "post_transform"),
}
"""
Attributes for which ONNX's function, by which we go, says another thing than its
formula or its evaluator, such as a cap of -1: for the evaluator it is none. By
number, ONNX Runtime applies another function to sums of trees: for 1 that of 2.
"""

FEW = 8
"""The most elements of a constant whose elements are each changed."""


def changes(model: ModelProto) -> Iterator[Change]:
    """Every change of one size or number, in order; the first changes nothing."""
    yield True, lambda model: None
    sizes = sorted({each.dim_value for each in _dims(model) if each.dim_value})
    yield True, partial(_resize, {size: f"s{size}" for size in sizes})
    for size in sizes:
        for to in SIZES:
            yield True, partial(_resize, {size: to})
    for at, node in enumerate(model.graph.node):
        for name, values in _attributes(node):
            for value in values:
                yield False, partial(_set_attribute, at, name, value)
    for at, stored in enumerate(model.graph.initializer):
        array = to_array(stored)
        if array.dtype.kind == "i" and array.size <= FEW:
            for place in range(array.size):
                for value in WHOLE:
                    yield False, partial(_set_element, at, place, value)


def parsed(data: bytes) -> ModelProto:
    """The model that a file holds."""
    model = ModelProto()
    model.ParseFromString(data)
    return model


def changed(data: bytes, number: int) -> bytes:
    """The model with a change of this number; its outputs may be of any type."""
    model = parsed(data)
    _, change = next(islice(changes(model), number, None))
    change(model)
    model.graph.ClearField("value_info")
    for each in model.graph.output:
        each.ClearField("type")
    return model.SerializeToString()


def from_any(value: Any) -> TensorProto | None:
    """The tensor of an array; None for a list of them."""
    return from_array(value) if hasattr(value, "dtype") else None


def pinned(model: ModelProto, inputs: Sequence[Any]) -> ModelProto:
    """A model whose inputs of a few integers are constants of these values."""
    result = ModelProto()
    result.CopyFrom(model)
    for each, value in zip(model.graph.input, inputs, strict=False):
        stored: Any = value if isinstance(value, TensorProto) else from_any(value)
        if stored is not None and stored.data_type == TensorProto.INT64:
            if len(stored.dims) < 2 and prod(stored.dims) <= FEW:
                stored.name = each.name
                result.graph.input.remove(each)
                result.graph.initializer.append(stored)
    return result


def _dims(model: ModelProto) -> list[Any]:
    """The dimensions of the inputs."""
    return [
        size for each in model.graph.input for size in each.type.tensor_type.shape.dim
    ]


def _resize(new: dict[int, int | str], model: ModelProto) -> None:
    """Replaces sizes of the inputs by others."""
    for each in _dims(model):
        match new.get(each.dim_value) if each.dim_value else None:
            case int(size):
                each.dim_value = size
            case str(text):
                each.dim_param = text
            case None:
                pass


def _attributes(node: NodeProto) -> Iterator[tuple[str, list[Any]]]:
    """The attributes that a node may have, with what each becomes."""
    given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    if not defs.has(node.op_type, node.domain):
        return
    for name, known in defs.get_schema(node.op_type, node.domain).attributes.items():
        if (node.op_type, name) in UNCLEAR:
            continue
        value = given.get(name)
        match known.type:
            case defs.OpSchema.AttrType.INT:
                yield name, [*WHOLE]
            case defs.OpSchema.AttrType.FLOAT:
                yield name, [*REAL]
            case defs.OpSchema.AttrType.INTS:
                first = list(value) if value is not None else [1, 1]
                yield name, [*_with_each(first, WHOLE), []]
            case defs.OpSchema.AttrType.FLOATS if value is not None:
                yield name, _with_each(list(value), REAL)
            case _:
                pass


def _with_each(values: list[Any], new: Sequence[Any]) -> list[list[Any]]:
    """The lists in which one of the values is a new one."""
    return [
        [*values[:at], other, *values[at + 1 :]]
        for at in range(len(values))
        for other in new
    ]


def _set_attribute(at: int, name: str, value: Any, model: ModelProto) -> None:
    """Gives a node an attribute."""
    node = model.graph.node[at]
    rest = [each for each in node.attribute if each.name != name]
    made = (
        AttributeProto(name=name, type=AttributeProto.INTS)
        if value == []
        else helper.make_attribute(name, value)
    )
    del node.attribute[:]
    node.attribute.extend([*rest, made])


def _set_element(at: int, place: int, value: int, model: ModelProto) -> None:
    """Changes an element of a constant, if it fits."""
    stored = model.graph.initializer[at]
    array = to_array(stored).copy()
    if np.iinfo(array.dtype).min <= value <= np.iinfo(array.dtype).max:
        array.reshape(-1)[place] = value
        stored.CopyFrom(from_array(array, stored.name))
