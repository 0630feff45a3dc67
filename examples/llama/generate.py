"""
Continue a text of tokens with a decoder of the Llama family.

    python examples/llama/generate.py                 a tiny one, with random weights
    python examples/llama/generate.py FOLDER --weights int4 --prompt 1 15043 3186
    python examples/llama/generate.py FOLDER --top-p 0.9 --temperature 0.8 --seed 3

A folder has `config.json` and `model.safetensors` as Hugging Face writes them; tokens
are numbers, as a tokenizer of the model makes and reads them. Without `--top-p` each
token is the most likely one. Weights of products stay as they are, or become 8 or 4
bits, and with `--activations int8` the other factors too; caches grow where they are
(docs/memory.md, "Caches that grow by Concat").
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from checkpoint import Array, Config, write_graph, write_random

import static_runtime as sr

TINY = Config(
    words=300,
    width=128,
    hidden=256,
    layers=2,
    heads=8,
    key_heads=2,
    head=16,
    epsilon=1e-5,
    theta=1e4,
    is_tied=False,
)
"""The sizes of the decoder that is written where no folder is given."""

Choose = Callable[[Array], int]
"""Takes the logits of what may follow a text; the token that does."""


def most_likely(logits: Array) -> int:
    """The token with the greatest logit."""
    return int(logits.argmax())


def from_nucleus(top_p: float, temperature: float, seed: int) -> Choose:
    """
    Draws among the likeliest tokens that together have a probability of `top_p`.
    """
    random = np.random.default_rng(seed)

    def choose(logits: Array) -> int:
        scaled = logits.astype(np.float64) / temperature
        likely = np.exp(scaled - scaled.max())
        order = np.argsort(-likely, kind="stable")
        likely = likely[order] / likely.sum()
        # The one with which the sum is reached is among them, so that there is one.
        count = int(np.searchsorted(likely.cumsum(), top_p)) + 1
        kept = likely[:count] / likely[:count].sum()
        return int(order[random.choice(len(kept), p=kept)])

    return choose


def generate(
    module: sr.StaticModule,
    config: Config,
    prompt: Sequence[int],
    count: int,
    choose: Choose = most_likely,
) -> tuple[list[int], float, float]:
    """
    The tokens that follow a prompt, and the seconds that it and each token took.
    """
    shape = (1, config.key_heads, 0, config.head)
    empty = [np.zeros(shape, np.float32) for _ in range(2 * config.layers)]
    found: list[int] = []
    start = time.perf_counter()
    logits, *caches = module(np.array([prompt]), *empty)
    first = time.perf_counter()
    for _ in range(count):
        found.append(choose(logits[0]))
        logits, *caches = module(np.array([found[-1:]]), *caches)
    end = time.perf_counter()
    return found, first - start, (end - first) / count


def run(folder: Path, given: argparse.Namespace) -> None:
    """Compiles the decoder of a folder, and prints what it makes of a prompt."""
    config = Config.read(folder)
    options = sr.Options(
        grow="past",
        weights=given.weights,
        activations=given.activations,
        threads=given.threads,
    )
    module = sr.compile(write_graph(folder), options=options)
    choose = most_likely
    if given.top_p is not None:
        choose = from_nucleus(given.top_p, given.temperature, given.seed)
    prompt = [each % config.words for each in given.prompt]
    # The first run takes memory and plans.
    generate(module, config, prompt, 2)
    found, first, each = generate(module, config, prompt, given.tokens, choose)
    print(f"weights   {module.report.constant_bytes / 2**20:.2f} MiB")
    print(f"prompt    {len(prompt)} tokens, {len(prompt) / first:.0f} tokens/s")
    print(f"decoding  {given.tokens} tokens, {1 / each:.0f} tokens/s")
    print("tokens   ", *found)


def main() -> int:
    """Runs the example on a folder, or on a tiny decoder that it writes."""
    parser = argparse.ArgumentParser(description="Continue a text of tokens.")
    parser.add_argument("folder", nargs="?", type=Path, help="else a tiny decoder")
    parser.add_argument("--prompt", type=int, nargs="+", default=[1, 40, 7, 22])
    parser.add_argument("--tokens", type=int, default=32, help="how many to make")
    parser.add_argument("--weights", choices=("int8", "int4"), help="else as they are")
    parser.add_argument("--activations", choices=("int8",), help="else as they are")
    parser.add_argument("--top-p", type=float, help="else the most likely token")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    if given.tokens < 1:
        parser.error(f"expected one token or more, got {given.tokens}")
    if given.folder is not None:
        run(given.folder, given)
        return 0
    with tempfile.TemporaryDirectory() as made:
        write_random(Path(made), TINY)
        run(Path(made), given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
