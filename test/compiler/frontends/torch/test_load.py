"""Files that `torch.export.save` wrote are models, for Python and for the commands."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.tools import build, run, trace  # noqa: E402

from .backend_models import MODELS  # noqa: E402
from .case import floats  # noqa: E402

pytestmark = pytest.mark.torch


@pytest.fixture
def saved(tmp_path: Path) -> tuple[nn.Module, Path]:
    """A model, and the file of its program for any batch."""
    model = MODELS["mlp"].make().eval()
    shapes = ({0: Dim("batch")},)
    program = torch.export.export(model, (floats(3, 8),), dynamic_shapes=shapes)
    path = tmp_path / "model.pt2"
    torch.export.save(program, path)
    return model, path


def test_a_saved_program_is_compiled(saved: tuple[nn.Module, Path]):
    model, path = saved
    compiled = sr.compile(path)
    assert compiled.program.symbols == ("input_dim0",)  # the file has no names of sizes
    for batch in (1, 5):
        x = floats(batch, 8)
        expected = model(x).detach().numpy()
        np.testing.assert_allclose(compiled(x.numpy()), expected, rtol=1e-5, atol=1e-6)
    assert sr.compile(str(path)).report.warm


def test_commands_take_a_saved_program(saved: tuple[nn.Module, Path], capsys: Any):
    _, path = saved
    run.main([str(path), "--size", "input_dim0=3"])
    assert "output: float32[3, 4]" in capsys.readouterr().out
    trace.main([str(path), "--size", "input_dim0=3"])
    assert "aten::linear" in capsys.readouterr().out
    folder = path.parent / "built"
    build.main([str(path), "-o", str(folder)])
    assert list(folder.rglob("*.sr"))


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "other archive"])
def test_a_file_that_is_no_program(saved: tuple[nn.Module, Path], kind: str):
    _, path = saved
    whole = path.read_bytes()
    match kind:
        case "cut":
            path.write_bytes(whole[: len(whole) // 2])
        case "other archive":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("model/data", "1")
        case _:
            path.write_text("" if kind == "empty" else "no program")
    with pytest.raises(sr.CompileError, match=r"model.pt2: expected a program that"):
        sr.compile(path)
