"""What the rules of the house are checked with: the files, and what they import."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parent.parent
ROOMS = ("compiler", "dialects", "lowering", "runtime")


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text())


@cache
def sources(*folders: str) -> tuple[Path, ...]:
    """The Python files anywhere below `folders`."""
    found = (path for each in folders for path in (ROOT / each).rglob("*.py"))
    return (*sorted(found),)


@cache
def modules(*folders: str) -> tuple[Path, ...]:
    """The Python files anywhere below `folders`, but for those of the folders."""
    return tuple(path for path in sources(*folders) if path.name != "__init__.py")


def tracked() -> Iterator[Path]:
    """The files of the repository, without what tools make."""
    made = re.compile(r"\.git|\.venv.*|\..*_cache|__pycache__|build|dist|.*\.egg-info")
    folders = [ROOT]
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if made.fullmatch(path.name) or path.is_symlink():
                continue
            if path.is_dir():
                folders.append(path)
            else:
                yield path


def at(path: Path, node: ast.stmt | int = 1) -> str:
    """A place in the repository, as an editor opens it."""
    line = node if isinstance(node, int) else node.lineno
    return f"{_within(path)}:{line}"


@cache
def _within(path: Path) -> Path:
    """Where a file is in the repository."""
    return path.relative_to(ROOT)


def refuse(wrong: Iterable[object]) -> None:
    """Fails with every place where a rule is broken, if there are any."""
    lines = sorted(str(each) for each in wrong)
    assert not lines, "\n".join(["", *lines])


def is_text(path: Path) -> bool:
    """Whether a file is read by people."""
    return b"\0" not in path.read_bytes()[:4096]


@cache
def dotted(path: Path) -> str:
    """The name of a module from the root of the repository on."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """The nodes of the syntax tree of a file, which many rules are about."""
    # As `ast.walk` finds them, in a third of the time.
    found: list[ast.AST] = [tree(path)]
    for node in found:
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                several = cast("list[object]", value)
                found += [each for each in several if isinstance(each, ast.AST)]
    return (*found,)


IMPORT = re.compile(r"^ *(from [.\w]+ import (?:\([^)]*\)|[^\n(]+))$", re.MULTILINE)
"""An import of names, as a formatted file has it."""


@cache
def import_statements(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """
    The imports of a file, wherever they are in it. A file outside of the rooms is not
    parsed, as that would take longer than the rules do: its text has what it imports by
    name.
    """
    if path.relative_to(ROOT).parts[0] not in ROOMS:
        found = ast.parse("\n".join(IMPORT.findall(path.read_text()))).body
        return tuple(each for each in found if isinstance(each, ast.ImportFrom))
    return tuple(
        each for each in nodes(path) if isinstance(each, ast.Import | ast.ImportFrom)
    )


def imported(path: Path) -> Iterator[tuple[ast.ImportFrom, str, list[str]]]:
    """
    The imports of a file from files of the repository: module, from its root on, and
    names.
    """
    package = ".".join(["static_runtime", *path.relative_to(ROOT).parent.parts])
    for node in import_statements(path):
        if isinstance(node, ast.ImportFrom):
            name = resolve_name("." * node.level + (node.module or ""), package)
            root, _, module = name.partition(".")
            if root == "static_runtime":
                yield node, module, [each.name for each in node.names]


@cache
def imports(path: Path) -> tuple[tuple[str, list[str]], ...]:
    """Where each import of a file stands, and the parts of what it names."""
    return (*_imports(path),)


def _imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Looks for them in the file."""
    package = ".".join(["static_runtime", *path.relative_to(ROOT).parent.parts])
    for node in import_statements(path):
        match node:
            case ast.Import(names=names):
                for each in names:
                    yield at(path, node), each.name.split(".")
            case ast.ImportFrom(level=level, module=module, names=names):
                name = resolve_name("." * level + (module or ""), package)
                for each in names:
                    yield at(path, node), [*name.split("."), each.name]
