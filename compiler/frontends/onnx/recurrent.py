"""Recurrent layers of ONNX: `LSTM`, `GRU` and `RNN`, in one or both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue

from ....dialects import Dim, dtype, floordiv, sizes, tensor_type
from ....dialects.graph import (
    FUNCTIONS,
    ConstantOp,
    GruOp,
    IndexSelectOp,
    IotaOp,
    LstmOp,
    PermuteOp,
    RecurrentOp,
    RnnOp,
)
from ....dialects.graph.compose import at_index, filled, reshaped, stacked
from ..unsupported import Unsupported
from .node import Handler, Node, Results

X, W, R, B, _LENGTHS, _STATE, _CELL, _PEEPHOLES = range(8)
"""The positions of the inputs."""

_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
"""For each value of `direction`, whether each direction of the layer runs backward."""

_NUMBERS: dict[str, tuple[str, tuple[float | None, float | None]]] = {
    "affine": ("affine", (None, None)),
    "elu": ("elu", (1.0, None)),
    "hardsigmoid": ("hard_sigmoid", (0.2, 0.5)),
    "leakyrelu": ("leaky_relu", (0.01, None)),
    "relu": ("relu", (None, None)),
    "scaledtanh": ("scaled_tanh", (None, None)),
    "sigmoid": ("sigmoid", (None, None)),
    "softplus": ("softplus", (None, None)),
    "softsign": ("softsign", (None, None)),
    "tanh": ("tanh", (None, None)),
    "thresholdedrelu": ("thresholded_relu", (1.0, None)),
}
"""The gate functions for ONNX's names, with default parameters."""


@dataclass(frozen=True)
class Kind:
    """One kind of layer."""

    op: type[RecurrentOp]

    order: tuple[int, ...]
    """The position of each gate in ONNX's weights."""

    functions: tuple[str, ...]
    """The default functions of the gates."""


def _functions_of(node: Node, kind: Kind, directions: int) -> Iterator[tuple[str, ...]]:
    """The functions of the gates in each direction."""
    names = [*kind.functions] * directions
    found = node.attribute("activations")
    if found is not None and node.gives_attribute("activations"):
        names = [each.decode(errors="replace") for each in found.strings]
    if len(names) != len(kind.functions) * directions:
        raise node.error(
            f"expected {len(kind.functions) * directions} activations, got {names}"
        )
    alphas, betas = (
        iter(() if each is None else each.floats)
        for each in map(node.attribute, ("activation_alpha", "activation_beta"))
    )
    texts: list[str] = []
    for each in names:
        if each.lower() not in _NUMBERS:
            raise node.error(f"expected a known activation, got {each!r}")
        name, defaults = _NUMBERS[each.lower()]
        _, count = FUNCTIONS[name]
        numbers = [
            next(values, default)
            for values, default in list(zip((alphas, betas), defaults))[:count]
        ]
        if None in numbers:
            raise Unsupported(f"an activation {each} without its numbers")
        texts.append(" ".join([name, *map(str, numbers)]))
    for place in range(directions):
        start = place * len(kind.functions)
        yield tuple(texts[start : start + len(kind.functions)])


def ordered(x: SSAValue, order: Sequence[int], axis: int) -> SSAValue:
    """Builds the parts along an axis in another order."""
    if list(order) == [*range(len(order))]:
        return x
    places = ConstantOp(value=np.array(order, np.int64))
    return IndexSelectOp(x, places, axis=axis, wraps=False).result


