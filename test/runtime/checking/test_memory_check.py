"""Checks of memory find faults that are planted in kernels and plans, and no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.library import build_data_model
from static_runtime.compiler.runtime_folder import build_runtime
from static_runtime.dialects.graph import ops_in
from static_runtime.dialects.graph.storage import LIFETIMES, LifetimeAttr
from static_runtime.dialects.loop import (
    CallOp,
    KernelOp,
    LoadOp,
    ProgramOp,
    StoreOp,
    ViewOp,
)
from static_runtime.runtime.call import StaticModule
from static_runtime.runtime.checking import MemoryFault

pytestmark = pytest.mark.usefixtures("runs_host")

OPTIONS = sr.Options(check_memory=True, cache=False, threads=1)

TYPE = 'tensor<?x7xf32, ["n"]>'
MODEL = f"""
func.func @main(%x : {TYPE}, %w : tensor<7x7xf32>) -> {TYPE} {{
  %0 = graph.exp %x : {TYPE} -> {TYPE}
  %1 = graph.matmul %0, %w : {TYPE}, tensor<7x7xf32> -> {TYPE}
  %2 = graph.matmul %1, %w : {TYPE}, tensor<7x7xf32> -> {TYPE}
  return %2 : {TYPE}
}}
"""
KNOWN = MODEL.replace("?x7", "5x7").replace(', ["n"]', "")

Change = Callable[[ModuleOp], None]


def planted(text: str, after: str, change: Change) -> StaticModule:
    """The module of a model that is changed after a pass."""

    def change_after(each: ModulePass, module: ModuleOp) -> None:
        if each.name == after:
            change(module)

    return Compilation(text, options=OPTIONS, after_pass=change_after).run()


def run(module: StaticModule, n: int = 5) -> Any:
    """The output for some numbers."""
    x = np.linspace(-1, 1, 7 * n, dtype=np.float32).reshape(n, 7)
    return module(x, np.eye(7, dtype=np.float32))


def moved(op: LoadOp | StoreOp, by: int) -> None:
    """Moves an access by some elements."""
    *strides, start = op.strides.data
    first = StringAttr(str(int(start.data) + by))
    op.properties["strides"] = ArrayAttr([*strides, first])


def move_stores(by: int) -> Change:
    """Lets the first kernel store some elements from where it should."""

    def change(module: ModuleOp) -> None:
        store = next(op for op in module.walk() if isinstance(op, StoreOp))
        moved(store, by)

    return change


def lets_all_alone(module: ModuleOp) -> None:
    """Changes nothing."""


@pytest.mark.parametrize("text", [MODEL, KNOWN])
def test_a_model_without_faults_computes_what_it_does_without_checks(text: str):
    module = planted(text, "instrument-memory", lets_all_alone)
    plain = sr.compile(text, options=sr.Options(cache=False, threads=1))
    for n in (5,) if text == KNOWN else (5, 0, 12, 5):
        np.testing.assert_array_equal(run(module, n), run(plain, n))


@pytest.mark.parametrize("text", [MODEL, KNOWN])
def test_finds_a_kernel_that_writes_an_element_past_its_result(text: str):
    module = planted(text, "instrument-memory", move_stores(1))
    message = (
        r"expected kernel exp_0 \(graph.exp\) to write to its result alone, got 4 "
        r"bytes in the activations that belong to no value changed, 0 bytes after "
    )
    with pytest.raises(MemoryFault, match=message):
        run(module)


def test_finds_a_kernel_that_writes_an_element_before_its_result():
    module = planted(KNOWN, "instrument-memory", move_stores(-1))
    with pytest.raises(MemoryFault, match="changed, 0 bytes before its result"):
        run(module)


def test_finds_a_kernel_that_writes_past_an_output():
    text = f"""
    func.func @main(%x : {TYPE}, %w : tensor<7x7xf32>) -> {TYPE} {{
      %0 = graph.exp %x : {TYPE} -> {TYPE}
      return %0 : {TYPE}
    }}
    """
    module = planted(text, "instrument-memory", move_stores(2))
    with pytest.raises(MemoryFault, match=r"got 8 bytes in output output that belong"):
        run(module)


def writes_its_input(module: ModuleOp) -> None:
    """Lets the first kernel store to what it reads."""
    kernel = next(op for op in module.ops if isinstance(op, KernelOp))
    store = next(op for op in kernel.walk() if isinstance(op, StoreOp))
    store.operands[1] = kernel.body.block.args[0]


def test_finds_a_kernel_that_writes_an_input():
    module = planted(KNOWN, "instrument-memory", writes_its_input)
    with pytest.raises(MemoryFault, match=r"got bytes 0 to \d+ of input x changed"):
        run(module)
    assert "in graph.exp" in notes_of(module)


def notes_of(module: StaticModule) -> str:
    """What the error of a run says besides its message."""
    with pytest.raises(MemoryFault) as caught:
        run(module)
    return " ".join(caught.value.__notes__)


def test_finds_a_kernel_that_reads_past_its_operand():
    def change(module: ModuleOp) -> None:
        moved(next(op for op in module.walk() if isinstance(op, LoadOp)), 1)

    module = planted(KNOWN, "instrument-memory", change)
    message = r"to read what it is given alone, got bytes 13\d to 140 of activation 0"
    with pytest.raises(MemoryFault, match=message):
        run(module)


def test_finds_a_call_that_reads_after_the_last_use():
    def change(module: ModuleOp) -> None:
        (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
        last = [op for op in program.walk() if isinstance(op, CallOp)][-1]
        views = [op for op in program.walk() if isinstance(op, ViewOp)]
        first = next(op for op in views if op.region.data == "activations")
        last.operands[0] = first.result

    module = planted(KNOWN, "instrument-memory", change)
    message = "got bytes 0 to 140 of activation 0 .graph.exp., whose last use is over"
    with pytest.raises(MemoryFault, match=message):
        run(module)


def test_finds_a_plan_that_gives_memory_away_too_early():
    text = f"""
    func.func @main(%x : {TYPE}, %w : tensor<7x7xf32>) -> {TYPE} {{
      %0 = graph.matmul %x, %w : {TYPE}, tensor<7x7xf32> -> {TYPE}
      %1 = graph.matmul %0, %w : {TYPE}, tensor<7x7xf32> -> {TYPE}
      %2 = graph.matmul %1, %w : {TYPE}, tensor<7x7xf32> -> {TYPE}
      %3 = graph.matmul %2, %w : {TYPE}, tensor<7x7xf32> -> {TYPE}
      %4 = graph.add %3, %0 : {TYPE}, {TYPE} -> {TYPE}
      return %4 : {TYPE}
    }}
    """

    def change(module: ModuleOp) -> None:
        function = next(iter(module.ops))
        for op in ops_in(function.regions[0].block):
            found = op.attributes.get(LIFETIMES)
            if isa(found, ArrayAttr[LifetimeAttr]):
                (life,) = found
                first = life.first.data
                short = LifetimeAttr.of(life.group.data, first, first + 1)
                op.attributes[LIFETIMES] = ArrayAttr([short])

    module = planted(text, "analyze-aliases", change)
    with pytest.raises(MemoryFault, match=r"where activation 2 .* was written since"):
        run(module)


def test_a_module_is_right_again_after_a_fault():
    module = planted(MODEL, "instrument-memory", move_stores(1))
    for _ in range(2):
        with pytest.raises(MemoryFault):
            run(module)


def test_an_input_that_is_the_output_is_no_fault():
    text = """
    func.func @main(%x : tensor<4x2xf32>, %i : tensor<1x2xi64>, %u : tensor<1x2xf32>)
        -> tensor<4x2xf32> {
      %0 = graph.scatter %x, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"}
        : tensor<4x2xf32>, tensor<1x2xi64>, tensor<1x2xf32> -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    """
    module = sr.compile(text, options=OPTIONS)
    x, one = np.zeros((4, 2), np.float32), np.ones((1, 2), np.float32)
    for row in range(4):
        assert module(x, np.full((1, 2), row), one, out=x) is x
    np.testing.assert_array_equal(x, 1)


def test_nothing_is_another_without_checks():
    texts: list[str] = []

    def keep(each: ModulePass, module: ModuleOp) -> None:
        if each.name == "unroll-loops":
            texts.append(str(module))

    for options in (OPTIONS, sr.Options(cache=False, threads=1)):
        Compilation(MODEL, options=options, after_pass=keep).run()
    assert texts[0] == texts[1]


def test_what_is_built_for_other_processes_is_refused(tmp_path: Path):
    for build in (
        lambda: build_runtime(KNOWN, ["x86-64-v3"], tmp_path / "folder", OPTIONS),
        lambda: build_data_model(KNOWN, tmp_path, OPTIONS),
    ):
        with pytest.raises(sr.CompileError, match="expected check_memory=False for"):
            build()
