"""
Compare models of 16 bits, as PyTorch exports them, with the same models in f32.

    python -m bench.halves                      resnet50 and minilm, in f16 and bf16
    python -m bench.halves mobilenet_v2 --rounds 20

`module.half()` and `module.bfloat16()` of a model of the suite are exported and
compiled as they are, and run in turns with the module in f32, on one thread, in one
process; the ratio is the median of those of the turns. The errors of ours and of
PyTorch's own are differences from the same weights and inputs in f64: the largest,
relative to the largest element, and the root of the mean square, relative to that of
the elements.
"""

from __future__ import annotations

import argparse
import copy
import statistics
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import static_runtime as sr

from .cases import Array, several
from .suite import SUITE
from .turns import repeated_in_turns

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16}


def cast(values: tuple[Tensor, ...], to: torch.dtype) -> tuple[Tensor, ...]:
    """Inputs whose floats are of a type; indices and masks of integers stay."""
    return tuple(each.to(to) if each.is_floating_point() else each for each in values)


def first(result: Any) -> Array:
    """The first result, as f64."""
    if isinstance(result, Tensor):
        return result.double().numpy()
    array: Array = several(result)[0]
    if array.dtype == np.uint16:  # bf16 where ml_dtypes is not installed
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def compiled(module: nn.Module, inputs: tuple[Tensor, ...]) -> sr.StaticModule:
    """A module of PyTorch as it is exported, on one thread."""
    program = torch.export.export(module, inputs)
    return sr.compile(program, options=sr.Options(threads=1, cache=False))


def arrays(inputs: tuple[Tensor, ...]) -> list[Any]:
    """What a module of ours is called with."""
    return [
        each.view(torch.uint16).numpy()
        if each.dtype == torch.bfloat16
        else each.numpy()
        for each in inputs
    ]


def errors(found: Array, exact: Array) -> str:
    """The largest difference and the root of the mean square, both relative."""
    away = np.abs(found - exact)
    largest = away.max() / np.abs(exact).max()
    mean = np.sqrt(np.square(away).mean() / np.square(exact).mean())
    return f"{largest:.1e}, {mean:.2e}"


def line(name: str, kind: str, rounds: int, burst: float) -> str:
    """A row of the table."""
    module, inputs = SUITE[name].make()
    whole = compiled(module, inputs)
    narrow = copy.deepcopy(module).to(TYPES[kind])
    given = cast(inputs, TYPES[kind])
    ours = compiled(narrow, given)
    exact = first(copy.deepcopy(narrow).double()(*cast(given, torch.float64)))

    mine = errors(first(ours(*arrays(given))), exact)
    its = errors(first(narrow(*given)), exact)
    runs = whole.repeater(*arrays(inputs)), ours.repeater(*arrays(given))
    found = repeated_in_turns(runs, rounds, burst)
    ratio = statistics.median(other / one for one, other in found)
    times = [1e3 * statistics.median(each) for each in zip(*found, strict=True)]
    return (
        f"| {name} | {kind} | {times[0]:.2f} | {times[1]:.2f} | {ratio:.2f} | "
        f"{mine} | {its} |"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", default=["resnet50", "minilm"])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--burst", type=float, default=0.3, help="seconds")
    given = parser.parse_args()
    if unknown := [each for each in given.models if each not in SUITE]:
        parser.error(f"expected models of bench/suite, got {', '.join(unknown)}")
    print("| model | type | f32, ms | its, ms | ratio | errors | PyTorch's errors |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with torch.no_grad():
        for name in given.models:
            for kind in TYPES:
                print(line(name, kind, given.rounds, given.burst), flush=True)


if __name__ == "__main__":
    main()
