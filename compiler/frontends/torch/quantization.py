"""
Operators of `quantized_decomposed`, in which PyTorch writes quantised programs (PT2E),
and the products with weights of eight bits that torchao calls.

PyTorch multiplies by the reciprocal of a scale, which ONNX divides by, so that steps
may differ at ties; and it makes NaN zero.
"""

from __future__ import annotations

from typing import Any

import torch
from xdsl.dialects.builtin import UnitAttr, f32, f64, i32
from xdsl.ir import SSAValue

from ....dialects import ELEMENT_TYPES, Element, sizes, tensor_type
from ....dialects.graph import (
    AddOp,
    ClampOp,
    DequantizeOp,
    DivOp,
    GeOp,
    LeOp,
    LinearOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NegOp,
    NeOp,
    QuantizeOp,
    RoundOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    along,
    convert,
    integer_product,
    number,
    number_like,
    product,
    quantization,
    reshaped,
    retyped,
    shape_of,
)
from ..unsupported import Unsupported
from .call import Call, Reader, Result
from .dtypes import element_of

Given = SSAValue | float
"""A scale, or a zero point: a tensor or a number."""


def _scalar(value: Given, element: Element) -> SSAValue:
    """Builds a number, or the only element of a tensor, as a tensor of rank 0."""
    if isinstance(value, SSAValue):
        return convert(reshaped(value, []), element)
    return number(value, element)


def _check(what: str, element: Element, *numbers: SSAValue | float) -> None:
    """Raises `Unsupported` where a number is none of an integer type's."""
    least, most = ELEMENT_TYPES[element].limits
    for each in numbers:
        if not isinstance(each, SSAValue) and not least <= each <= most:
            raise Unsupported(f"{what} of {each}, outside of {least} to {most}")


def _place(zero: Given, element: Element) -> SSAValue:
    """Builds a zero point as a tensor of rank 0."""
    _check("a zero point", element, zero)
    return _scalar(zero, element)


def _reciprocal(scale: SSAValue) -> SSAValue:
    """Builds one divided by a scale."""
    return DivOp(number_like(1, scale), scale).result


def _steps(
    x: SSAValue, factor: SSAValue, zero: SSAValue, least: int, most: int
) -> SSAValue:
    """Builds the steps of reciprocals of scales, which have limits of their own."""
    steps = QuantizeOp(x, factor, zero, reciprocal=UnitAttr())
    _check("a limit", steps.type.element_type, least, most)
    if (least, most) == ELEMENT_TYPES[steps.type.element_type].limits:
        return steps.result
    return ClampOp(steps, min=float(least), max=float(most)).result


def _quantize_per_tensor(
    call: Call,
    x: SSAValue,
    scale: Given,
    zero: Given,
    least: int,
    most: int,
    dtype: torch.dtype,
) -> Result:
    """The steps of one scale, whose reciprocal is one of f64."""
    factor = convert(_reciprocal(_scalar(scale, f64)), f32)
    place = _place(zero, element_of(dtype))
    return _steps(convert(x, f32), factor, place, least, most)


def _each(values: SSAValue, x: SSAValue, axis: int) -> SSAValue:
    """Builds a scale or a place for each index of an axis, beside the elements of x."""
    shape = shape_of(x)
    place = axis % len(shape)
    known = [*shape_of(values), shape[place]]
    if not all(isinstance(size, int) for size in known):
        values = retyped(values, [shape[place]], "steps of channels")
    return along(values, place, len(shape))


def _quantize_per_channel(
    call: Call,
    x: SSAValue,
    scales: SSAValue,
    zeros: SSAValue,
    axis: int,
    least: int,
    most: int,
    dtype: torch.dtype,
) -> Result:
    """The steps of a scale for each index of an axis, in the type of the scales."""
    factor = _each(_reciprocal(scales), x, axis)
    places = _each(convert(zeros, element_of(dtype)), x, axis)
    wide = convert(convert(x, f32), tensor_type(factor).element_type)
    return _steps(wide, factor, places, least, most)


def _dequantize_per_tensor(
    call: Call, x: SSAValue, scale: Given, zero: Given, *_: Any
) -> Result:
    """The numbers of steps of one scale."""
    element = tensor_type(x).element_type
    result = DequantizeOp(x, _scalar(scale, call.element), _place(zero, element))
    return result.result


def _dequantize_per_channel(
    call: Call,
    x: SSAValue,
    scales: SSAValue,
    zeros: SSAValue | None,
    axis: int,
    *_: Any,
) -> Result:
    """The numbers of steps of a scale for each index of an axis."""
    element = tensor_type(x).element_type
    place = number(0, element)
    if zeros is not None:
        place = _each(convert(zeros, element), x, axis)
    result = DequantizeOp(x, _each(scales, x, axis), place)
    return convert(result.result, call.element)


def _fake_quantize(
    call: Call, x: SSAValue, scale: Given, zero: Given, least: int, most: int
) -> Result:
    """The numbers of the nearest steps within limits, and where `x` is within them."""
    return _nearest(x, _scalar(scale, f32), _scalar(zero, f32), least, most)


def _fake_quantize_given(
    call: Call,
    x: SSAValue,
    scale: SSAValue,
    zero: SSAValue,
    enabled: SSAValue,
    least: int,
    most: int,
) -> Result:
    """The same by tensors; `x` stays as it is where `enabled` is zero."""
    step, place = _scalar(scale, f32), _scalar(zero, f32)
    found, inside = _nearest(x, step, place, least, most)
    is_on = NeOp(_scalar(enabled, f32), number(0, f32)).result
    return [
        WhereOp(is_on, found, x).result,
        LogicalOrOp(LogicalNotOp(is_on), inside).result,
    ]


