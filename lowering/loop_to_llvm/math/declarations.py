"""Declares the intrinsics that a module's text calls."""

from __future__ import annotations

import re

_CALL = re.compile(r"\bcall\b(?P<type>[^@\n]*)@(?P<name>llvm\.[\w.$-]+)\(")
_LINE = re.compile(r"^.*@llvm\..*$", re.MULTILINE)
NAME = re.compile(r"%[\w.$-]+")
_DECLARED = re.compile(r"^\s*declare\b[^@\n]*@(llvm\.[\w.$-]+)\(", re.MULTILINE)
# What may stand between `call` and the type of the result, and before an argument.
FLAGS = {
    *("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"),
    *("noundef", "nonnull", "signext", "zeroext", "inreg", "ccc", "fastcc"),
}
_BRACKETS = {"(": ")", "<": ">", "[": "]", "{": "}"}


def declarations(text: str) -> str:
    """
    A `declare` line for each intrinsic that a module's text calls but does not declare.

    The signature is read off the call. Raises ValueError where two calls of one
    intrinsic differ in it.
    """
    if "@llvm." not in text:
        return ""
    present = set(_DECLARED.findall(text)) if "declare" in text else set[str]()
    found: dict[str, str] = {}
    # Most calls are on a line, alike but for the names of values, and are read once.
    lines = dict.fromkeys(NAME.sub("%", each) for each in _LINE.findall(text))
    if all(each.count("(") == each.count(")") for each in lines):
        text = "\n".join(lines)
    for call in _CALL.finditer(text):
        name = call["name"]
        if name in present:
            continue
        end = _closing(text, call.end() - 1)
        types = [_leading_type(each) for each in split(text[call.end() : end])]
        line = f"declare {_leading_type(call['type'])} @{name}({', '.join(types)})"
        if found.setdefault(name, line) != line:
            raise ValueError(
                f"expected every call of {name} to be as in {found[name]!r}, "
                f"got {line!r}: name the overload after the types of its operands"
            )
    return "".join(f"{line}\n" for line in found.values())


def _closing(text: str, start: int) -> int:
    """The index of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] in _BRACKETS:
            depth += 1
        elif text[i] in _BRACKETS.values():
            depth -= 1
            if depth == 0:
                return i
    raise ValueError(f"expected a closing bracket, got {text[start : start + 80]!r}")


def split(text: str) -> list[str]:
    """The arguments of a call, parted by the commas that no bracket holds."""
    parts: list[str] = []
    depth = start = 0
    for i, character in enumerate(text):
        depth += (character in _BRACKETS) - (character in _BRACKETS.values())
        if character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]] if text.strip() else []


def _leading_type(text: str) -> str:
    """The type that an argument, or what follows `call`, begins with."""
    text = text.strip()
    while text.split(maxsplit=1)[0] in FLAGS:
        text = text.split(maxsplit=1)[1]
    if text[0] in _BRACKETS:
        return text[: _closing(text, 0) + 1]
    return text.split(maxsplit=1)[0]
