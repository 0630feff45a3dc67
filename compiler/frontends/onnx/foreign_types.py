"""The types of the results of a node that has no op of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from onnx import (
    ModelProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
    helper,
    numpy_helper,
    shape_inference,
)

from ....dialects import Dim, Element, Tensor, sizes, tensor
from ..foreign import ONNXRUNTIME
from ..known import Known
from ..unsupported import Foreign
from .element import NUMBERS, element
from .run_node import session_of
from .symbols import Symbols

_MAX_INFERRED = 1024
"""Elements of a known input that inference may look at."""

_Reader: TypeAlias = Callable[[str], Dim | None]
"""The size that a text means, if that is known."""


def value_info(name: str, type: Tensor) -> ValueInfoProto:
    """A tensor as ONNX describes it."""
    shape = [each if isinstance(each, int) else str(each) for each in sizes(type)]
    return helper.make_tensor_value_info(name, NUMBERS[type.element_type], shape)


def types_of(
    model: ModelProto,
    known: Mapping[str, Known],
    framework: str,
    names: Sequence[str],
    declared: Mapping[str, TypeProto],
    symbols: Symbols,
) -> list[Tensor]:
    """
    The types of the results of a model of one node, which the model that it is from
    calls `names`, and may have `declared`. Raises `Unsupported`.
    """
    of_text, of_name = symbols.of_text, symbols.of_name
    sources = [
        _by_inference(model, known) if framework != ONNXRUNTIME else [],
        [declared.get(name) for name in names],
        [],
    ]
    if any(_is_open(each, of_text) for each in sources[0]) or not sources[0]:
        sources[2] = _by_session(model)
    readers = of_text, of_name, of_text
    return [
        _type(
            name,
            [
                (types[place], read)
                for types, read in zip(sources, readers, strict=True)
                if types
            ],
        )
        for place, name in enumerate(names)
    ]


def _is_open(type: TypeProto | None, read: _Reader) -> bool:
    """Whether a description of a tensor leaves something of it open."""
    if type is None or type.WhichOneof("value") is None:
        return True
    shape = type.tensor_type.shape.dim
    has_shape = type.tensor_type.HasField("shape")
    is_tensor = type.HasField("tensor_type")
    return is_tensor and (not has_shape or None in [_size(x, read) for x in shape])


def _by_inference(
    model: ModelProto, known: Mapping[str, Known]
) -> list[TypeProto | None]:
    """What ONNX infers, which may look at inputs that are known."""
    copy = ModelProto()
    copy.CopyFrom(model)
    for name, value in known.items():
        if value.array.size <= _MAX_INFERRED:
            made = numpy_helper.from_array(value.array, name)
            copy.graph.initializer.append(made)
    try:
        found = shape_inference.infer_shapes(copy, data_prop=True)
    except (RuntimeError, ValueError) as error:
        raise Foreign(f"ONNX says of its types: {str(error)[:200]}") from error
    return [each.type for each in found.graph.output]


def _by_session(model: ModelProto) -> list[TypeProto | None]:
    """What ONNX Runtime infers; nothing where that does not know the node."""
    if (session := session_of(model.SerializeToString())) is None:
        return []
    return [
        # No sizes are those of a number, or are not known.
        helper.make_tensor_type_proto(_number(each.type), each.shape or None)
        for each in session.get_outputs()
    ]


def _number(text: str) -> int:
    """The number of a type such as `tensor(float)`; `seq(tensor(float))` has none."""
    name = text.removeprefix("tensor(").removesuffix(")")
    if text != f"tensor({name})":
        raise Foreign(f"a result that is {text}, no tensor")
    return TensorProto.DataType.Value(name.upper())


def _type(name: str, found: Sequence[tuple[TypeProto | None, _Reader]]) -> Tensor:
    """The type that some descriptions of one tensor agree to give."""
    kind: Element | None = None
    shape: list[Dim | None] | None = None
    for type, read in found:
        what = None if type is None else type.WhichOneof("value")
        if type is None or what is None:
            continue
        if what != "tensor_type":
            raise Foreign(f"a result {name} that is a {what.removesuffix('_type')}")
        known = type.tensor_type
        if known.elem_type and kind is None:
            kind = element(known.elem_type)
        if known.HasField("shape"):
            dims = [_size(each, read) for each in known.shape.dim]
            if shape is None or len(shape) != len(dims):
                shape = dims if shape is None else shape
            else:
                both = zip(shape, dims, strict=True)
                shape = [b if a is None else a for a, b in both]
    if kind is None or shape is None:
        raise Foreign(f"a result {name} of unknown type")
    sizes = [each for each in shape if each is not None]
    if len(sizes) < len(shape):
        raise Foreign(f"a result {name} of unknown sizes")
    return tensor(kind, *sizes)


def _size(size: TensorShapeProto.Dimension, read: _Reader) -> Dim | None:
    """A size, if it is known."""
    if size.HasField("dim_value"):
        return size.dim_value if size.dim_value >= 0 else None
    return read(size.dim_param)
