"""
Measure mixtures of experts beside PyTorch, which runs them op by op.

    python -m bench.experts
    python -m bench.experts --tokens 1,64 --rounds 15
    python -m bench.experts --weights int4

A layer of gated experts, each token beside the best four, is exported with any number
of tokens and run in turns with PyTorch, on one thread, in one process; the ratio is the
median of the ratios of the turns. `grouped` sorts rows by expert, as the package
transformers does by itself: in f32 by its own operator, where PyTorch runs a product
for each expert here, in bf16 by PyTorch's `grouped_mm`. `looked up` multiplies each row
with a matrix that is looked up for it. With `--weights` ours have few bits, PyTorch's
do not.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

import static_runtime as sr

from .halves import arrays
from .turns import repeated_in_turns

EXPERTS, BEST, WIDTH, HIDDEN = 32, 4, 512, 768
"""How many there are, how many a token goes to, and the sizes of their matrices."""

TOKENS = "1,4,16,64,256,1024"

Multiply: TypeAlias = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Rows, a matrix for each expert, and the expert of each row or where groups end."""


def by_group(rows: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    """A product for each group of rows, as the package transformers computes it."""
    result, start = rows.new_zeros(rows.shape[0], matrices.shape[2]), 0
    stops: list[int] = ends.tolist()
    for matrix, end in zip(matrices.unbind(0), stops, strict=True):
        if start != end:
            torch.mm(rows[start:end], matrix, out=result[start:end])
            start = end
    return result


def unfilled(rows: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    """A tensor like the products."""
    return rows.new_empty(rows.shape[0], matrices.shape[2])


def operator() -> Multiply:
    """The operator of transformers, defined here where that package is not loaded."""
    name = "transformers::grouped_mm_fallback"
    if not hasattr(torch.ops.transformers, "grouped_mm_fallback"):
        schema = "(Tensor input, Tensor weight, Tensor offs) -> Tensor"
        torch.library.define(name, schema)
        torch.library.impl(name, "CPU", by_group)
        torch.library.register_fake(name, unfilled)
    return torch.ops.transformers.grouped_mm_fallback


def by_torch(rows: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    """PyTorch's product of groups."""
    function: Any = nn.functional
    return function.grouped_mm(rows, matrices, offs=ends)


def looked_up(rows: Tensor, matrices: Tensor, which: Tensor) -> Tensor:
    """The product of each row with a matrix that is looked up."""
    return torch.bmm(rows.unsqueeze(1), matrices[which]).squeeze(1)


@dataclass(frozen=True)
class Kind:
    """A way to compute the experts."""

    multiply: Callable[[], Multiply]
    sorts: bool
    """Whether rows are sorted by expert."""
    type: torch.dtype


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "grouped, f32": Kind(operator, True, torch.float32),
        "grouped, bf16": Kind(lambda: by_torch, True, torch.bfloat16),
        "looked up, f32": Kind(lambda: looked_up, False, torch.float32),
    }
)


class Experts(nn.Module):
    """A layer of gated experts; what each token goes to is an input."""

    def __init__(self, kind: Kind):
        super().__init__()
        self.multiply, self.sorts = kind.multiply(), kind.sorts
        torch.manual_seed(0)
        up = torch.randn(EXPERTS, 2 * HIDDEN, WIDTH) / WIDTH**0.5
        down = torch.randn(EXPERTS, WIDTH, HIDDEN) / HIDDEN**0.5
        self.up, self.down = (nn.Parameter(each.to(kind.type)) for each in (up, down))

    def forward(self, x: Tensor, chosen: Tensor, weights: Tensor) -> Tensor:
        """f[n, WIDTH], i64[n, BEST], f[n, BEST] -> f[n, WIDTH]."""
        tokens, best = chosen.shape
        order = which = chosen.reshape(-1)
        if self.sorts:
            order = torch.argsort(chosen.reshape(-1))
            counts = nn.functional.one_hot(chosen.reshape(-1), EXPERTS).sum(0)
            which, rows = counts.cumsum(0).to(torch.int32), x[order // best]
        else:
            rows = x.repeat_interleave(best, 0)
        gate, value = self.multiply(rows, self.up.transpose(1, 2), which).chunk(2, -1)
        inner = nn.functional.silu(gate) * value
        result = self.multiply(inner, self.down.transpose(1, 2), which)
        if self.sorts:
            result = result[torch.argsort(order)]
        result = result * weights.reshape(-1, 1)
        return result.view(tokens, best, -1).sum(1)


def routed(tokens: int, type: torch.dtype) -> tuple[Tensor, ...]:
    """Tokens, the experts of each, and how much each counts."""
    torch.manual_seed(tokens)
    weights, chosen = torch.rand(tokens, EXPERTS).topk(BEST, -1)
    return torch.randn(tokens, WIDTH).to(type), chosen, weights.to(type)


def lines(
    name: str, tokens: list[int], rounds: int, burst: float, weights: str | None
) -> None:
    """Prints a row of the table for each number of tokens."""
    kind = KINDS[name]
    module = Experts(kind).eval().requires_grad_(False)
    shapes = [{0: torch.export.Dim("tokens", min=1, max=4096)}] * 3
    program = torch.export.export(module, routed(7, kind.type), dynamic_shapes=shapes)
    options = sr.Options(threads=1, cache=False, weights=weights)
    ours = sr.compile(program, options=options)
    for count in tokens:
        given = routed(count, kind.type)

        def its(times: int, given: tuple[Tensor, ...] = given) -> None:
            for _ in range(times):
                module(*given)

        runs = its, ours.repeater(*arrays(given))
        found = repeated_in_turns(runs, rounds, burst)
        ratio = statistics.median(other / one for one, other in found)
        its_ms, our_ms = (1e3 * statistics.median(e) for e in zip(*found, strict=True))
        print(
            f"| {name} | {count} | {its_ms:.2f} | {our_ms:.2f} | {ratio:.2f} |",
            flush=True,
        )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Measure mixtures of experts.")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS])
    parser.add_argument("--tokens", default=TOKENS, help="numbers, by commas")
    parser.add_argument("--weights", choices=["int8", "int4"], help="of few bits")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--burst", type=float, default=0.2, help="seconds")
    given = parser.parse_args()
    torch.set_num_threads(1)
    print("| experts | tokens | PyTorch, ms | ours, ms | ratio |")
    print("| --- | --- | --- | --- | --- |")
    with torch.no_grad():
        for name in given.kinds:
            tokens = [int(each) for each in given.tokens.split(",")]
            lines(name, tokens, given.rounds, given.burst, given.weights)


if __name__ == "__main__":
    main()
