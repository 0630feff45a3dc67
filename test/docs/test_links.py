"""What documents say of the repository is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.document import ROOT

from ..house import ROOMS, at, sources, tracked

DOCUMENTS = sorted(
    path
    for folder in (ROOT, ROOT / "docs", ROOT / "test", ROOT / "examples")
    for path in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
)
PATH = re.compile(
    r"`((?:\.ci|\.github|bench|compiler|dialects|docs|examples|lowering|runtime|test"
    r"|typings)/[\w./-]*)`"
)
SOURCE = re.compile(r"`((?!binding/)[a-z_0-9/]+\.py)`")
"""A source as a source names it; `binding/` is llvmlite's."""

LINK = re.compile(r"\]\(((?!https?:)[^)#\s]+)\)")


def is_there(text: str) -> bool:
    """Whether a path of the repository is one of a file or a folder."""
    return (ROOT / text).exists() or (ROOT / f"{text}.py").exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_that_a_document_names_are_there(document: Path):
    text = document.read_text()
    wrong = [each for each in PATH.findall(text) if not is_there(each)]
    wrong += [
        each for each in LINK.findall(text) if not (document.parent / each).exists()
    ]
    assert not wrong


def test_files_that_a_source_names_are_there():
    there = [str(path.relative_to(ROOT)) for path in tracked()]
    wrong = [
        f"{at(path)} names {name}"
        for path in sources(*ROOMS, "bench", "examples")
        for name in SOURCE.findall(path.read_text())
        if not any(f"/{each}".endswith(f"/{name}") for each in there)
    ]
    assert not wrong


def test_the_index_lists_every_document():
    listed = set(LINK.findall((ROOT / "docs" / "README.md").read_text()))
    there = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {each for each in listed if "/" not in each} == there


def test_the_figures_of_the_readme_are_those_of_the_table():
    table = (ROOT / "docs" / "performance.md").read_text()
    rows = re.findall(r"^\| (models|calls) \| (\d) \| ([\d.]+) \|", table, re.MULTILINE)
    means = {(group, threads): mean for group, threads, mean in rows}
    text = " ".join((ROOT / "README.md").read_text().split())
    one, two = means["models", "1"], means["models", "2"]
    assert f"take {one} of the time of the best of" in text
    assert f"on one thread, and {two} on two" in text
    assert f"small calls {means['calls', '1']} of it" in text


def test_the_readme_names_what_a_newcomer_looks_for():
    text = (ROOT / "README.md").read_text()
    names = ("LICENSE", "NOTICE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
    for each in (*names, "docs/tutorial.md", "docs/README.md", "docs/api.md"):
        assert f"`{each}`" in text
