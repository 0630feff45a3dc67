"""Runtimes and pools: what runs them, with which options, and what they keep alive."""

from __future__ import annotations

import asyncio
import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref
from concurrent.futures import CancelledError, Future
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.call import pool as pool_module
from static_runtime.runtime.call.compiled import CompiledModule
from static_runtime.runtime.call.pending import Launcher

from ..texts import as_compiled

pytestmark = pytest.mark.usefixtures("few_objects")

TYPE = 'tensor<?x3xf32, ["n"]>'
RELU = f"""
func.func @f(%x: {TYPE} {{sr.name = "x"}}) -> ({TYPE} {{sr.name = "y"}}) {{
  %y = graph.relu %x : {TYPE} -> {TYPE}
  func.return %y : {TYPE}
}}
"""


def module(**options: Any) -> CompiledModule:
    return as_compiled(sr.compile(RELU, options=sr.Options(**options)))


def rows(count: int) -> Any:
    return np.linspace(-1, 1, 3 * count, dtype=np.float32).reshape(count, 3)


@pytest.mark.parametrize("kind", [sr.StaticRuntime, sr.RuntimePool])
def test_it_runs_by_position_and_by_name(kind: type[sr.RuntimePool]):
    made, x = module(), rows(4)
    runner = kind(made)
    for y in (
        runner.run([x]),
        runner.run((x,)),
        runner.run([], {"x": x}),
        runner.run(kwargs={"x": x}),
        runner(x),
        runner(x=x),
    ):
        np.testing.assert_array_equal(y, np.maximum(x, 0))
    out = np.empty_like(x)
    assert runner.run([x], {"out": out}) is out


def test_without_options_a_pool_is_that_of_the_module():
    made = module()
    assert sr.RuntimePool(made).module is made
    assert sr.StaticRuntime(made).module is made
    assert sr.StaticRuntime(made).clone().module is made


def test_with_options_of_a_run_the_code_and_constants_are_shared():
    made = module(threads=1)
    options = sr.Options(threads=1, manage_output_tensors=True)
    runtime = sr.StaticRuntime(made, options)
    assert runtime.module is not made
    assert runtime.clone().module is runtime.module
    x = rows(5)
    first = runtime.run([x])
    kept, address = first.copy(), first.ctypes.data
    del first
    again = runtime.run([x])
    np.testing.assert_array_equal(again, kept)
    assert again.ctypes.data == address
    # The module itself returns new arrays, as it was compiled.
    np.testing.assert_array_equal(made(x), kept)


def test_what_is_known_of_a_module_is_known_with_options_of_a_run():
    made, x = module(threads=1), rows(3)
    other = sr.StaticRuntime(made, sr.Options(threads=2)).module
    assert isinstance(other, sr.StaticModule)
    with sr.trace() as before:
        made(x)
    with sr.trace() as after:
        other(x)
    assert after.selection == before.selection
    assert before.selection.operators
    for each in (pickle.loads(pickle.dumps(other)), copy.copy(other)):
        np.testing.assert_array_equal(each(x), np.maximum(x, 0))


@pytest.mark.parametrize("kind", [sr.StaticRuntime, sr.RuntimePool])
def test_it_is_copied_and_pickled_with_its_module_and_options(
    kind: type[sr.RuntimePool],
):
    runner, x = kind(module(threads=1), sr.Options(threads=1, strict=True)), rows(4)
    runner.run([x])
    assert copy.copy(runner).module is runner.module
    for each in (pickle.loads(pickle.dumps(runner)), copy.deepcopy(runner)):
        assert type(each) is kind
        np.testing.assert_array_equal(each.run([x]), np.maximum(x, 0))
        with pytest.raises(RuntimeError, match="as strict=True plans no greater ones"):
            each.run([rows(5)])


