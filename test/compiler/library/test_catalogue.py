"""The catalogue has models that compile, and measures what a selection leaves out."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import pytest

from static_runtime.compiler.library.catalogue import (
    catalogue,
    contraction_models,
    op_models,
)
from static_runtime.compiler.library.data_model import GenericModel, make_data_model
from static_runtime.compiler.library.kernels import build_library, covered
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.cache import Cache, default_folder

from .replay import EVERY
from .test_kernels import DIGITS, SMALL, TRAINED

ROOT = Path(__file__).parent.parent.parent.parent
TARGET = "x86-64-v4"


def documented() -> tuple[int, int]:
    """How many kernels the library of all has, and their bytes, as the docs say."""
    text = (ROOT / "docs" / "selective.md").read_text()
    found = re.search(r"([\d,]+) kernels, ([\d,]+) bytes: all", text)
    assert found is not None
    kernels, size = (int(each.replace(",", "")) for each in found.groups())
    return kernels, size


def library_bytes(models: list[GenericModel]) -> int:
    """The bytes of the kernels of models."""
    cache = Cache(default_folder())
    library = build_library(covered(models, EVERY), EVERY, TARGET, 2, cache)
    return sum(each.bytes for each in library.about.values())


def kernels_of(*models: str) -> set[str]:
    """The names of the kernels of some models."""
    made = [make_data_model(each, Options()) for each in models]
    return {name for each in made for name in each.kernels}


def test_models_of_each_kind_are_ir_that_compiles():
    ops, contractions = [*islice(op_models(), 2)], [*contraction_models()]
    assert len(contractions) > 100
    assert len(kernels_of(*ops, contractions[0], contractions[-1])) > 8


@pytest.mark.full(beside="test_models_of_each_kind_are_ir_that_compiles")
def test_there_are_models_of_all_ops():
    models = [*catalogue()]
    assert len(models) > 400
    assert len(kernels_of(models[120])) > 1


@pytest.mark.full(beside="compiler/library/test_folder.py::test_trace_build_and_replay")
def test_a_library_of_a_trained_model_is_a_small_part_of_that_of_all():
    _, size = documented()
    for model in SMALL:
        assert library_bytes([make_data_model(model, Options())]) < 0.03 * size


@pytest.mark.soak
def test_a_library_of_trained_models_is_a_tenth_of_that_of_all():
    made = [make_data_model(each, Options()) for each in (DIGITS, *TRAINED)]
    _, size = documented()
    assert library_bytes(made) < 0.1 * size


@pytest.mark.soak
def test_the_library_of_all_is_as_documented():
    models = [make_data_model(each, Options()) for each in catalogue()]
    kernels, size = documented()
    assert len(covered(models, EVERY)) == pytest.approx(kernels, rel=0.05)
    assert library_bytes(models) == pytest.approx(size, rel=0.05)
