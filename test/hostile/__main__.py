"""
Tries mutants for a while, or one of them again.

    python test/hostile --seconds 3600 --jobs 2     mutants of every kind, for an hour
    python test/hostile --count 1000 --kind mlir    a thousand of one kind
    python test/hostile --kind edge --kind node-edge --kind graph --count 24000
                                                    sizes and numbers at their edges
    python test/hostile --replay onnx:1234          one, with its traceback
    python test/hostile --show onnx:1234            one, as text
    python test/hostile --race 7 --count 20000      threads at once, as test_races does

What is found is in build/hostile/findings.json, by the place in the source.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).resolve().parents[1]


def main() -> None:
    """Imports the tests as the package that pytest makes of them; then runs."""
    # Python has a package `test` of its own.
    package = ModuleType("test")
    package.__path__ = [str(TESTS)]
    sys.modules["test"] = package
    sys.path[0] = str(TESTS.parent)
    import_module("test.hostile.command").main()


if __name__ == "__main__":
    main()
