"""
One check of a model: what its calls compute and what they leave behind, with options in
many combinations, at one shape, at another, and at the first again.

PyTorch's Static Runtime has such a harness, `testStaticRuntime`. Here every run is
compared with the references of the ops; after every run contexts are idle, no reference
is left over, inputs have their bits, and results of runs before are what they were.
"""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations as choose
from itertools import product
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from static_runtime.compiler.front_end import reader_of
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.given import Given
from static_runtime.dialects.element_type import BFLOAT16, ELEMENT_TYPES
from static_runtime.dialects.graph.element_array import to_numbers
from static_runtime.runtime.abi import bits_of
from static_runtime.runtime.plan.block import memory_in_use
from static_runtime.runtime.planning import PLANNERS

from .compiler.frontends.interpret import interpret

Array = npt.NDArray[Any]
Combination = Mapping[str, Any]

PATIENCE = 10.0
"""Seconds in which a thread that has answered drops its future."""


@dataclass(frozen=True)
class Row:
    """One option, and the values of it that are tried."""

    values: tuple[Any, ...]

    of_a_run: bool = False
    """Whether a runtime may have another value than its module was compiled with."""

    same_bits: bool = True
    """Whether results have equal bits for all values."""


OPTIONS: dict[str, Row] = {
    "planner": Row(tuple(PLANNERS)),
    "cache": Row((True, False)),
    "precision": Row(("f32",), same_bits=False),
    "algorithms": Row(("exact", "fast", "fastest"), same_bits=False),
    "weights": Row((None,), same_bits=False),
    "activations": Row((None,), same_bits=False),
    "threads": Row((1, 2), of_a_run=True),
    "manage_output_tensors": Row((False, True), of_a_run=True),
    "optimize_memory": Row((True, False)),
    "enable_out_variant": Row((True, False), same_bits=False),
    "enable_tensorexpr_fusion": Row((True, False)),
    "use_maybe_copy_variants": Row((True, False)),
    "check_memory": Row((False, True)),
}
"""The options of `sr.Options` that are combined. A new one is a line here, or there:"""

APART = {
    "tier": "is exchanged by a thread, or has equal bits: test_fast_start_bits.py",
    "tune": "takes seconds a kernel: test_tuner.py",
    "quantization": "has a profile of one model: test_profiles.py",
    "bounds": "belongs to a model: an argument of `check`",
    "grow": "is about outputs that are part of a buffer: test_growing.py",
    "strict": "refuses calls that the harness makes: test_strict.py",
    "fallback": "is about nodes without an op of ours: test_foreign.py",
    "foreign_ops": "is about nodes of other domains: test_foreign.py",
    "inter_op_threads": "is about models with branches: test_parallel.py",
    "seed": "is about models that draw numbers at random: test_random.py",
    "bind": "is about models that need a value of an input: test_first_call.py",
}
"""The options that are not, and why."""

REFUSED: Sequence[Combination] = (
    {"enable_out_variant": False, "optimize_memory": True},
    {"enable_out_variant": False, "manage_output_tensors": True},
    {"enable_out_variant": False, "algorithms": "fast"},
    {"enable_out_variant": False, "algorithms": "fastest"},
)
"""Values that `sr.Options` refuses beside each other."""


REFUSALS = (IndexError, ValueError)
"""What a run raises for arrays that it cannot take."""

KEPT = 2
"""The results that are kept until the end; others are dropped, to be managed again."""


def is_allowed(chosen: Combination) -> bool:
    """Whether `sr.Options` takes the values of a combination together."""
    return not any(each.items() <= chosen.items() for each in REFUSED)


@cache
def all_combinations() -> list[Combination]:
    """Every combination of the values in the table."""
    every = product(*(row.values for row in OPTIONS.values()))
    made = [dict(zip(OPTIONS, values, strict=True)) for values in every]
    return [each for each in made if is_allowed(each)]


def together(chosen: Combination, count: int) -> set[object]:
    """Each `count` values of a combination."""
    return {*choose(((name, repr(value)) for name, value in chosen.items()), count)}


