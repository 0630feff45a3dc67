"""
The catalogue: models with what the compiler makes kernels of, for a library of all.

It has each op of the graph with the dtypes that it takes, with operands that broadcast
along each axis, and products and convolutions by constant weights with what is fused
into them. A library of it is the measure of what a selection leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Block

from ...dialects.graph import Graph, GraphOp
from .cases import (
    Case,
    accepted,
    broadcast,
    examples,
    module_of,
    numbers,
    resized,
    typed,
)

_CASES_PER_MODEL = 24
"""Cases of one model."""

_EPILOGUES: dict[str, Sequence[str]] = {
    "": (),
    "bias": ("add %0, %b",),
    "relu": ("add %0, %b", "relu %1"),
    "clip": ("add %0, %b", "maximum %1, %low", "minimum %2, %high"),
    "sigmoid": ("add %0, %b", "sigmoid %1"),
    "tanh": ("add %0, %b", "tanh %1"),
    "gelu": ("add %0, %b", "gelu %1"),
    "silu": ("add %0, %b", "sigmoid %1", "mul %1, %2"),
    "residual": ("add %0, %b", "add %1, %r"),
    "residual_relu": ("add %0, %b", "add %1, %r", "relu %2"),
}
"""What follows a product: `%0` is its result and `%b` a bias."""

_CHANNELS = ((96, 96), (96, 16))
"""Channels of a factor and of the result: for wide panels and for narrow ones."""

_WINDOWS = ((1, 1), (1, 2), (3, 1), (3, 2), (5, 1), (5, 2), (7, 1), (7, 2))
"""Windows and strides of convolutions."""

_COLORS = 3
"""The channels of an image that a model is given."""


@dataclass(frozen=True)
class _Convolution:
    """A convolution of square windows."""

    channels: int
    filters: int
    window: int
    stride: int
    groups: int = 1


def catalogue() -> Iterator[str]:
    """The models, as textual IR."""
    yield from op_models()
    yield from contraction_models()


def op_models() -> Iterator[str]:
    """Models of each op with operands, a few cases of it in each."""
    for op in Graph.operations:
        if issubclass(op, GraphOp) and _has_cases(op):
            cases = list(_cases(op))
            for first in range(0, len(cases), _CASES_PER_MODEL):
                yield str(module_of(cases[first : first + _CASES_PER_MODEL]))


def contraction_models() -> Iterator[str]:
    """Products and convolutions by constant weights, with what may follow them."""
    for lines in _EPILOGUES.values():
        for channels, filters in _CHANNELS:
            yield _matmul(channels, filters, lines)
        for each in _convolutions():
            yield _convolution(each, lines)


def _has_cases(op: type[GraphOp]) -> bool:
    """Whether an op computes tensors of tensors, and holds no other ops."""
    known = op.get_irdl_definition()
    is_whole = bool(known.operands and known.results and not known.regions)
    if not is_whole or "!graph." in op.examples()[0]:
        return False
    first = examples(op)[0]
    made = first.build(Block(arg_types=first.operands).args)
    return op.IS_VIEW or made.has_kernel or op.decompose is not GraphOp.decompose


def _cases(op: type[GraphOp]) -> Iterator[Case]:
    """An op in its dtypes, with operands that broadcast."""
    seen = set[str]()
    for first in examples(op):
        larger = resized(first, {n: n * 5 + 10 for n in numbers(first)})
        known = larger if accepted(larger) else first
        for case in typed(known):
            for each in (case, *broadcast(case)):
                if str(each) not in seen and accepted(each):
                    seen.add(str(each))
                    yield each


def _convolutions() -> Iterator[_Convolution]:
    """Convolutions of whole images, of each channel, and of colours."""
    for window, stride in _WINDOWS:
        for channels, filters in _CHANNELS:
            yield _Convolution(channels, filters, window, stride)
        if window > 1:
            yield _Convolution(96, 96, window, stride, groups=96)
            yield _Convolution(_COLORS, 32, window, stride)


def _matmul(channels: int, filters: int, epilogue: Sequence[str]) -> str:
    """A product by a constant weight, and what follows."""
    weight = f"tensor<{channels}x{filters}xf32>"
    operand, result = (f'tensor<?x{size}xf32, ["n"]>' for size in (channels, filters))
    product = f"graph.matmul %x, %w : {operand}, {weight} -> {result}"
    bias = f"tensor<{filters}xf32>"
    return _weighted((operand, result, weight, bias), product, epilogue)


def _convolution(conv: _Convolution, epilogue: Sequence[str]) -> str:
    """A convolution by a constant weight, and what follows."""
    window, stride, pad = conv.window, conv.stride, conv.window // 2
    operand = f'tensor<?x{conv.channels}x40x40xf32, ["n"]>'
    size = (40 + 2 * pad - window) // stride + 1
    result = f'tensor<?x{conv.filters}x{size}x{size}xf32, ["n"]>'
    each = conv.channels // conv.groups
    weight = f"tensor<{conv.filters}x{each}x{window}x{window}xf32>"
    product = (
        f"graph.conv %x, %w {{strides = array<i64: {stride}, {stride}>, "
        f"padding = array<i64: {pad}, {pad}, {pad}, {pad}>, "
        f"dilation = array<i64: 1, 1>, groups = {conv.groups} : i64}} : {operand}, "
        f"{weight} -> {result}"
    )
    bias = f"tensor<{conv.filters}x1x1xf32>"
    return _weighted((operand, result, weight, bias), product, epilogue)


def _weighted(types: Sequence[str], product: str, lines: Sequence[str]) -> str:
    """
    A model of a product by constants, and what follows it; the types are those of the
    operand, the result, the weight and the bias.
    """
    operand, result, weight, bias = types
    known = {"b": bias, "r": result, "low": "tensor<f32>", "high": "tensor<f32>"}
    text = [
        f"%{name} = graph.constant dense<{value}> : tensor<f32>"
        for name, value in (("s", 0.25), ("low", 0.0), ("high", 6.0))
    ]
    # Folded, so that they are constants as those of a model are.
    text += [
        f"%{name} = graph.expand %s {_shape(type)} : tensor<f32> -> {type}"
        for name, type in (("w", weight), ("b", bias))
    ]
    text.append(f"%0 = {product}")
    for number, line in enumerate(lines, 1):
        name, _, names = line.partition(" ")
        operands = (each.removeprefix("%") for each in names.split(", "))
        given = ", ".join(known.get(each, result) for each in operands)
        options = ' {approximate = "none"}' if name == "gelu" else ""
        text.append(f"%{number} = graph.{name} {names}{options} : {given} -> {result}")
    body = "\n  ".join(text)
    return (
        f"func.func @main(%x: {operand}, %r: {result}) -> {result} {{\n  {body}\n"
        f"  return %{len(lines)} : {result}\n}}"
    )


def _shape(type: str) -> str:
    """The sizes of a type, as the property of an op."""
    *numbers, _ = type.removeprefix("tensor<").split("x")
    return "{shape = [" + ", ".join(f'"{each}"' for each in numbers) + "]}"
