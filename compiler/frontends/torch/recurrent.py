"""Recurrent layers, LSTM, GRU and plain, stacked or single, and single cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue

from ....dialects import dtype, floordiv, tensor_type
from ....dialects.graph import GruOp, LstmOp, PermuteOp, RecurrentOp, RnnOp
from ....dialects.graph.compose import (
    at_index,
    filled,
    joined,
    reshaped,
    shape_of,
    stacked,
)
from ..unsupported import Training
from .call import Call, Reader, Result

LSTM: Mapping[str, Any] = {"functions": ("sigmoid", "tanh", "tanh")}
GRU: Mapping[str, Any] = {"functions": ("sigmoid", "tanh"), "resets_product": True}
_TANH: Mapping[str, Any] = {"functions": ("tanh",)}
_RELU: Mapping[str, Any] = {"functions": ("relu",)}


def _by_gate(op: type[RecurrentOp], weight: SSAValue) -> SSAValue:
    """A weight, or a bias, with a separate axis for its gates."""
    rows, *rest = shape_of(weight)
    return reshaped(weight, [op.GATES, floordiv(rows, op.GATES), *rest])


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
    matrices = [_by_gate(op, each) for each in weights[:2] if each is not None]
    gates, hidden, *_ = shape_of(matrices[0])
    none = np.zeros((), dtype(tensor_type(x)))
    biases = [
        filled(none, [gates, hidden]) if each is None else _by_gate(op, each)
        for each in weights[2:4]
    ]
    projection = [each for each in weights[4:] if each is not None]
    if projection:
        options = {**options, "given": ArrayAttr([StringAttr("projection")])}
    operands = (x, *matrices, *biases, *states, *projection)
    return op(*operands, backward=backward, **options)


def _grouped(
    parameters: Sequence[SSAValue], has_biases: bool, count: int
) -> Iterator[list[SSAValue | None]]:
    """The parameters of each layer and direction."""
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
            raise Training("elements dropped at random, as in training")
        states = [first] if isinstance(first, SSAValue) else first
        if batch_first:
            x = PermuteOp(x, order=(1, 0, 2)).result
        directions = 2 if bidirectional else 1
        weights = _grouped(parameters, has_biases, count * directions)
        last: list[list[SSAValue]] = [[] for _ in states]
        place = 0
        for _ in range(count):
            outputs: list[SSAValue] = []
            for backward in (False, True)[:directions]:
                own = [at_index(each, 0, place) for each in states]
                made = run(call, op, x, next(weights), own, backward, options)
                outputs.append(made.results[0])
                for each, value in zip(last, made.results[1:], strict=True):
                    each.append(value)
                place += 1
            x = joined(outputs, 2)
        if batch_first:
            x = PermuteOp(x, order=(1, 0, 2)).result
        return [x, *(stacked(each, 0) for each in last)]

    return read


def cell(op: type[RecurrentOp], options: Mapping[str, Any]) -> Reader:
    """The reader of one step of a layer of one kind."""

    def read(
        call: Call,
        x: SSAValue,
        first: SSAValue | Sequence[SSAValue],
        *weights: SSAValue | None,
    ) -> Result:
        states = [first] if isinstance(first, SSAValue) else first
        row = reshaped(x, [1, *shape_of(x)])
        results = run(call, op, row, weights, states, False, options).results[1:]
        return results[0] if isinstance(first, SSAValue) else list(results)

    return read


READERS: dict[str, Reader] = {
    "aten.lstm.input": layers(LstmOp, LSTM),
    "aten.gru.input": layers(GruOp, GRU),
    "aten.rnn_tanh.input": layers(RnnOp, _TANH),
    "aten.rnn_relu.input": layers(RnnOp, _RELU),
    "aten.lstm_cell.default": cell(LstmOp, LSTM),
    "aten.gru_cell.default": cell(GruOp, GRU),
    "aten.rnn_tanh_cell.default": cell(RnnOp, _TANH),
    "aten.rnn_relu_cell.default": cell(RnnOp, _RELU),
}
