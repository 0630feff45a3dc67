"""A library is asked for what models need, and says all that it lacks."""

from __future__ import annotations

import pytest

from static_runtime.runtime.library.coverage import refusals
from static_runtime.runtime.library.not_selected import NotSelectedError
from static_runtime.runtime.library.selection import Operator, Selection, SelectionError


def test_a_library_is_asked_for_each_by_name():
    library = Selection(
        operators={"aten::add": Operator(False, True, True)},
        kernel_metadata={"add": frozenset({"Float"})},
        build_features=frozenset({"threads"}),
    )
    needed = Selection(
        operators={"aten::add.Tensor": Operator(), "aten::b": Operator()},
        kernel_metadata={"add": frozenset({"Float", "Double"})},
        build_features=frozenset({"threads", "fallback"}),
    )
    operators, dtype, feature = refusals(library, needed)
    assert "[aten::b]" in str(operators)
    assert "dtype 'Double' not selected for kernel tag add\n" in str(dtype)
    assert "'fallback'" in str(feature)
    assert all(type(each) is NotSelectedError for each in (operators, dtype, feature))
    assert not list(refusals(Selection(include_all_operators=True), needed))


def test_a_need_has_names():
    for everything in (
        Selection(include_all_operators=True),
        Selection(include_all_non_op_selectives=True),
    ):
        with pytest.raises(SelectionError, match="expected what models need, by name"):
            list(refusals(Selection(), everything))
