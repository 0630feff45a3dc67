"""
Run PyTorch's own samples of its operators, and count what became of them.

    python -m bench.opinfo              f32, and write docs/suites/opinfo_float32.txt
    python -m bench.opinfo float64 uint8
    python -m bench.opinfo --only fft   those with this word, each with its reason

Each sample of an operator (`op_db` of PyTorch's tests) is exported by `torch.export`,
compiled with every node, and run beside PyTorch. What is not exported, and what differs
from run to run in PyTorch, is skipped. The first samples of each operator are tried.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

import static_runtime as sr

from .conformance.apart import STARTED, outcomes_of
from .conformance.outcome import (
    Outcome,
    failure,
    refusal,
    short,
    table,
    whole,
    write_list,
)

SECONDS = 120.0
"""The time limit of a sample."""

OPTIONS = sr.Options(fallback="error", cache=False, threads=1)

TOLERANCES = {
    "float64": (1e-7, 1e-7),
    "float32": (1e-4, 1e-5),
    "float16": (1e-2, 1e-2),
    "bfloat16": (4e-2, 4e-2),
}
"""
Relative and absolute tolerances of elements, for the dtype of samples or of a result,
whichever are wider; integers have to be equal.
"""


_GIVEN = object()
"""In the place of a tensor among the arguments of a sample; None is an argument."""


WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64"}
"""
A result is also right where it is what PyTorch computes in the wider type, as some of
its operators are many, and each rounds, or overflows.
"""

OF_ORDER = (
    "sort",
    "argsort",
    "msort",
    "topk",
    "kthvalue",
    "median",
    "nanmedian",
    "mode",
)
"""Operators that may take equal elements in any order."""


class Call(torch.nn.Module):
    """An operator on the tensors of a sample, with the rest of its arguments."""

    def __init__(self, op: Callable[..., Any], leaves: Sequence[Any], spec: Any):
        super().__init__()
        self.op, self.spec = op, spec
        self.rest = [_GIVEN if is_tensor(each) else each for each in leaves]

    def forward(self, *tensors: Any) -> Any:
        """What the operator returns."""
        left = iter(tensors)
        leaves = [next(left) if each is _GIVEN else each for each in self.rest]
        input, args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return self.op(input, *args, **kwargs)


def is_tensor(value: Any) -> bool:
    """Whether a leaf is a tensor."""
    return isinstance(value, torch.Tensor)


def operators(word: str = "") -> list[Any]:
    """The entries of PyTorch's table of operators whose names have a word."""
    from torch.testing._internal.common_methods_invocations import op_db

    return [each for each in op_db if word in name_of(each)]


def name_of(op: Any) -> str:
    """The name of an entry, with that of its variant."""
    return ".".join(filter(None, (op.name, op.variant_test_name)))


def samples_of(op: Any, dtype: Any, most: int) -> Iterator[Any]:
    """The first samples of an operator, which are the same in each run."""
    torch.manual_seed(0)
    np.random.seed(0)
    found = op.sample_inputs("cpu", dtype, requires_grad=False)
    yield from islice(found, most)


def outcome_of(op: Any, sample: Any, dtype: str) -> Outcome:
    """What became of a sample."""
    leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    tensors = tuple(each for each in leaves if is_tensor(each))
    call = Call(op.op, leaves, spec)
    # Whatever PyTorch raises, there is nothing to compile then.
    try:
        given = copies(tensors)
        expected, again = call(*given), call(*copies(tensors))
        if not tensors:
            return Outcome("skipped", "no tensors")
        if difference(expected, again, dtype) is not None:
            return Outcome("skipped", "random")
        program = torch.export.export(call.eval(), copies(tensors), strict=False)
        if is_random(program, tensors, dtype):
            return Outcome("skipped", "random")
    except Exception as error:
        return Outcome("skipped", short(f"not exported: {type(error).__name__}"))
    try:
        module = sr.compile(program, options=OPTIONS)
        got, changed = results_of(module, copies(tensors), expected)
        after = [given[place] for place in changed]
        wrong = difference((expected, after), (got, [*changed.values()]), dtype)
        if wrong is not None and not changed:
            # There may be several right results, as of eigenvectors.
            process = sample.output_process_fn_grad
            wrong = difference(process(expected), process(got), dtype)
        if wrong is not None and is_unordered(op, tensors, expected, got):
            wrong = None
        if wrong is not None and dtype in WIDER:
            exact = call(*widened(tensors, dtype))
            wrong = difference(exact, got, dtype, is_rounded=True)
    except sr.CompileError as error:
        return refusal(error)
    except Exception as error:
        return failure(error)
    return Outcome("passed") if wrong is None else Outcome("wrong", short(wrong))