class _Layer:
    """A recurrent node; each direction becomes an op."""

    def __init__(self, node: Node, kind: Kind):
        """The layer of a node; raises `CompileError` for inconsistent inputs."""
        self.node, self.kind = node, kind
        known = node.signature.attributes
        self.batch_first = "layout" in known and node.flag("layout")
        direction = node.text("direction")
        if direction not in _DIRECTIONS:
            wanted = " or ".join(_DIRECTIONS)
            raise node.error(f"expected a direction {wanted}, got {direction!r}")
        self.backward = _DIRECTIONS[direction]
        match node.shape(X), node.shape(W), node.shape(R):
            case (first, second, _), (count, rows, _), (count_too, _, hidden) if (
                count == count_too == len(self.backward)
                and rows == hidden * len(kind.order)
            ):
                self.hidden = hidden
                self.batch = first if self.batch_first else second
            case _:
                raise node.error(
                    f"expected an X of three axes, and for {direction} a W and an R of "
                    f"{len(self.backward)}x(gates*hidden)x..., got {node.type(X)}, "
                    f"{node.type(W)} and {node.type(R)}"
                )
        if node.gives_attribute("hidden_size"):
            if node.integer("hidden_size") != self.hidden:
                raise node.error(
                    f"expected a hidden_size of {self.hidden}, got "
                    f"{node.integer('hidden_size')}"
                )

    def build(self) -> Results:
        """Builds all directions; returns the outputs and the last states."""
        node = self.node
        x = node.operand(X)
        if self.batch_first:
            x = PermuteOp(x, order=(1, 0, 2)).result
        functions = _functions_of(node, self.kind, len(self.backward))
        ops = [self.direction(x, place, texts) for place, texts in enumerate(functions)]
        output = stacked([each.results[0] for each in ops], 1)
        if self.batch_first:
            output = PermuteOp(output, order=(2, 0, 1, 3)).result
        axis = int(self.batch_first)
        states = range(1, 1 + len(self.kind.op.STATES))
        return [
            output,
            *(stacked([each.results[at] for each in ops], axis) for at in states),
        ]

    def direction(self, x: SSAValue, place: int, functions: Sequence[str]) -> Any:
        """Builds the op of one direction."""
        node, kind = self.node, self.kind
        given: dict[str, SSAValue] = {}
        if "peepholes" in kind.op.OPTIONAL and node.has(_PEEPHOLES):
            row = at_index(node.operand(_PEEPHOLES), 0, place)
            given["peepholes"] = ordered(reshaped(row, [3, self.hidden]), (0, 2, 1), 0)
        if node.has(_LENGTHS) and not self.are_all_steps():
            given["lengths"] = self.lengths()
        options: dict[str, Any] = {}
        if given:
            options["given"] = ArrayAttr(map(StringAttr, given))
        if node.gives_attribute("clip"):
            options["clip"] = node.number("clip")
        if kind.op is GruOp:
            known = node.signature.attributes
            options["resets_product"] = "linear_before_reset" in known and node.flag(
                "linear_before_reset"
            )
        if kind.op is LstmOp and node.flag("input_forget"):
            options["couples_gates"] = True
        return kind.op(
            x,
            self.weight(W, place),
            self.weight(R, place),
            *self.biases(place),
            *self.states(place),
            *given.values(),
            functions=tuple(functions),
            backward=self.backward[place],
            **options,
        )

    def are_all_steps(self) -> bool:
        """Whether the lengths are known to cover all steps of the input."""
        known = self.node.known_input(_LENGTHS)
        steps = self.node.shape(X)[int(self.batch_first)]
        return known is not None and all(each == steps for each in known.dims())

    def lengths(self) -> SSAValue:
        """Builds the lengths, which a run looks up so that none is over the steps."""
        steps = self.node.shape(X)[int(self.batch_first)]
        counts = IotaOp(size=str(steps + 1))
        lengths = self.node.operand(_LENGTHS)
        return IndexSelectOp(counts, lengths, axis=0, wraps=False).result

    def weight(self, which: int, place: int) -> SSAValue:
        """Builds the weight GxHx... of one direction."""
        found = at_index(self.node.operand(which), 0, place)
        rows, width = sizes(tensor_type(found))
        gates = len(self.kind.order)
        shape = [gates, floordiv(rows, gates), width]
        return ordered(reshaped(found, shape), self.kind.order, 0)

    def biases(self, place: int) -> list[SSAValue]:
        """Builds the biases GxH of input and recurrent weights of one direction."""
        node, gates = self.node, len(self.kind.order)
        if not node.has(B):
            return [self.zeros(gates, self.hidden)] * 2
        found = at_index(node.operand(B), 0, place)
        both = reshaped(found, [2, gates, self.hidden])
        return [ordered(at_index(both, 0, at), self.kind.order, 0) for at in (0, 1)]

    def states(self, place: int) -> Iterator[SSAValue]:
        """Builds the initial states of one direction."""
        for each in (_STATE, _CELL)[: len(self.kind.op.STATES)]:
            if self.node.has(each):
                yield at_index(self.node.operand(each), int(self.batch_first), place)
            else:
                yield self.zeros(self.batch, self.hidden)

    def zeros(self, *shape: Dim) -> SSAValue:
        """Builds initial states of zeros."""
        return filled(np.zeros((), dtype(self.node.type(X))), shape)


def layer(kind: Kind) -> Handler:
    """The handler of one kind of layer."""
    return lambda node: _Layer(node, kind).build()


HANDLERS: dict[str, Handler] = {
    "GRU": layer(Kind(GruOp, (1, 0, 2), ("Sigmoid", "Tanh"))),
    "LSTM": layer(Kind(LstmOp, (0, 2, 3, 1), ("Sigmoid", "Tanh", "Tanh"))),
    "RNN": layer(Kind(RnnOp, (0,), ("Tanh",))),
}
