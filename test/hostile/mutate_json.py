"""Mutants of JSON: values changed, removed, doubled, or put where others are."""

from __future__ import annotations

import json
from random import Random
from typing import Any, cast

from .mutate import NAMES, number_near

OTHERS: tuple[Any, ...] = (
    None,
    True,
    False,
    [],
    {},
    "",
    "n",
    1.5,
    1e400,
    -1,
    2**64,
    [[]],
    {"a": 1},
)


def mutate_json(random: Random, text: str, other: str) -> str:
    """`text` with a few of its values changed."""
    value = json.loads(text)
    for _ in range(random.choice((1, 1, 2, 4))):
        value = changed(random, value)
    result = json.dumps(value)
    if random.random() < 0.05:
        return "[" * random.choice((10, 2000, 200_000)) + result
    return result


def changed(random: Random, value: Any) -> Any:
    """A value in which something is changed: itself, or what is in it."""
    if type(value) in (dict, list) and value and random.random() < 0.9:
        return change_within(random, value)
    if random.random() < 0.3:
        return random.choice(OTHERS)
    match value:
        case bool():
            return not value
        case int():
            return number_near(random, value)
        case str():
            texts = (*NAMES, value + " + 1", f"({value}) * {value}", "(" * 3000)
            return random.choice(texts)
        case _:
            return random.choice(OTHERS)


def change_within(random: Random, value: Any) -> Any:
    """An object or a list in which something is changed."""
    if isinstance(value, dict):
        members = dict(cast("dict[str, Any]", value))
        name = random.choice(list(members))
        match random.randrange(8):
            case 0:
                del members[name]
            case 1:
                members[random.choice(NAMES)] = members[name]
            case 2:
                members[name] = members[random.choice(list(members))]
            case _:
                members[name] = changed(random, members[name])
        return members
    elements = list(cast("list[Any]", value))
    at = random.randrange(len(elements))
    match random.randrange(6):
        case 0:
            del elements[at]
        case 1:
            elements.insert(at, elements[random.randrange(len(elements))])
        case _:
            elements[at] = changed(random, elements[at])
    return elements
