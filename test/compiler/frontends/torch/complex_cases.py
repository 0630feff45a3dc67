"""Complex numbers, and Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .case import Case, dynamic, fixed, floats, positive

X = (4, 6)

TURN: Any = 1 - 2j

ROWS = torch.tensor([3, 1, 1, 0])


def of(x: Tensor, y: Tensor) -> Tensor:
    """The numbers of these parts."""
    return torch.complex(x, y)


def both(z: Tensor) -> Tensor:
    """Both parts of numbers."""
    return torch.view_as_real(z.resolve_conj())


OF_ONE: dict[str, Callable[[Tensor], Tensor]] = {
    "conjugate": lambda z: torch.conj(z),
    "physical conjugate": torch.conj_physical,
    "reciprocal": torch.reciprocal,
    "exponential": torch.exp,
    "logarithm": torch.log,
    "sign": torch.sgn,
    "square root": torch.sqrt,
    "square root of real": lambda z: torch.sqrt(of(z.real, z.real * 0)),
    "reciprocal root": torch.rsqrt,
    "square": torch.square,
    "third power": lambda z: z**3,
    # Halved, since PyTorch computes it by angles, and is less exact than we are.
    "sixth power": lambda z: (z / 2) ** 6,
    "power below zero": lambda z: z**-2,
    "broken power": lambda z: z**1.5,
    "sine": torch.sin,
    "cosine": torch.cos,
    "tangent": torch.tan,
    "hyperbolic sine": torch.sinh,
    "hyperbolic cosine": torch.cosh,
    "hyperbolic sine of great real": lambda z: torch.sinh(of(99 + z.real, z.imag * 0)),
    "hyperbolic tangent": lambda z: torch.tanh(torch.cat([z, 60 * z])),
    "plus a number": lambda z: z + 2,
    "plus a complex number": lambda z: torch.add(z, TURN),
    "times a number": lambda z: 3 * z,
    "times a complex number": lambda z: torch.mul(z, TURN),
    "by a number": lambda z: z / 4,
    "transposed": lambda z: z.t()[1:],
    "joined": lambda z: torch.cat([z, z * z], 1),
    "summed": lambda z: z.sum(0),
    "padded": lambda z: torch.nn.functional.pad(z, (1, 2)),
    "chosen": lambda z: torch.where(z.real > 0, z, 2 * z),
    "halves": lambda z: torch.stack([*z.split(2)]),
}

OF_TWO: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "added": lambda a, b: torch.add(a, b, alpha=2),
    "subtracted": torch.sub,
    "multiplied": torch.mul,
    "divided": torch.div,
    "times real": lambda a, b: a * b.real,
    "by real": lambda a, b: a / b.real,
    "minus real": lambda a, b: a.real - b,
    "matrices": lambda a, b: a @ b.t(),
    "linear": lambda a, b: F.linear(a, b, b[:, 0] * a[0, 0]),
    "linear of a real bias of zeros": lambda a, b: F.linear(a, b, (b * 0)[:, 0]),
    "convolved": lambda a, b: F.conv1d(a[None], b[:, None, :2], b[:, 5], groups=4),
    "convolved without a bias": lambda a, b: F.conv1d(a[None], b[:, :4, None]),
    "into zeros": lambda a, b: torch.zeros_like(a).index_add(0, ROWS, b),
    "beside new zeros": lambda a, b: torch.cat([a, a.new_zeros(2, 6), b]),
    "beside ones": lambda a, b: torch.cat([torch.ones_like(a), a * b]),
    "batches of matrices": lambda a, b: torch.bmm(a[None], b.t()[None]),
}

TRANSFORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "fft": torch.fft.fft,
    "ifft": torch.fft.ifft,
    "fft of a length": lambda x: torch.fft.fft(x, n=9),
    "fft along the first axis": lambda x: torch.fft.fft(x, dim=0, norm="ortho"),
    "rfft": lambda x: torch.fft.rfft(x, norm="forward"),
    "fft2": torch.fft.fft2,
    "rfft2": torch.fft.rfft2,
    "ihfft": torch.fft.ihfft,
}

CASES: dict[str, Case] = {
    **{
        f"{name} of complex": fixed(
            lambda x, y, f=f: both(f(of(x, y))), floats(*X), floats(*X)
        )
        for name, f in OF_ONE.items()
    },
    **{
        f"{name} of complex": fixed(
            lambda a, b, c, d, f=f: both(f(of(a, b), of(c, d))),
            *(floats(*X) for _ in range(4)),
        )
        for name, f in OF_TWO.items()
    },
    **{
        name: fixed(lambda x, f=f: both(f(x)), floats(*X))
        for name, f in TRANSFORMS.items()
    },
    "fft of any batch": dynamic(lambda x: both(torch.fft.fft(x)), floats(*X)),
    "irfft": fixed(lambda x, y: torch.fft.irfft(of(x, y)), floats(*X), floats(*X)),
    "irfft of odd length": fixed(
        lambda x, y: torch.fft.irfft(of(x, y), n=9), floats(*X), floats(*X)
    ),
    "hfft2": fixed(lambda x, y: torch.fft.hfft2(of(x, y)), floats(*X), floats(*X)),
    "absolute": fixed(lambda x, y: of(x, y).abs(), floats(*X), floats(*X)),
    "angle of complex": fixed(lambda x, y: of(x, y).angle(), floats(*X), floats(*X)),
    "polar": fixed(
        lambda size, angle: both(torch.polar(size, angle)), positive(*X), floats(*X)
    ),
    "norm of complex": fixed(lambda x, y: of(x, y).norm(dim=1), floats(*X), floats(*X)),
    "isnan of complex": fixed(
        lambda x, y: torch.isnan(of(x, y.log())), floats(*X), floats(*X)
    ),
    "isinf of complex": fixed(
        lambda x, y: torch.isinf(of(x.relu().log(), y)), floats(*X), floats(*X)
    ),
    "pairs": fixed(lambda x: both(torch.view_as_complex(x) * 2), floats(*X, 2)),
    "equal": fixed(lambda x, y: of(x, y) == of(x, x), floats(*X), floats(*X)),
    "unequal": fixed(lambda x, y: torch.ne(of(x, y), 1), floats(*X), floats(*X)),
    "converted": fixed(lambda x: both(x.to(torch.complex128)), floats(*X)),
    "short-time": fixed(
        lambda x: both(
            torch.stft(x, 8, window=torch.ones(8), center=False, return_complex=True)
        ),
        floats(3, 32),
    ),
}
