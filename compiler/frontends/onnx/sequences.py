"""
ONNX's sequences and optionals: lists of tensors whose lengths are known when reading.

They are no values of the graph: a node that makes, changes or reads one is gone once it
is read. A loop over them is unrolled, and a branch that gives one must be known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, helper
from xdsl.builder import ImplicitBuilder
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from ....dialects import normalize_axis, sizes, tensor_type
from ....dialects.graph import ConcatOp
from ....dialects.graph.compose import part, reshaped
from ..known import Known
from ..unsupported import NeedsValue, Unsupported, Varies
from .described import form_of, given_attributes
from .emit import locate
from .graph_builder import Given, GraphBuilder
from .messages import error_at
from .model_file import ONNX
from .node import Value
from .scope import Apart, Entry, Lost, Scope, Several
from .signature import Signature

_MOST_TRIPS = 64
"""The most trips of a loop that is unrolled, and the most parts of a split."""


@dataclass(frozen=True)
class Call:
    """A node about sequences, and where it is built."""

    builder: GraphBuilder
    node: NodeProto
    name: str
    values: Given
    scope: Scope
    form: Signature

    def error(self, problem: str) -> Exception:
        """The error that describes a problem with the node."""
        return error_at(self.name, self.node.op_type, problem)

    def attribute(self, name: str, default: Any) -> Any:
        """The value of an attribute, with a default."""
        found = self.attributes.get(name)
        return default if found is None else helper.get_attribute_value(found)

    @cached_property
    def attributes(self) -> Mapping[str, AttributeProto]:
        """The attributes that the node has."""
        return given_attributes(self.node, self.form, self.error)

    def given(self, place: int) -> Value | Apart | None:
        """An input; None where it is left out."""
        return self.values[place] if place < len(self.values) else None

    def sequence(self, place: int) -> tuple[Value, ...]:
        """The tensors of a sequence."""
        found = self.given(place)
        if not isinstance(found, Several):
            raise self.error("expected a sequence, got a tensor or nothing")
        return found.values

    def tensor(self, value: Value | Apart | None) -> SSAValue:
        """A tensor as a value of the graph."""
        if value is None or isinstance(value, Apart):
            raise self.error("expected a tensor, got a sequence or nothing")
        built = self.builder.tensor(value)
        assert built is not None, "it is not lost"
        return built

    def whole(self, place: int, what: str) -> list[int] | None:
        """The numbers of an input; None where it is left out."""
        value = self.given(place)
        if value is None:
            return None
        if isinstance(value, Known):
            found = value.dims()
            if open := [each for each in found if not isinstance(each, int)]:
                raise Varies(what, *open)
            return [each for each in found if isinstance(each, int)]
        raise NeedsValue([self.tensor(value)], what)

    def place(self, place: int, count: int, default: int) -> int:
        """A position among some tensors, counted from the first."""
        found = self.whole(place, "a position in a sequence")
        at = default if found is None else found[0]
        if not -count <= at < count:
            raise self.error(f"expected a position among {count} tensors, got {at}")
        return at % count

    def made(self, make: Callable[[], Any]) -> Any:
        """Builds ops at the end of the block, and locates them."""
        last = self.builder.block.last_op
        try:
            with ImplicitBuilder(self.builder.block):
                found = make()
        except VerifyException as error:
            raise self.error(str(error)) from error
        locate(self.builder.block, last, self.name)
        return found


def _construct(call: Call) -> Sequence[Entry]:
    """Some tensors as a sequence."""
    if any(each is None or isinstance(each, Apart) for each in call.values):
        raise call.error("expected tensors")
    found = [e for e in call.values if e is not None and not isinstance(e, Apart)]
    return [Several(tuple(found))]


def _at(call: Call) -> Sequence[Entry]:
    """One tensor of a sequence."""
    values = call.sequence(0)
    return [values[call.place(1, len(values), 0)]]


def _insert(call: Call) -> Sequence[Entry]:
    """A sequence with one more tensor, at a position or at the end."""
    values, more = call.sequence(0), call.given(1)
    if more is None or isinstance(more, Apart):
        raise call.error("expected a tensor to insert")
    count = len(values)
    found = call.whole(2, "a position in a sequence")
    at = count if found is None else found[0]
    if not -count <= at <= count:
        raise call.error(f"expected a position among {count} tensors, got {at}")
    at = at + count if at < 0 else at
    return [Several((*values[:at], more, *values[at:]))]


def _erase(call: Call) -> Sequence[Entry]:
    """A sequence without one of its tensors, the last unless a position is given."""
    values = call.sequence(0)
    at = call.place(1, len(values), -1)
    return [Several((*values[:at], *values[at + 1 :]))]


def _length(call: Call) -> Sequence[Entry]:
    """The number of tensors."""
    return [Known.of(np.array(len(call.sequence(0))))]


def _split(call: Call) -> Sequence[Entry]:
    """The parts of a tensor along an axis."""
    x = call.tensor(call.given(0))
    shape = sizes(tensor_type(x))
    axis = normalize_axis(call.attribute("axis", 0), len(shape))
    size = shape[axis]
    if not isinstance(size, int):
        raise Varies("the number of parts of a split", size)
    lengths = call.whole(1, "the sizes of the parts of a split")
    split = call.given(1)
    if lengths is None or (isinstance(split, Known) and split.array.ndim == 0):
        (step,) = lengths or [1]
        if step < 1:
            raise call.error(f"expected parts of one or more, got {step}")
        whole, rest = divmod(size, step)
        lengths = [step] * whole + [rest] * bool(rest)
    if sum(lengths) != size:
        raise call.error(f"expected parts of {size} together, got {lengths}")
    squeezes = split is None and not call.attribute("keepdims", 1)
    found: list[Value] = []
    at = 0
    for length in lengths:
        piece = call.made(lambda at=at, length=length: part(x, axis, at, length))
        if squeezes:
            rest_of = [*shape[:axis], *shape[axis + 1 :]]
            piece = call.made(lambda piece=piece, to=rest_of: reshaped(piece, to))
        found.append(piece)
        at += length
    return [Several(tuple(found))]


def _concat(call: Call) -> Sequence[Entry]:
    """The tensors of a sequence beside each other, along an axis or a new one."""
    values = [call.tensor(each) for each in call.sequence(0)]
    if not values:
        raise call.error("expected a sequence of one tensor or more")
    is_new = bool(call.attribute("new_axis", 0))
    rank = len(sizes(tensor_type(values[0]))) + is_new
    axis = normalize_axis(call.attribute("axis", 0), rank)
    return [joined(call, values, axis, is_new)]


def joined(call: Call, values: Sequence[SSAValue], axis: int, is_new: bool) -> Value:
    """Builds tensors beside each other."""

    def build() -> SSAValue:
        parts = list(values)
        if is_new:
            shapes = [list(sizes(tensor_type(each))) for each in parts]
            parts = [
                reshaped(each, [*shape[:axis], 1, *shape[axis:]])
                for each, shape in zip(parts, shapes, strict=True)
            ]
        return ConcatOp(*parts, axis=axis).result

    return call.made(build)


def _same(call: Call) -> Sequence[Entry]:
    """The input, or an optional without a value."""
    return [call.given(0)]


def _element(call: Call) -> Sequence[Entry]:
    """The value of an optional, which must have one."""
    if call.given(0) is None:
        raise call.error("expected an optional with a value, got one without")
    return [call.given(0)]


def _has_element(call: Call) -> Sequence[Entry]:
    """Whether an optional has a value."""
    return [Known.of(np.array(call.given(0) is not None))]


def _run(call: Call, graph: GraphProto, values: Sequence[Entry]) -> list[Entry]:
    """The results of a graph of the node on some inputs."""
    builder, scope = call.builder, call.scope
    if len(values) != len(graph.input):
        raise call.error(
            f"expected a body of {len(values)} inputs, got {len(graph.input)}"
        )
    inner = scope.inside(graph.node, call.name)
    names = [each.name for each in graph.input]
    inner.entries.update(zip(names, values, strict=True))
    builder.add_weights(graph, inner)
    builder.check_depth(inner, call.node, call.name)
    builder.add_nodes(inner)
    return [
        builder.entry(each.name, call.node, call.name, inner) for each in graph.output
    ]


def _trips(call: Call, count: int) -> int:
    """A number of trips that are unrolled."""
    call.builder.trips += count
    if count > _MOST_TRIPS:
        raise Unsupported(f"a loop over sequences of more than {_MOST_TRIPS} trips")
    return count


def _map(call: Call) -> Sequence[Entry]:
    """The results of a graph on each tensor of some sequences."""
    graph, first = call.attribute("body", None), call.sequence(0)
    results: list[list[Entry]] = [[] for _ in graph.output]
    for trip in range(_trips(call, len(first))):
        given: list[Entry] = [
            each.values[trip] if isinstance(each, Several) else each
            for each in call.values
        ]
        for found, each in zip(results, _run(call, graph, given), strict=True):
            found.append(each)
    return [_sequence(each) for each in results]


def _sequence(entries: Sequence[Entry]) -> Entry:
    """Tensors as a sequence; lost where one of them is."""
    found = [e for e in entries if e is not None and not isinstance(e, Apart | Lost)]
    return Several(tuple(found)) if len(found) == len(entries) else Lost()


def _loop(call: Call) -> Sequence[Entry]:
    """The results of a loop that changes sequences: of its trips, one after another."""
    graph, states = call.attribute("body", None), list[Entry](call.values[2:])
    limit = call.whole(0, "the number of trips of a loop over sequences")
    goes_on = call.whole(1, "the condition of a loop over sequences")
    if limit is None:
        raise Unsupported("a loop over sequences without a number of trips")
    stacks: list[list[SSAValue]] = [[] for _ in graph.output[len(states) + 1 :]]
    trips = max(limit[0], 0) if goes_on is None or goes_on[0] else 0
    for trip in range(_trips(call, trips)):
        given = [Known.of(np.array(trip)), Known.of(np.array(True)), *states]
        condition, *ends = _run(call, graph, given)
        if any(isinstance(each, Lost) for each in ends):
            return [Lost() for _ in call.node.output]
        states, rows = ends[: len(states)], ends[len(states) :]
        for stack, row in zip(stacks, rows, strict=True):
            assert not isinstance(row, Lost), "none is lost"
            stack.append(call.tensor(row))
        if goes_on is None:
            continue
        if not isinstance(condition, Known) or condition.is_symbolic:
            raise Unsupported("a loop over sequences until a condition ends")
        if not condition.array.item():
            break
    if stacks and not stacks[0]:
        raise Unsupported("results of each trip of a loop without trips")
    return [*states, *(joined(call, each, 0, True) for each in stacks)]


SEQUENCES: Mapping[str, Callable[[Call], Sequence[Entry]]] = {
    "ConcatFromSequence": _concat,
    "Optional": _same,
    "OptionalGetElement": _element,
    "OptionalHasElement": _has_element,
    "SequenceAt": _at,
    "SequenceConstruct": _construct,
    "SequenceEmpty": _construct,
    "SequenceErase": _erase,
    "SequenceInsert": _insert,
    "SequenceLength": _length,
    "SequenceMap": _map,
    "SplitToSequence": _split,
}
"""The builders of ops on sequences and optionals alone."""

_OF_SEVERAL = {**SEQUENCES, "Identity": _same, "Loop": _loop}
"""The builders of ops that may take a sequence."""


def build(
    builder: GraphBuilder, node: NodeProto, name: str, values: Given, scope: Scope
) -> Sequence[Entry] | None:
    """The results of a node about sequences; None where it is about tensors alone."""
    has_sequences = any(isinstance(each, Several) for each in values)
    is_own = node.domain in ONNX
    if not has_sequences and not (is_own and node.op_type in SEQUENCES):
        return None
    handler = _OF_SEVERAL.get(node.op_type)
    if not is_own or handler is None:
        raise Unsupported("a sequence")
    if (form := form_of(node, scope.opset, builder.versions)) is None:
        raise Unsupported(f"no op of opset {scope.opset}")
    call = Call(builder, node, name, values, scope, form)
    if not form.least_inputs <= len(values) <= form.most_inputs:
        raise call.error(
            f"expected {form.least_inputs} to {form.most_inputs} inputs, got "
            f"{len(values)}"
        )
    try:
        return handler(call)
    except VerifyException as error:
        raise call.error(str(error)) from error
