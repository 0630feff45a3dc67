"""
`Profile`: how long each call of a kernel took, in runs of a program that is profiled.

Compiled code writes to it (`lowering/program_to_host/profile.py`): a sum and a count
for each call, and events as long as there is room for them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..abi import WORD, ProfileLayout
from .compiled import CompiledModule


@dataclass(frozen=True)
class Steps:
    """The nanoseconds that the steps of one run took, and what its symbols were."""

    prepare: int
    """To plan it, to get its memory, and to make the outputs."""

    run: int
    """The compiled program, with all of its calls."""

    give_back: int
    """To give the memory back to the module, which keeps it."""

    drop: int
    """To drop the outputs."""

    symbols: Mapping[str, int]
    """The symbols of the inputs, and the ones that the run defined."""


class Profile:
    """The times of the calls of a program, for runs in one context."""

    def __init__(self, calls: int, events: int = 0):
        """A profile of some calls, with room for some events."""
        self._layout = ProfileLayout(calls)
        more = ProfileLayout.EVENT * events
        self._words = np.zeros(self._layout.size + more, np.int64)
        self._end = self.address + self._words.nbytes
        self.clear()

    @property
    def address(self) -> int:
        """Where compiled code finds it."""
        return self._words.ctypes.data

    def clear(self) -> None:
        """Forgets all runs."""
        self._words[:] = 0
        self._words[ProfileLayout.NEXT] = self.address + WORD * self._layout.size
        self._words[ProfileLayout.END] = self._end

    @property
    def times(self) -> npt.NDArray[np.int64]:
        """The nanoseconds of each call in all runs."""
        return self._calls[:, 0].copy()

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each call ran."""
        return self._calls[:, 1].copy()

    @property
    def events(self) -> npt.NDArray[np.int64]:
        """The number of the call, and the first and last nanosecond, of each event."""
        first = self._layout.size
        end = (int(self._words[ProfileLayout.NEXT]) - self.address) // WORD
        return self._words[first:end].reshape(-1, ProfileLayout.EVENT).copy()

    @property
    def _calls(self) -> npt.NDArray[np.int64]:
        """A row for each call: its nanoseconds, and how often it ran."""
        found = self._words[ProfileLayout.HEAD : self._layout.size]
        return found.reshape(-1, ProfileLayout.CALL)


def profiled_run(
    module: CompiledModule,
    profile: Profile | None,
    arguments: Sequence[Any],
    named: Mapping[str, Any],
) -> Steps:
    """
    Runs a module that nothing else calls meanwhile, and adds to a profile, if there is
    one and the module is profiled. Raises what the call of the module would.
    """
    context = module.context
    arrays, symbols = module.bind_arguments(arguments, named)
    clock = time.perf_counter_ns
    times = [clock()]
    borrowed = context.code.borrow()
    assert borrowed == context.address, "nothing else calls the module"
    try:
        context.words[context.layout.profile] = profile.address if profile else 0
        context.prepare(symbols)
        outputs = context.make_outputs(symbols)
        context.point_at(arrays, outputs)
        context.error = None
        times.append(clock())
        status = context.enter()
        times.append(clock())
        if status:
            raise context.failure(status)
        known = context.known_symbols(symbols)
    finally:
        context.words[context.layout.profile] = 0
        before = clock()
        context.code.give_back(context.address)
        times += [before, clock()]
    start = clock()
    del outputs
    end = clock()
    begun, ready, done, before, after = times
    return Steps(ready - begun, done - ready, after - before, end - start, known)