def _fake_quantize_channels(
    call: Call,
    x: SSAValue,
    scales: SSAValue,
    zeros: SSAValue,
    axis: int,
    least: int,
    most: int,
) -> Result:
    """The same with a scale for each index of an axis."""
    step, place = (_each(convert(each, f32), x, axis) for each in (scales, zeros))
    return _nearest(x, step, place, least, most)


def _nearest(
    x: SSAValue, step: SSAValue, place: SSAValue, least: int, most: int
) -> list[SSAValue]:
    """Builds the numbers of the nearest steps within limits, and what is inside."""
    steps = AddOp(RoundOp(MulOp(convert(x, f32), _reciprocal(step))), place).result
    # PyTorch makes an integer of NaN, the least that there is.
    above = GeOp(steps, number(least, f32))
    inside = LogicalAndOp(above, LeOp(steps, number(most, f32)))
    kept = WhereOp(above, MinimumOp(steps, number(most, f32)), number(least, f32))
    found = MulOp(SubOp(kept, place), step).result
    return [convert(found, tensor_type(x).element_type), inside.result]


def _results(call: Call, scale: SSAValue, zero: SSAValue) -> Result:
    """A scale and a zero point in the forms of the two results."""
    return [
        reshaped(convert(value, type.element_type), sizes(type))
        for value, type in zip((scale, zero), call.types, strict=True)
    ]


def _choose(
    call: Call, x: SSAValue, least: int, most: int, epsilon: float, dtype: torch.dtype
) -> Result:
    """The scale by which steps reach over all elements, and its zero point."""
    _check("a limit", element_of(dtype), least, most)
    low, high = quantization.range_of(x)
    step = DivOp(SubOp(high, low), number_like(most - least, x))
    scale = MaximumOp(step, number_like(epsilon, x)).result
    steps = convert(RoundOp(DivOp(low, scale)).result, i32)
    place = SubOp(number(least, i32), steps)
    return _results(
        call, scale, ClampOp(place, min=float(least), max=float(most)).result
    )


def _choose_symmetric(
    call: Call, x: SSAValue, least: int, most: int, epsilon: float, dtype: torch.dtype
) -> Result:
    """The scale by which steps reach over all elements, to both sides of zero."""
    _check("a limit", element_of(dtype), least, most)
    low, high = quantization.range_of(x)
    widest = MaximumOp(NegOp(low), high)
    step = DivOp(widest, number_like((most - least) / 2, x))
    scale = MaximumOp(step, number_like(epsilon, x)).result
    return _results(call, scale, number(128 if dtype == torch.uint8 else 0, i32))


def _integer_product(call: Call, a: SSAValue, b: SSAValue) -> Result:
    """The product of two matrices of i8 in i32, to which torch quantises rows."""
    return integer_product.integer_matmul(a, b, None, None)


def _product_of_steps(
    call: Call, x: SSAValue, weight: SSAValue, scales: SSAValue
) -> Result:
    """The product with a transposed weight of i8, each row with a scale of its own."""
    element = tensor_type(x).element_type
    whole = LinearOp(convert(x, f32), convert(weight, f32)).result
    return convert(MulOp(whole, convert(scales, f32)).result, element)


def _scaled_product(
    call: Call,
    a: SSAValue,
    b: SSAValue,
    left: SSAValue,
    right: SSAValue,
    bias: SSAValue | None,
    scale: SSAValue | None,
    *_: object,
) -> Result:
    """The product of two matrices of floats of eight bits, scaled, in f32."""
    rows, columns = call.shape
    if scale is not None:
        raise Unsupported("a scale of the result")
    found = product.matmul(convert(a, f32), convert(b, f32))
    for each, whole in ((left, (rows, 1)), (right, (1, columns))):
        shape = shape_of(each)
        if shape not in ((), (1,), (1, 1), whole):
            raise Unsupported(f"scales of shape {shape} for a product of {call.shape}")
        found = MulOp(found, each if shape == whole else reshaped(each, [])).result
    if bias is not None:
        found = AddOp(found, convert(bias, f32)).result
    return convert(found, call.element)


_FAKE = "aten.fake_quantize_per"
"""How operators begin that round to steps and stay floats, as in training for them."""

READERS: dict[str, Reader] = {
    f"{_FAKE}_tensor_affine_cachemask.default": _fake_quantize,
    f"{_FAKE}_channel_affine_cachemask.default": _fake_quantize_channels,
    "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default": (
        _fake_quantize_given
    ),
    "aten._scaled_mm.default": _scaled_product,
    "aten._int_mm.default": _integer_product,
    "aten._weight_int8pack_mm.default": _product_of_steps,
    "quantized_decomposed.choose_qparams.tensor": _choose,
    "quantized_decomposed.choose_qparams_symmetric.tensor": _choose_symmetric,
    "quantized_decomposed.dequantize_per_channel.default": _dequantize_per_channel,
    "quantized_decomposed.dequantize_per_tensor.default": _dequantize_per_tensor,
    "quantized_decomposed.dequantize_per_tensor.tensor": _dequantize_per_tensor,
    "quantized_decomposed.quantize_per_channel.default": _quantize_per_channel,
    "quantized_decomposed.quantize_per_tensor.default": _quantize_per_tensor,
    "quantized_decomposed.quantize_per_tensor.tensor": _quantize_per_tensor,
}
