"""The list of ops says what the front end for PyTorch reads."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from static_runtime.compiler.frontends.torch.readers import READERS
from static_runtime.compiler.tools.ops_table import TORCH_HEAD, torch_part

pytestmark = pytest.mark.torch

FILE = Path(__file__).parents[3] / "docs" / "ops.md"


def test_the_file_is_up_to_date():
    _, head, rest = FILE.read_text().partition(TORCH_HEAD)
    assert head + rest == torch_part(), "run `make docs`"


def test_every_operator_is_listed_once():
    listed = [
        f"{packet.strip('`')}.{overload}"
        for line in torch_part().splitlines()
        if line.startswith("| `")
        for packet, overloads in [line.strip("| ").split(" | ")[:2]]
        for overload in overloads.split(", ")
    ]
    assert sorted(listed) == sorted(READERS)
