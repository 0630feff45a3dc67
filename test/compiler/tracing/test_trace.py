"""A trace has what ran, of all models and inputs, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.selective.kernel_key import is_kernel_key
from static_runtime.compiler.selective.merge import merge
from static_runtime.compiler.selective.read import parse_selection, read_selection
from static_runtime.compiler.selective.write import yaml_of
from static_runtime.compiler.session.options import Options
from static_runtime.compiler.tracing.static import static_selection
from static_runtime.runtime.library.coverage import refusals
from static_runtime.runtime.library.selection import Selection
from static_runtime.runtime.machine import numpy_layout

from ...models.stored import STORED
from ...runtime.texts import RUNNING, without_kernels
from ..frontends.onnx.interpreter import model as parsed
from .models import BRANCH, IMAGE, LOOP, MIXED, TURN, WIDE

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def traced(model: Any, *calls: tuple[Any, ...], threads: int = 1) -> Selection:
    """What calls of a model execute."""
    with sr.trace() as found:
        module = sr.compile(model, options=Options(threads=threads))
        for each in calls:
            module(*each)
    return found.selection


def static(*models: Any) -> Selection:
    """What models could execute."""
    return static_selection(map(Compilation, models))


def executed(selection: Selection) -> set[str]:
    """The operators that ran."""
    return {*selection.et_kernel_metadata}


def test_only_the_branch_that_ran_is_traced():
    true = traced(BRANCH, (True, X))
    false = traced(BRANCH, (False, X))
    assert executed(true) == {"graph::exp"}
    assert executed(false) == {"graph::tanh"}
    assert true.kernel_metadata == {"exp": {"Float"}}
    both = traced(BRANCH, (True, X), (False, X))
    assert both == merge([true, false])
    assert both == static(BRANCH) or "threads" in static(BRANCH).build_features
    # The names in the model are those of both branches.
    roots = {"graph::if", "graph::exp", "graph::tanh"}
    assert true.operators.keys() == roots
    assert all(true.is_root_operator(each) for each in roots)


def test_a_loop_without_trips_executes_nothing_of_its_body():
    assert "graph::add" not in executed(traced(LOOP, (False, 1)))
    once = traced(LOOP, (True, 1))
    assert {"graph::add", "graph::lt"} <= executed(once)
    assert executed(once) <= executed(static(LOOP))


def test_a_kernel_that_is_skipped_is_not_traced():
    w = np.ones((4, 4), np.float32)
    skipped = traced(TURN, (np.ones((1, 7, 4), np.float32), w))
    ran = traced(TURN, (np.ones((2, 7, 4), np.float32), w))
    assert executed(ran) - executed(skipped) == {"graph::permute"}


def test_keys_have_the_dtype_of_every_operand():
    x, s, i = np.ones((2, 3), np.float32), np.float64(2), np.arange(3)
    made = traced(MIXED, (x, s, i))
    assert made.et_kernel_metadata == {
        "graph::cast": {"v1/6;0,1|7;0,1"},
        "graph::mul": {"v1/7;0,1|7;|7;0,1"},
        "graph::eq": {"v1/4;0|4;0|11;0"},
    }
    assert made.kernel_metadata["cast_mul"] == {"Float", "Double"}
    assert made.kernel_metadata["eq"] == {"Long", "Bool"}


def test_keys_have_the_layout_that_is_computed():
    x, w = np.ones((1, 16, 33, 33), np.float32), np.ones((64, 16, 3, 3), np.float32)
    made = traced(IMAGE, (x, w))
    keys = made.et_kernel_metadata["graph::conv"]
    assert keys == {"v1/6;0,2,3,1|6;2,3,1,0|6;0,2,3,1"}


def test_features_are_those_that_were_used():
    isa = f"isa:{isa_name('host')}"
    with without_kernels():
        made = traced(RUNNING, (np.ones((2, 3), np.float32),))
    assert made.build_features == {*("fallback", "dynamic_shapes", "python_entry", isa)}
    assert traced(BRANCH, (True, X)).build_features == {
        *("dynamic_shapes", "python_entry", isa)
    }


@pytest.mark.skipif(not numpy_layout.has_gil(), reason="threads are counted by one")
def test_threads_are_a_feature_when_they_share_the_work_of_a_call():
    w, few, many = (np.ones((n, 64), np.float32) for n in (64, 1, 4096))
    used = [
        "threads" in traced(WIDE, (rows, w), threads=threads).build_features
        for rows, threads in ((few, 2), (many, 1), (many, 2))
    ]
    assert used == [False, False, True]


def test_roots_of_every_model_are_roots():
    """PyTorch's tracer marks those of the last model alone."""
    w = np.ones((4, 4), np.float32)
    with sr.trace() as found:
        sr.compile(BRANCH)(True, X)
        sr.compile(TURN)(np.ones((2, 7, 4), np.float32), w)
    made = found.selection
    roots = {each for each in made.operators if made.is_root_operator(each)}
    assert roots >= {"graph::if", "graph::permute", "graph::matmul"}


