"""Models stored as ONNX compute what torch computed when they were stored."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from .difference import difference
from .stored import STORED, Array

pytest.importorskip("onnx")

TOLERANCE = 1e-5
FIXED = [name for name, model in STORED.items() if model.fixed]
ROW_BY_ROW = [name for name in STORED if name != "sr_example"]


@cache
def compiled(name: str) -> sr.StaticModule:
    """The one compilation of a model for every batch size."""
    return sr.compile(STORED[name].dynamic)


@cache
def compiled_for_one_size(name: str) -> sr.StaticModule:
    """The compilation of a model for its fixed batch size."""
    path = STORED[name].fixed
    assert path is not None, "the tests ask for models that have a fixed size"
    return sr.compile(path)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_size_computes_what_torch_did(name: str):
    model = STORED[name]
    actual = compiled_for_one_size(name)(*model.rows(model.batch))
    assert difference(actual, model.outputs[model.batch]) <= TOLERANCE


@pytest.mark.parametrize("name", STORED)
def test_one_compilation_computes_what_torch_did_for_every_size(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    model, module = STORED[name], compiled(name)
    report = module.report

    def refuse(*_: object) -> None:
        raise AssertionError("a call compiled something")

    monkeypatch.setattr("llvmlite.binding.parse_assembly", refuse)
    for batch, expected in model.outputs.items():
        assert difference(module(*model.rows(batch)), expected) <= TOLERANCE
    assert module.report == report


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_and_a_dynamic_size_compute_the_same_bits(name: str):
    inputs = STORED[name].rows(STORED[name].batch)
    np.testing.assert_array_equal(
        compiled(name)(*inputs), compiled_for_one_size(name)(*inputs)
    )


@pytest.mark.parametrize("name", ROW_BY_ROW)
def test_a_row_has_the_same_bits_in_every_batch(name: str):
    model, module = STORED[name], compiled(name)
    whole = module(*model.inputs)
    for row in range(0, len(whole), 7):
        alone = module(*(each[row : row + 1].copy() for each in model.inputs))
        np.testing.assert_array_equal(alone[0], whole[row])
    for batch in model.outputs:
        np.testing.assert_array_equal(module(*model.rows(batch)), whole[:batch])


def test_the_digits_are_read():
    with np.load(STORED["digits"].dynamic.with_name("digits_test.npz")) as arrays:
        logits = compiled("digits")(arrays["images"])
        np.testing.assert_array_equal(logits.argmax(1), arrays["labels"])


@pytest.mark.parametrize("name", STORED)
def test_inputs_go_by_position_or_by_name(name: str):
    model, module = STORED[name], compiled(name)
    assert tuple(module.input_names) == model.names
    assert tuple(module.output_names) == ("logits" if name == "digits" else "out0",)
    inputs = model.rows(model.batch)
    expected = module(*inputs)
    named = dict(zip(model.names, inputs))
    np.testing.assert_array_equal(module(**dict(reversed(named.items()))), expected)
    first, *rest = model.names
    mixed = module(named[first], **{each: named[each] for each in rest})
    np.testing.assert_array_equal(mixed, expected)


@pytest.mark.parametrize("name", STORED)
def test_a_call_leaves_inputs_and_earlier_results_alone(name: str):
    model, module = STORED[name], compiled(name)
    inputs = model.rows(model.batch)
    result = module(*inputs)
    kept = result.copy()
    other = module(*(-each for each in inputs))
    assert not np.array_equal(other, kept)
    assert not np.shares_memory(other, result)
    np.testing.assert_array_equal(result, kept)
    for used, stored in zip(inputs, model.rows(model.batch)):
        np.testing.assert_array_equal(used, stored)


@pytest.mark.parametrize("name", STORED)
def test_strides_do_not_matter(name: str):
    model, module = STORED[name], compiled(name)
    inputs = [each[::2] for each in model.inputs]
    turned = [np.asfortranarray(each) for each in inputs]
    expected = module(*(each.copy() for each in inputs))
    np.testing.assert_array_equal(module(*inputs), expected)
    np.testing.assert_array_equal(module(*turned), expected)


AD, USER, WIDE = STORED["deep_wide"].rows(8)


@pytest.mark.parametrize(
    "inputs",
    [
        pytest.param((AD, USER, WIDE[:3]), id="batches that differ"),
        pytest.param((AD, USER, WIDE[:, :49]), id="another fixed size"),
        pytest.param((AD, USER, WIDE[:, :1]), id="a size of 1 does not broadcast"),
        pytest.param((AD[:, 0], USER, WIDE), id="too few axes"),
        pytest.param((AD, USER, WIDE[None]), id="too many axes"),
        pytest.param((AD, USER, np.array(1, np.float32)), id="no axes"),
    ],
)
def test_refuses_inputs_of_another_shape(inputs: tuple[Array, ...]):
    with pytest.raises(ValueError, match=r"expected .*got"):
        compiled("deep_wide")(*inputs)


def test_refuses_another_batch_than_the_fixed_one():
    with pytest.raises(ValueError, match=r"expected .*got"):
        compiled_for_one_size("deep_wide")(AD, USER, WIDE)


@pytest.mark.parametrize(
    ("inputs", "named"),
    [
        pytest.param((), {}, id="no inputs"),
        pytest.param((AD, USER), {}, id="one missing"),
        pytest.param((AD, USER, WIDE, WIDE), {}, id="one too many"),
        pytest.param((AD, USER), {"wide": WIDE}, id="an unknown name"),
        pytest.param((AD, USER, WIDE), {"in3": WIDE}, id="an unknown name besides"),
        pytest.param((AD, USER, WIDE), {"in0": AD}, id="one given twice"),
        pytest.param((AD,), {"in2": WIDE}, id="one missing in the middle"),
    ],
)
def test_refuses_another_set_of_inputs(
    inputs: tuple[Array, ...], named: dict[str, Array]
):
    with pytest.raises((TypeError, ValueError), match="expected"):
        compiled("deep_wide")(*inputs, **named)


@pytest.mark.parametrize(
    "wide",
    [
        pytest.param(WIDE.astype(np.complex64), id="complex numbers"),
        pytest.param(np.full(WIDE.shape, "1"), id="text"),
        pytest.param(np.full(WIDE.shape, None), id="objects"),
        pytest.param(None, id="nothing"),
    ],
)
def test_refuses_what_is_not_a_number_of_its_type(wide: Any):
    module = compiled("deep_wide")
    with pytest.raises((TypeError, ValueError), match="expected"):
        module(AD, USER, wide)


def test_works_after_a_refusal():
    model, module = STORED["deep_wide"], compiled("deep_wide")
    with pytest.raises(ValueError, match="expected"):
        module(AD, USER, WIDE[:3])
    assert difference(module(AD, USER, WIDE), model.outputs[8]) <= TOLERANCE
