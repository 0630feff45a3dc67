"""The rules of the house that a machine can check."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from static_runtime.compiler.passes.pipeline import PIPELINE

from .house import (
    ROOMS,
    ROOT,
    at,
    imports,
    is_text,
    modules,
    nodes,
    refuse,
    sources,
    tracked,
    tree,
)

OPS = tuple(f"dialects/{each}/ops" for each in ("graph", "host", "loop", "scalar"))
PASSES = ("compiler/passes/graph", "compiler/passes/loop")

FAMILIES = {
    # graph: ops that share one rule for the shape of their result
    *("activation", "arithmetic", "binary", "bitwise", "compare", "cumulative"),
    *("division", "exponential", "hyperbolic", "logical", "polar", "pool", "reduce"),
    *("rounding", "softmax", "trigonometric"),
    # graph, loop and host: ops that mean nothing without each other
    *("containers", "control_flow", "for_loop", "fusion", "memory", "position"),
    *("program_calls", "program_flow", "winograd"),
}
"""The files that hold more than one op; every other is named after the one it holds."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def named(path: Path) -> dict[str, str]:
    """The classes of a file that say `name = "..."`, and what they say."""
    found: dict[str, str] = {}
    for node in nodes(path):
        if not isinstance(node, ast.ClassDef):
            continue
        for each in node.body:
            match each:
                case ast.Assign(
                    targets=[ast.Name("name")], value=ast.Constant(str(name))
                ):
                    found[node.name] = name
                case _:
                    pass
    return found


def camel(name: str) -> str:
    """The name of a class, from the name of a file or of an op."""
    return "".join(word[:1].upper() + word[1:] for word in re.split("[_-]", name))


def test_ops_and_passes_have_a_test_at_the_same_path():
    expected = {
        (ROOT / "test" / path.relative_to(ROOT)).with_suffix(".mlir")
        for path in modules(*OPS, *PASSES)
    }
    found = {
        path
        for each in (*OPS, *PASSES)
        for path in (ROOT / "test" / each).rglob("*.mlir")
    }
    refuse(f"no test: {path.relative_to(ROOT)}" for path in expected - found)
    refuse(f"no source: {path.relative_to(ROOT)}" for path in found - expected)


def test_lowerings_have_a_test_at_the_same_path():
    folder = ROOT / "test" / "lowering"
    names = {path.stem for path in (ROOT / "lowering").glob("[a-z]*")}
    refuse(names - {path.stem.removeprefix("test_") for path in folder.iterdir()})


def test_passes_are_named_after_their_files():
    for path in modules(*PASSES):
        expected = {camel(path.stem): path.stem.replace("_", "-")}
        assert named(path) == expected, at(path)


def test_lowerings_are_named_from_what_to_what():
    for path in (ROOT / "lowering").glob("[a-z]*"):
        assert re.fullmatch("[a-z]+_to_[a-z]+", path.stem), at(path)
        file = path / "__init__.py" if path.is_dir() else path
        for owner, name in named(file).items() if file.exists() else ():
            assert (owner, name) == (camel(path.stem), path.stem.replace("_", "-"))


def test_every_pass_is_in_the_pipeline():
    found = {name for path in modules(*PASSES) for name in named(path).values()}
    refuse(found - {each.name for each in PIPELINE})


@pytest.mark.parametrize("folder", OPS)
def test_ops_are_named_after_their_classes_and_files(folder: str):
    dialect = Path(folder).parent.name
    for path in modules(folder):
        for owner, name in named(path).items():
            assert name.startswith(f"{dialect}."), at(path)
            own = name.removeprefix(f"{dialect}.")
            assert owner == camel(own) + "Op", at(path)
            assert path.stem in FAMILIES or path.stem == own, at(path)


def test_families_are_the_files_with_several_ops():
    several = {path.stem for path in modules(*OPS) if len(named(path)) > 1}
    assert several == FAMILIES


def test_no_file_is_named_after_nothing():
    nothing = re.compile("utils?|common|helpers?|misc|uncategori[sz]ed")
    places = [at(path) for path in tracked() if nothing.fullmatch(path.stem)]
    # A stub has the name that its library gave it.
    refuse(each for each in places if not each.startswith("typings/"))


MAY_IMPORT = {
    "dialects": {"dialects"},
    "runtime": {"runtime"},
    "lowering": {"lowering", "dialects", "runtime"},
    "compiler": set(ROOMS),
}
"""The rooms that each room may import."""