def test_options_of_a_module_that_was_bound_are_refused():
    text = """
    func.func @f(%x: tensor<2x3xf32> {sr.name = "x"}) -> tensor<2x3xf32> {
      %y = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
      func.return %y : tensor<2x3xf32>
    }
    """
    made = sr.compile(text)
    made.maker = None
    with pytest.raises(TypeError, match=r"expected no options .* give them to sr.com"):
        sr.StaticRuntime(made, sr.Options(threads=1))


@pytest.mark.parametrize(
    "field",
    [
        {"planner": "naive"},
        {"precision": "bf16"},
        {"bounds": {"n": 8}},
        {"bind": "first-call"},
        {"tune": True},
    ],
    ids=str,
)
def test_what_code_depends_on_may_not_differ(field: dict[str, Any]):
    made = module()
    (name,) = field
    wanted = f"expected {name}=.* as the module was compiled with, got .*compile"
    for kind in (sr.StaticRuntime, sr.RuntimePool):
        with pytest.raises(sr.CompileError, match=wanted):
            kind(made, sr.Options(**field))


def test_what_is_no_module_or_no_options_is_refused():
    with pytest.raises(TypeError, match=r"expected a compiled module, got str"):
        sr.StaticRuntime("model.onnx")  # pyright: ignore[reportArgumentType]
    with pytest.raises(sr.CompileError, match=r"expected options as Options\(...\)"):
        sr.StaticRuntime(module(), {"threads": 1})
    with pytest.raises(TypeError, match=r"a list or tuple of arguments, got ndarray"):
        sr.StaticRuntime(module()).run(rows(1))


def test_a_runtime_keeps_its_module_alive():
    runtime = sr.StaticRuntime(made := module())
    alive = weakref.ref(made)
    del made
    gc.collect()
    x = rows(2)
    np.testing.assert_array_equal(runtime.run([x]), np.maximum(x, 0))
    assert alive() is not None
    del runtime
    gc.collect()
    assert alive() is None


def test_runs_find_a_context_for_each_runtime():
    made = module()
    runtimes = [sr.StaticRuntime(made) for _ in range(5)]
    count = len(made._pool)  # pyright: ignore[reportPrivateUsage]
    assert count == 5
    barrier = Barrier(5)

    def work(runtime: sr.StaticRuntime) -> None:
        barrier.wait()
        for _ in range(50):
            runtime.run([rows(64)])

    threads = [Thread(target=work, args=(each,)) for each in runtimes]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(made._pool) == count  # pyright: ignore[reportPrivateUsage]


def test_an_error_ends_a_run_and_not_the_runtime():
    runtime = sr.StaticRuntime(module())
    with pytest.raises(ValueError, match="expected"):
        runtime.run([np.zeros((2, 4), np.float32)])
    x = rows(2)
    np.testing.assert_array_equal(runtime.run([x]), np.maximum(x, 0))


def test_contexts_that_nobody_uses_are_dropped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pool_module, "IDLE", 2)
    monkeypatch.setattr(pool_module, "LINGER", 0.01)
    made = module()
    pool = made._pool  # pyright: ignore[reportPrivateUsage]
    lent = [pool.borrow() for _ in range(20)]
    assert len(pool) == 20
    for each in lent:
        pool.give_back(each)
    done = Event()
    for _ in range(500):
        if len(pool) == 2 or done.wait(0.02):
            break
    assert len(pool) == 2
    x = rows(3)
    np.testing.assert_array_equal(made(x), np.maximum(x, 0))
    # What runs stays, however few may be idle.
    lent = [pool.borrow() for _ in range(4)]
    pool.trim()
    assert {each.address for each in lent} <= {each.address for each in pool}
    for each in lent:
        pool.give_back(each)


