"""Functions of operators on pairs of numbers: powers, rests, bits, distances."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .case import Case, dynamic, fixed, floats, positive, truths, whole

X = (4, 6)

ODD = torch.tensor([3.5, -3.5, 0.0, torch.inf, torch.nan, 1e30])

BITS = torch.tensor([0, 1, 5, 63, 64, -1])

CASES: dict[str, Case] = {
    # Powers.
    "pow of tensors": dynamic(torch.pow, positive(*X), floats(*X)),
    "pow of whole tensors": fixed(torch.pow, whole(*X), whole(*X, low=0, high=40)),
    "pow of two dtypes": fixed(torch.pow, positive(*X), whole(*X)),
    "pow 2.7": fixed(lambda x: x**2.7, positive(*X)),
    "pow 0": fixed(lambda x: x**0, whole(*X)),
    "pow 7": fixed(lambda x: x**7, whole(*X)),
    "pow half of integers": fixed(lambda x: x**0.5, whole(*X, low=0)),
    "3 pow": fixed(lambda x: 3**x, floats(*X)),
    "2 pow of integers": fixed(lambda x: 2**x, whole(*X, low=0)),
    "pow size": dynamic(lambda x: x ** x.shape[0], positive(*X)),
    "ldexp": fixed(torch.ldexp, floats(*X), whole(*X)),
    "log10": fixed(torch.log10, positive(*X)),
    # Rests and quotients.
    **{
        f"{name} of {what}": fixed(getattr(torch, name), a, b)
        for name in ("fmod", "remainder", "floor_divide")
        for what, a, b in (
            ("floats", floats(*X) * 9, floats(6)),
            ("odd floats", ODD.reshape(6, 1), ODD),
            ("integers", whole(*X, low=-9, high=9), whole(*X, low=1) * 2 - 5),
        )
    },
    "fmod number": fixed(lambda x: torch.fmod(x, -2.5), floats(*X) * 9),
    "remainder number": fixed(lambda x: x % 3, whole(*X)),
    "remainder of number": fixed(lambda x: 7 % x, whole(*X, low=1)),
    "div floor floats": fixed(lambda x: x // 0.3, floats(*X)),
    # Bits.
    **{
        f"{name} of {what}": fixed(getattr(torch, name), a, b)
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
        for what, a, b in (
            ("integers", whole(*X), whole(6)),
            ("two dtypes", whole(*X).int(), whole(6)),
            ("truths and integers", truths(*X), whole(6)),
        )
    },
    "bitwise_not": fixed(torch.bitwise_not, whole(*X)),
    "and number": fixed(lambda x: x & 6, whole(*X)),
    "or number": fixed(lambda x: x | 6, whole(*X)),
    "xor number": fixed(lambda x: x ^ 6, whole(*X)),
    **{
        f"number {name}": fixed(lambda x, op=op: op.Scalar_Tensor(6, x), whole(*X))
        for name, op in (
            ("and", torch.ops.aten.bitwise_and),
            ("or", torch.ops.aten.bitwise_or),
            ("xor", torch.ops.aten.bitwise_xor),
            ("shift left", torch.ops.aten.bitwise_left_shift),
            ("shift right", torch.ops.aten.bitwise_right_shift),
        )
    },
    "shift left": fixed(lambda x, y: x << y, whole(*X), BITS),
    "shift right": fixed(lambda x, y: x >> y, whole(*X), BITS),
    "shift by number": fixed(lambda x: (x << 3) + (x >> 1), whole(*X)),
    "bitwise shifts": fixed(
        lambda x, y: torch.bitwise_left_shift(torch.bitwise_right_shift(x, 1), y),
        *(whole(*X), BITS),
    ),
    "bitwise shifts by tensors": fixed(
        lambda x, y: torch.bitwise_left_shift(torch.bitwise_right_shift(x, y), 2),
        *(whole(*X), BITS),
    ),
    # Angles, signs, and what is no number.
    "atan2": dynamic(torch.atan2, floats(*X), floats(*X)),
    "atan2 of odd floats": fixed(torch.atan2, ODD.reshape(6, 1), -ODD),
    "hypot": fixed(torch.hypot, floats(*X), floats(6)),
    "copysign": fixed(torch.copysign, floats(*X), floats(6)),
    "copysign number": fixed(lambda x: torch.copysign(x, -1), floats(*X)),
    "fmax": fixed(torch.fmax, ODD.reshape(6, 1), ODD),
    "fmin": fixed(torch.fmin, ODD.reshape(6, 1), ODD),
    "isinf": fixed(torch.isinf, ODD),
    "isinf of integers": fixed(torch.isinf, whole(*X)),
    "nan_to_num": fixed(lambda x: torch.nan_to_num(x, 1, 2, 3), ODD),
    "round to hundredths": fixed(lambda x: x.round(decimals=2), floats(*X)),
    "round to tens": fixed(lambda x: x.round(decimals=-1), floats(*X) * 99),
    "sign of booleans": fixed(torch.sign, truths(*X)),
    "sgn of booleans": fixed(torch.sgn, truths(*X)),
    "signbit": fixed(torch.signbit, torch.tensor([-0.0, 0.0, -2, 3, -torch.inf])),
    "signbit of integers": fixed(torch.signbit, whole(*X)),
    "softmax without axes": fixed(lambda x: x.sum().softmax(0), floats(*X)),
    "xlogy": fixed(torch.xlogy, ODD.reshape(6, 1), ODD),
    # Norms and distances.
    **{
        f"norm {order}": fixed(
            lambda x, order=order: torch.linalg.vector_norm(x, order, 1), floats(*X)
        )
        for order in (0, 3, 0.5, -1, -torch.inf)
    },
    **{
        f"cdist {order}": fixed(
            lambda a, b, order=order: torch.cdist(a, b, order),
            floats(2, 3, 5),
            floats(2, 4, 5),
        )
        for order in (0, 1, 2, 2.5, torch.inf)
    },
    "cdist of nothing": fixed(torch.cdist, floats(3, 0), floats(2, 0)),
    "dist": fixed(lambda x, y: torch.dist(x, y, 3), floats(*X), floats(6)),
    "pdist": fixed(F.pdist, floats(4, 3)),
    # Products that are added up.
    "addbmm": fixed(
        lambda c, a, b: torch.addbmm(c, a, b, beta=0.5, alpha=2),
        *(floats(5), floats(3, 4, 6), floats(3, 6, 5)),
    ),
    "addmv": fixed(torch.addmv, floats(4), floats(4, 6), floats(6)),
    "addr": fixed(torch.addr, floats(4, 6), floats(4), floats(6)),
    **{
        f"attention {name}": fixed(
            lambda q, k, v, m, given=given, masked=masked: (
                F.scaled_dot_product_attention(q, k, v, m if masked else None, **given)
            ),
            *(floats(2, 4, 5, 8), floats(2, heads, 7, 8), floats(2, heads, 7, 3), mask),
        )
        for name, given, masked, heads, mask in (
            ("with floats", {}, True, 4, floats(5, 7)),
            ("with truths", {"scale": 0.3}, True, 4, floats(2, 1, 5, 7) > -1),
            ("causal", {"is_causal": True}, False, 4, floats(1)),
            ("of groups", {"enable_gqa": True}, False, 2, floats(1)),
        )
    },
    # Diagonals and triangles.
    "diagonal": dynamic(lambda x: x.diagonal(1, 0, 2), floats(4, 3, 5)),
    "diagonal beyond": fixed(lambda x: x.diagonal(-7), floats(4, 3)),
    "diagonal of stack": fixed(lambda x: x.diagonal(-1, -1, -2), floats(2, 3, 4)),
    "trace": fixed(torch.trace, floats(4, 4)),
    "tril": dynamic(lambda x: torch.tril(x, -1), floats(*X)),
    "einsum of a diagonal": fixed(lambda x: torch.einsum("iij->j", x), floats(4, 4, 3)),
}