@cache
def covering(count: int) -> list[Combination]:
    """Few combinations, in which each `count` values occur together that may."""
    bits: dict[object, int] = {}
    # What each has, as the bits of a number.
    rest = [
        (each, sum(1 << bits.setdefault(n, len(bits)) for n in together(each, count)))
        for each in all_combinations()
    ]
    missing = (1 << len(bits)) - 1
    made: list[Combination] = []
    while missing:
        best, found = max(rest, key=lambda each: (each[1] & missing).bit_count())
        made.append(best)
        missing &= ~found
    return made


def compiled_alike(number: int) -> list[Combination]:
    """
    Combinations that share one compilation, another one for each number: so a table of
    many models has each two values together, at the cost of one compilation for each.
    """
    kinds = list(dict.fromkeys(map(scope, covering(2))))
    wanted = kinds[number % len(kinds)]
    return [each for each in all_combinations() if scope(each) == wanted]


def scope(chosen: Combination) -> tuple[Any, ...]:
    """The values of a combination that a compilation depends on."""
    return tuple(chosen[name] for name, row in OPTIONS.items() if not row.of_a_run)


def modules(
    model: Any, tried: Sequence[Combination], base: Mapping[str, Any]
) -> Iterator[tuple[Combination, sr.StaticModule]]:
    """
    The model compiled for each combination: once for those that may share that, and
    from the cache where there is one.
    """
    for each in dict.fromkeys(map(scope, tried)):
        first, *rest = [chosen for chosen in tried if scope(chosen) == each]
        made: Any = sr.compile(model, options=sr.Options(**first, **base))
        if first["cache"] and first["enable_out_variant"]:
            made = sr.compile(model, options=sr.Options(**first, **base))
            assert made.report.warm, first
        yield first, made
        for chosen in rest:
            options = sr.Options(**chosen, **base)
            sibling: Any = sr.StaticRuntime(made, options).module
            yield chosen, sibling


def flat(result: Any) -> list[Array]:
    """The arrays of a result, whatever holds them."""
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, dict):
        result = [*cast("dict[Any, Any]", result).values()]
    several = cast("Sequence[Any]", result)
    return [array for each in several for array in flat(each)]


def bits(arrays: Sequence[Array]) -> list[bytes]:
    """The bytes of arrays."""
    return [each.tobytes() for each in arrays]


_NAMED = {row.numpy: row for row in ELEMENT_TYPES.values() if bits_of(row.numpy)}
"""The types whose arrays have another dtype in the references of ops than in calls."""


def _name_of(dtype: np.dtype[Any]) -> str:
    """The name of a dtype, of numbers or of their bits."""
    return dtype.names[0] if dtype.names else dtype.name


def as_numbers(array: Array) -> Array:
    """Floats of 16 bits as f32, which numpy computes with, and what it has not."""
    if (row := _NAMED.get(_name_of(array.dtype))) is not None:
        return to_numbers(array.view(row.dtype), row.type)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def compare(got: Array, want: Array, about: object, more: float = 0) -> None:
    """
    Raises unless dtype and shape are equal, and numbers as close as math allows, and
    `more`; those that are not rounded are equal.
    """
    assert _name_of(got.dtype) == _name_of(want.dtype), about
    assert got.shape == want.shape, about
    precision = {np.dtype(np.float16): 2e-3, BFLOAT16: 1.6e-2}.get(want.dtype)
    got, want = as_numbers(got), as_numbers(want)
    if got.dtype.kind in "iub":
        np.testing.assert_array_equal(got, want, str(about))
        return
    precision = precision or (1e-5 if got.dtype == np.float32 else 1e-13)
    finite = np.abs(want[np.isfinite(want)])
    np.testing.assert_allclose(
        got,
        want,
        rtol=precision,
        atol=precision * finite.max(initial=0.1) + more,
        equal_nan=True,
        err_msg=str(about),
    )


@dataclass
class Call:
    """Inputs, what the references of the ops compute of them, and how near that is."""

    inputs: Sequence[Array]
    wanted: list[Array]
    slack: Sequence[float]


