"""
Decode text with a cache that grows by Concat, as exporters write decoders.

The model takes a cache and returns a longer one, and is not changed for this. With
`grow="past"` the rows of a call are written behind those that there are
(docs/memory.md, "Caches that grow by Concat"), and the cache is copied only where its
memory is full, or where two texts go on from one.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from decoder import Array, Sizes, decoder

import static_runtime as sr

PROMPT, STEPS = 12, 64
SIZES = Sizes(capacity=PROMPT + STEPS)


def fed(module: sr.StaticModule, tokens: Array, caches: list[Array]) -> list[Array]:
    """The logits of what may follow each token, and the caches with the tokens."""
    past, count = caches[0].shape[2], tokens.shape[1]
    position = np.empty(tokens.shape, np.int64)
    position[:] = range(past, past + count)
    return [*module(tokens, position, *caches)]


def decode(module: sr.StaticModule, prompt: Array) -> tuple[list[Array], Array, float]:
    """All logits, the tokens, and the seconds that each took after the prompt."""
    shape = (len(prompt), SIZES.key_heads, 0, SIZES.head)
    empty = [np.zeros(shape, np.float32) for _ in SIZES.caches]
    scores, *caches = fed(module, prompt, empty)
    found, tokens = [scores], [prompt]
    start = time.perf_counter()
    for _ in range(STEPS):
        tokens.append(scores[:, -1:].argmax(2))
        scores, *caches = fed(module, tokens[-1], caches)
        found.append(scores)
    seconds = (time.perf_counter() - start) / STEPS
    return found, np.concatenate(tokens, 1), seconds


def branches(module: sr.StaticModule, prompt: Array) -> list[Array]:
    """The logits after two tokens that each follow the same prompt."""
    shape = (len(prompt), SIZES.key_heads, 0, SIZES.head)
    empty = [np.zeros(shape, np.float32) for _ in SIZES.caches]
    scores, *caches = fed(module, prompt, empty)
    best = scores[:, -1].argsort(1)
    found: list[Array] = []
    for which in (-1, -2):
        one, *more = fed(module, best[:, which, None], caches)
        found += [one, fed(module, one[:, -1:].argmax(2), more)[0]]
    return found


def main() -> int:
    """Runs the example; 1 where growing and copying caches differ in a bit, else 0."""
    model = decoder(SIZES, "Concat")
    growing = sr.compile(model, options=sr.Options(grow="past"))
    copying = sr.compile(model)
    random = np.random.default_rng(0)
    is_same = True
    for batch in (1, 3):
        prompt = random.integers(0, SIZES.words, (batch, PROMPT))
        found, tokens, seconds = decode(growing, prompt)
        wanted, others, before = decode(copying, prompt)
        is_same = is_same and np.array_equal(tokens, others)
        pairs = [*zip(found, wanted, strict=True)]
        pairs += zip(branches(growing, prompt), branches(copying, prompt), strict=True)
        is_same = is_same and all(np.array_equal(*each) for each in pairs)
        print(
            f"batch {batch}   {STEPS} tokens after {PROMPT}: {seconds * 1e6:.0f} µs a "
            f"token where caches grow, {before * 1e6:.0f} where they are copied"
        )
    plans = [each.statistics().plans for each in (growing, copying)]
    print(f"plans     {plans[0]} where caches grow, {plans[1]} where they are copied")
    print(f"bits      {'equal' if is_same else 'not equal'}")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
