"""
Time decoding with a cache of keys and values, beside ONNX Runtime with IO binding.

    python -m bench.decode                     widths 128, 512 and 1024
    python -m bench.decode --widths 512 --threads 2 --rounds 20

The model is that of `examples/decoder.py`: two layers as in Llama. Each round decodes
`--tokens` tokens after a prompt with ours, then with ONNX Runtime, in turns, in one
process; both are given the arrays of the cache as inputs and as outputs, and choose the
most likely token. Printed are the medians of the time of a token, the median of their
ratios, whether both chose the same tokens, and bytes of a token at half of the length:

* stored: what the stores of all kernels write that are run,
* not copied: the cache, which a call copies that gives other arrays for the outputs,
* read at least: weights of products, and what is filled of the cache.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Operation

import static_runtime as sr
from examples.decoder import Session, Sizes, decoder, random_weights
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.dialects.dims import Dim, evaluate, product
from static_runtime.dialects.loop import byte_count, element_type
from static_runtime.dialects.loop.ops.for_loop import ForOp
from static_runtime.dialects.loop.ops.memory import StoreOp
from static_runtime.dialects.loop.ops.program import ProgramOp
from static_runtime.dialects.loop.ops.program_calls import CallOp
from static_runtime.dialects.loop.ops.tile import TileOp

from .cases import Array
from .sessions import make_session

PROMPT = 16


def sizes_for(width: int, tokens: int) -> Sizes:
    """A decoder of this width, with heads of 64 elements and a cache with room."""
    heads = max(width // 64, 1)
    return Sizes(
        heads=heads,
        key_heads=max(heads // 4, 1),
        head=width // heads,
        hidden=(width * 8 // 3 + 31) // 32 * 32,
        words=1000,
        capacity=4 * (PROMPT + tokens),
    )


def stores(op: Operation) -> Iterator[Dim]:
    """How many elements each store within an op writes, times their bytes."""
    for store in op.walk():
        if isinstance(store, StoreOp):
            counts: list[Dim] = [item_size(store)]
            outer = store.parent_op()
            while outer is not None:
                if isinstance(outer, ForOp):
                    counts.append(outer.size)
                elif isinstance(outer, TileOp):
                    counts += outer.sizes[:2]
                outer = outer.parent_op()
            yield product(counts)


def item_size(store: StoreOp) -> int:
    """The bytes of an element that is stored."""
    return byte_count(element_type(store.buffer))


def stored_bytes(model: bytes, length: int) -> int:
    """The bytes that kernels store for one token, at a length of the cache."""
    options = sr.Options(cache=False)
    compilation = Compilation(model, options=options)
    ctx = context()
    module = compilation.front_end(compilation.source())(ctx)
    Driver(ctx, options, "host", None).compile(module)
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    known = {name: 1 for name in program.symbol_names}
    known |= dict.fromkeys(program.defined, length)
    total = 0
    for call in program.walk():
        # A copy to where it is from is not run.
        if isinstance(call, CallOp) and call.unless_same is None:
            kernel = program.kernels[call.kernel_name]
            names = [each.data for each in kernel.symbols]
            values = [number(each, known) for each in call.sizes]
            inside = dict(zip(names, values, strict=True))
            total += sum(number(each, inside) for each in stores(kernel))
    return total


def number(size: Dim, symbols: Mapping[str, int]) -> int:
    """The value of a dimension."""
    return int(str(evaluate(size, symbols)))


class Peer:
    """ONNX Runtime, whose inputs and outputs are bound to arrays of ours."""

    def __init__(self, model: bytes, threads: int) -> None:
        self.session = make_session(model, threads)

    def bound(self, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> Any:
        """What runs on these arrays."""
        binding = self.session.io_binding()
        for arrays, bind in (
            (inputs, binding.bind_input),
            (outputs, binding.bind_output),
        ):
            for name, each in arrays.items():
                address = each.ctypes.data
                bind(name, "cpu", 0, each.dtype, list(each.shape), address)
        return lambda: self.session.run_with_iobinding(binding)


Feed = Callable[[Array, int], Array]
"""Appends tokens from a position on; the logits after each of them."""


def ours(module: sr.StaticModule, sizes: Sizes) -> Feed:
    """One text, decoded by us."""
    session = Session(module, sizes, 1)
    return lambda tokens, at: session.feed(tokens)


def theirs(peer: Peer, sizes: Sizes) -> Feed:
    """One text, decoded by ONNX Runtime."""
    caches = {each: np.zeros(sizes.cache_shape(1), np.float32) for each in sizes.caches}
    made: dict[int, tuple[Any, Array, Array, Array]] = {}

    def feed(tokens: Array, at: int) -> Array:
        count = tokens.shape[1]
        if count not in made:
            given = np.empty((1, count), np.int64)
            position = np.empty((1, count), np.int64)
            scores = np.empty((1, count, sizes.words), np.float32)
            run = peer.bound(
                {"tokens": given, "position": position, **caches},
                {"scores": scores, **{f"{k}.new": v for k, v in caches.items()}},
            )
            made[count] = run, given, position, scores
        run, given, position, scores = made[count]
        given[:] = tokens
        position[:] = range(at, at + count)
        run()
        return scores

    return feed


def decode(feed: Feed, prompt: Array, count: int) -> tuple[list[int], float]:
    """The tokens that follow a prompt, and the seconds that each took."""
    token = feed(prompt, 0)[:, -1:].argmax(2)
    found: list[int] = []
    start = time.perf_counter()
    for at in range(count):
        token = feed(token, PROMPT + at)[:, -1:].argmax(2)
        found.append(int(token[0, 0]))
    return found, (time.perf_counter() - start) / count


@dataclass(frozen=True)
class Row:
    """What was measured of a width: seconds of a token by rounds."""

    ours: list[float]
    theirs: list[float]
    is_same: bool
    stored: int
    kept: int
    read: int

    def text(self, width: int) -> str:
        """A line of the table."""
        ratios = [a / b for a, b in zip(self.ours, self.theirs, strict=True)]
        times = [statistics.median(each) * 1e6 for each in (self.ours, self.theirs)]
        return (
            f"| {width} | {times[0]:.1f} | {times[1]:.1f} | "
            f"{statistics.median(ratios):.2f} | {'yes' if self.is_same else 'no'} | "
            f"{self.stored:,} | {self.kept:,} | {self.read:,} |"
        )


def measure(width: int, tokens: int, rounds: int, threads: int) -> Row:
    """Measures a decoder of one width."""
    sizes = sizes_for(width, tokens)
    model = decoder(sizes)
    module = sr.compile(model, options=sr.Options(cache=False, threads=threads))
    peer = Peer(model, threads)
    prompt = np.random.default_rng(0).integers(0, sizes.words, (1, PROMPT))
    makers = (lambda: ours(module, sizes), lambda: theirs(peer, sizes))
    times: tuple[list[float], list[float]] = ([], [])
    is_same = True
    for number in range(rounds + 1):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        texts: list[list[int]] = [[], []]
        for which in order:
            texts[which], seconds = decode(makers[which](), prompt, tokens)
            # The first round takes memory and plans.
            if number:
                times[which].append(seconds)
        is_same = is_same and texts[0] == texts[1]
    length = PROMPT + tokens // 2
    cache = len(sizes.caches) * int(np.prod(sizes.cache_shape(1))) * 4
    weights = random_weights(sizes)
    products = sum(
        array.nbytes
        for name, array in weights.items()
        if array.ndim == 2 and name not in ("embedding", "cosine", "sine")
    )
    return Row(
        *times,
        is_same,
        stored_bytes(model, length),
        cache,
        products + cache * length // sizes.capacity,
    )


def main() -> None:
    """Prints a line for each width."""
    parser = argparse.ArgumentParser(description="Time decoding with a cache.")
    parser.add_argument("--widths", type=int, nargs="+", default=[128, 512, 1024])
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    print(
        "| width | ours, µs a token | ONNX Runtime | ratio | same tokens | "
        "bytes stored | not copied | read at least |\n" + "| --- " * 8 + "|"
    )
    for width in given.widths:
        row = measure(width, given.tokens, given.rounds, given.threads)
        print(row.text(width), flush=True)


if __name__ == "__main__":
    main()
