"""Which test files are read, and what a run of them takes from its surroundings."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

MARK = "pytestmark = pytest.mark.torch"

FOREIGN = (
    *("PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHON_CPU_COUNT", "PYTHON_COLORS"),
    *("FORCE_COLOR", "COLUMNS", "SR_DEBUG"),
)
"""Variables that change what this process, or one that a test starts, does or says."""


def pytest_configure(config: pytest.Config) -> None:
    """Gives the run a cache of its own, which its workers share, and no settings."""
    for name in FOREIGN:
        os.environ.pop(name, None)
    if not hasattr(config, "workerinput"):
        folder = TemporaryDirectory(
            prefix="static_runtime-", ignore_cleanup_errors=True
        )
        config.add_cleanup(folder.cleanup)
        os.environ["STATIC_RUNTIME_CACHE"] = folder.name


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """
    Leaves a file unread that is marked `torch` as a whole, unless `-m` selects that.

    So it may import PyTorch at its head, where `make test` has none; and where there is
    one, nobody waits for the import.
    """
    if collection_path.suffix != ".py" or "not torch" not in str(
        config.getoption("-m")
    ):
        return None
    return MARK in collection_path.read_text() or None