MAY_USE = {
    "dialects": {"numpy", "typing_extensions", "xdsl"},
    "runtime": {"llvmlite", "numpy"},
    "lowering": {"llvmlite", "numpy", "typing_extensions", "xdsl"},
    "compiler": {"llvmlite", "numpy", "typing_extensions", "xdsl"},
    "compiler/frontends/onnx": {"google", "numpy", "onnx", "xdsl"},
    "compiler/frontends/torch": {"numpy", "sympy", "torch", "xdsl"},
    "compiler/scoring": {"dask", "numpy", "pandas", "pyarrow", "pyspark", "ray"},
    "compiler/selective": {"yaml"},
}
"""The libraries that the files of a folder may import, the nearest folder deciding."""


@pytest.mark.parametrize("room", ROOMS)
def test_data_flows_one_way(room: str):
    refuse(
        [
            place
            for path in sources(room)
            for place, parts in imports(path)
            if parts[0] == "static_runtime" and parts[1] not in MAY_IMPORT[room]
        ]
    )


MAKES_CODE = (
    *("compiler/bundle", "compiler/driver", "compiler/library", "compiler/tuning"),
    *("compiler/passes/pipeline.py", "compiler/profiling/limits.py"),
    *("compiler/runtime_folder.py", "compiler/tools/opt.py"),
)
"""The files and folders outside of `lowering` that import it."""


def test_the_lowerings_are_entered_at_few_places():
    refuse(
        place
        for path in sources(*MAY_IMPORT)
        if not str(path.relative_to(ROOT)).startswith(("lowering/", *MAKES_CODE))
        for place, parts in imports(path)
        if parts[:2] == ["static_runtime", "lowering"]
    )
    for name in MAKES_CODE:
        files = (ROOT / name,) if name.endswith(".py") else sources(name)
        used = [parts[1:2] for path in files for _, parts in imports(path)]
        assert ["lowering"] in used, f"{name} may import what it does not"


def module_imports() -> dict[str, set[str]]:
    """The files of the rooms, and which others each imports, wherever it does so."""
    files = [str(path.relative_to(ROOT)) for path in sources(*ROOMS)]
    found: dict[str, set[str]] = {name: set() for name in files}
    for name in files:
        for _, [package, *parts] in imports(ROOT / name):
            stem = "/".join(parts)
            above = "/".join(parts[:-1])
            candidates = (
                *(f"{stem}.py", f"{stem}/__init__.py"),
                *(f"{above}.py", f"{above}/__init__.py"),
            )
            known = [each for each in candidates if each in found]
            if package == "static_runtime" and known and known[0] != name:
                found[name].add(known[0])
    return found


def test_no_imports_go_in_a_circle():
    graph = module_imports()
    # Seen are imports in functions, and those for types alone.
    assert "compiler/driver/__init__.py" in graph["compiler/compile.py"]
    assert "compiler/ir/__init__.py" in graph["compiler/compile.py"]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        _, circle = error.args
        raise AssertionError(" is imported by\n".join(circle)) from None


def test_no_folders_go_in_a_circle():
    """What is in a folder and what is around it count as one."""
    graph: dict[str, set[str]] = {}
    for name, others in module_imports().items():
        mine = str(Path(name).parent)
        for other in {str(Path(each).parent) for each in others}:
            if not (f"{mine}/".startswith(f"{other}/") or other.startswith(f"{mine}/")):
                graph.setdefault(mine, set()).add(other)
    assert "compiler/session" in graph["compiler/passes"]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        _, circle = error.args
        raise AssertionError(" is imported by\n".join(circle)) from None


@cache
def libraries(path: Path) -> set[str]:
    """The libraries that a file may import."""
    folders = path.relative_to(ROOT).parents
    return next(MAY_USE[str(each)] for each in folders if str(each) in MAY_USE)


def test_no_room_imports_what_it_may_not_use():
    free = sys.stdlib_module_names | {"static_runtime"}
    refuse(
        [
            (place, package)
            for path in sources(*ROOMS)
            for place, [package, *_] in imports(path)
            if package not in free | libraries(path)
        ]
    )


def test_a_test_that_imports_a_framework_is_marked_as_a_whole():
    framework = re.compile(
        "^(import|from) (onnxruntime|onnxscript|torch)", re.MULTILINE
    )
    refuse(
        [
            at(path)
            for path in (ROOT / "test").rglob("test_*.py")
            if framework.search(text := path.read_text())
            and "pytestmark = pytest.mark.torch" not in text
        ]
    )


