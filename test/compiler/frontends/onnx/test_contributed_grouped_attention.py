"""Attention in groups, with a cache, is what numpy computes row by row."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.compiler.session.errors import CompileError

from .grouped_models import CALLS, FORMS, Call, Form, attention, can_be, without_padding
from .interpreter import Array, Graph, read


def check(graph: Graph, name: str, call: Call, seed: int = 0) -> None:
    """Checks the results of a call against numpy."""
    form, rule = FORMS[name]
    arrays = form.arrays(call, seed)
    got = without_padding(graph.run(*arrays.values()), call)
    for each, wanted in zip(got, attention(form, call, arrays, rule), strict=True):
        assert each.shape == wanted.shape
        np.testing.assert_allclose(each, wanted, 1e-4, 1e-5)


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_what_its_rule_says(name: str):
    graph = read(FORMS[name][0].model)
    for call in CALLS.values():
        if can_be(FORMS[name][0], call):
            check(graph, name, call)


@pytest.mark.parametrize("name", CALLS)
def test_sizes_may_be_numbers(name: str):
    call = CALLS[name]
    sizes = (len(call.lengths), call.count, call.past, call.total)
    form, rule = Form(pairs=8, sizes=sizes), FORMS["turned"][1]
    arrays = form.arrays(call)
    got = without_padding(read(form.model).run(*arrays.values()), call)
    for each, wanted in zip(got, attention(form, call, arrays, rule), strict=True):
        np.testing.assert_allclose(each, wanted, 1e-4, 1e-5)


def test_padded_queries_see_what_the_last_position_of_their_row_sees():
    form, call = FORMS["a window"][0], CALLS["padded prompt"]
    arrays = form.arrays(call)
    arrays["q"][1] = arrays["q"][1, 1]
    y, *_ = read(form.model).run(*arrays.values())
    np.testing.assert_allclose(y[1, 2:], y[1, [1, 1, 1]], 1e-6)
    assert np.abs(y[1, 0] - y[1, 1]).max() > 0.01


def test_halves_are_rounded_once():
    form, call = Form(pairs=8, element="float16"), CALLS["a step"]
    arrays = form.arrays(call)
    got = read(form.model).run(*arrays.values())
    assert {each.dtype for each in got} == {np.dtype(np.float16)}
    wide = {name: _wide(array) for name, array in arrays.items()}
    wanted = read(Form(pairs=8).model).run(*wide.values())
    for each, other in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(each, other.astype(np.float16))


def _wide(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype == np.float16 else array


REFUSED = {
    ", causal = 0": "causal = 0",
    ", sliding_window_cache = 1": "expected a local_window_size for sliding_window",
    ", qk_output = 1": "qk_output = 1",
    ", kv_cache_bit_width = 8": "expected a k_quant_type for a cache of 8 bits",
    ', k_quant_type = "PER_TENSOR"': "an input k_scale for k_quant_type = PER_TENSOR",
    ', v_quant_type = "PER_CHANNEL"': "an input v_scale for v_quant_type = PER_CHANNEL",
    ", local_window_size = 0": "expected local_window_size of 1 or more, or -1, got 0",
    ", do_rotary = 1": "expected cos_cache and sin_cache for do_rotary, got none",
    ", smooth_softmax = 2": "expected smooth_softmax of 0 or 1, or -1, got 2",
}


@pytest.mark.parametrize("attributes", REFUSED)
def test_attributes_of_other_computations_are_refused(attributes: str):
    with pytest.raises(CompileError, match=REFUSED[attributes]):
        read(Form(attributes=attributes).model)


INPUTS = {
    12: ("float[1]", "k_scale"),
    13: ("float[1]", "v_scale"),
    14: ("float[16]", "q_norm_weight"),
    15: ("float[16]", "k_norm_weight"),
    16: ("int32[b]", "query_seqlens"),
}


@pytest.mark.parametrize("place", INPUTS)
def test_inputs_of_other_computations_are_refused(place: int):
    kind, name = INPUTS[place]
    with pytest.raises(CompileError, match=name):
        read(Form(more={place: ("other", kind)}).model)


WRONG = {
    "heads": (Form(heads=3), "expected heads in equal groups, got 3 in 2"),
    "bias": (
        Form(more={10: ("bias", "float[b,3,s,t]")}),
        "expected a bias for each head",
    ),
    "longer bias": (
        Form(more={10: ("bias", "float[b,4,s,9]")}, sizes=("b", "s", "p", 8)),
        "expected a bias of sizes bx4xsx8",
    ),
    "sinks": (Form(more={11: ("sink", "float[3]")}), "expected a sink for each head"),
    "angles": (Form(pairs=9), "expected angles for at most 16 elements"),
    "positions": (
        Form(pairs=8, more={9: ("pos", "int64[b]")}),
        "expected position_ids of sizes bxs",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_shapes_that_do_not_fit_are_errors(name: str):
    form, message = WRONG[name]
    with pytest.raises(CompileError, match=message):
        read(form.model)