class Trial:
    """The runs of one module, each followed by a look at all that it may leave."""

    def __init__(self, chosen: Combination, module: sr.StaticModule):
        """No run so far."""
        self.chosen = chosen
        self.module = module
        self.kept: list[tuple[list[Array], list[bytes]]] = []
        self.planned: list[int] = []

    def run(self, call: Call, way: Callable[..., Any]) -> list[bytes]:
        """The bits of the outputs of one call, made in some way."""
        self.poison()
        inputs, before = call.inputs, bits(call.inputs)
        counts = [sys.getrefcount(each) for each in inputs]
        results = flat(way(*inputs))
        self.check_memory(inputs, results)
        self.check_references(inputs, counts, results)
        assert bits(inputs) == before, (self.chosen, "inputs are as they were")
        for got, want, more in zip(results, call.wanted, call.slack, strict=True):
            compare(got, want, self.chosen, more)
        self.check_contexts()
        found = bits(results)
        if len(self.kept) < KEPT:
            self.kept.append((results, found))
        for arrays, known in self.kept:
            assert bits(arrays) == known, (self.chosen, "a result changed later")
        return found

    def poison(self) -> None:
        """Fills activations with NaN, so that reading what was not written shows."""
        for each in self.module.pool or ():
            each.activations[:] = 0xFF

    def check_references(
        self, inputs: Sequence[Array], before: Sequence[int], results: list[Array]
    ) -> None:
        """Nobody has a reference to inputs; to outputs, only who manages them."""
        after = [sys.getrefcount(each) for each in inputs]
        assert after == before, (self.chosen, "references of inputs")
        alone = [np.empty(1)]
        (usual,) = [sys.getrefcount(each) for each in alone]
        most = usual + (1 if self.chosen["manage_output_tensors"] else 0)
        end = time.monotonic() + PATIENCE
        while not all(usual <= sys.getrefcount(each) <= most for each in results):
            counts = [sys.getrefcount(each) for each in results]
            assert time.monotonic() < end, (self.chosen, counts)
            time.sleep(0.001)

    def check_memory(self, inputs: Sequence[Array], results: list[Array]) -> None:
        """Outputs share no byte with inputs, with each other, or with activations."""
        blocks = [each.activations for each in self.module.pool or ()]
        for number, result in enumerate(results):
            others = (*inputs, *results[:number], *blocks)
            is_shared = any(np.may_share_memory(result, each) for each in others)
            assert not is_shared, (self.chosen, f"memory of output {number}")

    def check_contexts(self) -> None:
        """All are given back; the block of one has room for the last plan."""
        if self.module.pool is None:
            # References take memory as they go.
            self.planned.append(0)
            return
        contexts = [*self.module.pool]
        assert all(each.is_idle for each in contexts), (
            self.chosen,
            "a context is lent",
        )
        assert len(contexts) == 1, (self.chosen, "calls one by one need one context")
        (only,) = contexts
        self.planned.append(only.plan.size)
        held, most = only.activations.nbytes, max(self.planned)
        assert only.plan.lower_bound <= only.plan.size <= held, self.chosen
        assert held <= most + most // 8, (self.chosen, "more memory than a plan needs")

    def fail(self, inputs: Sequence[Array], kinds: Any) -> None:
        """A call that is refused; what it had is given back."""
        counts = [sys.getrefcount(each) for each in inputs]
        before = bits(inputs)
        try:
            self.module(*inputs)
        except kinds:
            pass
        else:
            pytest.fail(f"expected a refusal with {self.chosen}")
        assert bits(inputs) == before
        assert [sys.getrefcount(each) for each in inputs] == counts, self.chosen
        self.check_contexts()

    def through_python(self, *inputs: Array) -> Any:
        """A call with arrays that Python converts."""
        return self.module(*(np.array(each, order="F") for each in inputs))

    def by_name(self, *inputs: Array) -> Any:
        """A call that names its inputs, and is given the arrays of its outputs."""
        program = self.module.program
        named: dict[str, Any] = dict(zip(self.module.input_names, inputs, strict=True))
        if program.defined or program.structure is not None or not program.outputs:
            return self.module(**named)
        arrays, _ = self.kept[0]
        made = [np.full_like(each, 7) for each in arrays]
        out = made[0] if len(made) == 1 else (*made,)
        del made
        assert self.module(**named, out=out) is out
        return out

    def later(self, *inputs: Array) -> Any:
        """A call that another thread makes."""
        return sr.StaticRuntime(self.module).run_async(inputs).result(60)


