"""
`Tuner`: what to prefer of each contraction, measured on this machine, and kept on disk.

From what the cost model chooses it goes to the best of its candidates, if that is
faster, and from there again. A record is found again by an equal contraction of any
model, by the same compiler on the same machine; one that cannot be read is made anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Hashable, Sequence
from hashlib import sha256
from typing import Any

from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ...dialects.graph import GraphOp
from ...dialects.kernel import structure
from ...dialects.loop import NAMES, OWN, PreferenceAttr, TargetAttr
from ...lowering.llvm_to_object import machine_of
from ...runtime import Cache
from ..cost import candidates
from .race import race
from .scratch import Scratch
from .subject import Build, build, subject_text

_FORMAT = 1
"""The version of what a record says."""

SEARCHES = 3
"""The most rounds of measuring candidates; a better choice starts another."""

_BUDGET = 10.0
"""Seconds after which the search does not go on from a better choice."""

Judge = Callable[[Sequence[Build], Cache | None], int]
"""Tells which of several builds is the fastest; 0, the first, in a tie."""


def _measure(builds: Sequence[Build], cache: Cache | None) -> int:
    """The number of the fastest build, by running all of them here."""
    scratch = Scratch(builds)
    return race([scratch.run(each, cache) for each in builds])


class Tuner:
    """Measures contractions, each once, and counts what it did."""

    def __init__(self, cache: Cache | None, machine: str, judge: Judge = _measure):
        """A tuner whose records are for `machine`, and in `cache` if there is one."""
        self.cache = cache
        self.machine = machine
        self.judge = judge
        self.known: dict[Hashable, PreferenceAttr] = {}
        """The preferences of ops, by their structure or their key."""
        self.measured = 0
        self.changed = 0
        self.seconds = 0.0

    def preference(self, op: GraphOp, target: TargetAttr) -> PreferenceAttr:
        """What to prefer of an op."""
        start = time.perf_counter()
        key = structure(op)
        if key not in self.known:
            text = subject_text(op)
            self.known[key] = OWN if text is None else self.find(text, op, target)
        self.seconds += time.perf_counter() - start
        return self.known[key]

    def find(self, text: str, op: GraphOp, target: TargetAttr) -> PreferenceAttr:
        """What is known to be the best of an op, or what measuring says."""
        if text in self.known:
            return self.known[text]
        parts = (_FORMAT, self.machine, machine_of(target).key, target, text)
        key = sha256("\n".join(map(str, parts)).encode()).hexdigest()
        found = None if self.cache is None else read(self.cache.get(key))
        if found is None:
            found = self.search(op, target)
            self.measured += 1
            self.changed += found != OWN
            if self.cache is not None:
                self.cache.put(key, json.dumps(dict(found.entries)).encode())
        self.known[text] = found
        return found

    def search(self, op: GraphOp, target: TargetAttr) -> PreferenceAttr:
        """What measuring says of an op."""
        best, start = build(op, target), time.perf_counter()
        for _ in range(SEARCHES):
            others = candidates(best.tile, best.preference, target)
            builds = {best.function: best}
            for each in others:
                made = build(op, target, each)
                builds.setdefault(made.function, made)
            found = [*builds.values()]
            winner = self.judge(found, self.cache) if len(found) > 1 else 0
            best = found[winner]
            if winner == 0 or time.perf_counter() - start > _BUDGET:
                break
        return best.preference


def read(record: bytes | None) -> PreferenceAttr | None:
    """The preference that a record says; None where it says none."""
    if record is None:
        return None
    try:
        entries: Any = json.loads(record)
        if not isa(entries, dict[str, int | str]) or {*entries} - {*NAMES}:
            return None
        return PreferenceAttr.of(**entries)
    except (RecursionError, TypeError, ValueError, VerifyException):
        return None
