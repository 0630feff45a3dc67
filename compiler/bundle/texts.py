"""The texts of a model in a header: C knows texts of inputs and outputs as numbers."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator

from ...runtime.program import TEXTS, Program
from ..session import CompileError
from .c_names import comment, identifier_of

_PLAIN = frozenset(f"{string.ascii_letters}{string.digits} _-.,:;/+=()")
"""What needs no escape in a literal of C, and begins none."""

_LINE = 80
"""The most characters of a line of texts, unless a text alone has more."""


def text_macros(program: Program, upper: str, taken: Iterable[str]) -> Iterator[str]:
    """
    The macros of texts, as lists to initialize arrays of `const char *` with; `taken`
    are the names of other macros without the prefix `upper`.

    Raises `CompileError` for one that is called as another.
    """
    structure = program.structure
    if structure is None:
        return
    others = {*taken}
    if structure.inputs_of_texts:
        names = comment(", ".join(sorted(structure.inputs_of_texts)))
        yield f"/* {names}: texts, as their places in this list, from 0 on."
        yield "   Any other text is below zero, each a number of its own in a call. */"
        yield from _macro(upper, "TEXTS", structure.texts, others)
    leaves = () if structure.outputs is None else structure.outputs.leaves()
    for each in leaves:
        if each.kind == TEXTS:
            name = program.outputs[each.number].name
            yield f"/* The output {comment(name)} has numbers of these texts. */"
            texts = map(str, each.keys)
            yield from _macro(upper, f"{identifier_of(name)}_TEXTS", texts, others)


def _macro(
    upper: str, name: str, texts: Iterable[str], taken: set[str]
) -> Iterator[str]:
    """A macro of texts."""
    if name in taken:
        raise CompileError(
            "expected inputs and outputs whose names differ in C from those of texts, "
            f"got {name}; rename one in the model"
        )
    taken.add(name)
    line = f"#define {upper}_{name} {{"
    for each in texts:
        quoted = f'"{_escaped(each)}",'
        if len(line) + len(quoted) > _LINE:
            yield f"{line} \\"
            line = " "
        line += f" {quoted}"
    # C knows no list without elements.
    yield f"{line.rstrip(',')} }}" if line[-1] == "," else f"{line} 0 }}"


def _escaped(text: str) -> str:
    """A text in UTF-8 as a literal of C has it, of characters that C has."""
    return "".join(
        chr(byte) if chr(byte) in _PLAIN else f"\\{byte:03o}"
        for byte in text.encode(errors="replace")
    )