EXPLAINED_BY_THEIR_BASE = {
    *("infer", "reference", "nests", "scalar", "decompose", "requirements"),  # GraphOp
    *("preferred", "carry", "copies"),
    *("defines", "argument_types", "yield_types", "result_types_for", "memory_of"),
    *("destination", "verify_operands"),  # RegionOp
    *("verify_", "fold", "parse", "parse_parameters", "print", "print_parameters"),
    *("apply", "match_and_rewrite"),  # passes and patterns of xDSL
}
"""Methods whose docstring is that of the class that asks for them."""


def documented(path: Path) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    """The public classes, functions and methods of a file."""
    scopes: list[ast.Module | ast.ClassDef] = [tree(path)]
    for scope in scopes:
        for node in scope.body:
            match node:
                case ast.ClassDef(name) if not name.startswith("_"):
                    scopes.append(node)
                    yield node
                case ast.FunctionDef(name, decorator_list=decorators):
                    again = {ast.unparse(each) for each in decorators}
                    if not (
                        name.startswith("_")
                        or name in EXPLAINED_BY_THEIR_BASE
                        or again & {"overload", f"{name}.setter"}
                    ):
                        yield node
                case _:
                    pass


def docstring(path: Path) -> str:
    """The docstring of a file."""
    return ast.get_docstring(tree(path)) or ""


def test_every_module_begins_with_a_sentence_that_says_what_it_does():
    refuse(
        [
            at(path)
            for path in sources(*ROOMS, "bench", "examples")
            if not path.read_text().startswith('"""')
            or not docstring(path).split("\n\n")[0].endswith((".", ":"))
        ]
    )


def test_every_pass_shows_before_and_after():
    both = re.compile("^Before:$.*^After:$", re.DOTALL | re.MULTILINE)
    refuse(at(path) for path in modules(*PASSES) if not both.search(docstring(path)))


def test_every_public_name_has_a_docstring():
    refuse(
        [
            f"{at(path, node)} {node.name}"
            for path in sources(*ROOMS)
            for node in documented(path)
            if not ast.get_docstring(node)
        ]
    )


def constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    """The `__init__` that a class defines itself."""
    found = (each for each in node.body if isinstance(each, ast.FunctionDef))
    return next((each for each in found if each.name == "__init__"), None)


def test_no_constructor_skips_that_of_its_base():
    classes = [
        (at(path, node), node)
        for path in sources(*ROOMS)
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
    ]
    bases = {node.name: {*map(ast.unparse, node.bases)} for _, node in classes}
    made = {node.name for _, node in classes if constructor(node) is not None}
    while more := {name for name in bases if bases[name] & made} - made:
        made |= more
    assert {"StaticModule", "ReferenceModule"} <= made
    refuse(at(path) for path in sources(*ROOMS) if "object.__new__" in path.read_text())
    for place, node in classes:
        own = constructor(node)
        if own is not None and any(ast.unparse(each) in made for each in node.bases):
            assert "__init__(" in "".join(map(ast.unparse, own.body)), place


READ_TWICE = re.compile(
    r"\bas (it lies|they lie)\b|\bso many\b(?! that)|\bnumbers last\b"
    r"|\bof (which|whom)\b|\bwhat (it is|they are)\b(?! given)"
    r"|(^|[.;:,(|] )((and|but|or) )?those of\b",
    re.IGNORECASE,
)
"""Phrases that a reader of English must read twice, as no word says what they mean."""

MAYBE = re.compile(READ_TWICE.pattern.replace("[.;:,(|] ", r"\W "), re.IGNORECASE)
"""What the text of a file has where its prose has such a phrase."""


def prose(path: Path) -> Iterator[tuple[str, str]]:
    """The docstrings and comments of a Python file, or another's text, by place."""
    text = path.read_text()
    if path.suffix == ".py":
        text = " ".join(re.findall(r"(?:^|\s)# (.*)", text))
        for node in nodes(path):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                if isinstance(said := node.value.value, str):
                    yield at(path, node), said
    yield at(path), text


def test_prose_is_read_once():
    refuse(
        f"{place} {found[0]}"
        for path in tracked()
        if path.suffix in (".md", ".py")
        # Few files are parsed.
        if MAYBE.search(" ".join(re.sub('#|"""', ". ", path.read_text()).split()))
        for place, said in prose(path)
        for found in READ_TWICE.finditer(" ".join(said.split()))
    )


