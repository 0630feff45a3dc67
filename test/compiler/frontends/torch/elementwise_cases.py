"""Functions of operators on each element."""

from __future__ import annotations

import functools
from math import inf, nan
from typing import Any

import torch
import torch.nn.functional as F

from .case import Case, dynamic, fixed, floats, positive, truths, whole


def power(exponent: float, x: Any) -> Any:
    """`x` to the power of a number."""
    return x**exponent


X = (4, 6)

EDGES = torch.tensor([0.0, -0.0, 1.0, -1.0, 1e-40, -3e38, 0.75, inf, -inf, nan, 6e-8])
"""Floats of all kinds: zeros, subnormal ones, infinities, NaN."""

CASES: dict[str, Case] = {
    # One op on each element.
    **{
        name: fixed(getattr(torch, name), floats(*X).clamp(-0.9, 0.9))
        for name in (
            *("abs", "neg", "exp", "sin", "cos", "tan", "asin", "acos", "atan"),
            *("sinh", "cosh", "tanh", "asinh", "atanh", "erf", "sigmoid", "relu"),
            *("expm1", "exp2", "sign"),
        )
    },
    **{
        name: fixed(getattr(torch, name), positive(*X))
        for name in ("log", "sqrt", "rsqrt", "reciprocal", "log1p", "log2")
    },
    "acosh": fixed(torch.acosh, positive(*X) + 1),
    **{
        name: fixed(getattr(torch, name), floats(*X) * 3)
        for name in ("ceil", "floor", "round", "trunc")
    },
    "sgn": fixed(torch.sgn, floats(*X)),
    "floor of integers": fixed(torch.floor, whole(*X)),
    "exp of integers": fixed(torch.exp, whole(*X)),
    "abs of i32": fixed(torch.abs, whole(*X).int()),
    "silu": fixed(F.silu, floats(*X)),
    "isnan": fixed(lambda x: torch.isnan(torch.log(x)), floats(*X).abs()),
    "gcd": fixed(torch.gcd, whole(*X), whole(6)),
    "lcm of i32": fixed(torch.lcm, whole(*X).int(), whole(*X).int()),
    "all of bytes": fixed(torch.all, torch.tensor([1, 2, 0], dtype=torch.uint8)),
    "any of bytes": fixed(torch.any, torch.tensor([1, 2, 0], dtype=torch.uint8)),
    "frexp": fixed(torch.frexp, EDGES),
    "frexp of f64": fixed(torch.frexp, EDGES.double()),
    **{
        f"nextafter of {str(dtype).removeprefix('torch.')}": fixed(
            torch.nextafter, EDGES.to(dtype), EDGES.flip(0).to(dtype)
        )
        for dtype in (torch.float32, torch.float64, torch.float16)
    },
    # Arithmetic, and the dtypes that it makes.
    **{
        f"pow {exponent}": fixed(functools.partial(power, exponent), positive(*X))
        for exponent in (-2, -1, -0.5, 0.5, 2, 3, 4)
    },
    "add": dynamic(lambda x, y: x + y, floats(*X), floats(*X)),
    "add alpha": fixed(lambda x, y: torch.add(x, y, alpha=3), floats(*X), floats(*X)),
    "add number": fixed(lambda x: x + 2.5, floats(*X)),
    "add number to integers": fixed(lambda x: x + 2.5, whole(*X)),
    "add integers to floats": fixed(lambda x, y: x + y, whole(*X), floats(*X)),
    "add i32 to i64": fixed(lambda x, y: x + y, whole(*X).int(), whole(*X)),
    "add f32 to f64": fixed(
        lambda x, y: x + y, floats(*X), floats(*X, dtype=torch.float64)
    ),
    "add truths": fixed(lambda x, y: x + y, truths(*X), truths(*X)),
    "add truths to integers": fixed(lambda x, y: x + y, truths(*X), whole(*X)),
    "add without axes": fixed(
        lambda x, y: x + y, floats(*X), torch.tensor(2.0).double()
    ),
    "add size": dynamic(lambda x: x + x.shape[0], floats(*X)),
    "mul size": dynamic(lambda x: x * (x.shape[0] * 2 + 1), whole(*X)),
    "sub": fixed(lambda x, y: torch.sub(x, y, alpha=2), floats(*X), floats(6)),
    "sub number": fixed(lambda x: x - 2, whole(*X)),
    "sub.Scalar": fixed(lambda x: torch.ops.aten.sub.Scalar(x, 2, 3), floats(*X)),
    "rsub": fixed(lambda x: 2 - x, floats(*X)),
    "rsub tensors": fixed(lambda x, y: torch.rsub(x, y), floats(*X), floats(*X)),
    "mul": fixed(lambda x, y: x * y, floats(*X), floats(4, 1)),
    "mul number": fixed(lambda x: x * 3, floats(*X)),
    "div": fixed(lambda x, y: x / y, floats(*X), positive(*X)),
    "div integers": fixed(lambda x, y: x / y, whole(*X), whole(*X, low=1)),
    "div number": fixed(lambda x: x / 3, floats(*X)),
    "div.Scalar": fixed(lambda x: torch.ops.aten.div.Scalar(x, 3), whole(*X)),
    "div.Scalar_mode": fixed(
        lambda x: torch.ops.aten.div.Scalar_mode(x, 3, rounding_mode="floor"),
        whole(*X, low=-9, high=9),
    ),
    "div trunc": fixed(lambda x: torch.div(x, 2, rounding_mode="trunc"), whole(*X)),
    "div trunc floats": fixed(
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        floats(*X) * 9,
        positive(*X),
    ),
    "div floor": fixed(
        lambda x, y: torch.div(x, y, rounding_mode="floor"),
        whole(*X, low=-9, high=9),
        whole(*X, low=1) * torch.tensor([1, -1, 1, -1, 1, -1]),
    ),
    "floor divide": fixed(lambda x: x // 4, whole(*X, low=-9, high=9)),
    "pow 1": fixed(lambda x: (x + 0) ** 1, floats(*X)),
    "pow of integers": fixed(lambda x: x**3, whole(*X)),
    "2 pow": fixed(lambda x: 2.0**x, floats(*X)),
    "square": fixed(torch.square, floats(*X)),
    "maximum": fixed(torch.maximum, floats(*X), floats(*X)),
    "maximum of two dtypes": fixed(torch.maximum, floats(*X), whole(*X)),
    "minimum": fixed(torch.minimum, floats(*X), floats(4, 1)),
    "clamp": fixed(lambda x: torch.clamp(x, -0.5, 0.5), floats(*X)),
    "clamp integers": fixed(lambda x: torch.clamp(x, -1.5, 2), whole(*X)),
    "clamp large": fixed(
        lambda x: torch.clamp(x, 2**53 + 1, 2**53 + 1), whole(*X) + 2**53
    ),
    "clamp min": fixed(lambda x: torch.clamp(x, min=0.1), floats(*X)),
    "clamp max": fixed(lambda x: torch.clamp(x, max=0.1), floats(*X)),
    "clamp_min": fixed(lambda x: torch.clamp_min(x, 0.1), floats(*X)),
    "clamp_max": fixed(lambda x: torch.clamp_max(x, 0.1), floats(*X)),
    "clamp by tensors": fixed(torch.clamp, floats(*X), floats(6) - 1, floats(6) + 1),
    "clamp by one": fixed(lambda x, y: torch.clamp(x, max=y), floats(*X), floats(6)),
    "logaddexp": fixed(torch.logaddexp, floats(*X), floats(*X)),
    # Comparisons and logic.
    **{
        name: fixed(getattr(torch, name), whole(*X), whole(*X))
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    },
    "eq number": fixed(lambda x: x == 1, whole(*X)),
    "ne number": fixed(lambda x: x != 1, whole(*X)),
    "lt number": fixed(lambda x: x < 1, whole(*X)),
    "le number": fixed(lambda x: x <= 1, whole(*X)),
    "gt number": fixed(lambda x: x > 1, whole(*X)),
    "ge number": fixed(lambda x: x >= 1, whole(*X)),
    **{
        name: fixed(getattr(torch, name), truths(*X), whole(*X))
        for name in ("logical_and", "logical_or", "logical_xor")
    },
    "lt of two dtypes": fixed(lambda x, y: x < y, whole(*X), floats(*X)),
    "lt fraction": fixed(lambda x: x < 0.5, whole(*X)),
    "lt size": dynamic(lambda x: x < x.shape[0], whole(*X)),
    "logical_not": fixed(torch.logical_not, whole(*X)),
    "and": fixed(lambda x, y: x & y, truths(*X), truths(6)),
    "or": fixed(lambda x, y: x | y, truths(*X), truths(6)),
    "xor": fixed(lambda x, y: x ^ y, truths(*X), truths(6)),
    "not": fixed(lambda x: ~x, truths(*X)),
    "where": fixed(torch.where, truths(*X), floats(*X), floats(6)),
    "where dtypes": fixed(torch.where, truths(*X), whole(*X), floats(6)),
    "where number": fixed(lambda c, x: torch.where(c, x, 0.0), truths(*X), floats(*X)),
    "masked_fill": fixed(lambda x, m: x.masked_fill(m, -1e9), floats(*X), truths(*X)),
    # Activations.
    "relu6": fixed(F.relu6, floats(*X) * 9),
    "hardtanh": fixed(lambda x: F.hardtanh(x, -0.2, 0.3), floats(*X)),
    "leaky_relu": fixed(lambda x: F.leaky_relu(x, 0.2), floats(*X)),
    "rrelu": fixed(F.rrelu, floats(*X)),
    "angle": fixed(torch.angle, torch.tensor([-2.0, -0.0, 3.0, torch.nan])),
    "angle of integers": fixed(torch.angle, whole(*X)),
    "prelu": fixed(F.prelu, floats(*X), floats(6)),
    "gelu": fixed(F.gelu, floats(*X)),
    "gelu tanh": fixed(lambda x: F.gelu(x, approximate="tanh"), floats(*X)),
    "elu": fixed(lambda x: F.elu(x, 1.5), floats(*X) * 9),
    "selu": fixed(F.selu, floats(*X)),
    "celu": fixed(lambda x: F.celu(x, 2.0), floats(*X)),
    "hardsigmoid": fixed(F.hardsigmoid, floats(*X) * 9),
    "hardswish": fixed(F.hardswish, floats(*X) * 9),
    "softplus": fixed(lambda x: F.softplus(x, 2.0, 1.0), floats(*X)),
    "softplus of large": fixed(F.softplus, floats(*X) * 200),
    "mish": fixed(F.mish, floats(*X)),
    "glu": fixed(F.glu, floats(*X)),
    "logsigmoid": fixed(F.logsigmoid, floats(*X)),
}