def test_what_was_traced_is_written_and_read(tmp_path: Path):
    with sr.trace() as found:
        sr.compile(BRANCH)(True, X)
        assert executed(found.selection) == {"graph::exp"}
    found.write(tmp_path / "ops.yaml")
    assert read_selection(tmp_path / "ops.yaml") == found.selection
    assert found.selection.build_features
    found.write(str(tmp_path / "ops.yaml"))


def test_a_trace_of_nothing_is_read_again():
    """PyTorch's tracer writes what its reader refuses."""
    with sr.trace() as found:
        pass
    assert found.selection == Selection()
    assert parse_selection(yaml_of(found.selection).encode()) == Selection()


def test_a_module_from_before_is_traced_and_gives_the_same():
    module = sr.compile(BRANCH)
    x = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    before = module(True, x)
    with sr.trace() as found:
        inside = module(True, x)
        into = np.empty_like(x)
        assert module(False, x, out=into) is into
        assert module(c=False, x=x).tobytes() == into.tobytes()
    assert inside.tobytes() == before.tobytes()
    assert found.selection == traced(BRANCH, (True, x), (False, x))
    assert module(True, x).tobytes() == before.tobytes()


def test_calls_after_the_block_are_not_noted():
    with sr.trace() as found:
        module = sr.compile(BRANCH)
        module(True, X)
    module(False, X)
    assert executed(found.selection) == {"graph::exp"}


def use(module: sr.StaticModule) -> None:
    """Calls a module well, and then not."""
    module(True, X)
    module(False, X.astype(np.int64))


def test_what_an_error_ends_was_executed_until_then():
    found = sr.trace()
    with pytest.raises(TypeError, match="expected float32"), found:
        use(sr.compile(BRANCH))
    assert executed(found.selection) == {"graph::exp"}
    with sr.trace():
        pass


def test_calls_of_threads_are_noted():
    module = sr.compile(BRANCH)
    with sr.trace() as found:
        calls = [
            threading.Thread(target=module, args=(i % 2 == 0, X)) for i in range(8)
        ]
        for each in calls:
            each.start()
        for each in calls:
            each.join()
    assert executed(found.selection) == {"graph::exp", "graph::tanh"}


