"""Transforms along an axis of any length are torch's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402
from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Wrapped  # noqa: E402

pytestmark = pytest.mark.torch

SIZES = ((3, 10), (2, 9), (4, 64), (5, 101), (2, 2))


def _convolved(x: Tensor) -> Tensor:
    """A convolution as long as its signal, by a transform of twice the length."""
    length = x.shape[-1]
    bands = torch.fft.rfft(x, n=2 * length)
    return torch.fft.irfft(bands * bands, n=2 * length)[..., :length]


TRANSFORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "complex": lambda x: torch.view_as_real(torch.fft.fft(torch.complex(x, x + 1))),
    "inverse": lambda x: torch.view_as_real(torch.fft.ifft(torch.complex(x, x + 1))),
    "scaled by a root": lambda x: torch.view_as_real(torch.fft.fft(x, norm="ortho")),
    "one side": lambda x: torch.view_as_real(torch.fft.rfft(x, norm="forward")),
    "two axes": lambda x: torch.view_as_real(torch.fft.rfft2(x)),
    "to real numbers": lambda x: torch.fft.irfft(torch.complex(x, x + 1)),
    "to an odd length": lambda x: torch.fft.irfft(
        torch.complex(x, x + 1), n=2 * x.shape[-1] - 1
    ),
    "there and back": lambda x: torch.fft.irfft(torch.fft.rfft(x), n=x.shape[-1]),
    "of f64": lambda x: torch.fft.rfft(x.double()).abs(),
    "convolution": _convolved,
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_any_length(name: str):
    function = TRANSFORMS[name]
    compiled = sr.compile(
        Wrapped(function),
        (torch.zeros(SIZES[0]),),
        dynamic_shapes=(({0: Dim.AUTO, 1: Dim.AUTO},),),
        options=sr.Options(cache=False),
    )
    random = np.random.default_rng(0)
    for size in SIZES:
        x = random.standard_normal(size).astype(np.float32)
        expected = function(torch.from_numpy(x)).numpy()
        atol = 1e-6 * np.abs(expected).max()
        np.testing.assert_allclose(compiled(x), expected, rtol=0, atol=atol)
