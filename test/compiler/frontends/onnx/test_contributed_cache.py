"""The cache of attention in groups: a row has its own past, and bounds are checked."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from static_runtime import StaticModule, compile
from static_runtime.compiler.session.errors import CompileError

from .grouped_models import CALLS, Call, Form
from .interpreter import Array, read


def caches(call: Call, form: Form | None = None) -> tuple[dict[str, Array], Array]:
    """The inputs of a call, and the keys that are its result."""
    form = form or Form()
    arrays = form.arrays(call)
    return arrays, read(form.model).run(*arrays.values())[1]


def in_heads(keys: Array) -> Array:
    """The keys of heads, an axis of heads before positions."""
    return keys.reshape(*keys.shape[:2], 2, 16).transpose(0, 2, 1, 3)


def test_new_positions_follow_those_of_their_row():
    arrays, keys = caches(CALLS["a step"])
    for row, length in enumerate(CALLS["a step"].lengths):
        before = arrays["pk"][row, :, : length - 1]
        np.testing.assert_array_equal(keys[row, :, : length - 1], before)
        new = in_heads(arrays["k"])[row, :, 0]
        np.testing.assert_array_equal(keys[row, :, length - 1], new)
        assert not keys[row, :, length:].any()


def test_a_prompt_starts_anew():
    arrays, keys = caches(CALLS["prompt in a given cache"])
    assert keys.shape == (2, 2, 8, 16)
    np.testing.assert_array_equal(keys[:, :, :4], in_heads(arrays["k"]))
    assert not keys[:, :, 4:].any()


def test_what_is_not_a_number_beyond_a_row_is_not_seen():
    form, call = Form(), CALLS["a step in a longer cache"]
    arrays = form.arrays(call)
    for row, length in enumerate(call.lengths):
        for name in ("pk", "pv"):
            arrays[name][row, :, length - 1 :] = np.nan
    for each in read(form.model).run(*arrays.values()):
        assert np.isfinite(each).all()


@pytest.mark.parametrize(
    "call", [Call([], 1, 4, 5), Call([], 5, 0, 5), Call([4, 3], 0, 4, 4)]
)
def test_nothing_has_a_cache_too(call: Call):
    _, keys = caches(call)
    assert keys.shape == (len(call.lengths), 2, max(call.past, call.total), 16)


@pytest.fixture(scope="module")
def compiled() -> StaticModule:
    """The plain form."""
    return compile(Form().model)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (Call([7, 7], 3, 4, 7), "one row in the batch"),
        (Call([4, 4], 5, 4, 4), "at least as many positions in total as new"),
    ],
)
def test_sizes_that_no_row_has_are_errors(
    compiled: StaticModule, call: Call, kind: str
):
    arrays = Form().arrays(call)
    with pytest.raises(ValueError, match=kind):
        compiled(*arrays.values())


@pytest.mark.parametrize(
    "call",
    [Call([5, 0], 1, 4, 5), Call([5, 3], 1, 3, 5), Call([1], 3, 4, 7)],
)
def test_lengths_that_no_cache_has_are_errors(compiled: StaticModule, call: Call):
    arrays = Form().arrays(call)
    with pytest.raises(IndexError, match="expected an index from 0"):
        compiled(*arrays.values())


def test_a_cache_that_does_not_fit_is_an_error():
    model = Form().model
    past = model.graph.input[3].type.tensor_type
    past.shape.dim[1].dim_value = 3
    with pytest.raises(CompileError, match="expected a cache of sizes bx2xpx16"):
        read(model)
    past.shape.dim[1].dim_value, past.elem_type = 2, TensorProto.INT8
    with pytest.raises(CompileError, match="a cache"):
        read(model)


def test_a_past_of_keys_alone_is_an_error():
    model = Form().model
    model.graph.node[-1].input[4] = ""
    with pytest.raises(CompileError, match="keys and values of calls before"):
        read(model)


def left(total: int, capacity: int, window: int) -> int:
    """How many positions a cache keeps that drops some, by ONNX Runtime's formula."""
    step = capacity - window + 1
    return total if total <= capacity else total + step * ((capacity - total) // step)


@pytest.mark.parametrize("capacity", [3, 5])
@pytest.mark.parametrize("steps", [[3, 1, 1, 4, 1], [7, 1, 2]])
def test_a_cache_that_drops_positions_is_as_good_as_a_whole_one(
    capacity: int, steps: list[int]
):
    window = ", local_window_size = 3"
    sliding = read(
        Form(pairs=8, attributes=f"{window}, sliding_window_cache = 1").model
    )
    form = Form(pairs=8, attributes=window)
    whole = read(form.model)
    caches = [np.zeros((2, 2, capacity, 16), np.float32)] * 2
    every = [np.zeros((2, 2, 0, 16), np.float32)] * 2
    total, rows = 0, 2
    for count in steps:
        rows = 1 if total and count > 1 else rows
        caches, every = ([each[:rows] for each in both] for both in (caches, every))
        total += count
        arrays = form.arrays(Call([total] * rows, count, total - count, total), total)
        wanted, *every = whole.run(
            *(arrays | {"pk": every[0], "pv": every[1]}).values()
        )
        got, *caches = sliding.run(*(arrays | dict(zip(("pk", "pv"), caches))).values())
        np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)
        kept = left(total, capacity, 3)
        assert kept >= min(total, 3)
        for each, other in zip(caches, every, strict=True):
            assert each.shape == (rows, 2, capacity, 16)
            np.testing.assert_array_equal(each[:, :, :kept], other[:, :, -kept:])


def test_rows_of_a_cache_that_drops_positions_have_their_own_totals():
    """Row by row it is what one row is alone."""
    form = Form(attributes=", local_window_size = 3, sliding_window_cache = 1")
    graph, call = read(form.model), Call([2, 9, 5], 1, 4, 9)
    arrays = form.arrays(call)
    together = graph.run(*arrays.values())
    for row, total in enumerate(call.lengths):
        one = {name: array[row : row + 1] for name, array in arrays.items()}
        one["mask"] = one["mask"][:, :total]
        for each, alone in zip(together, graph.run(*one.values()), strict=True):
            np.testing.assert_allclose(each[row], alone[0], 1e-4, 1e-5)


def test_a_cache_that_drops_positions_has_a_window():
    attributes = ", local_window_size = 3, sliding_window_cache = 1"
    with pytest.raises(
        CompileError, match="as local_window_size or longer, got 2 and 3"
    ):
        read(Form(attributes=attributes, sizes=("b", "s", 2, "t")).model)
    more = {10: ("bias", "float[1,1,s,t]")}
    with pytest.raises(CompileError, match="sliding_window_cache with an attention_bi"):
        read(Form(attributes=attributes, more=more).model)
