"""One step of an optimizer: ops of the domain `ai.onnx.preview.training`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.graph import (
    AddOp,
    DivOp,
    GtOp,
    MulOp,
    PowOp,
    SqrtOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import convert, number, number_like, plus, times
from .node import Handler, Node, Results


def _groups(node: Node, count: int) -> list[list[SSAValue]]:
    """The tensors of each kind: all variables, all gradients, and so on."""
    tensors = node.operands()[2:]
    if not tensors or len(tensors) % count:
        raise node.error(
            f"expected {count} tensors for each variable, got {len(tensors)} tensors"
        )
    each = len(tensors) // count
    return [tensors[at : at + each] for at in range(0, len(tensors), each)]


def _regularized(node: Node, x: SSAValue, gradient: SSAValue) -> SSAValue:
    """Builds the gradient with that of the norm of the variable."""
    factor = node.number("norm_coefficient")
    return gradient if factor == 0 else AddOp(times(x, factor), gradient).result


def _is_later(node: Node) -> SSAValue:
    """Builds whether a step is not the first one."""
    return GtOp(node.operand(1), number(0, i64)).result


def _flat(results: Sequence[Sequence[SSAValue]]) -> list[SSAValue]:
    """The results of all variables: first the variables, then each other kind."""
    return [each for kind in zip(*results, strict=True) for each in kind]


def _momentum(node: Node) -> Results:
    """Gradient descent along a sum of gradients that decays."""
    rate, mode = node.operand(0), node.text("mode")
    if mode not in ("standard", "nesterov"):
        raise node.error(f"expected a mode standard or nesterov, got {mode!r}")
    alpha, beta = node.number("alpha"), node.number("beta")
    results: list[list[SSAValue]] = []
    for x, gradient, before in zip(*_groups(node, 3), strict=True):
        whole = _regularized(node, x, gradient)
        first = number_like(1, x)
        weight = WhereOp(_is_later(node), number_like(beta, x), first).result
        kept = AddOp(times(before, alpha), MulOp(weight, whole)).result
        way = AddOp(whole, times(kept, alpha)).result if mode == "nesterov" else kept
        step = MulOp(convert(rate, node.element(2)), way)
        results.append([SubOp(x, step).result, kept])
    return _flat(results)


def _adagrad(node: Node) -> Results:
    """Gradient descent, slower where gradients were great."""
    kind = node.element(2)
    decay = times(convert(node.operand(1), kind), node.number("decay_factor"))
    rate = DivOp(convert(node.operand(0), kind), plus(decay, 1.0)).result
    epsilon = node.number("epsilon")
    results: list[list[SSAValue]] = []
    for x, gradient, before in zip(*_groups(node, 3), strict=True):
        whole = _regularized(node, x, gradient)
        squares = AddOp(before, MulOp(whole, whole)).result
        size = plus(SqrtOp(squares).result, epsilon)
        step = DivOp(MulOp(rate, whole), size)
        results.append([SubOp(x, step).result, squares])
    return _flat(results)


def _adam(node: Node) -> Results:
    """Gradient descent by decaying means of gradients and of their squares."""
    kind, epsilon = node.element(2), node.number("epsilon")
    alpha, beta = node.number("alpha"), node.number("beta")
    after = 1 - node.number("norm_coefficient_post")
    rate = convert(node.operand(0), kind)
    count = convert(node.operand(1), kind)
    left = [
        SubOp(number(1.0, kind), PowOp(number(each, kind), count)).result
        for each in (alpha, beta)
    ]
    adjusted = DivOp(MulOp(rate, SqrtOp(left[1])), left[0])
    rate = WhereOp(_is_later(node), adjusted, rate).result
    results: list[list[SSAValue]] = []
    for x, gradient, mean, squares in zip(*_groups(node, 4), strict=True):
        whole = _regularized(node, x, gradient)
        mean = AddOp(times(mean, alpha), times(whole, 1 - alpha)).result
        square = times(MulOp(whole, whole).result, 1 - beta)
        squares = AddOp(times(squares, beta), square).result
        size = plus(SqrtOp(squares).result, epsilon)
        step = DivOp(MulOp(rate, mean), size)
        results.append([times(SubOp(x, step).result, after), mean, squares])
    return _flat(results)


HANDLERS: dict[str, Handler] = {
    "ai.onnx.preview.training.Adagrad": _adagrad,
    "ai.onnx.preview.training.Adam": _adam,
    "ai.onnx.preview.training.Momentum": _momentum,
}