def in_thread(do: Callable[[], Any]) -> Any:
    """What a function returns, or raises, in a thread of its own."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(do).result()


def cannot_be_traced(tmp_path: Path) -> list[tuple[sr.StaticModule, tuple[Any, ...]]]:
    """A module of each kind that no trace can compile again, and inputs of it."""
    data = STORED["mlp_small"]
    changed, gone = tmp_path / "changed.mlir", tmp_path / "gone.mlir"
    for each in (changed, gone):
        each.write_text(BRANCH)
    modules = [sr.compile(each) for each in (data.dynamic.read_bytes(), changed, gone)]
    changed.write_text(BRANCH.replace("exp", "sin"))
    gone.unlink()
    return [*zip(modules, (data.rows(2), (True, X), (True, X)), strict=True)]


def test_errors_of_a_trace_are_those_of_its_thread(tmp_path: Path):
    for module, inputs in cannot_be_traced(tmp_path):
        wanted = module(*inputs)
        with sr.trace() as found:
            for _ in range(2):
                got = in_thread(lambda m=module, i=inputs: m(*i))
                assert got.tobytes() == wanted.tobytes()
            with pytest.raises((sr.CompileError, FileNotFoundError)):
                module(*inputs)
            with pytest.raises(TypeError, match=r"expected \d input"):
                in_thread(module)
        assert found.selection == Selection()


def test_each_thread_has_its_own_trace():
    before = sr.compile(BRANCH)

    def other() -> Selection:
        with sr.trace() as found:
            before(False, X)
            inside(False, X)
        return found.selection

    with sr.trace() as found:
        inside = sr.compile(BRANCH)
        assert executed(in_thread(other)) == {"graph::tanh"}
        assert found.selection.et_kernel_metadata == {}
        inside(True, X)
        assert executed(in_thread(other)) == {"graph::tanh"}
        before(True, X)
    assert executed(found.selection) == {"graph::exp"}


def test_a_thread_without_a_trace_is_noted_by_all_that_are_open():
    before = sr.compile(BRANCH)
    with sr.trace() as found, ThreadPoolExecutor(1) as threads:
        other = threads.submit(sr.trace().__enter__).result()
        for module in (before, in_thread(lambda: sr.compile(BRANCH))):
            in_thread(lambda m=module: m(True, X))
        before(False, X)
        threads.submit(other.__exit__, None, None, None).result()
        in_thread(lambda: before(False, X))
    assert executed(other.selection) == {"graph::exp"}
    assert executed(found.selection) == {"graph::exp", "graph::tanh"}


def test_traces_of_many_threads_change_no_answer(tmp_path: Path):
    modules = [*cannot_be_traced(tmp_path), (sr.compile(BRANCH), (False, X))]
    wanted = [module(*inputs).tobytes() for module, inputs in modules]
    start = threading.Barrier(4)

    def trace() -> Selection:
        start.wait()
        found = [sr.trace() for _ in range(8)]
        for each in found:
            with each:
                modules[-1][0](False, X)
        return merge(each.selection for each in found)

    def call() -> list[list[bytes]]:
        start.wait()
        return [[m(*inputs).tobytes() for m, inputs in modules] for _ in range(8)]

    with ThreadPoolExecutor(4) as threads:
        traces = [threads.submit(trace) for _ in range(2)]
        calls = [threads.submit(call) for _ in range(2)]
        assert all(got == wanted for each in calls for got in each.result())
        found = [executed(each.result()) for each in traces]
    assert found == [{"graph::tanh"}] * 2


def test_a_trace_is_alone_in_its_thread_and_has_one_block():
    with sr.trace() as found:
        with pytest.raises(sr.CompileError, match="expected one trace at a time"):
            with sr.trace():
                pass
        module = sr.compile(BRANCH)
        module(True, X)
    assert executed(found.selection) == {"graph::exp"}
    with pytest.raises(sr.CompileError, match="expected a new trace for each block"):
        with found:
            pass


def test_a_module_that_cannot_be_compiled_again_says_so():
    data = STORED["mlp_small"].dynamic.read_bytes()
    module = sr.compile(data)
    rows = STORED["mlp_small"].rows(2)
    before = module(*rows)
    with sr.trace():
        with pytest.raises(sr.CompileError, match="compiled in the block of the trace"):
            module(*rows)
    assert module(*rows).tobytes() == before.tobytes()


def test_a_file_that_was_changed_is_not_traced(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text(BRANCH)
    module = sr.compile(path)
    with sr.trace():
        path.write_text(BRANCH.replace("exp", "sin"))
        with pytest.raises(sr.CompileError, match="got one that was changed since"):
            module(True, X)
    module(True, X)


def test_what_was_traced_is_kept_and_found_again(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text(BRANCH)
    with sr.trace() as first:
        module = sr.compile(path)
        module(True, X)
    with sr.trace() as second:
        assert sr.compile(path).report.warm
        module(True, X)
    assert second.selection == first.selection
    path.write_text(BRANCH.replace("exp", "sin"))
    with sr.trace():
        with pytest.raises(sr.CompileError, match="got one that was changed since"):
            module(True, X)


def test_a_choice_that_is_constant_is_no_operator_that_runs():
    with sr.trace() as found:
        sr.compile(BRANCH, constants={"c": True})(X)
    assert executed(found.selection) == {"graph::exp"}


def test_models_that_are_compiled_at_a_call_are_traced(tmp_path: Path):
    path = tmp_path / "model.onnx"
    text = "g (float[3,4] x, int64 k) => (float[a,b] y) { y = CumSum(x, k) }"
    path.write_bytes(parsed(text).SerializeToString())
    bind = Options(bind="first-call")
    with sr.trace() as inside:
        sr.compile(path, options=bind)(X, 0)
    assert inside.selection.is_root_operator("onnx::CumSum")
    before = sr.compile(path, options=bind)
    before(X, 0)
    with sr.trace() as found:
        before(X, 0)
    assert found.selection == inside.selection
    with sr.trace() as found:
        before(X, 1)
    assert executed(found.selection) == executed(inside.selection)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", sorted(STORED))
def test_stored_models(name: str):
    model = STORED[name]
    calls = [model.rows(count) for count in (1, 2)]
    made = traced(model.dynamic, *calls)
    assert made.operators
    roots = {each for each in made.operators if made.is_root_operator(each)}
    assert roots
    assert all(each.startswith("onnx::") for each in roots)
    assert executed(made) == made.operators.keys() - roots
    keys = [each for known in made.et_kernel_metadata.values() for each in known]
    assert all(map(is_kernel_key, keys))
    # Whatever runs is in the closure over branches and sizes.
    assert not list(refusals(static(model.dynamic), made))


def test_a_trace_changes_no_bits_and_no_text():
    model = STORED["deep_wide"]
    rows = model.rows(3)
    plain = sr.compile(model.dynamic)
    with sr.trace():
        inside = sr.compile(model.dynamic)(*rows)
    assert inside.tobytes() == plain(*rows).tobytes()
    assert sr.compile(model.dynamic).report.warm


def test_marks_that_a_text_has_are_none():
    text = BRANCH.replace("graph.exp %a", "graph.exp %a {graph.trace = 99 : i64}")
    assert text != BRANCH
    assert sr.compile(text)(True, X).tobytes() == sr.compile(BRANCH)(True, X).tobytes()
    assert traced(text, (True, X)) == traced(BRANCH, (True, X))


def test_what_is_not_run_is_told_for_any_machine():
    made = static_selection(
        Compilation(BRANCH, target=each) for each in ("x86-64-v4", "aarch64")
    )
    isas = {each for each in made.build_features if each.startswith("isa:")}
    assert isas == {"isa:x86-64-v4", "isa:aarch64"}
    assert executed(made) == {"graph::exp", "graph::tanh"}


def without_one(made: Selection) -> Iterator[Selection]:
    """What is left when one line of a selection is removed, for each that it has."""
    for name in made.operators:
        left = {k: v for k, v in made.operators.items() if k != name}
        yield replace(made, operators=left)
    for key in ("kernel_metadata", "et_kernel_metadata"):
        known: dict[str, frozenset[str]] = dict(getattr(made, key))
        for name, values in known.items():
            for each in values:
                yield replace(made, **{key: {**known, name: values - {each}}})
    for name in made.build_features:
        yield replace(made, build_features=made.build_features - {name})


@pytest.mark.parametrize("name", ["deep_wide", "mlp_small"])
def test_each_line_is_missed_by_its_own_message_and_only_then(name: str):
    model = STORED[name]
    made = traced(model.dynamic, model.rows(2))
    assert not list(refusals(made, made))
    removed = list(without_one(made))
    for less in removed:
        (said,) = refusals(less, made)
        line = str(said).splitlines()[-1]
        more = merge([less, parse_selection(line.encode())])
        assert not list(refusals(more, made))
        assert {*more.operators} == {*made.operators}
        assert more.et_kernel_metadata == made.et_kernel_metadata
        assert more.kernel_metadata == made.kernel_metadata
        assert more.build_features == made.build_features
    assert len(removed) > 8
