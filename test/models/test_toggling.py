"""
Loops over random sizes, in which kernels come and go: each result is that of numpy.

Sizes of one are met as often as others, where what only moves elements is not run. The
memory of activations is overwritten between calls.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import static_runtime as sr
from examples.decoder import Session, Sizes, decoder, random_weights

from ..examples.plain_decoder import logits
from .open_models import BLOCK, CHAIN, GROWN, Array, OpenModel, several

FEW, MANY = 60, 10_000
STEPS = [FEW, pytest.param(MANY, marks=pytest.mark.soak)]
"""The steps of a test, and of one that takes minutes."""

UNCACHED = sr.Options(cache=False)
SIZES = Sizes(heads=4, key_heads=2, head=8, hidden=48, words=40, capacity=24)


def poison(module: sr.StaticModule) -> None:
    """Fills the activations with NaN, so that reading what was not written shows."""
    module.context.activations[:] = 0xFF


def some_size(random: np.random.Generator, least: int, most: int) -> int:
    """One as often as any other size together."""
    return 1 if random.integers(2) else int(random.integers(least, most + 1))


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize(
    ("model", "ranges"),
    [
        pytest.param(BLOCK, ((1, 5), (1, 12)), id="block"),
        pytest.param(GROWN, ((1, 3), (1, 4), (0, 9)), id="grown"),
        pytest.param(CHAIN, ((1, 4), (1, 5), (0, 3), (1, 5)), id="chain"),
    ],
)
def test_sizes_come_and_go(
    model: OpenModel, ranges: Sequence[tuple[int, int]], steps: int
):
    module = sr.compile(model.model, options=UNCACHED)
    random = np.random.default_rng(steps)
    skipped = set[int]()
    kept: dict[tuple[int, ...], tuple[list[Array], list[Array]]] = {}
    for _ in range(steps):
        sizes = tuple(some_size(random, *each) for each in ranges)
        inputs = model.inputs(random, *sizes)
        copies = [each.copy() for each in inputs]
        poison(module)
        results = module(*inputs)
        model.check(results, inputs)
        for array, copy in zip(inputs, copies, strict=True):
            np.testing.assert_array_equal(array, copy)
        skipped.add(len(module.statistics().skipped))
        # Equal inputs have equal bits, whatever was computed in between.
        if sizes in kept:
            given, before = kept[sizes]
            poison(module)
            for got, want in zip(several(module(*given)), before, strict=True):
                np.testing.assert_array_equal(got, want)
        kept[sizes] = inputs, several(results)
    assert module.statistics().plans == len(kept)
    assert model is not CHAIN or len(skipped) > 1


@pytest.mark.full(beside="test_sizes_come_and_go")
def test_a_cache_grows_by_concatenation():
    module = sr.compile(GROWN.model, options=UNCACHED)
    random = np.random.default_rng(0)
    for batch in (2, 1):
        x, *kept = GROWN.inputs(random, batch, 20, 0)
        wanted = GROWN.reference(GROWN.weights, x, *kept)[1:]
        at = 0
        for count in (5, *(1,) * 13, 2):
            part = np.ascontiguousarray(x[:, at : at + count])
            poison(module)
            results = module(part, *kept)
            GROWN.check(results, [part, *kept])
            _, *kept = results
            at += count
        for got, want in zip(kept, wanted, strict=True):
            np.testing.assert_allclose(got, want, atol=1e-5)


@pytest.mark.full(beside="test_sizes_come_and_go")
@pytest.mark.parametrize("steps", STEPS)
def test_caches_grow_side_by_side(steps: int):
    module = sr.compile(decoder(SIZES), options=UNCACHED)
    weights, random = random_weights(SIZES), np.random.default_rng(steps)
    running: list[tuple[Session, list[Array], list[Array]]] = []

    def compare(texts: list[Array], found: list[Array]) -> None:
        wanted = logits(np.concatenate(texts, 1), weights, SIZES)
        np.testing.assert_allclose(np.concatenate(found, 1), wanted, atol=5e-5)

    for _ in range(steps):
        if len(running) < 4:
            session = Session(module, SIZES, some_size(random, 1, 4))
            running.append((session, [], []))
        at = int(random.integers(len(running)))
        session, texts, found = running[at]
        count = min(some_size(random, 1, 7), SIZES.capacity - session.length)
        texts.append(random.integers(0, SIZES.words, (session.batch, count)))
        poison(module)
        found.append(session.feed(texts[-1]))
        if session.length == SIZES.capacity:
            compare(texts, found)
            del running[at]
    for _, texts, found in running:
        if texts:
            compare(texts, found)
