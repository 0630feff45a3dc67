"""What tests of passes on the graph share."""

from __future__ import annotations

import pytest

from static_runtime.compiler.ir import target as targets

from ....reduced import PAIRS


@pytest.fixture
def with_pairs(monkeypatch: pytest.MonkeyPatch):
    """Makes targets known that multiply pairs of bf16 on every machine."""
    for name, target in PAIRS.items():
        monkeypatch.setitem(targets.TARGETS, name, target)
