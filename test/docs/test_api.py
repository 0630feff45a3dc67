"""The page of the API is what the docstrings say."""

from __future__ import annotations

import inspect
import re

import pytest

import static_runtime as sr
from bench.document import ROOT, printed, shown

PAGE = (ROOT / "docs" / "api.md").read_text()
COMMAND = "docs/api.py"


def test_what_a_name_means_is_in_its_section():
    """In one sentence, as its docstring has it."""
    for name in sr.__all__:
        text = inspect.getdoc(getattr(sr, name)) if name != "__version__" else None
        if text is not None:
            section = PAGE.split(f"## `{name}`\n")[1].split("\n## ")[0]
            assert text.split("\n\n")[0] in section


@pytest.mark.full(beside="test_what_a_name_means_is_in_its_section")
def test_the_page_is_current():
    assert printed(COMMAND).strip() == shown(PAGE)[COMMAND], (
        "write it again: python -m bench.document docs/api.md"
    )


def test_every_promised_name_has_a_section():
    sections = set(re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE))
    assert sections == set(sr.__all__) - {"__version__"}
