"""The catalogue has models that compile, and measures what a selection leaves out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from static_runtime.compiler.library.catalogue import catalogue
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


def test_each_model_is_ir_that_compiles():
    models = [*catalogue()]
    assert len(models) > 400
    kernels: set[str] = set()
    # One of each kind: ops, products, convolutions.
    for each in (models[0], models[120], models[-180], models[-1]):
        kernels |= {*make_data_model(each, Options()).kernels}
    assert len(kernels) > 8


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