def wrong_calls(inputs: Sequence[Array]) -> Iterator[tuple[Sequence[Array], Any]]:
    """Calls that no model takes which takes these inputs, and how they are refused."""
    yield [*inputs, np.zeros(1, np.float32)], TypeError
    if inputs:
        *most, last = inputs
        yield most, TypeError
        yield [*most, last[None]], (TypeError, ValueError)
        yield [*most, last.astype(np.complex128)], TypeError


def check(
    model: Any,
    args: Sequence[Array],
    args2: Sequence[Array] | None = None,
    *,
    combinations: Sequence[Combination] | None = None,
    bad: Sequence[Sequence[Array]] = (),
    slack: Sequence[Sequence[float]] = (),
    bounds: Mapping[str, int] | None = None,
) -> None:
    """
    Raises unless a model computes what the references of its ops do, and leaves nothing
    behind, for `combinations` of options; each two values together if none are given.

    `model` is what `sr.compile` takes without examples. It is called with `args`, with
    `args2`, which is of another shape where sizes are open, and with `args` again; then
    in other ways, and after calls that are refused: `bad` are those that a run refuses.
    `slack` is how far each result of the two calls may be from its reference besides.
    """
    tried = covering(2) if combinations is None else combinations
    base: dict[str, Any] = {} if bounds is None else {"bounds": bounds}
    second = args if args2 is None else args2
    ctx = context()
    graph = reader_of(model, None, None, Given(bounds or {}))(ctx)
    wanted = [flat(interpret(graph, ctx.weights, each)) for each in (args, second)]
    first, other = (
        Call(inputs, results, near)
        for inputs, results, near in zip(
            (args, second), wanted, slack or [[0.0] * len(wanted[0])] * 2, strict=True
        )
    )
    known: dict[tuple[Any, ...], list[list[bytes]]] = {}
    alive: list[weakref.ref[sr.StaticModule]] = []
    gc.collect()
    before = memory_in_use()
    module: sr.StaticModule | None = None
    for chosen, module in modules(model, tried, base):
        alive.append(weakref.ref(module))
        found = check_module(chosen, module, first, other, bad)
        kind = tuple(chosen[each] for each, row in OPTIONS.items() if not row.same_bits)
        assert known.setdefault(kind, found) == found, (chosen, "bits of other options")
        for inputs in bad:
            # The first run of a module may fail too.
            again: Any = sr.StaticRuntime(module, sr.Options(**chosen, **base)).module
            trial = Trial(chosen, again)
            trial.fail(inputs, REFUSALS)
            assert trial.run(first, again) == found[0], (chosen, "after a first error")
            del again, trial
        module.release()
        assert not any(each.activations.size for each in module.pool or ()), chosen
    del module
    gc.collect()
    assert not any(each() for each in alive), "a module outlives its calls"
    assert memory_in_use() <= before, "activations outlive their module"


def check_module(
    chosen: Combination,
    module: sr.StaticModule,
    first: Call,
    other: Call,
    bad: Sequence[Sequence[Array]],
) -> list[list[bytes]]:
    """The bits of the results of both calls, however they are made."""
    trial = Trial(chosen, module)
    found = [trial.run(first, module), trial.run(other, module)]
    small, large = trial.planned
    is_larger = all(
        len(a.shape) == len(b.shape) and all(m <= n for m, n in zip(a.shape, b.shape))
        for a, b in zip(first.inputs, other.inputs, strict=True)
    )
    assert not is_larger or small <= large, (chosen, "bytes of the larger shape")
    assert trial.run(first, module) == found[0], (chosen, "other bits again")
    for way in (trial.by_name, trial.through_python, trial.later):
        assert trial.run(first, way) == found[0], (chosen, way.__name__, "other bits")
    refused = [
        *wrong_calls(first.inputs),
        *((each, REFUSALS) for each in bad),
    ]
    for inputs, kinds in refused:
        trial.fail(inputs, kinds)
        assert trial.run(first, module) == found[0], (
            chosen,
            "other bits after an error",
        )
    return found
