"""Which part of a concatenation is all of it, and what it takes to find out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import f32
from xdsl.ir import Block

from static_runtime.dialects.dims import Dim, dim, evaluate, symbols_of, total
from static_runtime.dialects.graph.ops.concat import ConcatOp
from static_runtime.dialects.kernel import identity
from static_runtime.dialects.kernel.identity import (
    Condition,
    conjunction,
    holds,
    identities_of,
)
from static_runtime.dialects.kernel.known_groups import group_of
from static_runtime.dialects.shape import tensor


def found(lengths: Sequence[str]) -> list[tuple[int, Condition]]:
    """The parts of these lengths that may be all of a concatenation, and when."""
    types = [tensor(f32, dim(each), 4) for each in lengths]
    op = ConcatOp(*Block(arg_types=types).args, axis=0)
    group = group_of(op)
    assert group is not None
    return [
        (list(op.operands).index(each.source), each.when)
        for each in identities_of(group)
    ]


def may_have_elements(length: str, when: Condition) -> bool:
    """Whether a part has elements for some sizes for which a condition holds."""
    names = {*symbols_of(dim(length))}
    own = dict.fromkeys(names, 1)
    rest = {name for clause in when for each in clause for name in symbols_of(each)}
    sizes = {name: own.get(name, 0) for name in names | rest}
    return holds(when, sizes) and evaluate(dim(length), sizes) != 0


@pytest.mark.parametrize(
    "lengths",
    [
        ("n", "m", "n"),
        ("n", "m", "3"),
        ("3", "n", "3"),
        ("n", "n", "n"),
        ("0", "n", "2 * n"),
        ("m", "n + 1", "m", "k"),
        *([f"n{at}" for at in range(count)] for count in (17, 18)),
    ],
)
def test_a_part_is_copied_where_all_others_are_empty(lengths: Sequence[str]):
    wanted: list[tuple[int, Condition]] = []
    for at in range(len(lengths)):
        before = total(map(dim, lengths[:at]))
        others = [(dim(each),) for each in (*lengths[:at], *lengths[at + 1 :])]
        when = conjunction([*others, (before,)])
        if when is not None and may_have_elements(lengths[at], when):
            wanted.append((at, when))
    assert found(lengths) == wanted


@pytest.mark.parametrize("length", ["n{}", "n", "3"])
def test_each_part_is_looked_at_once(monkeypatch: pytest.MonkeyPatch, length: str):
    asked, counts = list[Dim](), list[int]()
    is_never_zero = vars(identity)["_is_never_zero"]

    def looked_at(quantity: Dim) -> bool:
        asked.append(quantity)
        return is_never_zero(quantity)

    monkeypatch.setattr(identity, "_is_never_zero", looked_at)
    for count in (40, 80):
        asked.clear()
        found([length.format(at) for at in range(count)])
        counts.append(len(asked))
    # One that compares parts would ask four times as often.
    assert counts[1] < 3 * counts[0]
