"""
Write `docs/ops.md`: every op of the graph dialect, and what the front ends read.

    python -m static_runtime.compiler.tools.ops_table docs/ops.md

All of it follows from the classes of the ops and from the tables of the front ends. The
part on PyTorch is left as it stands in the file where torch is not installed.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from inspect import getdoc
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from ...dialects import (
    DTYPES,
    ELEMENT_TYPES,
    Element,
    sizes,
    tensor,
    tensor_type,
)
from ...dialects.graph import Graph, GraphOp
from ..ir import context

HEAD = """\
# Ops

Written by `make docs`; a test fails when it is not up to date.

## Ops of the graph dialect

*compiled*: loops of its own, fused with others. *decomposed*: replaced by other ops
before that. *view*: the memory of its operand, under another shape. *stored*: has a
value before the model runs. *container*: gone before there are loops. *region*: holds
other ops. *program*: no kernel. *fallback*: its numpy reference is called when the
model runs.

*Elements* are the types that it takes: the types of most operands, or of its result
where there is no majority; *computed* is all but floats of 8 and 4 bits and integers of
4 and 2. *ONNX* names the ops that are read as this op, on its own or
with others.
"""

_ONNX_HEAD = """
## Ops of ONNX

From opset 6 to 28 (onnx 1.23), and before 6 where an op has had one form since. *of*
names the ops of the graph that the reader builds, not all of them each time. One with
no reader of its own is read as the ops that ONNX defines it by. A node whose inputs are
all known is computed while the model is read.
"""

_CONTRIBUTED_HEAD = """
## Ops of com.microsoft

Those that ONNX Runtime's quantiser and optimiser write (`docs/quantization.md`). *of*
is as above.
"""

TORCH_HEAD = """
## Operators of PyTorch

As `torch.export` gives them, after its decompositions. *of* is as above.
"""

_PACKAGE = __spec__.name.partition(".")[0]
"""The package that this file is in, also when the file is run."""

_COMPOSE = f"{_PACKAGE}.dialects.graph.compose"
"""The package of functions that several readers, and ops, are made of."""

_SETS = {
    frozenset(DTYPES): "all",
    frozenset(e for e in DTYPES if not ELEMENT_TYPES[e].is_stored): "computed",
}
"""What sets of element types are called."""


def main(args: Sequence[str] | None = None) -> None:
    """Writes the file that the arguments name."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    file = parser.parse_args(args).file
    torch = torch_part() if find_spec("torch") else _stored_torch_part(file)
    file.write_text(graph_part() + onnx_part() + torch)


def _stored_torch_part(file: Path) -> str:
    """The part on PyTorch that a file has."""
    _, head, rest = file.read_text().partition(TORCH_HEAD)
    return head + rest


def graph_part() -> str:
    """The table of the graph dialect."""
    from ..frontends.onnx.coverage import READERS

    read_as: dict[type[GraphOp], list[str]] = {}
    for name, handler in READERS.items():
        for op in ops_in(handler):
            read_as.setdefault(op, []).append(name)
    ops = [each for each in Graph.operations if issubclass(each, GraphOp)]
    rows = [
        [
            f"`{op.name}`",
            _meaning(op),
            elements(op),
            kind(op),
            _listed(read_as.get(op, ())),
        ]
        for op in sorted(ops, key=lambda each: each.name)
    ]
    return HEAD + _table(("op", "meaning", "elements", "runs", "ONNX"), rows)


def onnx_part() -> str:
    """The table of ONNX, and what of it is not read."""
    from ..frontends.onnx.coverage import depends_on_inputs, every_op, is_read

    read = [[f"`{name}`", onnx_reading(name)] for name in every_op() if is_read(name)]
    others = [name for name in every_op() if not is_read(name)]
    depends = [name for name in others if depends_on_inputs(name)]
    missing = [name for name in others if not depends_on_inputs(name)]
    return "".join(
        [
            _ONNX_HEAD,
            _table(("op", "of"), read),
            "\nDefined by other ops, which depend on the inputs, and read where those "
            f"are, {len(depends)}:\n{_listed(depends)}.\n",
            f"\nNot read, {len(missing)}:\n{_listed(missing)}.\n",
            _contributed_part(),
        ]
    )


def _contributed_part() -> str:
    """The table of `com.microsoft`."""
    from ..frontends.onnx.contributed import HANDLERS

    rows = [
        [f"`{name}`", _listed(op.name.removeprefix("graph.") for op in ops_in(handler))]
        for name, handler in sorted(HANDLERS.items())
    ]
    return _CONTRIBUTED_HEAD + _table(("op", "of"), rows)


def onnx_reading(name: str) -> str:
    """What an op of ONNX is read as."""
    from ..frontends.onnx.coverage import READERS, definition

    if name in READERS:
        return _listed(op.name.removeprefix("graph.") for op in ops_in(READERS[name]))
    return f"its definition: {_listed(definition(name))}"


