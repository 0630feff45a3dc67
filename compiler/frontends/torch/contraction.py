"""Sums of products: linear layers, matrix products, convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from xdsl.ir import SSAValue

from ....dialects import Dim, shown
from ....dialects.graph import AddOp, LinearOp, MatmulOp, MulOp, SumOp
from ....dialects.graph.compose import (
    Number,
    convolved,
    convolved_back,
    open_kernel,
    permuted,
    pooling,
    product,
    reshaped,
    shape_of,
    with_bias,
)
from ..unsupported import Varies
from .call import Call, Reader, Result

Window: TypeAlias = Dim | Sequence[Dim]
"""One number for every spatial axis, or one for each."""


def linear(
    call: Call, x: SSAValue, weight: SSAValue, bias: SSAValue | None = None
) -> Result:
    """The product with a transposed weight, or with a vector, plus a bias."""
    if len(shape_of(weight)) == 1:
        result = reshaped(product.matmul(x, weight), call.shape)
    else:
        result = LinearOp(x, weight).result
    return result if bias is None else AddOp(result, bias).result


def matmul(call: Call, a: SSAValue, b: SSAValue) -> Result:
    """
    numpy's matmul: batched matrices, a vector as a row on the left, a column on the
    right.
    """
    return reshaped(product.matmul(a, b), call.shape)


def _plus_product(multiply: Callable[[Call, SSAValue, SSAValue], SSAValue]) -> Reader:
    """The reader of `beta * bias + alpha * a * b`."""

    def read(
        call: Call,
        bias: SSAValue,
        a: SSAValue,
        b: SSAValue,
        beta: Number = 1,
        alpha: Number = 1,
    ) -> Result:
        return product.combined(multiply(call, a, b), bias, alpha, beta)

    return read


def _matrix_product(call: Call, a: SSAValue, b: SSAValue) -> SSAValue:
    """The product of two matrices, or of two stacks of them."""
    return MatmulOp(a, b).result


def _vector_product(call: Call, a: SSAValue, b: SSAValue) -> SSAValue:
    """The product of a matrix and a vector."""
    return product.matmul(a, b)


def _sum_of_products(call: Call, a: SSAValue, b: SSAValue) -> SSAValue:
    """The sum of the products of the matrices of two batches."""
    return SumOp(MatmulOp(a, b), axes=(0,), keepdims=False).result


def each(value: Window, count: int) -> tuple[int, ...]:
    """The numbers of `count` axes; raises `Unsupported` for symbolic sizes."""
    several = value if isinstance(value, Sequence) else [value]
    numbers = tuple(each for each in several if isinstance(each, int))
    if len(numbers) < len(several):
        raise Varies(f"a window given by sizes, {shown(several, ', ')}", *several)
    return numbers * count if len(numbers) == 1 else numbers


def each_of(count: int, *values: Window) -> tuple[tuple[int, ...], ...]:
    """The same of several values."""
    return tuple(each(value, count) for value in values)


def over_batch(
    x: SSAValue, rank: int, build: Callable[[SSAValue], SSAValue]
) -> SSAValue:
    """
    Applies `build` to a batch of `rank` axes; adds a batch axis when it is missing.
    """
    if len(shape_of(x)) == rank:
        return build(x)
    result = build(reshaped(x, [1, *shape_of(x)]))
    return reshaped(result, shape_of(result)[1:])


_Size = TypeVar("_Size", int, Dim)


def _same_padding(
    kernel: Sequence[_Size], strides: Sequence[int], dilation: Sequence[int]
) -> tuple[tuple[_Size, ...], tuple[_Size, ...]]:
    """The padding before and after each axis that keeps its size."""
    assert set(strides) == {1}, "torch refuses padding='same' with other strides"
    total = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    before = tuple(amount // 2 for amount in total)
    return before, tuple(a - b for a, b in zip(total, before, strict=True))


def _known(kernel: Sequence[Dim]) -> tuple[int, ...] | None:
    """The sizes of a window; None where a run says one of them."""
    numbers = tuple(each for each in kernel if isinstance(each, int))
    return numbers if len(numbers) == len(kernel) else None


def conv(
    call: Call,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None = None,
    stride: Window = 1,
    padding: Window | str = 0,
    dilation: Window = 1,
    groups: Dim = 1,
) -> Result:
    """The convolution of an image, or of a batch of them, plus a bias per channel."""
    _, _, *sizes = shape_of(weight)
    count = len(sizes)
    strides, steps = each(stride, count), each(dilation, count)
    around = each(0 if isinstance(padding, str) else padding, count)
    kernel = _known(sizes)

    def build(batch: SSAValue) -> SSAValue:
        low = high = around
        if kernel is None:
            if padding == "same":
                low, high = _same_padding(sizes, strides, steps)
            ways = strides, steps, low, high
            found = open_kernel.convolved_by_sizes(batch, weight, groups, *ways)
        else:
            if padding == "same":
                low, high = _same_padding(kernel, strides, steps)
            window = pooling.Window(kernel, strides, steps, low, high, (0,) * count)
            found = convolved(batch, weight, groups, window)
        return with_bias(found, bias)

    return over_batch(x, count + 2, build)


def conv_transpose(
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Window,
    padding: Window,
    dilation: Window,
    output_padding: Window,
    groups: Dim,
) -> SSAValue:
    """The transposed convolution of one image or of a batch, plus a bias."""
    _, _, *sizes = shape_of(weight)
    count = len(sizes)
    ways = each_of(count, stride, padding, dilation, output_padding)
    strides, around, steps, more = ways
    kernel, none = _known(sizes), (0,) * count

    def build(batch: SSAValue) -> SSAValue:
        if kernel is None:
            result = open_kernel.convolved_back_by_sizes(
                batch, weight, groups, strides, steps, around, more
            )
        else:
            window = pooling.Window(kernel, strides, steps, around, around, none)
            result = convolved_back(batch, weight, groups, window, more)
        return with_bias(result, bias)

    return over_batch(x, count + 2, build)


def convolution(
    call: Call,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Window,
    padding: Window,
    dilation: Window,
    transposed: bool,
    output_padding: Window,
    groups: Dim,
    *_: object,
) -> Result:
    """The general convolution, transposed or not; more arguments choose libraries."""
    if transposed:
        window = (stride, padding, dilation, output_padding)
        return conv_transpose(x, weight, bias, *window, groups)
    return conv(call, x, weight, bias, stride, padding, dilation, groups)


def _conv_tbc(
    call: Call, x: SSAValue, weight: SSAValue, bias: SSAValue, padding: int = 0
) -> Result:
    """The convolution of rows by batch by channels, as fairseq writes sequences."""
    rows, kernel = permuted(x, (1, 2, 0)), permuted(weight, (2, 1, 0))
    size, around = each(shape_of(kernel)[2:], 1), each(padding, 1)
    window = pooling.Window(size, (1,), (1,), around, around, (0,))
    found = with_bias(convolved(rows, kernel, 1, window), bias)
    return permuted(found, (2, 0, 1))


def _trilinear(
    call: Call,
    a: SSAValue,
    b: SSAValue,
    c: SSAValue,
    first: Sequence[int],
    second: Sequence[int],
    third: Sequence[int],
    summed: Sequence[int],
    *_: object,
) -> Result:
    """The product of three tensors, each with some new axes, summed along others."""
    rank = len(shape_of(a)) + len(first)
    factors: list[SSAValue] = []
    for x, new in ((a, first), (b, second), (c, third)):
        added, sizes = {each % rank for each in new}, iter(shape_of(x))
        shape = [1 if axis in added else next(sizes) for axis in range(rank)]
        factors.append(reshaped(x, shape))
    whole = MulOp(MulOp(factors[0], factors[1]), factors[2])
    axes = tuple(sorted(each % rank for each in summed))
    return SumOp(whole, axes=axes, keepdims=False).result


READERS: dict[str, Reader] = {
    "aten.linear.default": linear,
    "aten.matmul.default": matmul,
    "aten.mm.default": matmul,
    "aten.bmm.default": matmul,
    "aten.mv.default": matmul,
    "aten.dot.default": matmul,
    "aten.addmm.default": _plus_product(_matrix_product),
    "aten.baddbmm.default": _plus_product(_matrix_product),
    "aten.addbmm.default": _plus_product(_sum_of_products),
    "aten.addmv.default": _plus_product(_vector_product),
    "aten._trilinear.default": _trilinear,
    "aten.convolution.default": convolution,
    "aten.conv_tbc.default": _conv_tbc,
    "aten._convolution.default": convolution,
    **{
        f"aten.conv{count}d.{form}": conv
        for count in (1, 2, 3)
        for form in ("default", "padding")
    },
}
