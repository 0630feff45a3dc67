"""
Mixtures of experts of `com.microsoft`: `MoE`, and `QMoE`, whose weights have few bits.

Each row is multiplied with the matrices of the `k` experts that a router prefers. The
rows of an expert stand side by side, so that its matrices are read once. The formulas
are those that ONNX Runtime documents and computes on CPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, product
from ....dialects.graph import (
    AddOp,
    DequantizeOp,
    DivOp,
    FloorDivOp,
    GatherOp,
    GeluOp,
    IndexSelectOp,
    LeOp,
    MulOp,
    SigmoidOp,
    SiluOp,
    SoftmaxOp,
    SortOp,
    SumOp,
    TopkOp,
)
from ....dialects.graph.compose import (
    at_index,
    bounds,
    convert,
    counted,
    grouped_product,
    number_like,
    part,
    permuted,
    plus,
    reshaped,
    shape_of,
    times,
)
from ..unsupported import Unsupported
from .contributed_bits import middle_of, steps_of_bits
from .fitted import fitted
from .node import Handler, Node, Result

_ACTIVATIONS: dict[str, Callable[[SSAValue], SSAValue]] = {
    "relu": lambda x: bounds.clamped(x, 0.0, None),
    "gelu": lambda x: GeluOp(x, approximate="tanh").result,
    "silu": lambda x: SiluOp(x).result,
    "identity": lambda x: x,
}


@dataclass(frozen=True)
class _Layer:
    """A layer of each expert."""

    matrices: SSAValue
    """Experts x inputs x outputs."""

    bias: SSAValue | None
    """Experts x outputs."""


@dataclass(frozen=True)
class _Routes:
    """Which rows go to which experts, sorted by expert."""

    rows: SSAValue
    """The row that is multiplied."""

    experts: SSAValue
    """The expert that it goes to."""

    ends: SSAValue
    """How many rows go to each expert and those before it."""

    back: SSAValue
    """The place of each row's first expert, then that of its second, …"""

    shares: SSAValue
    """Rows x experts of each: what each counts in the result."""


def _mixture(node: Node) -> Result:
    """The mixture of experts whose weights are floats."""
    places = {2: 3, 4: 5, 6: 7}
    layers = [
        _Layer(
            permuted(node.operand(weight), (0, 2, 1)),
            node.operand(bias) if node.has(bias) else None,
        )
        for weight, bias in places.items()
        if node.has(weight)
    ]
    if any(len(shape_of(each.matrices)) != 3 for each in layers):
        raise node.error(f"expected weights of three axes, got {node.type(2)}")
    return _mixed(node, layers, None)


def _mixture_of_bits(node: Node) -> Result:
    """The mixture of experts whose weights are steps of few bits in bytes."""
    if (kind := node.text("quant_type")) != "int":
        raise Unsupported(f"weights of quant_type {kind}")
    if (packed := node.integer("weights_prepacked")) > 0:
        raise Unsupported(
            f"weights in the order of one processor (weights_prepacked = {packed})"
        )
    layers = [
        _layer_of_bits(node, weight, f"fc{number}", 10 + number)
        for number, weight in ((1, 2), (2, 5), (3, 8))
        if node.has(weight)
    ]
    return _mixed(node, layers, node.operand(14) if node.has(14) else None)


def _layer_of_bits(node: Node, place: int, name: str, zero: int) -> _Layer:
    """The layer whose weights, scales and bias are three inputs, from a place on."""
    own = node.attribute(f"{name}_expert_weight_bits")
    bits = node.integer("expert_weight_bits") if own is None else own.i
    if bits not in (2, 4, 8):
        raise node.error(f"expected weights of 2, 4 or 8 bits, got {bits}")
    match node.shape(place):
        case (int() as experts, int() as columns, int() as length):
            depth = length * 8 // bits
        case _:
            raise node.error(f"expected weights of three axes, got {node.type(place)}")
    given = node.attribute("block_size")
    has_blocks = given is not None and given.i > 0
    block = given.i if given is not None and has_blocks else depth
    if depth % block:
        raise node.error(f"expected {depth} weights in blocks, got block_size {block}")
    form = experts * columns, depth // block
    steps = steps_of_bits(node, place, (*form, block), bits)
    scale = fitted(
        node,
        reshaped(node.operand(place + 1), [*form, 1]),
        (*form, 1),
        f"scales of {name}",
    )
    middle = middle_of(bits)
    if node.has(zero):
        # Of one scale for each column, the zero points of an expert share bytes.
        packed = form if has_blocks else (experts, columns)
        middle = reshaped(steps_of_bits(node, zero, (*packed, 1), bits), [*form, 1])
    weights = reshaped(
        DequantizeOp(steps, scale, middle).result, [experts, columns, depth]
    )
    matrices = convert(permuted(weights, (0, 2, 1)), node.element(0))
    return _Layer(matrices, node.operand(place + 2) if node.has(place + 2) else None)


