"""
Copies, pickles and modules of other options have the full code too; what nobody has any
more has no thread; and what has no quick code says so.
"""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.fast_start import FastStart
from static_runtime.compiler.first_call import FirstCallModule
from static_runtime.lowering import loop_to_llvm

from .frontends.onnx.interpreter import model as parsed
from .held_compiles import MODEL, PATIENCE, QUICK, W, held, join, rows, tier

pytestmark = pytest.mark.usefixtures("own_cache")

AXES = "g (float[2,3] x, int64[1] k) => (float[a,b] y) { y = ReduceSum(x, k) }"
"""A model of ONNX that needs a value of an input."""


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copies_wait_for_nothing_and_are_exchanged_too(
    go: threading.Event, make: Callable[[Any], Any]
):
    module: Any = sr.compile(MODEL, options=QUICK)
    first = module(rows(2), W)
    others = [make(module)]
    others.append(make(others[0]))
    others.append(sr.StaticRuntime(module, sr.Options(threads=1)).module)
    others.append(sr.RuntimePool(module, sr.Options(manage_output_tensors=True)).module)
    assert [tier(each) for each in others] == ["fast-start"] * len(others)
    for each in others:
        np.testing.assert_array_equal(each(rows(2), W), first)
    del module
    gc.collect()
    go.set()
    assert all(each.wait(PATIENCE) for each in others)
    others.append(make(others[0]))
    assert [tier(each) for each in others] == ["full"] * len(others)
    for each in others:
        np.testing.assert_array_equal(each(rows(2), W), first)


def test_a_copy_that_is_made_while_code_is_exchanged_has_the_full_code(
    go: threading.Event,
):
    module: Any = sr.compile(MODEL, options=QUICK)
    first, maker = module(rows(2), W), module.maker
    go.set()
    assert module.wait(PATIENCE)
    # As one whose maker was asked before the exchange, and comes after it.
    late = maker(module, None)
    assert tier(late) == "full"
    np.testing.assert_array_equal(late(rows(2), W), first)


def test_a_pickle_has_no_code(go: threading.Event):
    module: Any = sr.compile(MODEL, options=QUICK)
    first, data = module(rows(2), W), pickle.dumps(module)
    early: Any = pickle.loads(data)
    assert tier(early) == "fast-start"
    go.set()
    assert early.wait(PATIENCE)
    assert module.wait(PATIENCE)
    late: Any = pickle.loads(data)
    assert (late.report.warm, tier(late)) == (True, "full")
    for each in (early, late):
        np.testing.assert_array_equal(each(rows(2), W), first)


def test_a_module_that_nobody_has_ends_its_compile(
    go: threading.Event, own_cache: Path
):
    module: Any = sr.compile(MODEL, options=QUICK)
    aside, thread = module.aside, module.aside._thread
    assert isinstance(aside, FastStart)
    gone = ref(module)
    del module
    gc.collect()
    assert gone() is None, "the thread keeps no module"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        go.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert not aside.wait(0)
    assert not [*own_cache.rglob("*.sr")], "nothing was compiled to its end"


@pytest.mark.filterwarnings("error")
def test_modules_that_come_and_go_leave_no_thread():
    for number in range(3):
        module: Any = sr.compile(
            MODEL.replace("40x", f"{40 + number}x"),
            options=sr.Options(tier="fast-start", cache=False),
        )
        del module
    gc.collect()
    join()


OPTIONS: tuple[dict[str, Any], ...] = (
    *({"strict": True}, {"manage_output_tensors": True}, {"inter_op_threads": 2}),
    *({"threads": 1}, {"fallback": "foreign"}, {"planner": "naive"}, {"cache": False}),
    *({"precision": "bf16"}, {"enable_tensorexpr_fusion": False}),
)


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_other_options_go_with_it(options: dict[str, Any], go: threading.Event):
    whole: Any = sr.compile(MODEL, options=replace(sr.Options(**options), cache=False))
    module: Any = sr.compile(MODEL, options=sr.Options(tier="fast-start", **options))
    wanted = whole(rows(3), W)
    np.testing.assert_array_equal(module(rows(3), W), wanted)
    assert tier(module) == "fast-start"
    go.set()
    assert module.wait(PATIENCE)
    np.testing.assert_array_equal(module(rows(3), W), wanted)


def test_what_is_looked_at_has_full_code_at_once():
    checked: Any = sr.compile(
        MODEL, options=sr.Options(tier="fast-start", check_memory=True)
    )
    assert tier(checked) == "full"
    with sr.trace() as traced:
        module: Any = sr.compile(MODEL, options=QUICK)
        module(rows(2), W)
        assert tier(module) == "full"
    assert "matmul" in str(traced.selection)


def test_a_benchmark_is_of_the_full_code():
    module: Any = sr.compile(MODEL, options=QUICK)
    found = module.benchmark([(rows(2), W)], None, 1, 1)
    assert tier(module) == "full"
    assert found is not None


def test_each_module_of_a_first_call_is_exchanged(go: threading.Event):
    options = sr.Options(tier="fast-start", bind="first-call")
    module: Any = sr.compile(parsed(AXES), options=options)
    assert isinstance(module, FirstCallModule)
    x, axes = rows(2)[:, :3].copy(), (np.array([0]), np.array([1]))
    first = [module(x, each) for each in axes]
    assert [tier(each) for each in module.modules()] == ["fast-start"] * 2
    assert not module.wait(0)
    go.set()
    assert module.wait(PATIENCE)
    assert [tier(each) for each in module.modules()] == ["full"] * 2
    for axis, wanted in zip(axes, first, strict=True):
        np.testing.assert_array_equal(module(x, axis), wanted)


def test_what_is_built_has_no_tier(tmp_path: Path):
    model = tmp_path / "model.mlir"
    model.write_text(MODEL)
    with pytest.raises(sr.CompileError) as told:
        sr.build(model, tmp_path / "made", options=QUICK)
    assert str(told.value) == (
        "expected tier='full' for what is built, got 'fast-start'; compile the model "
        "with it, and run it here"
    )
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("options", [sr.Options(), QUICK], ids=lambda each: each.tier)
def test_full_code_finds_kernels_by_their_loops(
    options: sr.Options, own_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    first: Any = sr.compile(MODEL)
    for each in own_cache.rglob("*.sr"):
        each.unlink()

    def refuse(*_: Any) -> Any:
        raise AssertionError("expected no text of a kernel")

    with held() as go:
        if options.tier == "full":
            monkeypatch.setattr(loop_to_llvm, "write_kernel", refuse)
        module: Any = sr.compile(MODEL, options=options)
        # What follows is the full code.
        monkeypatch.setattr(loop_to_llvm, "write_kernel", refuse)
        go.set()
        assert module.wait(PATIENCE)
    assert module.report.cached_kernels >= module.report.distinct_kernels > 0
    assert module.maker.artifact.objects == first.maker.artifact.objects
