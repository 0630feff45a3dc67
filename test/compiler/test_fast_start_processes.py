"""A process ends, forks or starts others while a full compile is under way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..workers import run_apart
from .held_compiles import MODEL

pytestmark = pytest.mark.usefixtures("runs_host")

needs_fork = pytest.mark.skipif(
    not hasattr(os, "register_at_fork"), reason="no fork on this system"
)

HEAD = (
    f"TEXT = {MODEL!r}\n"
    + '''
import os, sys, threading
import numpy as np
import static_runtime as sr
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.fast_start import FastStart
from static_runtime.lowering import llvm_to_object

x = np.arange(120, dtype=np.float32).reshape(3, 40) / 99
w = np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32)
there, go = threading.Event(), threading.Event()

def held(place, name):
    """Has the full compile stop before a function, until it is let go."""
    function = getattr(place, name)
    def stop(*given):
        if threading.current_thread().name == "static_runtime-fast-start":
            there.set()
            go.wait(60)
        return function(*given)
    setattr(place, name, stop)

PLACES = {
    "passes": (Driver, "_scheduled"),
    "kernels": (FastStart, "_go_on"),
    "LLVM": (llvm_to_object, "compile_text"),
    "none": (FastStart, "never"),
}
FastStart.never = None
place = sys.argv[1]
held(*PLACES[place])
cache = len(sys.argv) > 2
if cache:
    os.environ["STATIC_RUNTIME_CACHE"] = sys.argv[2]
module = sr.compile(TEXT, options=sr.Options(tier="fast-start", cache=cache))
if place != "none":
    there.wait(60)
first = module(x, w)
'''
)
"""A model, and a full compile that stops where it is told to."""

PLACES = ("passes", "kernels", "LLVM", "none")

END = (
    "",
    "module = None",
    "sys.exit(0)",
    "import atexit; atexit.register(lambda: module(x, w))",
)
"""How a program ends, with its module or without."""


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("end", END)
def test_a_process_ends_while_it_compiles(place: str, end: str):
    let = "threading.Timer(0.05, go.set).start()\nprint(module.report.tier)\n"
    assert run_apart(f"{HEAD}\n{let}{end}", place) in (["fast-start"], ["full"])


@pytest.mark.full(beside="test_a_process_ends_while_it_compiles")
def test_an_error_ends_a_process_as_ever():
    code = f"{HEAD}\ngo.set()\nraise SystemExit(7)"
    with pytest.raises(AssertionError, match=r"ended with 7: $"):
        run_apart(code, "kernels")


FORK = '''
import warnings
# Of Python 3.12 and newer: that there is another thread.
warnings.simplefilter("ignore", DeprecationWarning)

def answers(module):
    """Whether the full code comes, and computes what the quick code did."""
    same = np.array_equal(module(x, w), first)
    return module.wait(60) and module.report.tier == "full" and same and (
        np.array_equal(module(x, w), first))

def forked():
    """Whether a child answers, and ends well."""
    child = os.fork()
    if child == 0:
        go.set()
        os._exit(0 if answers(module) else 1)
    return os.waitpid(child, 0)[1] == 0
'''
"""A child that uses the module of its parent."""


@pytest.mark.sampled(every=8)
@needs_fork
@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_a_child_compiles_for_itself(place: str, cache: bool, tmp_path: Path):
    code = f"{HEAD}\n{FORK}\nprint(forked(), go.set(), answers(module), forked())"
    folders = [tmp_path / "cache"] if cache else []
    assert run_apart(code, place, *folders) == ["True None True True"]


@pytest.mark.full(beside="test_a_child_compiles_for_itself")
@needs_fork
def test_forks_at_any_moment_see_all_modules_exchanged_or_none():
    code = f"""{HEAD}\n{FORK}
import copy
copies = [module] + [copy.copy(module) for _ in range(20)]
go.set()
while True:
    last = module.aside is None
    child = os.fork()
    if child == 0:
        tiers = {{each.report.tier for each in copies}}
        good = len(tiers) == 1 and all(map(answers, copies))
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    if last:
        break
print("good")
"""
    assert run_apart(code, "kernels") == ["good"]


@pytest.mark.full(beside="compiler/test_recipe.py::test_a_new_process_runs_no_pass")
def test_another_process_has_the_full_code_at_once(tmp_path: Path):
    told = "print(module.report.warm, module.report.tier, module.wait())"
    cache = tmp_path / "cache"
    (first,) = run_apart(f"{HEAD}\ngo.set(); {told}", "none", cache)
    (second,) = run_apart(f"{HEAD}\ngo.set(); {told}", "none", cache)
    # The first may be exchanged before it is asked.
    assert first in ("False fast-start True", "False full True")
    assert second == "True full True"
