"""Kernels have own names for sizes, which do not say how sizes are computed."""

from __future__ import annotations

from static_runtime.dialects.dims import dim, evaluate
from static_runtime.lowering.graph_to_loop.renaming import Renaming


def test_what_is_never_below_zero_has_a_name():
    rename = Renaming()
    renamed = rename(dim("4 * floordiv(h + 7, 8) * w + floordiv(a, b) + 3"))
    assert str(renamed) == "4 * s1 * s2 + s0 + 3"
    assert [*rename.names] == ["floordiv(a, b)", "floordiv(h + 7, 8)", "w"]
    again = rename(dim("w * floordiv(h + 7, 8)"))
    assert str(again) == "s1 * s2"


def test_sizes_that_are_alike_have_the_same_names():
    found: list[str] = []
    for size in (
        "h * w",
        "floordiv(h + 7, 8) * w",
        "floordiv(a, 2) * floordiv(h + w, 3)",
    ):
        found.append(str(Renaming()(dim(size))))
    assert len({*found}) == 1


def test_what_may_be_below_zero_is_a_function_of_names():
    # A kernel leaves out what no size makes necessary, and takes no size as negative.
    rename = Renaming()
    renamed = rename(dim("floordiv(a, b - 3)"))
    assert [*rename.names] == ["a", "b"]
    assert evaluate(renamed, {"s0": 9, "s1": 5}) == 4


def test_what_has_a_bound_is_a_function_of_names():
    rename = Renaming()
    assert str(rename(dim("min(1, n)"))) == "min(1, s0)"
    assert [*rename.names] == ["n"]


def test_what_is_held_to_zero_or_more_has_a_name():
    rename = Renaming()
    renamed = rename(dim("4 * max(0, floordiv(h + 15, 16) - 1) + max(1, n)"))
    assert str(renamed) == "max(1, s1) + 4 * s0"
    assert [*rename.names] == ["max(0, floordiv(h + 15, 16) - 1)", "n"]


def test_a_number_stays():
    rename = Renaming()
    assert rename(7) == 7
    assert not rename.names
