"""
Time decoding with a cache that grows by Concat, beside ONNX Runtime.

    python -m bench.decode_concat                     widths 128, 512 and 1024
    python -m bench.decode_concat --widths 512 --threads 2 --rounds 20

The model is that of `examples/decoder.py` with a cache as exporters write it: two
layers as in Llama, that take the keys and values so far, and return them with the new.
Each round decodes `--tokens` tokens after a prompt in turns, in one process: with a
module whose caches grow where they are (`Options(grow="past")`), with one that copies
them, and with ONNX Runtime, which is given its own outputs as inputs, by IO binding.
Printed are the medians of the time of a token, the median of the ratios of the first to
ONNX Runtime, whether all chose the same tokens and the two of ours computed the same
bits, the plans of both, and the bytes of the caches that one token copies: where they
grow on average, as only a full buffer is copied.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import static_runtime as sr
from examples.decoder import Sizes, decoder
from static_runtime.runtime.call import buffer

from .cases import Array
from .decode import PROMPT, sizes_for
from .sessions import make_session

Step = Callable[[Array, Array, list[Any]], tuple[Array, list[Any]]]
"""The logits and the caches after tokens at positions, with the caches before."""


class Copied:
    """Counts the bytes that are copied to buffers while it is open."""

    def __init__(self) -> None:
        self.bytes = 0
        self.make = buffer.Buffer.__init__

    def __enter__(self) -> Copied:
        def note(own: Any, shape: Any, dtype: Any, axis: int, past: Array) -> None:
            self.bytes += past.nbytes
            self.make(own, shape, dtype, axis, past)

        self.patch(note)
        return self

    def __exit__(self, *_: object) -> None:
        self.patch(self.make)

    def patch(self, make: Callable[..., None]) -> None:
        """Lets buffers be made by a function."""
        setattr(buffer.Buffer, "__init__", make)


def ours(module: sr.StaticModule) -> Step:
    """Decoding by us."""

    def step(
        tokens: Array, position: Array, caches: list[Any]
    ) -> tuple[Array, list[Any]]:
        scores, *caches = module(tokens, position, *caches)
        return scores, caches

    return step


def theirs(model: bytes, sizes: Sizes, threads: int) -> Step:
    """Decoding by ONNX Runtime, which keeps its outputs."""
    session = make_session(model, threads)
    names = ["scores", *(f"{each}.new" for each in sizes.caches)]

    def step(
        tokens: Array, position: Array, caches: list[Any]
    ) -> tuple[Array, list[Any]]:
        binding = session.io_binding()
        binding.bind_cpu_input("tokens", tokens)
        binding.bind_cpu_input("position", position)
        for name, each in zip(sizes.caches, caches, strict=True):
            if isinstance(each, np.ndarray):
                binding.bind_cpu_input(name, each)
            else:
                binding.bind_ortvalue_input(name, each)
        for name in names:
            binding.bind_output(name, "cpu")
        session.run_with_iobinding(binding)
        scores, *found = binding.get_outputs()
        return scores.numpy(), found

    return step


def decode(step: Step, sizes: Sizes, prompt: Array, count: int) -> tuple[Array, float]:
    """The logits of each token that follows a prompt, and the seconds that it took."""
    shape = (1, sizes.key_heads, 0, sizes.head)
    caches: list[Any] = [np.zeros(shape, np.float32) for _ in sizes.caches]
    scores, caches = step(prompt, np.arange(PROMPT)[None], caches)
    found: list[Array] = []
    start = time.perf_counter()
    for at in range(PROMPT, PROMPT + count):
        token = scores[:, -1:].argmax(2)
        scores, caches = step(token, np.array([[at]]), caches)
        found.append(scores)
    return np.concatenate(found, 1), (time.perf_counter() - start) / count


def measure(width: int, tokens: int, rounds: int, threads: int) -> str:
    """The line of the table for a decoder of one width."""
    sizes = sizes_for(width, tokens)
    model = decoder(sizes, "Concat")
    modules = [
        sr.compile(model, options=sr.Options(cache=False, threads=threads, grow=grow))
        for grow in (("past",), ())
    ]
    steps = [*map(ours, modules), theirs(model, sizes, threads)]
    prompt = np.random.default_rng(0).integers(0, sizes.words, (1, PROMPT))
    times: list[list[float]] = [[] for _ in steps]
    found: list[Array] = [prompt for _ in steps]
    for number in range(rounds + 1):
        for which in (range(3), range(2, -1, -1))[number % 2]:
            found[which], seconds = decode(steps[which], sizes, prompt, tokens)
            # The first round takes memory and plans.
            if number:
                times[which].append(seconds)
    with Copied() as copied:
        decode(steps[0], sizes, prompt, tokens)
    row = 4 * len(sizes.caches) * sizes.key_heads * sizes.head
    chosen = [each.argmax(2) for each in found]
    is_same = all(np.array_equal(each, chosen[0]) for each in chosen)
    ratios = [a / b for a, b in zip(times[0], times[2], strict=True)]
    medians = " | ".join(f"{statistics.median(each) * 1e6:.1f}" for each in times)
    plans = " and ".join(str(each.statistics().plans) for each in modules)
    return (
        f"| {width} | {medians} | {statistics.median(ratios):.2f} | "
        f"{'yes' if is_same else 'no'} | "
        f"{'equal' if np.array_equal(found[0], found[1]) else 'not equal'} | {plans} | "
        f"{copied.bytes // tokens:,} and {row * (PROMPT + tokens // 2):,} |"
    )


def main() -> None:
    """Prints a line for each width."""
    parser = argparse.ArgumentParser(description="Time decoding with a Concat cache.")
    parser.add_argument("--widths", type=int, nargs="+", default=[128, 512, 1024])
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    print(
        "| width | growing, µs a token | copying | ONNX Runtime | ratio | "
        "same tokens | bits | plans | bytes copied a token |\n" + "| --- " * 9 + "|"
    )
    for width in given.widths:
        row = measure(width, given.tokens, given.rounds, given.threads)
        print(row, flush=True)


if __name__ == "__main__":
    main()
