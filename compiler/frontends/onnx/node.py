"""`Node`: one node of an ONNX model, as the handlers of ops see it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import TypeAlias

from onnx import AttributeProto, GraphProto, NodeProto
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ....dialects import (
    Array,
    Dim,
    Element,
    Tensor,
    agreed,
    is_nonnegative,
    normalize_axis,
    noting,
    shown,
    sizes,
    tensor_type,
)
from ....dialects.graph import Requirement, RequireOp
from ....dialects.graph.compose import rounding
from ...session import CompileError
from ..known import Known
from ..unsupported import NeedsValue, Varies
from .described import given_attributes
from .element import TYPES
from .emit import Emitter
from .forks import Forks
from .messages import error_at
from .signature import Signature
from .symbols import Symbols
from .tensor import TensorReader

Value: TypeAlias = SSAValue | Known
"""A tensor: a value of the graph, or one whose elements are known."""

Result: TypeAlias = Operation | SSAValue | Known
Results: TypeAlias = Result | Sequence[Result]
Handler: TypeAlias = "Callable[[Node], Results]"
"""Builds a node; returns its results, from the first on."""

_MOST_DIMENSIONS = 4096
"""The most numbers in an input that acts as a property of an op."""


class Node:
    """A node with the values of its inputs, and attributes with defaults filled in."""

    def __init__(
        self,
        proto: NodeProto,
        name: str,
        signature: Signature,
        values: Sequence[Value | None],
        emit: Emitter,
        symbols: Symbols,
        tensors: TensorReader,
    ):
        """
        The node `proto` with inputs `values`, where None is an omitted input.

        `emit` builds the tensor of a known value. Raises `CompileError` when the node
        does not match its signature.
        """
        self.proto = proto
        self.name = name
        self.signature = signature
        self.values = values
        self.symbols = symbols
        self._tensors = tensors
        self.draws = False  # numbers at random, by a seed of the model
        self.forks = Forks()
        self.is_inside = False  # with f32 in the place of floats of 16 bits
        self.emitted: Mapping[SSAValue, Known] = emit.known
        self._emit: Callable[[Known], SSAValue] = emit
        self._check_inputs()
        self._attributes = given_attributes(proto, signature, self.error)

    def emitted_by(self, emit: Callable[[Known], SSAValue]) -> Node:
        """The same node with another emitter of known inputs."""
        result = copy(self)
        result._emit = emit
        return result

    @contextmanager
    def assuming(self) -> Generator[None]:
        """Builds the checks of what is assumed of sizes while the context is open."""
        with noting() as found:
            yield
        for each in found:
            RequireOp.of(Requirement.of(each), self.op)

    def agreed(self, a: Dim, b: Dim, problem: str = "") -> Dim:
        """
        The size that `a` and `b` both are, which is checked at run time if it must be.

        Raises `CompileError` when they differ at all sizes, with this `problem`.
        """
        with self.assuming():
            found = agreed(a, b)
        if found is None:
            raise self.error(problem or f"expected equal sizes, got {a} and {b}")
        return found

    def require(self, amount: Dim, message: str, *shown: Dim) -> None:
        """Builds the check that `amount` is not negative, unless that is known."""
        if not is_nonnegative(amount, {}):
            RequireOp.of(Requirement(amount, f"expected {message}", shown), self.op)

    def error(self, problem: str) -> CompileError:
        """The error that describes a problem with this node."""
        return error_at(self.name, self.proto.op_type, problem)

    def _check_inputs(self) -> None:
        """Raises `CompileError` for the wrong number or element types of inputs."""
        form, count = self.signature, len(self.values)
        if not form.least_inputs <= count <= form.most_inputs:
            raise self.error(
                f"expected {form.least_inputs} to {form.most_inputs} inputs, got "
                f"{count}"
            )
        for place, value in enumerate(self.values):
            parameter = form.input(place)
            if value is None:
                if not parameter.is_optional:
                    raise self.error(f"expected an input {parameter.name}, got none")
            elif (got := TYPES[self.element(place)]) not in parameter.types:
                wanted = " or ".join(sorted(parameter.types))
                raise self.error(
                    f"expected an input {parameter.name} of {wanted}, got {got}"
                )

    @property
    def since(self) -> int:
        """The opset version that introduced this form of the op."""
        return self.signature.since

    @property
    def op(self) -> str:
        """The name of the op."""
        return self.proto.op_type

    @property
    def output_count(self) -> int:
        """The number of results that the node names."""
        return len(self.proto.output)

    def gives(self, place: int) -> bool:
        """Whether the model uses the result at this position."""
        return place < len(self.proto.output) and bool(self.proto.output[place])

    def has(self, place: int) -> bool:
        """Whether the input at this position is given."""
        return place < len(self.values) and self.values[place] is not None

    def value(self, place: int) -> Value:
        """The input at this position; raises `CompileError` when it is omitted."""
        if place < len(self.values) and (value := self.values[place]) is not None:
            return value
        name = self.signature.input(place).name
        raise self.error(f"expected an input {name}, got none")

    def operand(self, place: int) -> SSAValue:
        """The input at this position, as a value of the graph."""
        return self.tensor(self.value(place))

    def operands(self) -> list[SSAValue]:
        """Every input, as a value of the graph."""
        return [self.operand(place) for place in range(len(self.values))]

    def tensor(self, value: Value) -> SSAValue:
        """The value of the graph for a tensor."""
        built = self._emit(value) if isinstance(value, Known) else value
        return rounding.widened(built) if self.is_inside else built

    def type(self, place: int) -> Tensor:
        """The type of the input at this position."""
        value = self.value(place)
        found = value.type if isinstance(value, Known) else tensor_type(value)
        return rounding.wide_type(found) if self.is_inside else found

    def element(self, place: int) -> Element:
        """The element type of the input at this position."""
        return self.type(place).element_type

    def shape(self, place: int) -> tuple[Dim, ...]:
        """The dimensions of the input at this position."""
        return sizes(self.type(place))

    def rank(self, place: int) -> int:
        """The rank of the input at this position."""
        return len(self.shape(place))

    def known_input(self, place: int) -> Known | None:
        """The known elements of the input at this position, if any."""
        value = self.value(place)
        if not isinstance(value, Known):
            return None
        return value.inside() if self.is_inside else value

    def require_known(self, place: int) -> Known:
        """
        The known input at this position; raises `Unsupported` when it is computed at
        run time.
        """
        if (value := self.known_input(place)) is not None:
            return value
        name = self.signature.input(place).name
        why = f"an input {name} that is computed when the model runs"
        raise NeedsValue([self.operand(place)], why)

    def dims(self, place: int) -> list[Dim]:
        """The elements of the input at this position, as dimensions."""
        known = self.require_known(place)
        if known.array.size > _MOST_DIMENSIONS:
            name = self.signature.input(place).name
            raise self.error(
                f"expected at most {_MOST_DIMENSIONS} numbers as {name}, got "
                f"{known.type}"
            )
        return known.dims()

    def whole_numbers(self, place: int) -> list[int]:
        """The elements of the input at this position, which must be numbers."""
        found = self.dims(place)
        numbers = [each for each in found if isinstance(each, int)]
        if len(numbers) < len(found):
            name = self.signature.input(place).name
            raise Varies(f"an input {name} that varies: {shown(found, ', ')}", *found)
        return numbers

    def whole_number(self, place: int) -> int:
        """The only element of the input at this position, which must be a number."""
        numbers = self.whole_numbers(place)
        self.dimension(place)
        return numbers[0]

    def dimension(self, place: int) -> Dim:
        """The only element of the input at this position, as a dimension."""
        if len(found := self.dims(place)) != 1:
            name = self.signature.input(place).name
            raise self.error(f"expected one {name}, got {len(found)}")
        return found[0]

    def scalar(self, place: int) -> float | bool | None:
        """The only element of an input; None when it is computed at run time."""
        value = self.known_input(place)
        if value is None or value.is_symbolic:
            return None
        if value.array.size != 1:
            name = self.signature.input(place).name
            raise self.error(f"expected one {name}, got {value.type}")
        return value.array.item()

    def attribute(self, name: str) -> AttributeProto | None:
        """The attribute, or its default, or None when there is neither."""
        if name in self._attributes:
            return self._attributes[name]
        return self.signature.attributes[name].default

    def gives_attribute(self, name: str) -> bool:
        """Whether the node itself has this attribute."""
        return name in self._attributes

    def _found(self, name: str) -> AttributeProto:
        """The attribute, which is required or has a default."""
        found = self.attribute(name)
        if found is None:
            raise self.error(f"expected the attribute {name}, got none")
        return found

    def integer(self, name: str) -> int:
        """The value of an integer attribute."""
        return self._found(name).i

    def flag(self, name: str, value: int | None = None) -> bool:
        """Whether an attribute, or a value in it, is 1; raises unless it is 0 or 1."""
        value = self.integer(name) if value is None else value
        if value not in (0, 1):
            raise self.error(f"expected 0 or 1 for the attribute {name}, got {value}")
        return value == 1

    def number(self, name: str) -> float:
        """The value of a float attribute."""
        return self._found(name).f

    def text(self, name: str) -> str:
        """The value of a string attribute."""
        return self._found(name).s.decode(errors="replace")

    def stored(self, name: str) -> Array:
        """The value of an attribute that is a tensor."""
        return self._tensors.read(self._found(name).t)

    def graph(self, name: str) -> GraphProto:
        """The value of an attribute that is a graph."""
        return self._found(name).g

    def integers(self, name: str) -> tuple[int, ...] | None:
        """The values of an attribute of integers; None when it is not given."""
        found = self.attribute(name)
        return None if found is None else tuple(found.ints)

    def axes(self, place: int, name: str = "axes") -> tuple[int, ...] | None:
        """Integers that are an attribute in some opset versions, or else an input."""
        if name in self.signature.attributes:
            return self.integers(name)
        return tuple(self.whole_numbers(place)) if self.has(place) else None

    def normalize(self, axis: int, rank: int) -> int:
        """`axis` counted from the front; raises `CompileError` out of the range."""
        try:
            return normalize_axis(axis, rank)
        except VerifyException as error:
            raise self.error(str(error)) from error
