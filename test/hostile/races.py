"""
Many threads in one process, as hard on one another as they can be.

`run` is what a process of its own does, since what it looks for would end it: threads
that call modules, that change the arrays meanwhile, that compile and drop modules, and
that fork. What it returns is how often each came to an end.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import static_runtime as sr

from ..runtime.texts import AFFINE, PARTS, RUNNING, WORDS
from .results import bits

SCATTER = """
func.func @scatter(%x: tensor<?x2xf32, ["n"]>, %i: tensor<?x2xi64, ["m"]>,
    %u: tensor<?x2xf32, ["m"]>) -> tensor<?x2xf32, ["n"]> {
  %0 = graph.scatter %x, %i, %u {axis = 0 : i64, wraps = true, reduction = "none"} :
    tensor<?x2xf32, ["n"]>, tensor<?x2xi64, ["m"]>, tensor<?x2xf32, ["m"]>
    -> tensor<?x2xf32, ["n"]>
  return %0 : tensor<?x2xf32, ["n"]>
}
"""
"""Rows written where indices say."""

FAR = (10**8, -(10**8), 2**62, -(2**62))
"""Indices that are in no memory of ours."""


class Races:
    """Threads that share modules and arrays."""

    def __init__(self, seed: int, turns: int):
        """`turns` calls of each thread, of modules that all share."""
        self.seed, self.turns = seed, turns
        self.done: list[Counter[str]] = []
        self.stopped = threading.Event()
        self.modules = {
            text: sr.compile(text, options=sr.Options(cache=False, threads=2))
            for text in (AFFINE, PARTS, RUNNING, WORDS, SCATTER)
        }
        self.shared = np.zeros(4096, np.int64)

    def counted(self) -> Counter[str]:
        """A thread's own count, since `+= 1` of two threads at once may be one."""
        self.done.append(counts := Counter[str]())
        return counts

    def call(self, number: int) -> None:
        """Calls modules with arrays of its own, which must give the same bits."""
        random = np.random.default_rng(self.seed + number)
        x = random.standard_normal((17 + number, 3)).astype(np.float32)
        w = random.standard_normal((3, 5)).astype(np.float32)
        calls: list[Callable[[], Any]] = [
            lambda: self.modules[AFFINE](x, w),
            lambda: self.modules[PARTS](x),
            lambda: self.modules[RUNNING](x),
            lambda: self.modules[PARTS](x.tolist()),
        ]
        expected = [bits(each()) for each in calls]
        counts = self.counted()
        for turn in range(self.turns):
            at = turn % len(calls)
            assert bits(calls[at]()) == expected[at]
            counts["calls"] += 1

    def look_up(self, number: int) -> None:
        """Looks up and scatters by indices that another thread changes."""
        table = np.zeros((64, 2), np.float32)
        update = np.ones((2048, 2), np.float32)
        indices = self.shared.reshape(2048, 2)
        counts = self.counted()
        for turn in range(self.turns):
            try:
                if turn % 2:
                    self.modules[WORDS](table, self.shared)
                else:
                    self.modules[SCATTER](table, indices, update)
            except IndexError:
                counts["refused"] += 1
            counts["look-ups"] += 1

    def change(self, number: int) -> None:
        """Changes the indices, within the table and far out of it."""
        random = Random(self.seed)
        while not self.stopped.is_set():
            at = random.randrange(4096)
            self.shared[at] = random.choice(FAR)
            self.shared[at] = random.randrange(64)

    def compile(self, number: int) -> None:
        """Compiles modules, calls them once and drops them."""
        x = np.ones((2, 3), np.float32)
        counts = self.counted()
        for turn in range(max(1, self.turns // 400)):
            text = PARTS.replace("3xf32", f"{3 + turn % 3}xf32")
            module = sr.compile(text, options=sr.Options(cache=False))
            module(np.resize(x, (2, 3 + turn % 3)))
            counts["compiles"] += 1

    def fork(self, number: int) -> None:
        """Forks; the child calls a module, and says by its exit that it worked."""
        x = np.ones((300, 3), np.float32)
        w = np.ones((3, 5), np.float32)
        counts = self.counted()
        for _ in range(max(1, self.turns // 200)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                child = os.fork()
            if not child:
                got = self.modules[AFFINE](x, w)
                os._exit(0 if np.all(got == 3) else 1)
            assert os.waitpid(child, 0)[1] == 0
            counts["forks"] += 1


def run(seed: int, turns: int) -> dict[str, int]:
    """How often each thing was done; raises what any thread raised."""
    sys.setswitchinterval(1e-6)
    races = Races(seed, turns)
    errors: list[BaseException] = []

    def work(each: Callable[[int], None], number: int) -> None:
        try:
            each(number)
        except BaseException as error:
            errors.append(error)

    finite = [*([races.call] * 4), *([races.look_up] * 3), races.compile, races.fork]
    threads = [
        threading.Thread(target=work, args=(each, number))
        for number, each in enumerate(finite)
    ]
    changing = threading.Thread(target=work, args=(races.change, 0))
    for each in (changing, *threads):
        each.start()
    for each in threads:
        each.join()
    races.stopped.set()
    changing.join()
    if errors:
        raise errors[0]
    return dict(sum(races.done, Counter[str]()))
