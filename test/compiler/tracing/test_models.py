"""`sr.trace(models)` notes what `sr-trace` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.tools.trace import main

from .models import BRANCH

pytestmark = pytest.mark.usefixtures("runs_host")

OPEN = """
func.func @open(%x: tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]> {
  %0 = graph.neg %x : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %0 : tensor<?xf32, ["n"]>
}
"""


@pytest.mark.parametrize("static", [False, True])
def test_a_trace_is_that_of_the_command(tmp_path: Path, static: bool):
    path = tmp_path / "open.mlir"
    path.write_text(OPEN)
    flags = ["--static"] if static else ["--size", "n=3"]
    main([str(path), "-o", str(tmp_path / "theirs.yaml"), *flags])
    found = sr.trace(path, static=static, sizes=None if static else {"n": 3})
    found.write(tmp_path / "ours.yaml")
    ours, theirs = ((tmp_path / f"{x}.yaml").read_text() for x in ("ours", "theirs"))
    assert ours == theirs
    assert "graph::neg" in ours


def test_inputs_are_mappings_or_files(tmp_path: Path):
    np.savez(tmp_path / "x.npz", x=np.ones(3, np.float32))
    by_file = sr.trace([OPEN], [[tmp_path / "x.npz"]]).selection
    by_name = sr.trace([OPEN], [[{"x": np.ones(5, np.float32)}]]).selection
    by_text = sr.trace([OPEN], [[str(tmp_path / "x.npz")]]).selection
    assert by_file == by_name == by_text


def test_a_block_is_a_trace_as_before():
    module = sr.compile(BRANCH)
    assert module.program.inputs
    with sr.trace() as block:
        sr.compile(OPEN)(np.ones(2, np.float32))
    assert block.selection == sr.trace(OPEN).selection


def test_refusals():
    with pytest.raises(sr.CompileError, match="expected inputs of each of 1 models"):
        sr.trace(OPEN, [[], []])
    with pytest.raises(sr.CompileError, match="expected a target, got none"):
        sr.trace(OPEN, target=[])
    bare: list[Any] = [{"x": np.ones(2)}, "in.npz", np.ones(2)]
    for wrong in bare:
        with pytest.raises(sr.CompileError, match="expected a list of inputs for each"):
            sr.trace(OPEN, [wrong])
    unnamed: Any = [[np.ones(2, np.float32)]]
    with pytest.raises(sr.CompileError, match="a mapping by name, got ndarray"):
        sr.trace(OPEN, unnamed)
    with pytest.raises(sr.CompileError, match="expected no inputs of a static trace"):
        sr.trace(OPEN, [[]], static=True)
    with pytest.raises(sr.CompileError, match=r"expected a symbol of a model \(n\)"):
        sr.trace(OPEN, sizes={"m": 3})
    with pytest.raises(sr.CompileError, match="expected a new trace for each block"):
        sr.trace(OPEN).__enter__()
