"""sr-run takes the options of a compile by their names."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from static_runtime.compiler.session.options import Options
from static_runtime.compiler.tools.run import main
from static_runtime.compiler.tools.switches import (
    add_numbers,
    add_switches,
    numbers_of,
    switches_of,
)

MODEL = """
func.func @model(%x: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %0 = graph.matmul %x, %x : tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
  %1 = graph.relu %0 : tensor<40x40xf32> -> tensor<40x40xf32>
  return %1 : tensor<40x40xf32>
}
"""

ORACLE = ["--no-enable-out-variant", "--no-optimize-memory"]


def options(*words: str) -> Options:
    """The options that words of a command give."""
    parser = ArgumentParser()
    add_switches(parser)
    found = parser.parse_args(words)
    return Options(planner=found.planner, **switches_of(found))


def test_without_arguments_options_are_as_they_are():
    assert options() == Options()


def test_numbers_are_options_by_their_names():
    parser = ArgumentParser()
    add_numbers(parser)
    assert Options(**numbers_of(parser.parse_args([]))) == Options()
    given = {
        "precision": "bf16",
        "algorithms": "fast",
        "weights": "int4",
        "activations": "int8",
    }
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    assert numbers_of(parser.parse_args(words)) == given


@pytest.mark.parametrize("name", ["planner", "memory-planner-algorithm"])
def test_planners_go_by_both_names(name: str):
    made = options(f"--{name}", "kStandardResizing")
    assert made == Options(planner="standard_resizing")


def test_each_switch_is_the_option_of_its_name():
    known = {each.name for each in fields(Options)}
    parser = ArgumentParser()
    add_switches(parser)
    for name in switches_of(parser.parse_args([])):
        assert name in known
        was = getattr(Options(), name)
        word = f"--{'no-' if was else ''}{name.replace('_', '-')}"
        more = ["--no-optimize-memory"] if name == "enable_out_variant" else []
        assert getattr(options(word, *more), name) is not was


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--planner", "precomputed_offsets"],
        ["--no-enable-tensorexpr-fusion"],
        ORACLE,
    ],
    ids=str,
)
def test_results_are_those_of_any_options(words: list[str], tmp_path: Path):
    path, out = tmp_path / "model.mlir", tmp_path / "out.npz"
    path.write_text(MODEL)
    main([str(path), "--random-seed", "3", "--output", str(out), *words])
    with np.load(out) as found:
        first = found["output"]
    main([str(path), "--random-seed", "3", "--output", str(out)])
    with np.load(out) as found:
        np.testing.assert_allclose(first, found["output"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ORACLE[:1],
            "When optimize_memory is true, enable_out_variant must be set to t",
        ),
        (["--planner", "naif"], "expected a planner like naive, got naif"),
        (["--algorithms", "faster"], "expected algorithms exact or fast or fastest"),
        (["--weights", "int2"], "expected weights of int8 or int4, got int2"),
        ([*ORACLE, "--profile"], "expected a compiled module, to ask for a profile"),
    ],
    ids=["precondition", "planner", "algorithms", "weights", "profile"],
)
def test_what_does_not_go_together_is_told(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    monkeypatch.setattr(sys, "argv", ["sr-run"])
    with pytest.raises(SystemExit, match=f"^sr-run: {sentence}"):
        main([str(path), *words])


CONVOLUTION = """
func.func @model(%x: tensor<1x32x6x6xf32>) -> tensor<1x32x4x4xf32> {
  %w = graph.constant dense<0.5> : tensor<32x32x3x3xf32>
  %0 = graph.conv %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
    dilation = array<i64: 1, 1>, groups = 1 : i64
  } : tensor<1x32x6x6xf32>, tensor<32x32x3x3xf32> -> tensor<1x32x4x4xf32>
  return %0 : tensor<1x32x4x4xf32>
}
"""


@pytest.mark.full(beside="test_results_are_those_of_any_options")
@pytest.mark.parametrize("words", [["--algorithms", "fastest"], []], ids=str)
def test_convolutions_of_fewer_products_are_told(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "model.mlir"
    path.write_text(CONVOLUTION)
    main([str(path), "--benchmark", *words])
    sentence = "convolutions           1 of fewer products, errors up to "
    assert (sentence in capsys.readouterr().out) == bool(words)


@pytest.mark.full(beside="compiler/tools/test_run.py::test_measures")
def test_an_oracle_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    main([str(path), "--benchmark", *ORACLE])
    assert "latency from Python" in capsys.readouterr().out