def test_nothing_names_a_folder_of_one_machine():
    folder = re.compile(rb"(?<![\w.%}])/(?:tmp|work|root|home(?!/someone))/")
    refuse(
        [
            at(path)
            for path in tracked()
            if is_text(path) and folder.search(path.read_bytes())
        ]
    )


def test_no_file_and_no_function_is_too_long():
    wrong: list[str] = []
    for path in sources(*ROOMS):
        lines = len(path.read_text().splitlines())
        if lines > 350:
            wrong.append(f"{at(path)} has {lines} lines")
        for node in nodes(path):
            if isinstance(node, FUNCTIONS) and node.end_lineno is not None:
                length = node.end_lineno - node.lineno + 1
                if length > 60:
                    wrong.append(f"{at(path, node)} {node.name} has {length} lines")
    refuse(wrong)


LLVM_LINE = re.compile(
    r"^\s*(%[\w.{}]+ = |br (label|i1) |ret |store [a-z]|define |call void )",
    re.MULTILINE,
)
"""A line of LLVM IR as a string of Python has it."""


def test_no_llvm_function_is_a_string():
    """What printers write comes from ops; kernel math alone has a text of its own."""
    found: dict[str, int] = {}
    for path in sources(*ROOMS):
        for node in nodes(path):
            match node:
                case ast.Constant(value=str() as text) if text.count("\n") > 1:
                    count = len(LLVM_LINE.findall(text))
                    if re.search(r"^define .*@", text, re.MULTILINE):
                        name = path.relative_to(ROOT).as_posix()
                        found[name] = found.get(name, 0) + count
                case _:
                    pass
    assert found.keys() <= {"lowering/loop_to_llvm/math/remainder.py"}
    assert sum(found.values()) <= 100


def catches_everything(node: ast.AST) -> bool:
    """Whether a handler takes every error; one that raises it again may."""
    match node:
        case ast.ExceptHandler(type=None):
            return True
        case ast.ExceptHandler(type=ast.expr() as kind, body=[*_, last]):
            names = ast.unparse(kind)
            again = isinstance(last, ast.Raise)
            return bool(re.search(r"\bException\b", names)) or (
                "BaseException" in names and not again
            )
        case ast.Call(func=ast.Name("suppress"), args=kinds):
            everything = {"BaseException", "Exception"}
            return any(ast.unparse(kind) in everything for kind in kinds)
        case _:
            return False


def test_no_handler_catches_everything():
    refuse(
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path in sources(*ROOMS)
        for node in nodes(path)
        if catches_everything(node)
    )


def test_no_check_is_silenced_without_its_name():
    silence = re.compile(r"#\s*(type:\s*ignore|pyright:\s*ignore(?!\[)|noqa(?!:))")
    refuse(
        at(path, number)
        for path in (*sources(*ROOMS, "test"), *(ROOT / "typings").rglob("*.pyi"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if silence.search(line)
    )


def test_every_package_is_shipped():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folders = {
        "static_runtime." + ".".join(path.parent.relative_to(ROOT).parts)
        for path in sources(*ROOMS)
    }
    shipped = set(project["tool"]["setuptools"]["packages"])
    refuse(f"not in pyproject.toml: {each}" for each in folders - shipped)
    refuse(f"only in pyproject.toml: {each}" for each in shipped - folders)
    refuse(at(p) for p in sources(*ROOMS) if not (p.parent / "__init__.py").exists())


def test_a_document_lists_the_passes_of_the_pipeline():
    rows = re.findall(
        r"^\| `([\w-]+)` \|(.*)\|$",
        (ROOT / "docs" / "passes.md").read_text(),
        re.MULTILINE,
    )
    assert [name for name, _ in rows] == [each.name for each in PIPELINE]
    for _, cells in rows:
        for file in re.findall(r"`([\w/]+\.\w+)`", cells):
            assert (ROOT / file).exists()


def test_one_file_asks_what_the_machine_is():
    asks = re.compile(
        r"get_host_cpu|get_process_triple|get_default_triple|cpu_count|"
        r"sched_getaffinity|/sys/devices|/sys/fs/cgroup|/proc/cpuinfo"
    )
    places = [*sources(*ROOMS), *(ROOT / "test").rglob("*.py")]
    refuse(
        at(path)
        for path in places
        if path.name not in ("host.py", "test_host.py", "test_house.py")
        and asks.search(path.read_text())
    )
