"""
Make a described machine the host of a process, when Python starts.

Python imports this where PYTHONPATH names its folder, as it does for processes that
tests and lit start under a described host. It imports nothing before the process asks
for the host, so that what a process imports by itself is seen as it is.
"""

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ASKED = "static_runtime.runtime.machine.host"
"""The module that answers for the host."""

HOSTS = Path(__file__).parents[1] / "hosts.py"


class Described(SourceFileLoader):
    """Loads that module, then puts the description in the place of the machine."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module, and replaces what it found."""
        super().exec_module(module)
        spec = spec_from_file_location("hosts", HOSTS)
        assert spec is not None
        assert spec.loader is not None
        hosts = module_from_spec(spec)
        spec.loader.exec_module(hosts)
        module.__dict__["MACHINE"] = hosts.HOSTS[os.environ[hosts.VARIABLE]]


class Finder(MetaPathFinder):
    """Finds that module, and no other."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Where the module is, with the loader above."""
        if fullname != ASKED:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        assert found is not None
        assert found.origin is not None
        return spec_from_file_location(
            fullname, found.origin, loader=Described(fullname, found.origin)
        )


sys.meta_path.insert(0, Finder())
