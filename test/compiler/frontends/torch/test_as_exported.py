"""Programs are read as torch.export wrote them, where that is what they mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.frontends.torch import as_exported  # noqa: E402
from static_runtime.compiler.frontends.torch.control_flow import REGIONS  # noqa: E402
from static_runtime.compiler.frontends.torch.export import Whole  # noqa: E402
from static_runtime.compiler.frontends.torch.guards import guards_of  # noqa: E402

from .case import Wrapped, arrays, floats  # noqa: E402

pytestmark = pytest.mark.torch

ROWS = torch.export.Dim("rows", min=2, max=64)


def composite(x: Any) -> Any:
    """Operators that are made of others, some of several results."""
    halves = F.glu(torch.einsum("rki,rkj->rij", x, x), -1).mT
    first, second = torch.var_mean(halves.roll(1, 2), 1)
    return F.pixel_shuffle(x[None], 1)[0] + 1, first, second


def without_gradients(x: Any) -> Any:
    """A part that is computed without gradients."""
    with torch.no_grad():
        factor = F.softmax(x, -1).sum(1, keepdim=True)
    return x * factor


def without_casts(x: Any) -> Any:
    """A part in which torch converts nothing by itself."""
    with torch.autocast("cpu", enabled=False):
        factor = x.float().sum(1, keepdim=True)
    return x * factor


def branch(x: Any) -> Any:
    """One of two functions, one of them with an operator that is made of others."""

    def gated(x: Any) -> Any:
        return F.glu(x, -1).relu_()

    def doubled(x: Any) -> Any:
        return x[..., :2] * 2

    return torch.cond(x.sum() > 0, gated, doubled, (x,))


def item(x: Any) -> Any:
    """A condition on data that torch takes for granted."""
    torch._check((x.sum() > -1e9).item())
    return x * 2


READ: dict[str, Callable[[Any], Any]] = {
    each.__name__: each
    for each in (composite, without_gradients, without_casts, branch, item)
}


@pytest.mark.parametrize("name", READ)
def test_nothing_is_decomposed(name: str, monkeypatch: pytest.MonkeyPatch):
    # Sizes that other exports of torch.cond left open would be open in this one.
    torch._dynamo.reset()
    model = Wrapped(READ[name]).eval()
    shapes = (({0: ROWS},),)
    program = torch.export.export(model, (floats(4, 3, 4),), dynamic_shapes=shapes)
    monkeypatch.setattr(torch.export.ExportedProgram, "run_decompositions", None)
    module = sr.compile(program, options=sr.Options(cache=False))
    for rows in (4, 9):
        x = floats(rows, 3, 4)
        wanted = arrays(READ[name](x.clone()))
        for mine, its in zip(arrays(module(x.numpy())), wanted, strict=True):
            np.testing.assert_allclose(mine, its, rtol=1e-5, atol=1e-6)


def chosen(x: Any) -> Any:
    """The rows of a mask, so that data decide how many there are."""
    return x[x.sum((1, 2)) > 0] * 2


def with_casts(x: Any) -> Any:
    """A part in which torch converts operands."""
    with torch.autocast("cpu", torch.bfloat16):
        return torch.matmul(x, x.mT) + 1


DECOMPOSED: dict[str, Callable[[Any], Any]] = {
    "chosen": chosen,
    "complex": lambda x: torch.fft.rfft(x).real,
    "casts": with_casts,
}


@pytest.mark.parametrize("name", DECOMPOSED)
def test_others_are_decomposed(name: str, monkeypatch: pytest.MonkeyPatch):
    counted: list[Any] = []
    decompose = torch.export.ExportedProgram.run_decompositions

    def counting(program: Any, *arguments: Any) -> Any:
        counted.append(program)
        return decompose(program, *arguments)

    monkeypatch.setattr(torch.export.ExportedProgram, "run_decompositions", counting)
    program = torch.export.export(Wrapped(DECOMPOSED[name]), (floats(4, 3, 4),))
    counted.clear()
    module = sr.compile(program, options=sr.Options(cache=False))
    assert counted == [program]
    x = floats(4, 3, 4)
    wanted = DECOMPOSED[name](x).float().numpy()
    tolerance = 0.1 if name == "casts" else 1e-5
    mine = np.asarray(module(x.numpy())).astype(np.float32)
    np.testing.assert_allclose(mine, wanted, rtol=tolerance, atol=tolerance)


def test_a_decomposition_that_torch_fails_at_says_how_to_export(
    monkeypatch: pytest.MonkeyPatch,
):
    def failing(program: Any, *_: Any) -> Any:
        raise AssertionError(f"expected a graph, got {type(program).__name__}")

    program = torch.export.export(Wrapped(chosen), (floats(4, 3, 4),))
    monkeypatch.setattr(torch.export.ExportedProgram, "run_decompositions", failing)
    with pytest.raises(sr.CompileError, match=r"expected a graph.*strict=True"):
        sr.compile(program, options=sr.Options(cache=False))


def test_a_stored_program_of_open_sizes_is_read_as_it_is(tmp_path: Path):
    model = Wrapped(lambda x: x * 2 if x.shape[0] % 2 == 0 else x * 3)
    shapes = (({0: torch.export.Dim.AUTO},),)
    program = torch.export.export(model, (floats(4, 3),), dynamic_shapes=shapes)
    torch.export.save(program, tmp_path / "program.pt2")
    again = torch.export.load(tmp_path / "program.pt2")
    assert not guards_of(again)
    assert not as_exported.readings(again, REGIONS)
    assert guards_of(again)  # what it says of its sizes was asked


def test_a_stored_program_whose_conditions_are_not_asked_is_decomposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    program = torch.export.export(
        Wrapped(lambda x: x * 2), (floats(4, 3),), dynamic_shapes=(({0: ROWS},),)
    )
    torch.export.save(program, tmp_path / "program.pt2")
    again = torch.export.load(tmp_path / "program.pt2")
    monkeypatch.setattr(again, "_guards_code", ["L['x'].size()[0] % 2 == 0"])
    monkeypatch.setattr(again, "_example_inputs", None)
    with pytest.raises(Whole, match="stored"):
        as_exported.readings(again, REGIONS)


def test_a_refusal_names_what_is_left_of_the_decomposition():
    program = torch.export.export(
        Wrapped(lambda x: torch.linalg.eig(x.float()).eigenvalues.real),
        (floats(3, 3),),
    )
    with pytest.raises(sr.CompileError, match=r"linalg_eig"):
        sr.compile(program, options=sr.Options(cache=False))
