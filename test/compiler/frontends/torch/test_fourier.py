"""Transforms along an axis of any length are torch's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402
from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.frontends.torch import read_torch  # noqa: E402
from static_runtime.compiler.ir.context import context  # noqa: E402

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


def _there_and_back(x: Tensor) -> Tensor:
    """The signals of frames that overlap."""
    window = torch.hann_window(16)
    bands = torch.stft(x, 16, 4, window=window, return_complex=True)
    return torch.istft(2 * bands, 16, 4, window=window)


def test_the_frames_of_several_signals_are_added_up_at_once():
    """By torch's own formula each element of the window would be a scatter."""
    given, model = (torch.randn(2, 64),), Wrapped(_there_and_back)
    dynamic = (({0: Dim.AUTO, 1: Dim.AUTO},),)
    text = str(read_torch(model, context(), given, dynamic))
    assert "scatter" not in text
    compiled = sr.compile(
        model, given, dynamic_shapes=dynamic, options=sr.Options(cache=False)
    )
    for size in ((2, 64), (3, 75), (1, 40)):
        x = torch.randn(size)
        expected = _there_and_back(x).numpy()
        np.testing.assert_allclose(compiled(x), expected, rtol=1e-5, atol=1e-5)
