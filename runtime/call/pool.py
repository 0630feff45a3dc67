"""
`ContextPool`: the contexts of a module, the free ones in a list of its compiled code.

A call takes the first of that list, or has a context made: it never waits. After a
moment with very many calls, the contexts that nobody uses are dropped some seconds
later, down to `IDLE`. Python changes the list only by functions of the code, which no
other thread interrupts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from ..machine import Code
from ..plan import LOCK, PlanTable
from .context import Context

IDLE = 128
"""The contexts that stay when nobody uses them; more are dropped."""

LINGER = 5.0
"""The seconds for which more contexts than that stay."""


class ContextPool:
    """The contexts of one module."""

    def __init__(self, code: Code, plans: PlanTable, make: Callable[[], Context]):
        """A pool with one context, and others as `make` makes them."""
        self._code = code
        self._plans = plans
        self._make = make
        self._contexts: dict[int, Context] = {}
        self._places = 0
        self._timer: threading.Timer | None = None
        self.give_back(self._new())

    def __len__(self) -> int:
        return len(self._contexts)

    def __iter__(self) -> Iterator[Context]:
        """The contexts there are now, in use or not."""
        return iter([*self._contexts.values()])

    def __getitem__(self, address: int) -> Context:
        return self._contexts[address]

    def enter(self, code: Code) -> None:
        """Lets runs in any context be of this code from now on."""
        with LOCK:
            self._code = code
            for each in self:
                each.code = code

    def borrow(self) -> Context:
        """A context that no other run uses now."""
        address = self._code.borrow()
        return self._contexts[address] if address else self._new()

    def give_back(self, context: Context, *_: object) -> None:
        """
        Lets other runs use a context that was borrowed; what its run read and wrote may
        be named besides, to be kept until then.
        """
        self._code.give_back(context.address)

    def take_place(self) -> None:
        """Sees to it that there is a context for one runtime more."""
        with LOCK:
            self._places += 1
            lacks = self._places > len(self._contexts)
        if lacks:
            self.give_back(self._new())

    def leave_place(self) -> None:
        """Lets a context go that a runtime had asked for."""
        with LOCK:
            self._places -= 1

    def _new(self) -> Context:
        """A context more, lent to the caller."""
        made = self._make()
        with LOCK:
            # It may have been exchanged since.
            made.code = self._code
            self._contexts[made.address] = made
            self._see_to_trimming()
        return made

    def _see_to_trimming(self) -> None:
        """Begins to wait for `trim`, unless something does or there are few."""
        # A timer of a parent does not run in its child.
        waits = self._timer is not None and self._timer.is_alive()
        if len(self._contexts) > max(IDLE, self._places) and not waits:
            self._timer = threading.Timer(LINGER, self.trim)
            self._timer.daemon = True
            self._timer.start()

    def trim(self) -> None:
        """Drops the contexts that no run uses, but for some that were used last."""
        free: list[Context] = []
        while address := self._code.borrow():
            free.append(self._contexts[address])
        used = len(self._contexts) - len(free)
        kept = max(0, max(IDLE, self._places) - used)
        for each in reversed(free[:kept]):
            self.give_back(each)
        with LOCK:
            for each in free[kept:]:
                del self._contexts[each.address]
                self._plans.forget(each.words)
            self._timer = None
            self._see_to_trimming()
