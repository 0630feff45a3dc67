"""The arguments of a fallback mean options of the same names."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.tools.fallback import (
    add_fallback,
    fallback_of,
    print_foreign,
)


def test_arguments_are_options(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    parser = ArgumentParser()
    add_fallback(parser)
    assert sr.Options(**fallback_of(parser.parse_args([]))) == sr.Options()
    given = ["--fallback", "foreign", "--foreign-op", "a:B", "--foreign-op", "c.d:E"]
    found = sr.Options(**fallback_of(parser.parse_args(given)))
    assert (found.fallback, found.foreign_ops) == ("foreign", ("a:B", "c.d:E"))


def test_implementations_are_found_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    parser = ArgumentParser()
    add_fallback(parser)
    fallback_of(parser.parse_args(["--fallback", "foreign"]))
    assert str(tmp_path) not in sys.path
    for _ in range(2):
        fallback_of(parser.parse_args(["--foreign-op", "beside:Op"]))
        assert sys.path.count(str(tmp_path)) == 1


def test_a_compiled_model_prints_nothing(capsys: pytest.CaptureFixture[str]):
    module = sr.compile(
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = graph.neg %x : tensor<2xf32> -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}"
    )
    print_foreign(module)
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(module(np.ones(2, np.float32)), [-1, -1])