def results_of(
    module: Any, tensors: Sequence[Any], expected: Any
) -> tuple[Any, dict[int, Any]]:
    """
    What a module returns, in the containers of what PyTorch does, and what it says that
    inputs hold in the end, by their places: a compiled model returns these last.
    """
    wanted, spec = pytree.tree_flatten(expected)
    found = [*map(as_tensor, pytree.tree_flatten(module(*tensors))[0])]
    own, last = found[: len(wanted)], found[len(wanted) :]
    names = [each.name for each in module.program.outputs[-len(last) :]]
    places = [int("".join(filter(str.isdigit, each))) for each in names if last]
    return pytree.tree_unflatten(own, spec), dict(zip(places, last, strict=True))


def is_random(program: Any, tensors: Sequence[Any], dtype: str) -> bool:
    """
    Whether what an exported program computes depends on the seed, or on what memory
    held before: PyTorch fills that with NaN where it is to be deterministic.
    """

    def computed(seed: int, fills: bool) -> Any:
        torch.manual_seed(seed)
        torch.use_deterministic_algorithms(fills, warn_only=True)
        try:
            return program.module()(*copies(tensors))
        finally:
            torch.use_deterministic_algorithms(False)

    first = computed(0, False)
    others = computed(1, False), computed(0, True)
    return any(difference(first, each, dtype) is not None for each in others)


def copies(tensors: Sequence[Any]) -> tuple[Any, ...]:
    """Tensors of their own, as operators may change them."""
    return tuple(each.clone() for each in tensors)


def difference(
    expected: Any, got: Any, dtype: str, is_rounded: bool = False
) -> str | None:
    """
    How results differ from those of PyTorch, which may be of a wider type than those
    that are rounded; None where they do not.
    """
    wanted, _ = pytree.tree_flatten(expected)
    found, _ = pytree.tree_flatten(got)
    if len(wanted) != len(found):
        return f"expected {len(wanted)} results, got {len(found)}"
    for one, other in zip(wanted, found, strict=True):
        a, b = as_tensor(one), as_tensor(other)
        if is_rounded:
            a = a.to(b.dtype)
        if is_tensor(one) and a.dtype != b.dtype:
            return f"expected {a.dtype}, got {b.dtype}"
        if a.shape != b.shape:
            return f"expected shape {tuple(a.shape)}, got {tuple(b.shape)}"
        near = tolerances(a.dtype, dtype)
        same = torch.isclose(a, b.to(a.dtype), *near, equal_nan=True)
        if not bool(same.all()):
            return f"{int((~same).sum())} of {same.numel()} elements differ"
    return None


def widened(tensors: Sequence[Any], dtype: str) -> tuple[Any, ...]:
    """Copies of tensors, where one dtype of floats is converted to its wider one."""
    kind, wide = (getattr(torch, each) for each in (dtype, WIDER[dtype]))
    return tuple(
        each.to(wide) if each.dtype == kind else each for each in copies(tensors)
    )


def is_unordered(op: Any, tensors: Sequence[Any], expected: Any, got: Any) -> bool:
    """
    Whether results differ only in which of equal elements come first, or are chosen.

    PyTorch leaves that open: its values are those of the elements, in either order.
    """
    if op.name not in OF_ORDER:
        return False
    x, *_ = tensors
    wanted, found = (
        [as_tensor(leaf) for leaf in pytree.tree_leaves(each)]
        for each in (expected, got)
    )
    for a, b in zip(wanted, found, strict=True):
        if _are_equal(a, b):
            continue
        if a.dtype != torch.int64 or not any(
            _picks_the_same(x, axis, a, b) for axis in range(x.dim())
        ):
            return False
    return True


