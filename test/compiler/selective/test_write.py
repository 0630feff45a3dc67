"""What is written is read again; PyTorch's own file comes out byte for byte."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from static_runtime.compiler.selective.read import parse_selection, read_selection
from static_runtime.compiler.selective.write import yaml_of
from static_runtime.runtime.library.selection import Operator, Selection

from .selections import selection

POST = Path(__file__).parent / "selected_ops.yaml"


def test_the_file_of_the_post_round_trips():
    made = read_selection(POST)
    assert yaml_of(made).encode() == POST.read_bytes()
    assert made.operators.keys() == {"aten::add.Tensor", "aten::len.t"}
    assert made.operators["aten::len.t"] == Operator(False, True, False)
    assert made.is_kernel_dtype_selected("copy_", "Byte")
    assert not made.is_kernel_dtype_selected("copy_", "Float")


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("seed", range(60))
def test_any_selection_round_trips(seed: int):
    made = selection(Random(f"write {seed}"))
    text = yaml_of(made)
    assert parse_selection(text.encode()) == made
    assert yaml_of(parse_selection(text.encode())) == text


def test_an_empty_selection_is_read_again():
    """PyTorch's tracer writes a list there, which its own reader refuses."""
    text = yaml_of(Selection())
    assert "kernel_metadata: {}\n" in text
    assert parse_selection(text.encode()) == Selection()


def test_every_flag_of_an_operator_is_written_as_it_is():
    """PyTorch's printer of operators has arguments that it ignores."""
    for flags in range(8):
        training, root, overloads = (bool(flags >> bit & 1) for bit in range(3))
        each = Operator(training, root, overloads)
        text = yaml_of(Selection(operators={"aten::add": each}))
        assert parse_selection(text.encode()).operators == {"aten::add": each}


def test_build_features_are_written():
    """PyTorch's tracer notes them, and writes an empty list."""
    text = yaml_of(Selection(build_features=frozenset({"threads", "isa:avx2"})))
    assert "build_features:\n- isa:avx2\n- threads\n" in text