def test_runs_may_be_waited_for_later():
    runtime = sr.StaticRuntime(module())
    x = [rows(count) for count in range(1, 30)]
    pending = [runtime.run_async([each]) for each in x]
    assert all(isinstance(each, Future) for each in pending)
    for one, result in zip(x, pending, strict=True):
        np.testing.assert_array_equal(result.result(60), np.maximum(one, 0))
    wrong = runtime.run_async([], {"z": x[0]})
    assert isinstance(wrong.exception(60), TypeError)
    with pytest.raises(TypeError, match="z"):
        wrong.result(60)


def test_runs_are_awaited():
    runtime = sr.RuntimePool(module())
    x = rows(7)

    async def work() -> list[Any]:
        first = await runtime.run_async([x])
        rest = await asyncio.gather(*(runtime.run_async([x]) for _ in range(10)))
        with pytest.raises(TypeError):
            await runtime.run_async([x, x])
        return [first, *rest]

    for each in asyncio.run(work()):
        np.testing.assert_array_equal(each, np.maximum(x, 0))


def test_a_full_queue_lets_the_caller_wait_and_a_cancelled_run_does_not_run():
    go, begun = Event(), Event()
    ran: list[int] = []

    def call(number: int) -> int:
        begun.set()
        assert go.wait(60)
        ran.append(number)
        return number

    launcher = Launcher(call, queued=2)
    first = launcher.launch([0], {})
    assert begun.wait(60)
    more: list[Future[Any]] = []
    asker = Thread(
        target=lambda: more.extend(launcher.launch([at], {}) for at in range(1, 12))
    )
    asker.start()
    asker.join(0.2)
    assert asker.is_alive(), "the queue has two places, and some threads run"
    go.set()
    asker.join(60)
    assert [each.result(60) for each in (first, *more)] == [*range(12)]
    go.clear()
    begun.clear()
    pending = [launcher.launch([20], {})]
    assert begun.wait(60)
    while not (waits := launcher.launch([21], {})).cancel():
        pending.append(waits)
        assert len(pending) <= threading.active_count()
    go.set()
    for each in pending:
        each.result(60)
    with pytest.raises(CancelledError):
        waits.result(60)


def test_who_has_an_answer_has_the_inputs_alone():
    go, told = Event(), Event()

    def call(x: Any) -> int:
        assert go.wait(60)
        return len(x)

    def answered(_: Future[Any]) -> None:
        found.append(alive() is None)
        told.set()

    args = [rows(3)]
    alive, found = weakref.ref(args[0]), list[bool]()
    pending = Launcher(call).launch(args, {})
    pending.add_done_callback(answered)
    args = []
    go.set()
    assert told.wait(60)
    assert found == [True]


def run(script: str, folder: Path) -> str:
    """What a process prints that runs a script."""
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert not done.returncode, done.stderr
    return done.stdout


SCRIPT = """
import numpy as np
import static_runtime as sr
module = sr.compile({text!r}, options=sr.Options(cache=False))
pending = [sr.RuntimePool(module).run_async([np.ones((2, 3), np.float32)])
           for _ in range(20)]
pending[-1].add_done_callback(lambda it: print("ran", it.result().sum()))
"""


def test_the_end_of_the_process_waits_for_runs(tmp_path: Path):
    assert run(SCRIPT.format(text=RELU), tmp_path) == "ran 6.0\n"


@pytest.mark.full(
    beside="runtime/machine/test_fork.py::test_a_child_that_began_within_a_compile_compiles"
)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_has_threads_of_its_own(tmp_path: Path):
    script = SCRIPT.format(text=RELU) + (
        "import os\n"
        "runtime = sr.StaticRuntime(module)\n"
        "x = np.ones((1, 3), np.float32)\n"
        "runtime.run_async([x]).result(60)\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(int(runtime.run_async([x]).result(60).sum()))\n"
        "print('child', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert "child 3" in run(script, tmp_path)


def test_a_module_has_a_first_runtime():
    made = module()
    assert made.runtime is made.runtime
    assert made.runtime.module is made
    x = rows(3)
    np.testing.assert_array_equal(made.runtime.run([x]), np.maximum(x, 0))
