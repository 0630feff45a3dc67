"""
The inputs of a model of ONNX: an argument for each tensor, and some for a container.

A sequence has as many arguments as a call gives tensors, and an optional one or none:
so a model with such inputs is compiled for their forms (`session/form.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from onnx import TensorProto, TypeProto, ValueInfoProto
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import ELEMENT_TYPES, Dim, SizeError, Tensor, sizes, tensor
from ....runtime.call import TEXT, as_texts, to_array
from ....runtime.program import ARRAY, CONSTANT, TEXTS, TensorInfo, Tree
from ...session import CONTAINER, Cause, CompileError, Form, UnsupportedOp
from ..known import Known
from ..unsupported import Shapeless, Unsupported
from .element import element
from .graph_builder import GraphBuilder
from .scope import Lost, Scope, Several, Texts
from .symbols import Symbols


@dataclass
class Inputs:
    """Adds the inputs of a model to a function, and says how a caller gives them."""

    builder: GraphBuilder
    scope: Scope
    forms: Mapping[str, Form]
    """The forms of containers, by the names of inputs."""

    texts: tuple[str, ...] = ()
    """The texts that inputs of texts have places among."""

    names: list[str] = field(default_factory=list[str])
    """The names of the arguments."""

    trees: dict[str, Tree] = field(default_factory=dict[str, Tree])
    """What each parameter is."""

    infos: list[TensorInfo] = field(default_factory=list[TensorInfo])
    """The inputs as the runtime knows them, containers by name alone."""

    def add(self, value: ValueInfoProto) -> None:
        """Adds an input; one that is not supported is reported."""
        name, entries = value.name, self.scope.entries
        entries[name] = Lost()
        try:
            if _is_container(value.type):
                self._add_container(name, value.type)
                return
            type = _input_type(value, self.builder.symbols)
        except Unsupported as reason:
            self.builder.unsupported.append(reason.report("input", name))
            return
        except SizeError as error:
            raise CompileError(f"input {name!r}: {error}") from error
        shape = tuple(e if isinstance(e, int) else str(e) for e in sizes(type))
        row, is_text = ELEMENT_TYPES[type.element_type], is_texts(value)
        kind = TEXT if is_text else row.numpy
        self.infos.append(TensorInfo(name, kind, shape))
        argument = self._argument(name, name, type)
        entries[name] = Texts(argument, self.texts, True) if is_text else argument
        self.trees[name] = Tree(TEXTS if is_text else ARRAY, name=name)

    def _argument(self, name: str, parameter: str, type: Tensor) -> SSAValue:
        """Adds an argument of this name for a parameter, or a part of it."""
        block = self.builder.block
        argument = block.insert_arg(type, len(block.args))
        self.builder.inputs.append(parameter)
        self.names.append(name)
        if SSAValue.is_valid_name(name):
            argument.name_hint = name
        return argument

    def _add_container(self, name: str, type: TypeProto) -> None:
        """Adds arguments for a container of a form that is known."""
        self.infos.append(TensorInfo(name, CONTAINER, ()))
        kind, entries = element(_tensor_in(type)), self.scope.entries
        form = self.forms.get(name)
        if form is None:
            why = "a sequence or an optional, which a call has a form of"
            report = UnsupportedOp("input", name, why, (name,), Cause.VALUE)
            self.builder.unsupported.append(report)
        elif form.shapes is None:
            entries[name], self.trees[name] = None, Tree(CONSTANT)
        elif form.is_list:
            types = [tensor(kind, *each) for each in form.shapes]
            names = [f"{name}_{at}" for at in range(len(types))]
            pairs = zip(names, types, strict=True)
            values = tuple(self._argument(each, name, of) for each, of in pairs)
            entries[name] = Several(values)
            parts = tuple(Tree(ARRAY, name=each) for each in names)
            self.trees[name] = Tree("list", parts)
        else:
            (shape,) = form.shapes
            entries[name] = self._argument(name, name, tensor(kind, *shape))
            self.trees[name] = Tree(ARRAY, name=name)

    @property
    def tree(self) -> Tree | None:
        """The parameters of the model; None where they are tensors."""
        if all(each.kind == ARRAY for each in self.trees.values()):
            return None
        return Tree("dict", tuple(self.trees.values()), tuple(self.trees))


def is_texts(value: ValueInfoProto) -> bool:
    """Whether an input is a tensor of texts."""
    return value.type.tensor_type.elem_type == TensorProto.STRING


def _is_container(type: TypeProto) -> bool:
    """Whether an input is a sequence or an optional."""
    return type.WhichOneof("value") in ("sequence_type", "optional_type")


def _tensor_in(type: TypeProto) -> int:
    """The number of the element type of the tensors in a container."""
    kind = type.WhichOneof("value")
    if kind == "sequence_type":
        return _tensor_in(type.sequence_type.elem_type)
    if kind == "optional_type":
        return _tensor_in(type.optional_type.elem_type)
    if kind != "tensor_type":
        raise Unsupported(f"a {(kind or 'value of no type').removesuffix('_type')}")
    return type.tensor_type.elem_type


def _input_type(value: ValueInfoProto, symbols: Symbols) -> Tensor:
    """The type of an input that is a tensor; that of their numbers for texts."""
    kind = i64 if is_texts(value) else element(_tensor_in(value.type))
    described = value.type.tensor_type
    if not described.HasField("shape"):
        raise Shapeless("a tensor of any number of axes")
    dims: list[Dim] = []
    for place, size in enumerate(described.shape.dim):
        name = f"{value.name}_dim{place}"
        if size.HasField("dim_value") and size.dim_value >= 0:
            dims.append(size.dim_value)
        else:
            dims.append(symbols.read(size.dim_param, name))
    return tensor(kind, *dims)


def pinned(value: ValueInfoProto, given: Any) -> Known | Several | Texts | None:
    """The constant that a user gives for an input, with elements of its type."""
    if is_texts(value):
        return _pinned_texts(value, given)
    holds = _is_container(value.type)
    if given is None and holds:
        return None
    is_list = holds and type(given) in (list, tuple)
    try:
        row = ELEMENT_TYPES[element(_tensor_in(value.type))]
        parts: list[Any] = [*cast("list[Any]", given)] if is_list else [given]
        info = TensorInfo(value.name, row.numpy, ())
        arrays = [Known.of(to_array(each, info).view(row.dtype)) for each in parts]
        return Several(tuple(arrays)) if is_list else arrays[0]
    except Unsupported as reason:
        raise CompileError(f"constant {value.name!r}: {reason}") from reason
    except (TypeError, ValueError) as error:
        raise CompileError(f"constant for {error}") from error


def _pinned_texts(value: ValueInfoProto, given: Any) -> Texts:
    """The constant that a user gives for an input that is texts."""
    try:
        array = as_texts(given, TensorInfo(value.name, TEXT, ()))
    except (TypeError, ValueError) as error:
        raise CompileError(f"constant for {error}") from error
    return Texts.listed(array.reshape(-1).tolist(), array.shape)
