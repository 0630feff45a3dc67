"""The page of the API is what the docstrings say."""

from __future__ import annotations

import re

import static_runtime as sr
from bench.document import ROOT, printed, shown

PAGE = (ROOT / "docs" / "api.md").read_text()
COMMAND = "docs/api.py"


def test_the_page_is_current():
    assert printed(COMMAND).strip() == shown(PAGE)[COMMAND], (
        "write it again: python -m bench.document docs/api.md"
    )


def test_every_promised_name_has_a_section():
    sections = set(re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE))
    assert sections == set(sr.__all__) - {"__version__"}
