"""What tests of fast start share: a cache of their own, and a hold of full compiles."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from .held_compiles import held


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a test, which no other has."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(folder))
    return folder


@pytest.fixture
def go(own_cache: Path) -> Iterator[threading.Event]:
    """What full compiles wait for."""
    with held() as event:
        yield event