def torch_part() -> str:
    """The table of PyTorch; needs torch."""
    from ..frontends.torch.readers import READERS

    overloads: dict[tuple[str, str], list[str]] = {}
    for name, reader in READERS.items():
        packet, _, overload = name.rpartition(".")
        ops = _listed(op.name.removeprefix("graph.") for op in ops_in(reader))
        overloads.setdefault((packet, ops), []).append(overload)
    rows = [
        [f"`{packet}`", ", ".join(sorted(names)), ops]
        for (packet, ops), names in sorted(overloads.items())
    ]
    return TORCH_HEAD + _table(("operator", "overloads", "of"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _listed(names: Iterable[str]) -> str:
    """Names in a row, as code."""
    return ", ".join(f"`{each}`" for each in sorted(set(names)))


def _meaning(op: type[GraphOp]) -> str:
    """The first sentence of the docstring of an op."""
    text = " ".join((getdoc(op) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[^.]\.) (?=[A-Z])", text)[0].replace("|", r"\|")


@cache
def _example(op: type[GraphOp]) -> GraphOp | None:
    """The op in its first example, None when that is on no tensors."""
    line = next(iter(op.examples()), "")
    types = re.findall(r"tensor<[^>]*>", line)
    call = line.partition(" = ")[2] if line.startswith("%") else line
    names = list(dict.fromkeys(re.findall(r"%\w+", call)))
    if not line or "!graph." in line or op.get_irdl_definition().regions:
        return None
    given = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=False))
    source = f"func.func @f({given}) {{ {line} func.return }}"
    module = Parser(context(), source).parse_module()
    return next(each for each in module.walk() if isinstance(each, GraphOp))


def kind(op: type[GraphOp]) -> str:
    """How an op runs."""
    if op.get_irdl_definition().regions:
        return "region"
    found = _example(op)
    if found is None:
        return "container"
    if not found.results:
        return "program"
    if op.IS_VIEW:
        return "view"
    if found.has_kernel:
        return "compiled"
    if op.decompose is GraphOp.decompose:
        return "fallback" if found.operands else "stored"
    with ImplicitBuilder(built := Block()):
        found.decompose()
    # What is left of it, once its padding is an op of its own, say, may have loops.
    return "compiled" if any(type(each) is op for each in built.ops) else "decomposed"


def elements(op: type[GraphOp]) -> str:
    """The types of elements that an op takes."""
    found = _example(op)
    if found is None or not found.operands:
        return ""
    types = [tensor_type(each) for each in found.operands]
    wanted = [each.element_type for each in types]
    computed = [tensor_type(each).element_type for each in found.results[:1]]
    # Of several types that of most operands, or of the result among as many.
    changed = max(wanted, key=lambda each: (wanted.count(each), each in computed))
    taken = [each for each in DTYPES if _takes(found, changed, each)]
    return _SETS.get(frozenset(taken)) or " ".join(map(str, taken))


def _takes(op: GraphOp, old: Element, new: Element) -> bool:
    """Whether the op also has a type with elements `new` instead of `old`."""
    types = [tensor_type(each) for each in op.operands]
    operands = [
        tensor(new, *sizes(each)) if each.element_type == old else each
        for each in types
    ]
    try:
        made = type(op)(*Block(arg_types=operands).args, **op.properties)
        made.verify_()
    except VerifyException:
        return False
    return True


def ops_in(function: Any, seen: set[int] | None = None) -> list[type[GraphOp]]:
    """
    The ops that a function and the compositions in it name, or if it names none, the
    ops of the functions that it calls; functions `seen` already are skipped.
    """
    level: list[Any] = [function]
    seen = set() if seen is None else seen
    found: dict[type[GraphOp], None] = {}
    names_op = False
    while level and not names_op:
        below: list[Any] = []
        for each in level:
            for value in named(each):
                if isinstance(value, type) and issubclass(value, GraphOp):
                    found[value], names_op = None, True
                elif isinstance(value, FunctionType | type) and id(value) not in seen:
                    seen.add(id(value))
                    if _is_composition(value):
                        found |= dict.fromkeys(ops_in(value, seen))
                    else:
                        below.append(value)
        level = below
    return list(found)


def _is_composition(value: Any) -> bool:
    """Whether a value is a function of several ops, more than numbers and shapes."""
    if not isinstance(value, FunctionType):
        return False
    folder, _, file = value.__module__.rpartition(".")
    return folder == _COMPOSE and file not in ("number", "shaping")


def named(function: Any) -> Iterator[Any]:
    """What a function of this package refers to, or a class of it holds."""
    if not function.__module__.startswith(_PACKAGE):
        return
    if isinstance(function, type):
        yield from vars(function).values()
        return
    for cell in function.__closure__ or ():
        yield from _entries(cell.cell_contents)
    names = [*_names_of(function.__code__)]
    for value in map(function.__globals__.get, names):
        if isinstance(value, ModuleType):
            yield from map(vars(value).get, names)
        else:
            yield from _entries(value)


def _entries(value: Any) -> Iterator[Any]:
    """A value, or what is in it if it is a table."""
    match value:
        case dict():
            yield from _entries(list(cast(dict[Any, Any], value).values()))
        case tuple() | list():
            for each in cast(Sequence[Any], value):
                yield from _entries(each)
        case _:
            yield value


def _names_of(code: CodeType) -> Iterator[str]:
    """The names that code refers to, in functions inside of it too."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names_of(each)


if __name__ == "__main__":
    main()
