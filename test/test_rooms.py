"""
The rules of the house about rooms: which may import which, by what, and what of them is
private.

A room is a package whose `__init__.py` has `__all__`, its face. A package without one
belongs to the room around it.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from .house import ROOMS, ROOT, at, dotted, imported, nodes, refuse, sources, tree

ARROWS = {
    "dialects": set[str](),
    "dialects.scalar": {"dialects"},
    "dialects.graph": {"dialects", "dialects.scalar"},
    "dialects.kernel": {
        *("dialects", "dialects.scalar", "dialects.graph", "dialects.graph.storage"),
    },
    "dialects.loop": {"dialects", "dialects.scalar"},
    "dialects.host": set[str](),
    "runtime.abi": set[str](),
    "runtime.elf": set[str](),
    "runtime.planning": set[str](),
    "runtime.hostcode": {"runtime.abi"},
    "runtime.files": {"runtime.abi"},
    "runtime.program": {"runtime.abi", "runtime.files", "runtime.planning"},
    "runtime.machine": {"runtime.abi", "runtime.elf", "runtime.hostcode"},
    "runtime.plan": {
        *("runtime.abi", "runtime.files", "runtime.machine", "runtime.planning"),
        "runtime.program",
    },
    "runtime.call": {
        *("runtime.abi", "runtime.files", "runtime.machine", "runtime.plan"),
        *("runtime.planning", "runtime.program"),
    },
    "runtime.checking": {"runtime.abi", "runtime.call"},
    "runtime.library": {
        *("runtime.abi", "runtime.call", "runtime.files", "runtime.machine"),
        *("runtime.plan", "runtime.program"),
    },
    "runtime": {
        *("runtime.abi", "runtime.call", "runtime.elf", "runtime.files"),
        *("runtime.library", "runtime.program"),
    },
    "compiler.session": {
        *("runtime.files", "runtime.library", "runtime.machine", "runtime.planning"),
        "runtime.program",
    },
}
"""What the lower rooms may import; those above are bound by `test_house.py` alone."""

DIALECTS = ("dialects.graph",)
"""The dialects of several rooms, whose files import each other."""

LOOKS_BEHIND = {
    "compiler.tools.ops_table": "lists the ops of front ends, which need a framework",
    "compiler.runtime_folder": "has LLVM make objects that a runtime reads without it",
}
"""What takes names that no face offers, as importing them needs a library."""


@cache
def face(package: str) -> frozenset[str] | None:
    """The names that a package offers; None of a package that is no room."""
    path = ROOT / package.replace(".", "/") / "__init__.py"
    for node in tree(path).body if path.exists() else ():
        match node:
            case ast.Assign(targets=[ast.Name("__all__")], value=value):
                return frozenset(ast.literal_eval(value))
            case _:
                pass
    return None


def room_of(module: str) -> str:
    """The room that a module is in."""
    while module and face(module) is None:
        module = module.rpartition(".")[0]
    return module


@cache
def crossings() -> tuple[tuple[Path, ast.ImportFrom, str, str], ...]:
    """The imports of other rooms: file, import, the module named, and a name of it."""
    return (*_crossings(),)


def _crossings() -> Iterator[tuple[Path, ast.ImportFrom, str, str]]:
    """Looks for them in all rooms."""
    for path in sources(*ROOMS):
        mine = dotted(path)
        for node, module, names in imported(path):
            for name in names:
                whole = f"{module}.{name}"
                target = whole if is_module(whole) else module
                package = target if is_package(target) else target.rpartition(".")[0]
                # What stands around a room is its own as well, and so is a dialect.
                around = {package, *(each for each in DIALECTS if is_in(target, each))}
                if room_of(target) != room_of(mine) and not any(
                    is_in(mine, each) for each in around
                ):
                    yield path, node, module, name


def is_in(module: str, package: str) -> bool:
    """Whether a module is in a package, or is that package."""
    return f"{module}.".startswith(f"{package}.")


@cache
def is_package(name: str) -> bool:
    """Whether there is such a package."""
    return (ROOT / name.replace(".", "/") / "__init__.py").exists()


@cache
def is_module(name: str) -> bool:
    """Whether there is such a file or package."""
    return is_package(name) or (ROOT / f"{name.replace('.', '/')}.py").exists()


def test_rooms_are_entered_by_their_faces():
    refuse(
        f"{at(path, node)} takes {name} from {module}, not from {room_of(module)}"
        for path, node, module, name in crossings()
        if room_of(module) and name not in (face(module) or ())
        if dotted(path) not in LOOKS_BEHIND
    )


def test_a_face_is_small():
    """The ops, attributes and types of a dialect are its words, and not counted."""
    word = re.compile(r"[A-Z]\w*(Op|Attr|Type)")
    for path in sources(*ROOMS):
        if path.name == "__init__.py":
            names = [n for n in face(dotted(path)) or () if not word.fullmatch(n)]
            assert len(names) <= 60, f"{at(path)} offers {len(names)} names"


@pytest.mark.parametrize("room", ARROWS)
def test_no_arrow_runs_up(room: str):
    refuse(
        f"{at(path, node)} imports {room_of(module)}"
        for path, node, module, _ in crossings()
        if room_of(dotted(path)) == room and room_of(module) not in ARROWS[room]
    )


def test_no_compile_imports_the_host_dialect():
    """Only `sr-opt` does, and what prints it, which is imported when it is asked to."""
    found = {dotted(p) for p, _, m, _ in crossings() if room_of(m) == "dialects.host"}
    assert found == {"compiler.tools.opt", "lowering.host_to_mlir"}
    (call,) = (
        node
        for path in sources(*ROOMS)
        for node, module, names in imported(path)
        if "host_to_mlir" in (*module.split("."), *names)
    )
    assert call.col_offset > 0


def test_a_face_offers_what_others_take():
    """A face has nothing that only its own room, or nobody, uses."""
    taken = {(module, name) for _, _, module, name in crossings()}
    taken |= {
        (module, name)
        for path in sources("test", "bench", "examples")
        for _, module, names in imported(path)
        for name in names
    }
    refuse(
        f"{package}: {name}"
        for path in sources(*ROOMS)
        if path.name == "__init__.py" and (names := face(package := dotted(path)))
        for name in names
        if (package, name) not in taken and not defines(path, name)
    )


def defines(path: Path, name: str) -> bool:
    """Whether a file itself says what a name is."""
    return name in {each for each, _ in definitions(path)}


def definitions(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """What a file defines, but for ops, passes and ISAs, which are found by name."""
    for node in tree(path).body:
        match node:
            case ast.FunctionDef(name):
                yield name, node
            case ast.ClassDef(name) if not any(
                isinstance(each, ast.Assign)
                and ast.unparse(each.targets[0]) in ("name", "isa")
                for each in node.body
            ):
                yield name, node
            case ast.Assign(targets=[target]):
                for each in ast.walk(target):
                    if isinstance(each, ast.Name):
                        yield each.id, node
            case ast.AnnAssign(target=ast.Name(name)):
                yield name, node
            case _:
                pass


def used_by_others() -> set[tuple[str, str]]:
    """What files take of others: by import, as an attribute, or by name in text."""
    found: set[tuple[str, str]] = set()
    for path in sources(*ROOMS, "test", "bench", "examples"):
        modules: dict[str, str] = {}
        for _, module, names in imported(path):
            for name in names:
                found.add((module, name))
                if is_module(f"{module}.{name}"):
                    modules[name] = f"{module}.{name}"
        found |= {(modules.get(owner, ""), attr) for owner, attr in attributes(path)}
        found |= {("", text) for text in texts(path)}
    return found


ATTRIBUTE = re.compile(r"\b([^\W\d]\w*)\.([^\W\d]\w*)")
TEXT = re.compile(r"""(["'])(\w+)\1""")


def is_in_a_room(path: Path) -> bool:
    """Whether a file is parsed; of others the text is enough."""
    return path.relative_to(ROOT).parts[0] in ROOMS


def attributes(path: Path) -> Iterator[tuple[str, str]]:
    """Names, each with one that follows it after a dot."""
    if not is_in_a_room(path):
        yield from {(each[1], each[2]) for each in ATTRIBUTE.finditer(path.read_text())}
        return
    for node in nodes(path):
        match node:
            case ast.Attribute(value=ast.Name(owner), attr=attr):
                yield owner, attr
            case _:
                pass


def texts(path: Path) -> Iterator[str]:
    """The strings of a file that may be a name."""
    if not is_in_a_room(path):
        yield from {each[2] for each in TEXT.finditer(path.read_text())}
        return
    for node in nodes(path):
        match node:
            case ast.Constant(str(text)):
                yield text
            case _:
                pass


def public_signatures(scope: ast.Module | ast.ClassDef) -> Iterator[str]:
    """The names in annotations of what is public: of functions and of fields."""
    for node in scope.body:
        match node:
            case ast.ClassDef(name) if not name.startswith("_"):
                yield from public_signatures(node)
            case ast.FunctionDef(name) if not name.startswith("_"):
                arguments = node.args
                several = (arguments.posonlyargs, arguments.args, arguments.kwonlyargs)
                found = [each.annotation for part in several for each in part]
                yield from names_in(*found, node.returns)
            case ast.AnnAssign(ast.Name(name)) if not name.startswith("_"):
                yield from names_in(node.annotation)
            case _:
                pass


def names_in(*annotations: ast.expr | None) -> Iterator[str]:
    """The names of types in annotations."""
    for each in filter(None, annotations):
        yield from (node.id for node in ast.walk(each) if isinstance(node, ast.Name))


def test_types_of_what_is_public_are_public():
    """But for variables of types, which no caller can name."""
    refuse(
        f"{at(path, node)} {name}"
        for path in sources(*ROOMS)
        for shown in [set(public_signatures(tree(path)))]
        for name, node in definitions(path)
        if name.startswith("_") and name in shown
        if "TypeVar(" not in ast.unparse(node)
    )


def test_what_only_its_own_file_uses_is_private():
    used = used_by_others()
    refuse(
        f"{at(path, node)} {name}"
        for path in sources(*ROOMS)
        if path.name != "__init__.py"
        for shown in [set(public_signatures(tree(path)))]
        for name, node in definitions(path)
        if not name.startswith("_")
        and name not in shown
        and name != "main"
        and (dotted(path), name) not in used
        and ("", name) not in used
    )
