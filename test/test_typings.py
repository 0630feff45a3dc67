"""The stubs in typings/ tell the truth about the libraries that they describe."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, is_typeddict

import pytest

TYPINGS = Path(__file__).parent.parent / "typings"
NOT_IN_EVERY_ENVIRONMENT = ("torch", "onnxruntime")
OF_ENGINES = ("dask", "pandas", "pyarrow", "pyspark", "ray")
"""What scoring takes tables from, which no environment of the checks has."""


def stubs() -> list[Any]:
    """Every stub, named after its module."""
    found: list[Any] = []
    for path in sorted(TYPINGS.rglob("*.pyi")):
        parts = path.relative_to(TYPINGS).with_suffix("").parts
        marks = [pytest.mark.torch] if parts[0] in NOT_IN_EVERY_ENVIRONMENT else []
        name = ".".join(parts).removesuffix(".__init__")
        found.append(pytest.param(path, marks=marks, id=name))
    return found


def described(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """What a stub says that the library has; names of its own begin with `_`."""
    for node in body:
        match node:
            case ast.FunctionDef(name) | ast.ClassDef(name):
                if not name.startswith("_"):
                    yield name, node
            case ast.AnnAssign(target=ast.Name(name)) if not name.startswith("_"):
                yield name, node
            case _:
                pass


def check_parameters(stub: ast.FunctionDef, real: Any, where: str) -> None:
    """The function has the parameters that its stub has, and needs no others."""
    try:
        parameters = inspect.signature(real).parameters
    except (TypeError, ValueError):
        return  # built in: it does not say what it takes
    kinds = {each.kind for each in parameters.values()}
    arguments = stub.args
    names = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)}
    names -= {"self", "cls"}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        if inspect.Parameter.VAR_POSITIONAL not in kinds:
            assert names <= set(parameters), where
    if not (arguments.posonlyargs or arguments.vararg or arguments.kwarg):
        needed = {
            name
            for name, each in parameters.items()
            if each.default is each.empty
            and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        }
        assert needed - {"self", "cls"} <= names, where


def has(owner: Any, name: str) -> bool:
    """Whether a module, or what a class makes, has `name`, as far as its text tells."""
    if not isinstance(owner, type) or hasattr(owner, name):
        return hasattr(owner, name)
    if message := getattr(owner, "DESCRIPTOR", None):
        return name in message.fields_by_name
    if is_typeddict(owner):
        return name in owner.__annotations__
    sources = [inspect.getsource(c) for c in owner.__mro__ if c is not object]
    words = f"self.{name} ", f"self.{name}:", f"    {name}:", f'"{name}"'
    return any(word in source for source in sources for word in words)


def check(body: list[ast.stmt], real: Any, where: str) -> None:
    """`real` has everything that the stub's `body` says it has."""
    for name, stub in described(body):
        place = f"{where}.{name}"
        match stub:
            case ast.ClassDef(body=body):
                check(body, getattr(real, name), place)
            case ast.FunctionDef(decorator_list=[]):
                check_parameters(stub, getattr(real, name), place)
            case _:
                assert has(real, name), place


@pytest.mark.parametrize("path", stubs())
def test_the_library_has_what_its_stub_says(path: Path):
    parts = path.relative_to(TYPINGS).with_suffix("").parts
    module = ".".join(parts).removesuffix(".__init__")
    if parts[0] in OF_ENGINES:
        pytest.importorskip(parts[0])
    body = ast.parse(path.read_text()).body
    check(body, import_module(module), module)
