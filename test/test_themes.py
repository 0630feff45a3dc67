"""The tests that `README.md` names for the themes of PyTorch's Static Runtime exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .house import ROOT, refuse, tree

TESTS = ROOT / "test"
TEXT = (TESTS / "README.md").read_text()
NAMED = re.compile(
    r"`([a-z0-9_/]+\.(?:py|mlir))::([a-z0-9_]+)((?:\[[^\]]+\](?:`, `)?)*)`"
)


def rows() -> Iterator[tuple[str, str]]:
    """The themes, and what is said of each."""
    for line in TEXT.splitlines():
        if line.startswith("| ") and not line.startswith(("| ---", "| **", "| theme")):
            _, theme, here, _ = line.split("|")
            yield theme.strip(), here.strip()


def is_there(path: str, name: str) -> bool:
    """Whether a file has a test of this name, or a function that tests by it."""
    if path.endswith(".mlir"):
        return (
            re.search(rf"func\.func @{name}\(", (TESTS / path).read_text()) is not None
        )
    return any(
        isinstance(node, ast.FunctionDef) and node.name == name
        for node in ast.walk(tree(TESTS / path))
    )


def has_case(path: str, case: str) -> bool:
    """Whether a file names a case of its tests."""
    return any(
        isinstance(node, ast.Constant) and node.value == case
        for node in ast.walk(tree(TESTS / path))
    )


def test_every_theme_has_a_test_or_a_reason():
    found = [*rows()]
    assert len(found) > 50
    refuse(
        f"{theme}: {here}"
        for theme, here in found
        if not NAMED.search(here) and not here.startswith("no counterpart")
    )


def test_the_tests_of_every_theme_exist():
    for theme, here in rows():
        for path, name, cases in NAMED.findall(here):
            assert (TESTS / path).is_file(), f"{theme}: {path}"
            assert is_there(path, name), f"{theme}: {path}::{name}"
            for case in re.findall(r"\[([^\]]+)\]", cases):
                assert has_case(path, case), f"{theme}: {path}::{name}[{case}]"


def test_nothing_that_looks_like_a_test_is_left_out():
    """A name of another form would not be looked for."""
    for _, here in rows():
        found = NAMED.findall(here)
        assert here.count("::") == len(found), here
        assert here.count("[") == sum(cases.count("[") for *_, cases in found), here