def _mixed(node: Node, layers: Sequence[_Layer], mixing: SSAValue | None) -> Result:
    """Builds what the experts of each row make of it, each by its share."""
    if node.flag("use_sparse_mixer"):
        raise Unsupported("use_sparse_mixer")
    if len(layers) < 2:
        raise node.error(f"expected weights of two layers, got {len(layers)}")
    shape = node.shape(0)
    if len(shape) not in (2, 3):
        raise node.error(f"expected rows, got {node.type(0)}")
    tokens, width = product(shape[:-1]), shape[-1]
    routes = _routes(node, tokens, shape_of(layers[0].matrices)[0], mixing)
    rows = reshaped(node.operand(0), [tokens, width])
    rows = IndexSelectOp(rows, routes.rows, axis=0, wraps=False).result
    inside = _activated(node, rows, routes, layers)
    found = _through(node, inside, routes, layers[1])
    found = IndexSelectOp(found, routes.back, axis=0, wraps=False).result
    shares = reshaped(routes.shares, [*shape_of(routes.shares), 1])
    by_row = reshaped(found, [*shape_of(routes.shares), shape_of(found)[1]])
    total = SumOp(MulOp(by_row, shares), axes=(1,), keepdims=False).result
    return reshaped(total, shape)


def _routes(node: Node, tokens: Dim, experts: Dim, mixing: SSAValue | None) -> _Routes:
    """Builds where rows go: to those experts whose logits are the greatest."""
    many = node.integer("k")
    if not isinstance(experts, int) or not 1 <= many <= experts:
        raise node.error(f"expected 1 to {experts} experts of a row, got k = {many}")
    logits = fitted(node, node.operand(1), (tokens, experts), "router_probs")
    chosen = TopkOp(logits, axis=1, k=str(many), largest=True).indices
    if mixing is None:
        mixing = SoftmaxOp(logits, axis=1).result
    else:
        mixing = fitted(node, mixing, (tokens, experts), "router_weights")
    shares = GatherOp(mixing, chosen, axis=1, wraps=False).result
    if node.flag("normalize_routing_weights"):
        shares = DivOp(shares, SumOp(shares, axes=(1,), keepdims=True)).result
    flat = reshaped(chosen, [tokens * many])
    sorted = SortOp(flat, axis=0, descending=False)
    each = reshaped(counted(experts, 0, 1), [experts, 1])
    until = LeOp(reshaped(sorted.sorted, [1, tokens * many]), each).result
    ends = SumOp(convert(until, i64), axes=(1,), keepdims=False).result
    rows = FloorDivOp(sorted.indices, number_like(many, sorted.indices)).result
    back = SortOp(sorted.indices, axis=0, descending=False).indices
    return _Routes(rows, sorted.sorted, ends, back, shares)


def _through(node: Node, rows: SSAValue, routes: _Routes, layer: _Layer) -> SSAValue:
    """Builds a layer of the experts that rows go to."""
    node.agreed(shape_of(rows)[1], shape_of(layer.matrices)[1])
    found = grouped_product(rows, layer.matrices, routes.ends)
    if layer.bias is None:
        return found
    experts, _, width = shape_of(layer.matrices)
    bias = fitted(node, layer.bias, (experts, width), "a bias for each expert")
    own = IndexSelectOp(bias, routes.experts, axis=0, wraps=False)
    return AddOp(found, own).result


def _activated(
    node: Node, rows: SSAValue, routes: _Routes, layers: Sequence[_Layer]
) -> SSAValue:
    """Builds what the second layer gets: of two factors where there is a gate."""
    name = node.text("activation_type")
    gate = _through(node, rows, routes, layers[0])
    others = [_through(node, rows, routes, each) for each in layers[2:]]
    if name != "swiglu":
        if name not in _ACTIVATIONS:
            raise Unsupported(f"an activation {name}")
        gate = _ACTIVATIONS[name](gate)
        return MulOp(gate, others[0]).result if others else gate
    if (fusion := node.integer("swiglu_fusion")) not in (0, 1, 2):
        raise node.error(f"expected swiglu_fusion of 0, 1 or 2, got {fusion}")
    if (fusion == 0) != bool(others):
        raise node.error(
            "expected fc3_experts_weights or swiglu_fusion for swiglu, got "
            f"{'both' if others else 'none'}"
        )
    if fusion:
        gate, linear = _halves(node, gate, is_interleaved=fusion == 1)
    else:
        (linear,) = others
    if (limit := node.attribute("swiglu_limit")) is not None:
        gate = bounds.clamped(gate, None, limit.f)
        linear = bounds.clamped(linear, -limit.f, limit.f)
    steep = SigmoidOp(times(gate, node.number("activation_alpha")))
    return MulOp(
        MulOp(gate, steep), plus(linear, node.number("activation_beta"))
    ).result


def _halves(node: Node, x: SSAValue, is_interleaved: bool) -> tuple[SSAValue, SSAValue]:
    """The gate and its factor, in turns or one after the other."""
    count, width = shape_of(x)
    if not isinstance(width, int) or width % 2:
        raise node.error(f"expected two factors of a layer, got rows of {width}")
    if is_interleaved:
        pairs = reshaped(x, [count, width // 2, 2])
        return at_index(pairs, 2, 0), at_index(pairs, 2, 1)
    return part(x, 1, 0, width // 2), part(x, 1, width // 2, width // 2)


HANDLERS: dict[str, Handler] = {"MoE": _mixture, "QMoE": _mixture_of_bits}
