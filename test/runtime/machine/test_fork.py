"""A child of a fork compiles and runs, whatever other threads did when it began."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from functools import partial

import pytest

from static_runtime.runtime.machine import fork
from static_runtime.runtime.machine.fork import ForkGate

pytestmark = [
    pytest.mark.usefixtures("runs_host"),
    pytest.mark.skipif(
        not hasattr(os, "register_at_fork"), reason="no fork on this system"
    ),
]

PATIENCE = 120
"""Seconds that a test waits for what must happen, before it fails."""

HEAD = """
import gc, multiprocessing, os, signal, sys, threading
import numpy as np
import static_runtime as sr
from static_runtime.compiler import building
from static_runtime.compiler.compile import Compilation
from static_runtime.lowering import llvm_to_object
from static_runtime.runtime.machine import code, fork

TEXT = '''
func.func @main(%x: tensor<?x1003xf32, ["n"]>) -> tensor<?x1003xf32, ["n"]> {
  %0 = graph.add %x, %x : tensor<?x1003xf32, ["n"]>, tensor<?x1003xf32, ["n"]>
      -> tensor<?x1003xf32, ["n"]>
  func.return %0 : tensor<?x1003xf32, ["n"]>
}'''
OPTIONS = sr.Options(cache=False, threads=2)
X = np.ones((600, 1003), np.float32)

def answer(_=None, module=None):
    module = module or sr.compile(TEXT, options=OPTIONS)
    assert (module(X) == 2).all()
    return gc.isenabled()

def in_child(call):
    # Or the child prints again what waits for the parent's pipe.
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        # Who hangs is ended.
        signal.alarm(60)
        try:
            print(call(), flush=True)
            os._exit(0)
        except BaseException as error:
            print(type(error).__name__, error, flush=True)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""

WHILE_COMPILING = """
# Where the other thread is: in a pass, which goes on after the fork; or in a call of
# LLVM, which the fork waits for.
begun, forked = threading.Event(), threading.Event()

def announce(call, *arguments, **named):
    begun.set()
    return call(*arguments, **named)

def stay(*_):
    begun.set()
    forked.wait(60)

def patched(place, name):
    call = getattr(place, name)
    setattr(place, name, lambda *a, **b: announce(call, *a, **b))
    return lambda: setattr(place, name, call)

STAGES = {
    "pass": lambda: None,
    "optimising": lambda: patched(llvm_to_object, "run_passes"),
    "emitting": lambda: patched(llvm_to_object, "emit_object"),
    "linking": lambda: patched(code, "link_image"),
}
results = []

def compile(stage):
    after = stay if stage == "pass" else None
    made = Compilation(TEXT, options=OPTIONS, after_pass=after)
    results.append(answer(module=made.run()))

for stage, patch in STAGES.items():
    begun.clear(), forked.clear()
    undo = patch()
    other = threading.Thread(target=compile, args=(stage,))
    other.start()
    begun.wait(60)
    if undo:
        undo()
    status = in_child(answer)
    forked.set()
    other.join()
    print(stage, status)
print(results, answer())
"""

WHILE_BUILDING = """
# The other thread is in a block of a builder, which concerns each op that is made.
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.arith import ConstantOp
from xdsl.ir import Block

begun, forked = threading.Event(), threading.Event()

def stay():
    with building.alone(), ImplicitBuilder(Block()):
        begun.set()
        forked.wait(60)

def build():
    with ImplicitBuilder(block := Block()):
        ConstantOp.from_int_and_width(1, 32)
    return len(block.ops)

answer()
other = threading.Thread(target=stay)
other.start()
begun.wait(60)
print(in_child(build))
forked.set()
other.join()
# And here the thread that forks does, and goes on in the child.
with ImplicitBuilder(block := Block()):
    def both():
        ConstantOp.from_int_and_width(build(), 32)
        return len(block.ops)
    print(in_child(both))
"""

