"""A selection answers as PyTorch's does: by name, by overloads, by include-all."""

from __future__ import annotations

import pytest

from static_runtime.runtime.library.selection import (
    Operator,
    Selection,
    SelectionError,
    without_overload,
)

EXACT = Operator(False, True, False)
OVERLOADS = Operator(True, False, True)

SOME = Selection(
    operators={"aten::add.Tensor": EXACT, "aten::mul": OVERLOADS, "graph::relu": EXACT},
    kernel_metadata={"add_stub": frozenset({"Float"})},
    build_features=frozenset({"threads"}),
    custom_classes=frozenset({"mine.Class"}),
)


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("aten::add.Tensor", "aten::add"),
        ("aten::add", "aten::add"),
        ("com.microsoft::Gelu", "com.microsoft::Gelu"),
        ("com.microsoft::Gelu.v2", "com.microsoft::Gelu"),
        ("add.Tensor", "add"),
        ("", ""),
    ],
)
def test_an_overload_comes_after_the_namespace(name: str, base: str):
    assert without_overload(name) == base


def test_an_operator_is_selected_by_its_name_or_that_of_all_overloads():
    assert SOME.is_operator_selected("aten::add.Tensor")
    assert not SOME.is_operator_selected("aten::add.Scalar")
    assert not SOME.is_operator_selected("aten::add")
    assert SOME.is_operator_selected("aten::mul")
    assert SOME.is_operator_selected("aten::mul.Scalar")
    assert not SOME.is_operator_selected("aten::mul_.Scalar")


def test_what_is_selected_says_what_it_is_for():
    assert SOME.is_root_operator("aten::add.Tensor")
    assert not SOME.is_root_operator("aten::mul.Scalar")
    assert not SOME.is_root_operator("aten::div")
    assert SOME.is_operator_selected_for_training("aten::mul.Scalar")
    assert not SOME.is_operator_selected_for_training("aten::add.Tensor")
    assert not SOME.is_operator_selected_for_training("aten::div")


def test_what_is_no_operator_is_selected_by_its_name():
    assert SOME.is_kernel_dtype_selected("add_stub", "Float")
    assert not SOME.is_kernel_dtype_selected("add_stub", "Double")
    assert not SOME.is_kernel_dtype_selected("mul_stub", "Float")
    assert SOME.is_feature_selected("threads")
    assert not SOME.is_feature_selected("fallback")
    assert SOME.is_class_selected("mine.Class")
    assert not SOME.is_class_selected("mine.Other")


def test_include_all_non_op_selectives_selects_all_but_operators():
    everything = Selection(include_all_non_op_selectives=True)
    assert everything.is_kernel_dtype_selected("any", "Float")
    assert everything.is_feature_selected("any")
    assert everything.is_class_selected("any")
    assert not everything.is_operator_selected("aten::add")


def test_include_all_operators_selects_everything():
    everything = Selection(include_all_operators=True)
    assert everything.is_operator_selected("aten::add")
    assert everything.is_root_operator("aten::add")
    assert everything.is_operator_selected_for_training("aten::add")
    assert everything.is_kernel_dtype_selected("any", "Float")
    assert everything.is_feature_selected("any")
    assert everything.is_class_selected("any")


def test_a_kernel_is_selected_by_its_key_or_as_the_default():
    one = Selection(
        et_kernel_metadata={"a": frozenset({"v1/6;"}), "b": frozenset({"default"})}
    )
    assert one.is_kernel_selected("a", "v1/6;")
    assert not one.is_kernel_selected("a", "v1/7;")
    assert one.is_kernel_selected("b", "v1/7;")
    assert not one.is_kernel_selected("c", "v1/7;")
    assert Selection(include_all_operators=True).is_kernel_selected("c", "v1/7;")


FLOATS, MIXED = "v1/6;0,1|6;0,1", "v1/6;0,1|7;"


def test_kernels_cover_the_keys_that_are_selected():
    one = Selection(et_kernel_metadata={"aten::add.out": frozenset({FLOATS})})
    get = one.get_et_selected_kernels
    assert get("aten::add.out", [FLOATS, MIXED]) == {FLOATS}
    assert get("aten::add.out", [FLOATS, "default"]) == {FLOATS}
    assert get("aten::add.out", [MIXED, "default"]) == {"default"}
    assert get("aten::mul.out", [FLOATS, "default"]) == set()
    with pytest.raises(
        SelectionError, match=f"expected kernels of aten::add.out for {FLOATS[:3]}"
    ):
        get("aten::add.out", [MIXED])


def test_include_all_operators_takes_every_kernel():
    everything = Selection(include_all_operators=True)
    assert everything.get_et_selected_kernels("a", [FLOATS, MIXED]) == {FLOATS, MIXED}
