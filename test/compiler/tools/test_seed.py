"""Tests of the argument that says what numbers at random are drawn by."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest

from static_runtime.compiler.tools.seed import add_seed, seed_of


def parsed(*arguments: str) -> object:
    """What arguments mean."""
    parser = ArgumentParser()
    add_seed(parser)
    return seed_of(parser.parse_args(arguments))["seed"]


def test_a_seed_is_a_number_or_an_input_or_nothing():
    assert parsed() is None
    assert parsed("--seed", "-3") == -3
    assert parsed("--seed", "input") == "input"


def test_another_word_is_an_error(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        parsed("--seed", "first")
    assert (
        "expected a seed as a number, or input, got 'first'" in capsys.readouterr().err
    )
