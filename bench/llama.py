"""
Time a decoder of the Llama family with weights of 4 bits, beside llama.cpp.

    python -m bench.llama                        two layers of width 2,048
    python -m bench.llama --threads 2 --rounds 5 --weights int8

The model is that of `examples/llama/`, with random weights: `Options(weights="int4")`
for ours, with rows of f32 and with `activations="int8"`; Q4_0 for llama.cpp, which
rounds rows to 8 bits too, and needs the packages llama-cpp-python (0.3.36; built from
source) and gguf; without them ours run alone. In a round each reads a prompt, then
decodes tokens one by one, in turns, in one process. Printed are milliseconds, medians
of rounds, and how far the logits after the prompt are from those with weights of f32,
relative to the greatest. Ratios are those of rows of bytes.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import static_runtime as sr
from examples.llama.checkpoint import Config, write_graph, write_random

from .cases import Array
from .gguf_file import write_gguf

WORDS, HEAD = 4096, 128

Feed = Callable[[Array], Array]
"""Appends tokens to a text; the logits after the last of them."""


class Ours:
    """The decoder, compiled by us."""

    def __init__(self, folder: Path, **options: Any) -> None:
        given = sr.Options(cache=False, grow="past", **options)
        self.module = sr.compile(write_graph(folder), options=given)
        self.config = Config.read(folder)

    def begin(self) -> Feed:
        """A text without tokens."""
        config = self.config
        shape = 1, config.key_heads, 0, config.head
        caches = [np.zeros(shape, np.float32) for _ in range(2 * config.layers)]

        def feed(tokens: Array) -> Array:
            logits, *caches[:] = self.module(tokens[None], *caches)
            return logits[0]

        return feed


class Theirs:
    """The decoder, run by llama.cpp."""

    def __init__(self, folder: Path, context: int, threads: int) -> None:
        cpp: Any = import_module("llama_cpp")
        self.cpp, self.words = cpp, Config.read(folder).words
        self.log = cpp.llama_log_callback(_say_nothing)
        cpp.llama_log_set(self.log, ctypes.c_void_p())
        path = str(write_gguf(folder, context)).encode()
        model = cpp.llama_model_load_from_file(path, cpp.llama_model_default_params())
        asked = cpp.llama_context_default_params()
        asked.n_ctx = asked.n_batch = asked.n_ubatch = context
        asked.n_threads = asked.n_threads_batch = threads
        self.context = cpp.llama_init_from_model(model, asked)
        if not self.context:
            raise RuntimeError("expected a context of llama.cpp, got none")

    def begin(self) -> Feed:
        """The one text of the context, without tokens."""
        cpp = self.cpp
        cpp.llama_memory_clear(cpp.llama_get_memory(self.context), True)

        def feed(tokens: Array) -> Array:
            numbers = (cpp.llama_token * len(tokens))(*tokens.tolist())
            batch = cpp.llama_batch_get_one(numbers, len(tokens))
            if status := cpp.llama_decode(self.context, batch):
                raise RuntimeError(f"expected llama.cpp to decode, got {status}")
            found = cpp.llama_get_logits_ith(self.context, -1)
            return np.ctypeslib.as_array(found, (self.words,)).copy()

        return feed


def _say_nothing(*_: object) -> None:
    """Takes what llama.cpp says of a model."""


def timed(feed: Feed, prompt: Array, tokens: Array) -> tuple[Array, float, float]:
    """The logits after a prompt; the milliseconds of it, and of a token after it."""
    start = time.perf_counter()
    logits = feed(prompt)
    begun = time.perf_counter()
    for at in range(len(tokens)):
        feed(tokens[at : at + 1])
    end = time.perf_counter()
    return logits, 1e3 * (begun - start), 1e3 * (end - begun) / len(tokens)


def parsed() -> argparse.Namespace:
    """The arguments of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--hidden", type=int, default=5632)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--prompt", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--weights", choices=("int8", "int4"), default="int4")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Prints a line for each, and ratios."""
    given = parsed()
    heads = given.width // HEAD
    sizes = WORDS, given.width, given.hidden, given.layers, heads, heads, HEAD
    random: Any = np.random.default_rng(1)
    prompt: Array = random.integers(0, WORDS, given.prompt)
    tokens: Array = random.integers(0, WORDS, given.tokens)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_random(folder, Config(*sizes, 1e-5, 1e4, False))
        options = {"weights": given.weights, "threads": given.threads}
        exact = Ours(folder, threads=given.threads).begin()(prompt)
        runs: dict[str, Ours | Theirs] = {
            "ours, f32": Ours(folder, **options),
            "ours": Ours(folder, activations="int8", **options),
        }
        if find_spec("llama_cpp") and find_spec("gguf"):
            context = given.prompt + given.tokens
            runs["llama.cpp"] = Theirs(folder, context, given.threads)
        times: dict[str, list[tuple[float, float]]] = {each: [] for each in runs}
        errors = dict[str, float]()
        for number in range(given.rounds + 1):
            for each in runs if number % 2 else reversed(runs):
                logits, *found = timed(runs[each].begin(), prompt, tokens)
                errors[each] = float(abs(logits - exact).max() / abs(exact).max())
                # The first round takes memory and plans.
                if number:
                    times[each].append((found[0], found[1]))
    print("| | prompt, ms | token, ms | error |\n| --- | --- | --- | --- |")
    for each, found in times.items():
        parts = [f"{median(part):.2f}" for part in zip(*found, strict=True)]
        print(f"| {' | '.join([each, *parts, f'{errors[each]:.3f}'])} |")
    if "llama.cpp" in times:
        pairs = [*zip(times["ours"], times["llama.cpp"], strict=True)]
        ratios = (median(a[at] / b[at] for a, b in pairs) for at in range(2))
        print("\nours to llama.cpp: prompt {:.2f}, token {:.2f}".format(*ratios))


if __name__ == "__main__":
    main()
