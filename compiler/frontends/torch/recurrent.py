"""Recurrent layers: LSTM, GRU and plain ones, one or several, and single steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue

from ....dialects.dims import Dim, floordiv
from ....dialects.graph.families.recurrent import RecurrentOp
from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.concat import ConcatOp
from ....dialects.graph.ops.gru import GruOp
from ....dialects.graph.ops.lstm import LstmOp
from ....dialects.graph.ops.permute import PermuteOp
from ....dialects.graph.ops.rnn import RnnOp
from ....dialects.graph.ops.slice import SliceOp
from ....dialects.shape import dtype, tensor_type
from .call import Call, Reader, Result, reshape, shape_of
from .unsupported import Unsupported

LSTM: Mapping[str, Any] = {"functions": ("sigmoid", "tanh", "tanh")}
GRU: Mapping[str, Any] = {"functions": ("sigmoid", "tanh"), "resets_product": True}
TANH: Mapping[str, Any] = {"functions": ("tanh",)}
RELU: Mapping[str, Any] = {"functions": ("relu",)}


def by_gate(op: type[RecurrentOp], weight: SSAValue) -> SSAValue:
    """A weight, or a bias, with an axis for its gates."""
    rows, *rest = shape_of(weight)
    return reshape(weight, op.GATES, floordiv(rows, op.GATES), *rest)


def one(states: SSAValue, place: int) -> SSAValue:
    """The states of one layer in one direction."""
    _, *shape = shape_of(states)
    starts: list[Dim] = [place, *(0 for _ in shape)]
    steps = tuple(1 for _ in starts)
    found = SliceOp(
        states, starts=to_names(starts), sizes=to_names([1, *shape]), steps=steps
    )
    return reshape(found.result, *shape)


def together(values: Sequence[SSAValue]) -> SSAValue:
    """The last states of all layers and directions."""
    parts = [reshape(each, 1, *shape_of(each)) for each in values]
    return parts[0] if len(parts) == 1 else ConcatOp(*parts, axis=0).result


def run(
    call: Call,
    op: type[RecurrentOp],
    x: SSAValue,
    weights: Sequence[SSAValue | None],
    states: Sequence[SSAValue],
    backward: bool,
    options: Mapping[str, Any],
) -> RecurrentOp:
    """One layer in one direction: two weights, two biases, and maybe a projection."""
    matrices = [by_gate(op, each) for each in weights[:2] if each is not None]
    gates, hidden, *_ = shape_of(matrices[0])
    kind = dtype(tensor_type(x))
    if isinstance(hidden, int) and isinstance(gates, int):
        zeros = np.zeros((gates, hidden), kind)
    else:
        raise Unsupported(f"a number of hidden units that varies, {hidden}")
    biases = [
        call.constant(zeros) if each is None else by_gate(op, each)
        for each in weights[2:4]
    ]
    projection = [each for each in weights[4:] if each is not None]
    if projection:
        options = {**options, "given": ArrayAttr([StringAttr("projection")])}
    operands = (x, *matrices, *biases, *states, *projection)
    return op(*operands, backward=backward, **options)


def grouped(
    parameters: Sequence[SSAValue], has_biases: bool, count: int
) -> Iterator[list[SSAValue | None]]:
    """The weights, biases, and what else there is, of each layer and direction."""
    size = len(parameters) // count
    for start in range(0, size * count, size):
        own: list[SSAValue | None] = [*parameters[start : start + size]]
        yield own if has_biases else [*own[:2], None, None, *own[2:]]


def layers(op: type[RecurrentOp], options: Mapping[str, Any]) -> Reader:
    """The reader of layers of one kind."""

    def read(
        call: Call,
        x: SSAValue,
        first: SSAValue | Sequence[SSAValue],
        parameters: Sequence[SSAValue],
        has_biases: bool,
        count: int,
        dropout: float,
        trains: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Result:
        if trains and dropout:
            raise Unsupported("elements dropped at random, as in training")
        states = [first] if isinstance(first, SSAValue) else first
        if batch_first:
            x = PermuteOp(x, order=(1, 0, 2)).result
        directions = 2 if bidirectional else 1
        weights = grouped(parameters, has_biases, count * directions)
        last: list[list[SSAValue]] = [[] for _ in states]
        place = 0
        for _ in range(count):
            outputs: list[SSAValue] = []
            for backward in (False, True)[:directions]:
                own = [one(each, place) for each in states]
                made = run(call, op, x, next(weights), own, backward, options)
                outputs.append(made.results[0])
                for each, value in zip(last, made.results[1:], strict=True):
                    each.append(value)
                place += 1
            x = outputs[0] if directions == 1 else ConcatOp(*outputs, axis=2).result
        if batch_first:
            x = PermuteOp(x, order=(1, 0, 2)).result
        return [x, *map(together, last)]

    return read


def cell(op: type[RecurrentOp], options: Mapping[str, Any]) -> Reader:
    """The reader of one step of one kind."""

    def read(
        call: Call,
        x: SSAValue,
        first: SSAValue | Sequence[SSAValue],
        *weights: SSAValue | None,
    ) -> Result:
        states = [first] if isinstance(first, SSAValue) else first
        row = reshape(x, 1, *shape_of(x))
        results = run(call, op, row, weights, states, False, options).results[1:]
        return results[0] if isinstance(first, SSAValue) else list(results)

    return read


READERS: dict[str, Reader] = {
    "aten.lstm.input": layers(LstmOp, LSTM),
    "aten.gru.input": layers(GruOp, GRU),
    "aten.rnn_tanh.input": layers(RnnOp, TANH),
    "aten.rnn_relu.input": layers(RnnOp, RELU),
    "aten.lstm_cell.default": cell(LstmOp, LSTM),
    "aten.gru_cell.default": cell(GruOp, GRU),
    "aten.rnn_tanh_cell.default": cell(RnnOp, TANH),
    "aten.rnn_relu_cell.default": cell(RnnOp, RELU),
}
