"""Which test files are read: those of PyTorch only when its marker is asked for."""

from pathlib import Path

import pytest

MARK = "pytestmark = pytest.mark.torch"


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
