"""Tensors that a program holds, with complex elements and with marks of their signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import floats  # noqa: E402

pytestmark = pytest.mark.torch


class Filter(nn.Module):
    """Weights of frequencies, which are multiplied and turned."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.complex(floats(3, 4, 5), floats(3, 4, 5)))
        self.register_buffer("turn", torch.polar(torch.ones(5), torch.arange(5.0)))

    def forward(self, x: Any) -> Any:
        """Rows of twelve numbers, filtered."""
        bands = torch.fft.rfft(x)
        made = torch.zeros(x.shape[0], 4, bands.shape[-1], dtype=torch.complex64)
        mixed = torch.einsum("bix,iox->box", bands[..., :5], self.weight)
        made[..., :5] = mixed * self.turn
        return torch.fft.irfft(made, n=12)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_complex_parameters(rows: int):
    model = Filter().eval()
    module = sr.compile(
        model,
        example_inputs=(floats(2, 3, 12),),
        dynamic_shapes=({0: torch.export.Dim.AUTO},),
    )
    x = floats(rows, 3, 12)
    with torch.no_grad():
        wanted = model(x).numpy()
    np.testing.assert_allclose(module(x.numpy()), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [torch.complex64, torch.complex128])
def test_layers_of_complex_numbers(kind: Any):
    model = nn.Sequential(
        nn.Conv1d(3, 4, 2, dtype=kind), nn.Flatten(), nn.Linear(20, 5, dtype=kind)
    )
    z = torch.complex(floats(2, 3, 6), floats(2, 3, 6)).to(kind)
    module = sr.compile(model, example_inputs=(z,))
    with torch.no_grad():
        wanted = model(z)
    torch.testing.assert_close(torch.from_numpy(module(z)), wanted)


class Marked(nn.Module):
    """Tensors on the same memory, which marks tell apart."""

    def __init__(self) -> None:
        super().__init__()
        z = torch.complex(floats(40), floats(40))
        self.register_buffer("plain", z)
        self.register_buffer("conjugate", z.conj())
        self.register_buffer("imaginary", z.imag)
        self.register_buffer("negative", z.conj().imag)

    def forward(self, x: Any) -> Any:
        """Each of them, times a number."""
        several = self.plain, self.conjugate, self.imaginary, self.negative
        return [each * x for each in several]


def test_marks_of_conjugates_and_negatives():
    model, x = Marked(), torch.tensor(2.0)
    module = sr.compile(model, example_inputs=(x,))
    for mine, its in zip(module(x), model(x), strict=True):
        np.testing.assert_array_equal(mine, its.resolve_conj().resolve_neg().numpy())


def test_sizes_of_complex_inputs_are_told():
    class Square(nn.Module):
        """Squares of absolute values."""

        def forward(self, z: Any) -> Any:
            return z * z.conj()

    z = torch.complex(floats(4, 3), floats(4, 3))
    sizes = ({0: torch.export.Dim("n", min=2, max=8)},)
    run = sr.compile(torch.export.export(Square(), (z,), dynamic_shapes=sizes))
    with pytest.raises(ValueError, match="expected n from 2 to 8, got 9"):
        run(torch.complex(floats(9, 3), floats(9, 3)))
    with pytest.raises(ValueError, match=r"\(n, 3, 2\) with n = 5, got \(5, 4, 2\)"):
        run(torch.complex(floats(5, 4), floats(5, 4)))
