"""`sr.quantize` makes a profile that options take, and no other model does."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes import graph_passes
from static_runtime.compiler.quantizing import Profile, Settings
from static_runtime.runtime.files import Array

from ...runtime.texts import AFFINE
from .test_calibration import NETWORK, X


def test_settings_are_those_that_are_given():
    made = sr.quantize(
        NETWORK, [X], schema="symmetric", calibration="kl", keep="f32:first"
    )
    assert made.settings == Settings("symmetric", "kl", ("f32:first",))


def test_the_profile_of_another_model_is_refused():
    profile = sr.quantize(NETWORK, [X])
    options = sr.Options(quantization=profile)
    message = "profile: expected a profile of this model, .*; make one of this by sr-q"
    for other in (AFFINE, NETWORK.replace("3.0", "3.5")):
        with pytest.raises(sr.CompileError, match=message):
            sr.compile(other, options=options)


def test_sizes_are_no_part_of_a_model():
    options = sr.Options(quantization=sr.quantize(NETWORK, [X]))
    fixed = NETWORK.replace('?x3xf32, ["n"]', "6x3xf32")
    fixed = fixed.replace('?x2xf32, ["n"]', "6x2xf32").replace(
        '?x4xf32, ["n"]', "6x4xf32"
    )
    of_any_size = sr.compile(NETWORK, options=options)
    assert (sr.compile(fixed, options=options)(X) == of_any_size(X)).all()


def test_a_file_and_a_profile_are_one_option(tmp_path: Path):
    profile = sr.quantize(NETWORK, [X])
    profile.save(tmp_path / "a.yaml")
    of_file = sr.Options(quantization=tmp_path / "a.yaml")
    assert of_file == sr.Options(quantization=profile)
    assert of_file.key == sr.Options(quantization=str(tmp_path / "a.yaml")).key
    other = sr.Options(quantization=profile.with_settings(Settings("symmetric")))
    assert len({of_file.key, other.key, sr.Options().key}) == 3


def test_a_quantised_module_is_found_pickled_and_copied():
    options = sr.Options(quantization=sr.quantize(NETWORK, [X]))
    module = sr.compile(NETWORK, options=options)
    expected = module(X)
    again = sr.compile(NETWORK, options=options)
    assert again.report.warm
    for each in (again, pickle.loads(pickle.dumps(module)), copy.copy(module)):
        assert (each(X) == expected).all()


def test_results_are_near_those_in_floats_and_not_equal():
    expected = sr.compile(NETWORK)(X)
    for schema in ("asymmetric", "symmetric", "symmetric_with_uint8"):
        options = sr.Options(quantization=sr.quantize(NETWORK, [X], schema=schema))
        found = sr.compile(NETWORK, options=options)(X)
        error = np.abs(found - expected).max() / np.abs(expected).max()
        assert 0 < error < 0.03, schema


def passed(profile: Profile, last: str) -> tuple[str, dict[str, Array]]:
    """The text of the model after a pass, and its weights."""
    ctx = context()
    module = read_mlir(NETWORK, ctx)
    options = sr.Options(quantization=profile)
    for each in graph_passes(options, "host"):
        each.apply(ctx, module)
        if each.name == last:
            break
    return str(module), ctx.weights.arrays


def test_products_are_of_bytes_unless_they_are_kept():
    for keep, count in (
        ([], 2),
        (["f32:first"], 1),
        (["f32:first", "f32:act"], 0),
    ):
        profile = sr.quantize(NETWORK, [X], keep=keep)
        text, _ = passed(profile, "fold-quantization")
        assert text.count("to = i32") == count
        assert text.count("ui8") > 0 or not count


@pytest.mark.parametrize(("bits", "greatest"), [(7, 63), (8, 127)])
def test_weights_have_as_many_bits_as_are_asked_for(bits: int, greatest: int):
    profile = sr.quantize(NETWORK, [X], weight_bits=bits)
    _, weights = passed(profile, "insert-quantization")
    steps = [each for name, each in weights.items() if ".bytes" in name]
    assert [each.dtype for each in steps] == [np.int8, np.int8]
    # Each channel uses all of its steps.
    assert (np.abs(steps[0].astype(int)).max(axis=1) == greatest).all()
    assert (np.abs(steps[1].astype(int)).max(axis=0) == greatest).all()
