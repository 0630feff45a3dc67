"""What is said of versions in several files is the same in all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text()


def pythons() -> list[str]:
    """The Pythons that the workflow tests, and that may not fail."""
    (versions,) = re.findall(r"^ +python: \[(.*)\]$", WORKFLOW, re.MULTILINE)
    return re.findall(r'"([\d.]+)"', versions)


def test_the_pythons_of_the_classifiers_are_those_that_are_tested():
    prefix = "Programming Language :: Python :: 3."
    named = [
        each.rpartition(" ")[2]
        for each in PROJECT["classifiers"]
        if each.startswith(prefix)
    ]
    assert named == pythons()


def test_the_oldest_python_that_is_tested_is_the_oldest_that_is_allowed():
    assert PROJECT["requires-python"] == f">={pythons()[0]}"


def test_pre_commit_has_the_ruff_of_the_checks():
    (version,) = re.findall(
        r"ruff-pre-commit\n +rev: v(\S+)",
        (ROOT / ".pre-commit-config.yaml").read_text(),
    )
    assert f"ruff=={version}" in PROJECT["optional-dependencies"]["dev"]