WITHIN_A_COMPILE = """
statuses = []
def fork_once(*_):
    if not statuses:
        statuses.append(None)
        statuses[0] = in_child(answer)
module = Compilation(TEXT, options=OPTIONS, after_pass=fork_once).run()
print(statuses, answer(module=module))
"""

TORN = """
fork._FORK_TIMEOUT = 0.01
module = sr.compile(TEXT, options=OPTIONS)
begun, forked = threading.Event(), threading.Event()
def stay():
    with fork.unforked():
        begun.set()
        forked.wait(60)
other = threading.Thread(target=stay)
other.start()
begun.wait(60)
def both():
    print(answer(module=module), flush=True)
    answer()
print(in_child(both))
forked.set()
other.join()
print(in_child(answer), answer())
"""

WHILE_RUNNING = """
module = sr.compile(TEXT, options=OPTIONS)
over = threading.Event()
def run():
    while not over.is_set():
        answer(module=module)
others = [threading.Thread(target=run) for _ in range(2)]
for each in others:
    each.start()
for _ in range(3):
    print(in_child(lambda: answer(module=module) and answer()))
over.set()
for each in others:
    each.join()
"""

WORKERS = """
over = threading.Event()
def work():
    while not over.is_set():
        answer()
other = threading.Thread(target=work)
other.start()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(answer, range(4)))
over.set()
other.join()
"""


def said(script: str) -> list[str]:
    """What a process prints that runs a script, and ends as it should."""
    command = [sys.executable, "-W", "ignore", "-c", HEAD + script]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.full(beside="test_a_child_that_began_within_a_compile_compiles")
def test_a_child_compiles_that_began_while_another_thread_did():
    stages = ("pass", "optimising", "emitting", "linking")
    lines = [line for stage in stages for line in ("True", f"{stage} 0")]
    assert said(WHILE_COMPILING) == [*lines, "[True, True, True, True] True"]


def test_a_child_that_began_within_a_compile_compiles():
    # It is in a compile itself, which holds the collector off.
    within = ["False", "[0] True"]
    building = ["1", "0"] * 2
    # One whose LLVM is torn says so: in that process too, as to start one takes most.
    torn = ["True", f"CompileError {fork.TORN}", "1", "True", "0 True"]
    assert said(WITHIN_A_COMPILE + WHILE_BUILDING + TORN) == [*within, *building, *torn]


@pytest.mark.full(beside="test_a_child_that_began_within_a_compile_compiles")
def test_a_child_runs_what_other_threads_ran():
    assert said(WHILE_RUNNING) == ["True", "0"] * 3


@pytest.mark.full(beside="test_a_child_that_began_within_a_compile_compiles")
def test_pools_of_processes_compile():
    assert said(WORKERS) == [str([True] * 4)]


def test_a_fork_waits_for_blocks_of_others_and_not_for_its_own():
    gate, order = ForkGate(), list[str]()
    began, going = threading.Event(), threading.Event()

    def block() -> None:
        gate.enter()
        began.set()
        going.wait(PATIENCE)
        gate.enter()
        order.append("block")
        gate.leave()
        gate.leave()

    other = threading.Thread(target=block)
    other.start()
    began.wait(PATIENCE)
    gate.enter()
    # It goes on when who forks has begun to wait.
    threading.Thread(target=lambda: wait_until(gate, 1) or going.set()).start()
    gate.close()
    order.append("fork")
    late = threading.Thread(target=partial(late_block, gate, order))
    late.start()
    gate.open()
    late.join(PATIENCE)
    gate.leave()
    other.join(PATIENCE)
    assert order == ["block", "fork", "late"]
    assert not gate.inside
    assert not gate.forking


def wait_until(gate: ForkGate, forking: int) -> None:
    """Waits until `forking` threads fork."""
    while len(gate.forking) < forking:
        threading.Event().wait(0.001)


def late_block(gate: ForkGate, order: list[str]) -> None:
    """A block that waits for a fork."""
    gate.enter()
    order.append("late")
    gate.leave()
