"""Mutants of textual IR: tokens and lines changed, moved, removed and put in twice."""

from __future__ import annotations

import re
from random import Random

from .mutate import NUMBERS, mutate_bytes

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|-?\d+\.\d*(?:[eE][+-]?\d+)?|-?\d+|[%@!#^]?[A-Za-z_][\w.$]*'
    r"|[%@#^]\d+|->|::|\s+|."
)

WORDS = (
    *("f32", "f64", "f16", "bf16", "i1", "i8", "i32", "i64", "index", "none", "?"),
    *("tensor<f32>", "tensor<0xf32>", "tensor<?xf32>", 'tensor<?xf32, ["n"]>'),
    *("tensor<4x4xf64>", 'tensor<?x?xi64, ["n", "2 * n"]>', "!graph.list<>", "i0"),
    *('["n"]', '["0"]', '["-1"]', '["n * n * n"]', '["floordiv(n, 0)"]', "[]", "{}"),
    *("dense<1.0>", "dense<[]>", "array<i64>", "array<i64: 0, -1>", "true", "unit"),
    *("0x7FFFFFFFFFFFFFFF", "1e400", "0.0", "-0.0", "nan", "@main", "%0", "%x"),
    *('"', "(", ")", "{", "}", "<", ">", "[", "]", ",", ":", "//", "\\", "\0", "é"),
)

DEEP = (
    *("(", "[", "{", "<", "tensor<", "!graph.list<", "module {", "loc(", "#a<", '"'),
    *("((i1) -> ", "dense<[", "-", "//", "\n"),
)
"""What may stand in itself, or after itself, any number of times."""


def mutate_mlir(random: Random, text: str, other: str) -> str:
    """`text` with a few of its tokens changed; some may come from `other`."""
    if random.random() < 0.1:
        data = mutate_bytes(random, text.encode(), other.encode())
        return data.decode(errors="replace")
    tokens: list[str] = TOKEN.findall(text)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        change(random, tokens, other)
    return "".join(tokens)


def change(random: Random, tokens: list[str], other: str) -> None:
    """Changes a token, or where some stand."""
    solid = [at for at, each in enumerate(tokens) if not each.isspace()]
    if not solid:
        return
    at, second = random.choice(solid), random.choice(solid)
    match random.randrange(18):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, tokens[second])
        case 2:
            tokens[at], tokens[second] = tokens[second], tokens[at]
        case 3 | 4 | 5:
            replace_number(random, tokens, solid)
        case 6 | 7:
            replace_by_kin(random, tokens, solid)
        case 8:
            tokens[at] = random.choice(WORDS)
        case 9:
            tokens.insert(at, random.choice(WORDS))
        case 10:
            found: list[str] = TOKEN.findall(other)
            start = random.randrange(len(found) + 1)
            tokens[at : at + 1] = found[start : start + random.choice((1, 3, 30))]
        case 11:
            start, end = line_around(tokens, at)
            line = tokens[start:end]
            if random.random() < 0.5:
                del tokens[start:end]
            place = min(second, len(tokens))
            tokens[place:place] = line
        case 12:
            start, end = line_around(tokens, at)
            del tokens[start:end]
        case 13 | 14 | 15 | 16:
            replace_everywhere(random, tokens, solid)
        case _:
            times = random.choice((2, 40, 400, 3000))
            tokens.insert(at, random.choice(DEEP) * times)


def replace_number(random: Random, tokens: list[str], solid: list[int]) -> None:
    """Makes a number another one."""
    found = [at for at in solid if re.fullmatch(r"-?\d+(\.\d*)?(e.*)?", tokens[at])]
    if found:
        at = random.choice(found)
        choice: list[str] = [
            *(str(each) for each in NUMBERS),
            *("1" * 5000, "1.5", "?", "0", "1", "2", "3", "-1"),
        ]
        tokens[at] = random.choice(choice)


def replace_everywhere(random: Random, tokens: list[str], solid: list[int]) -> None:
    """Makes each of a number or a word another one, so that types still agree."""
    found = [at for at in solid if tokens[at][0].isalnum()]
    if not found:
        return
    old = tokens[random.choice(found)]
    kin = [tokens[each] for each in found if kind(tokens[each]) == kind(old)]
    numbers = ["0", "1", "2", "3", "5", "17", str(random.choice(NUMBERS))]
    new = random.choice(kin if old[0].isalpha() else [*kin, *numbers])
    for at in found:
        if tokens[at] == old:
            tokens[at] = new


def replace_by_kin(random: Random, tokens: list[str], solid: list[int]) -> None:
    """Makes a token another one of the same kind: a name, a number, a text."""
    at = random.choice(solid)
    kin = [tokens[each] for each in solid if kind(tokens[each]) == kind(tokens[at])]
    tokens[at] = random.choice(kin)


def kind(token: str) -> str:
    """What a token begins with, letters being alike and digits too."""
    first = token[0]
    return "a" if first.isalpha() else "0" if first.isdigit() else first


def line_around(tokens: list[str], at: int) -> tuple[int, int]:
    """Where the line of a token begins and ends."""
    start = end = at
    while start and "\n" not in tokens[start - 1]:
        start -= 1
    while end < len(tokens) and "\n" not in tokens[end]:
        end += 1
    return start, min(end + 1, len(tokens))
