"""
The lists of `CONTRIBUTING.md` have all files that a change of a kind touches.

What must be changed is told by what is there: a file that names most things of a kind,
as a table does, has to name one more of them too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache

import pytest

from static_runtime.compiler.frontends.onnx.table import HANDLERS
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.element_type import ELEMENT_TYPES
from static_runtime.lowering.loop_to_llvm.isa import instruction_writers
from static_runtime.runtime.machine.host import TARGETS
from static_runtime.runtime.planning import PLANNERS

from ..house import ROOMS, ROOT, modules, nodes, sources, tracked

SHARE = 7 / 8
"""Of the things of a kind, how many a file names that has to name each."""

EXCEPTIONS = {"CHANGELOG.md", "CONTRIBUTING.md"}
"""Files that name what there is without a list."""

NAME = r"(?:[\w.-]|<[^>`]*>)+"
PLACE = re.compile(rf"`((?:{NAME}/)+(?:{NAME})?|(?:[A-Z]+\.md|pyproject\.toml))`")
"""A file or folder, as a list has it: `test/<op>.mlir`."""


@cache
def words() -> dict[str, frozenset[str]]:
    """The words of each file of the repository."""
    word = re.compile(r"\w+(?:[.-]\w+)*")
    return {
        str(path.relative_to(ROOT)): frozenset(word.findall(path.read_text()))
        for path in tracked()
        if path.suffix in (".h", ".md", ".mlir", ".py", ".toml", ".yml")
    }


def named_classes(*folders: str) -> Iterator[set[str]]:
    """The names of each class with a `name` in some folders: its own, and that."""
    for path in modules(*folders):
        classes = (each for each in nodes(path) if isinstance(each, ast.ClassDef))
        for owner in classes:
            for each in owner.body:
                match each:
                    case ast.Assign([ast.Name("name")], ast.Constant(str(name))):
                        yield {owner.name, name}
                    case _:
                        pass


def spelled(prefix: str) -> list[set[str]]:
    """The names with a prefix that ops and front ends say that they read."""
    strings = {
        node.value
        for path in modules("dialects/graph/ops", "compiler/frontends/torch")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return [{each} for each in sorted(strings) if each.startswith(prefix)]


KINDS: dict[str, Callable[[], list[set[str]]]] = {
    "an op of the graph": lambda: [*named_classes("dialects/graph/ops")],
    "a pass": lambda: [*named_classes("compiler/passes/graph", "compiler/passes/loop")],
    "a planner": lambda: [{name} for name in PLANNERS],
    "an instruction set": lambda: [{name} for name in instruction_writers()],
    "a target": lambda: [{name} for name in TARGETS],
    "an op of ONNX": lambda: [{name} for name in HANDLERS],
    "an op of ATen": lambda: spelled("aten."),
    "an element type": lambda: [{str(type)} for type in ELEMENT_TYPES],
    "an option": lambda: [{each.name} for each in fields(Options)],
    "a command": lambda: [{name} for name in re.findall("^(sr-.*) =", scripts(), re.M)],
    "a document": lambda: [{path.name} for path in (ROOT / "docs").glob("*.md")],
}
"""The things of each kind, as the names of each."""


def scripts() -> str:
    """The text that says which commands are installed."""
    return (ROOT / "pyproject.toml").read_text()


@cache
def sections() -> dict[str, str]:
    """The text below each heading of the lists; that above them is under ""."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    lists = re.search(r"^## Adding …\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    assert lists is not None
    first, *rest = re.split(r"^### (.*)$", lists[1], flags=re.MULTILINE)
    return {"": first, **dict(zip(rest[::2], rest[1::2], strict=True))}


def places(kind: str) -> list[str]:
    """The files and folders that the list of a kind has, as it writes them."""
    return [each for text in ("", kind) for each in PLACE.findall(sections()[text])]


def pattern(place: str) -> re.Pattern[str]:
    """What a file is called that a list has: `<op>` is any name, a folder all in it."""
    parts = re.split(r"<[^>]*>", place)
    inside = ".*" if place.endswith("/") else ""
    return re.compile("[^/]+".join(map(re.escape, parts)) + inside)


def test_each_room_has_its_place():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| (`.*)\|$", text, re.MULTILINE)
    folders = {each for row in rows for each in re.findall(r"`([\w/]+)/`", row)}
    rooms = {
        path.parent.relative_to(ROOT)
        for path in sources(*ROOMS)
        if path.name == "__init__.py" and "__all__" in path.read_text()
    }
    missing = [
        str(each)
        for each in sorted(rooms)
        if len(each.parts) == 2 and folders.isdisjoint({str(each), each.name})
    ]
    assert not missing


def test_each_kind_has_a_list():
    assert {"", *KINDS} == {*sections()}


@pytest.mark.parametrize("kind", KINDS)
def test_what_names_all_of_a_kind_is_in_its_list(kind: str):
    things = KINDS[kind]()
    assert len(things) > 3
    listed = [pattern(each) for each in places(kind)]
    missing = [
        name
        for name, found in words().items()
        if name not in EXCEPTIONS
        and sum(not each.isdisjoint(found) for each in things) >= SHARE * len(things)
        and not any(each.fullmatch(name) for each in listed)
    ]
    assert not missing


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_list_has_is_there(kind: str):
    names = words()
    for place in places(kind):
        form = pattern(place)
        assert any(form.fullmatch(name) for name in names), f"{kind}: {place}"


def test_a_place_is_a_file_or_a_folder():
    assert "docs/passes.md" in places("a pass")
    assert pattern("docs/<name>.md").fullmatch("docs/ops.md")
    assert not pattern("docs/<name>.md").fullmatch("docs/a/ops.md")
