"""Merging is a union: in any order, in any groups, however often."""

from __future__ import annotations

from random import Random

import pytest

from static_runtime.compiler.selective.merge import merge
from static_runtime.compiler.selective.write import yaml_of
from static_runtime.runtime.library.selection import Operator, Selection

from .selections import DTYPES, NAMES, selection

SEEDS = range(60)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_merge_is_commutative_associative_and_idempotent(seed: int):
    random = Random(f"merge {seed}")
    a, b, c = (selection(random) for _ in range(3))
    assert merge([a, b]) == merge([b, a])
    assert yaml_of(merge([a, b])) == yaml_of(merge([b, a]))
    assert merge([merge([a, b]), c]) == merge([a, merge([b, c])]) == merge([a, b, c])
    assert merge([a, a]) == merge([a]) == a
    assert merge([a, b, a]) == merge([a, b])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_one_selects_the_merge_selects_and_nothing_else(seed: int):
    random = Random(f"union {seed}")
    one, other = selection(random), selection(random)
    both = merge([one, other])
    for name in NAMES:
        for ask in (
            Selection.is_operator_selected,
            Selection.is_feature_selected,
            Selection.is_class_selected,
        ):
            assert ask(both, name) == (ask(one, name) or ask(other, name))
        # Flags of one name and of all its overloads may come from different files.
        for ask in (
            Selection.is_root_operator,
            Selection.is_operator_selected_for_training,
        ):
            assert ask(both, name) >= (ask(one, name) or ask(other, name))
        for dtype in DTYPES:
            selected = (
                each.is_kernel_dtype_selected(name, dtype) for each in (one, other)
            )
            assert both.is_kernel_dtype_selected(name, dtype) == any(selected)


def test_nothing_merges_to_nothing():
    assert merge([]) == Selection()


def test_flags_of_an_operator_are_true_that_are_true_in_one():
    one = Selection(operators={"a": Operator(True, False, False)})
    other = Selection(operators={"a": Operator(False, False, True)})
    assert merge([one, other]).operators == {"a": Operator(True, False, True)}


def test_notes_are_united_and_none_is_not_the_same_as_no_notes():
    noted = Selection(debug_info=frozenset({"a.onnx"}))
    empty = Selection(debug_info=frozenset())
    assert merge([noted, Selection()]).debug_info == {"a.onnx"}
    assert merge([empty, Selection()]).debug_info == frozenset()
    assert merge([Selection(), Selection()]).debug_info is None
