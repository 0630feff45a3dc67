"""The example of a decoder runs, and computes what numpy does without a cache."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from examples.decoder import Session, Sizes, decoder, random_weights

from .plain_decoder import Array, logits

EXAMPLES = Path(__file__).parents[2] / "examples"
SIZES = Sizes(heads=6, key_heads=3, head=8, hidden=80, words=50, capacity=20)
SMALL = Sizes(1, heads=2, key_heads=1, head=8, hidden=16, words=50, capacity=20)


@pytest.mark.full(beside="test_a_call_without_donation_leaves_its_cache_alone")
def test_the_example_runs(runs_host: None):
    command = [sys.executable, EXAMPLES / "decode.py"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "donated   4 of 4 arrays" in done.stdout
    assert done.stdout.count("one by one") == 4


@pytest.mark.full(
    beside="runtime/call/test_growing.py::test_two_calls_continue_one_past"
)
def test_the_example_of_a_cache_that_grows_runs(runs_host: None):
    command = [sys.executable, EXAMPLES / "decode_concat.py"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    # For each batch: the prompt, and the room for its tokens and for those that follow.
    assert "plans     6 where caches grow" in done.stdout
    assert "bits      equal" in done.stdout


@functools.cache
def compiled(append: str, sizes: Sizes = SIZES) -> sr.StaticModule:
    """The decoder whose caches an op appends to."""
    return sr.compile(decoder(sizes, append), options=sr.Options(cache=False))


@pytest.mark.full(beside="test_a_call_without_donation_leaves_its_cache_alone")
@pytest.mark.parametrize("append", ["ScatterND", "ScatterElements", "TensorScatter"])
def test_a_cache_is_written_where_it_is(append: str):
    module = compiled(append)
    # Of tokens, positions and caches, each cache is the output after the logits.
    assert {(2, 1), (3, 2), (4, 3), (5, 4)} <= {*module.program.donations}
    weights = random_weights(SIZES)
    random = np.random.default_rng(0)
    calls = list[int]()
    for _ in range(2):
        for batch, counts in ((1, (5, 1, 1)), (3, (1, 7, 2, 1)), (1, (20,)), (2, (4,))):
            tokens = random.integers(0, SIZES.words, (batch, sum(counts)))
            session, found = Session(module, SIZES, batch), list[Array]()
            for each in np.split(tokens, np.cumsum(counts)[:-1], 1):
                found.append(session.feed(np.ascontiguousarray(each)))
            wanted = logits(tokens, weights, SIZES)
            np.testing.assert_allclose(np.concatenate(found, 1), wanted, atol=2e-5)
        calls.append(module.statistics().slow_calls)
    # Sizes that were seen before do not leave machine code.
    assert calls[0] == calls[1]


def test_a_call_without_donation_leaves_its_cache_alone():
    module = compiled("ScatterND", SMALL)
    session = Session(module, SMALL, 2)
    tokens = np.random.default_rng(1).integers(0, SMALL.words, (2, 6))
    session.feed(tokens[:, :5])
    before = [each.copy() for each in session.caches]
    position = np.full((2, 1), 5)
    scores, *caches = module(tokens[:, 5:], position, *session.caches)
    for each, kept in zip(session.caches, before, strict=True):
        np.testing.assert_array_equal(each, kept)
    np.testing.assert_array_equal(session.feed(tokens[:, 5:]), scores)
    for each, cache in zip(session.caches, caches, strict=True):
        np.testing.assert_array_equal(each, cache)


def test_a_cache_that_is_full_is_told():
    module = compiled("ScatterND", SMALL)
    session = Session(module, SMALL, 1)
    session.feed(np.zeros((1, SMALL.capacity), np.int64))
    with pytest.raises(
        IndexError, match=r"expected an index from -?[0-9]+ to 19, got 20"
    ):
        session.feed(np.zeros((1, 1), np.int64))