def _picks_the_same(x: Any, axis: int, a: Any, b: Any) -> bool:
    """Whether indices along an axis are distinct, and lead to equal elements."""
    if a.dim() < x.dim():
        a, b = a.unsqueeze(axis), b.unsqueeze(axis)
    sizes = [[*each.shape[:axis], *each.shape[axis + 1 :]] for each in (x, a, b)]
    if not sizes[0] == sizes[1] == sizes[2] or a.shape != b.shape:
        return False
    if not all(bool(((each >= 0) & (each < x.shape[axis])).all()) for each in (a, b)):
        return False
    picked = [x.gather(axis, each) for each in (a, b)]
    ordered = b.sort(axis).values
    is_twice = (ordered.diff(dim=axis) == 0).any()
    return _are_equal(*picked) and not bool(is_twice)


def _are_equal(a: Any, b: Any) -> bool:
    """Whether tensors have the same elements, and NaN in the same places."""
    if a.shape != b.shape:
        return False
    return bool(((a == b) | (a.isnan() & b.isnan())).all())


def as_tensor(value: Any) -> Any:
    """A tensor, a number or an array as a tensor; torch takes no arrays of bf16."""
    if getattr(getattr(value, "dtype", None), "name", "") == "bfloat16":
        return torch.from_numpy(value.view(np.int16)).view(torch.bfloat16)
    return torch.as_tensor(value)


def tolerances(result: Any, dtype: str) -> tuple[float, float]:
    """The tolerances of a result of samples of a dtype."""
    if not (result.is_floating_point or result.is_complex):
        return 0.0, 0.0
    own = str(result.to_real()).removeprefix("torch.")
    return max(TOLERANCES.get(each, (0.0, 0.0)) for each in (own, dtype))


def run(dtype: str, word: str, most: int, jobs: int) -> dict[str, Outcome]:
    """The outcomes of the first samples of each operator, of a dtype."""
    kind = getattr(torch, dtype)
    ops = [each for each in operators(word) if each.supports_dtype(kind, "cpu")]
    names = [name_of(each) for each in ops]
    torch.set_num_threads(1)

    def work(item: int, first: int) -> Iterator[tuple[str, Outcome]]:
        warnings.simplefilter("ignore")
        number = 0
        try:
            for number, sample in enumerate(samples_of(ops[item], kind, most)):
                if number >= first:
                    yield f"{names[item]}::{number}", STARTED
                    found = outcome_of(ops[item], sample, dtype)
                    yield f"{names[item]}::{number}", found
        # A table of samples may need what is not installed.
        except Exception as error:
            reason = short(f"no samples: {type(error).__name__}")
            yield f"{names[item]}::{number}", Outcome("skipped", reason)

    return dict(outcomes_of(names, work, SECONDS, jobs))


def main() -> None:
    """Runs samples, prints the counts, and writes the lists where all were run."""
    parser = argparse.ArgumentParser(description="Run PyTorch's samples of operators.")
    parser.add_argument("dtypes", nargs="*", default=["float32"])
    parser.add_argument("--only", default="", help="a word of the names of operators")
    parser.add_argument("--samples", type=int, default=5, help="of each operator")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    args = parser.parse_args()
    rows: dict[str, dict[str, Outcome]] = {}
    for dtype in args.dtypes:
        found = rows[f"opinfo_{dtype}"] = run(dtype, args.only, args.samples, args.jobs)
        if args.only:
            for name, each in sorted(found.items()):
                print(name, each.kind, each.reason)
        else:
            about = (
                f"PyTorch's samples of operators, {dtype}, the first {args.samples} of "
                f"each, torch {torch.__version__}: python -m bench.opinfo {dtype} "
                f"--samples {args.samples}"
            )
            write_list(f"opinfo_{dtype}", about, found)
    print(table(rows))
    print(whole(rows))


if __name__ == "__main__":
    main()
