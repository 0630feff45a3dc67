"""`Carried`: a module as an engine carries it to workers, unpickled once in each."""

from __future__ import annotations

import pickle
from hashlib import sha256
from threading import Lock

from ...runtime.call import StaticModule

_MOST_MODULES = 8
"""Modules that a process keeps; the one that came first goes first."""

_MODULES: dict[str, StaticModule] = {}
_LOCK = Lock()


class Carried:
    """
    The pickle of a module, which engines may send, copy and unpickle at little cost.

    Raises `TypeError` for a module that was loaded without the compiler.
    """

    def __init__(self, module: StaticModule):
        self._data = pickle.dumps(module, pickle.HIGHEST_PROTOCOL)
        self._digest = sha256(self._data).hexdigest()

    def module(self) -> StaticModule:
        """The module, which this process makes when it is first asked for."""
        with _LOCK:
            found = _MODULES.get(self._digest)
            if found is None:
                found = pickle.loads(self._data)
                while len(_MODULES) >= _MOST_MODULES:
                    del _MODULES[next(iter(_MODULES))]
                _MODULES[self._digest] = found
            return found
