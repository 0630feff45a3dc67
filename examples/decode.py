"""
Decode text with a cache of keys and values that is updated where it is.

Each call gives the arrays of the cache as inputs and as outputs (docs/memory.md,
"Donation"), so that a token costs what it adds to the cache, and not a copy of it.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from decoder import Session, Sizes, decoder

import static_runtime as sr

TOLERANCE = 1e-4
"""On logits, whose magnitudes are about four."""
PROMPT, STEPS = 12, 24


def decode(module: sr.StaticModule, sizes: Sizes, batch: int, steps: int) -> float:
    """Decodes some texts and tells of it; the error from reading them in one call."""
    random = np.random.default_rng(batch)
    prompt = random.integers(0, sizes.words, (batch, PROMPT))
    session = Session(module, sizes, batch)
    scores = [session.feed(prompt)]
    texts = [prompt]
    start = time.perf_counter()
    for _ in range(steps):
        texts.append(scores[-1][:, -1:].argmax(2))
        scores.append(session.feed(texts[-1]))
    seconds = (time.perf_counter() - start) / steps
    whole = Session(module, sizes, batch).feed(np.concatenate(texts, 1))
    error = float(np.abs(whole - np.concatenate(scores, 1)).max())
    first = " ".join(str(each[0, 0]) for each in texts[1:9])
    print(
        f"batch {batch}   {PROMPT} tokens in one call, then {steps} one by one: "
        f"{first} ...\n          {seconds * 1e6:.0f} µs a token, error {error:.1e} "
        "from one call for all"
    )
    return error


def main() -> int:
    """Runs the example; 1 when decoding by steps differs from one call, else 0."""
    sizes = Sizes()
    module = sr.compile(decoder(sizes))
    cache = sum(int(np.prod(sizes.cache_shape(1))) * 4 for _ in sizes.caches)
    # The caches follow the two other inputs, and the logits among the outputs.
    wanted = {(at + 2, at + 1) for at in range(len(sizes.caches))}
    donated = len(wanted & {*module.program.donations})
    print(f"cache     {cache:,} bytes a text, for {sizes.capacity} tokens")
    print(f"donated   {donated} of {len(sizes.caches)} arrays: none is copied")
    errors = [decode(module, sizes, batch, STEPS) for batch in (1, 3, 2, 1)]
    found = module.statistics()
    print(f"calls     {found.slow_calls} left machine code, {found.plans} plans")
    # A comparison with `not` also catches an error that is no number.
    if not max(errors) <= TOLERANCE or donated < len(sizes.caches):
        print(
            f"decode: expected an error of at most {TOLERANCE} and "
            f"{len(sizes.caches)} donated arrays, got {max(errors)} and {donated}",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
