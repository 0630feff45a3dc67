"""C and Python say the same of what a library lacks."""

from __future__ import annotations

import random
from typing import Any

from static_runtime.compiler.library.facts import facts_of, includes, needs_of
from static_runtime.runtime.library.coverage import refusal_of_call
from static_runtime.runtime.library.selection import Operator, Selection

NAMES = ("aten::add.Tensor", "aten::add", "graph::exp", "graph::tanh")
DTYPES = ("Float", "Double")
KEYS = ("v1/6;0,1|6;0,1", "v1/7;", "default")


def in_c(library: Selection, used: Selection) -> str | None:
    """What `sr_needed` finds: the first need that is not met."""
    known, flags = facts_of(library), includes(library)
    for number, *facts, said in needs_of(used):
        if not flags[number] and not {*facts} & {*known}:
            return said
    return None


def some(choose: random.Random, is_library: bool) -> Selection:
    """A selection of some of the names."""

    def of(values: tuple[str, ...]) -> frozenset[str]:
        return frozenset(each for each in values if choose.random() < 0.5)

    operators = {
        each: Operator(include_all_overloads=choose.random() < 0.5)
        for each in sorted(of(NAMES))
    }
    tables: dict[str, Any] = {
        "kernel_metadata": {each: of(DTYPES) for each in sorted(of(("exp", "tanh")))},
        "et_kernel_metadata": {each: of(KEYS) for each in sorted(of(NAMES))},
    }
    all_else, all_operators = (is_library and choose.random() < 0.2 for _ in range(2))
    return Selection(all_else, all_operators, operators=operators, **tables)


def test_each_selection_lacks_what_python_says():
    choose = random.Random(3)
    lacking = 0
    for _ in range(2000):
        library, used = some(choose, True), some(choose, False)
        error = refusal_of_call(library, used)
        assert in_c(library, used) == (None if error is None else str(error))
        lacking += error is not None
    assert 500 < lacking < 2000


def test_facts_are_in_the_order_of_bytes():
    names = {"é::a": Operator(), "z::a": Operator(), "Z::a": Operator()}
    facts = [each.encode() for each in facts_of(Selection(operators=names))]
    assert facts == sorted(facts)
