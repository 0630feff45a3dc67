"""What was left out is told in PyTorch's words, with the YAML that brings it in."""

from __future__ import annotations

import pytest

from static_runtime.compiler.selective.merge import merge
from static_runtime.compiler.selective.read import parse_selection
from static_runtime.runtime.library.coverage import refusals
from static_runtime.runtime.library.not_selected import (
    OperatorNotSelectedError,
    missing_class,
    missing_dtype,
    missing_feature,
    missing_kernel,
    missing_operator,
    missing_operators,
)
from static_runtime.runtime.library.selection import Operator, Selection

FLAGS = (
    "is_used_for_training: false, is_root_operator: {}, include_all_overloads: false"
)

MESSAGES = {
    str(missing_dtype("add_stub", "Float")): (
        "dtype 'Float' not selected for kernel tag add_stub\n"
        "kernel_metadata: {add_stub: [Float]}"
    ),
    str(missing_operators(["aten::y", "aten::x"])): (
        "Following ops cannot be found: [aten::x, aten::y]. Please check if the "
        "operator library is included in the build. If built with selected ops, check "
        "if these ops are in the list.\n"
        f"operators: {{aten::x: {{{FLAGS.format('true')}}}, "
        f"aten::y: {{{FLAGS.format('true')}}}}}"
    ),
    str(missing_operator("aten::x")): (
        "Could not run 'aten::x' with arguments from the 'CPU' backend. This could be "
        "because the operator doesn't exist for this backend, or was omitted during "
        "the selective/custom build process (if using custom build).\n"
        f"operators: {{aten::x: {{{FLAGS.format('false')}}}}}"
    ),
    str(missing_kernel("aten::x", "v1/6;0,1|7;")): (
        "kernel 'v1/6;0,1|7;' not selected for operator aten::x\n"
        'et_kernel_metadata: {aten::x: ["v1/6;0,1|7;"]}'
    ),
    str(missing_feature("isa:avx2")): (
        "Required feature 'isa:avx2' is not available\nbuild_features: [isa:avx2]"
    ),
    str(missing_class("ns.name")): (
        "Tried to instantiate class 'ns.name', but it does not exist! Ensure that it "
        "is registered via torch::class_\ncustom_classes: [ns.name]"
    ),
}


@pytest.mark.parametrize("said", MESSAGES)
def test_says_what_pytorch_says_and_the_line_of_yaml(said: str):
    assert said == MESSAGES[said]


def test_an_operator_that_is_called_is_not_implemented():
    assert isinstance(missing_operator("aten::x"), NotImplementedError)
    assert isinstance(missing_operator("aten::x"), OperatorNotSelectedError)


NAMES = [
    *("aten::add.Tensor", "onnx::Conv", "com.microsoft::Gelu", "a", "_", "no", "null"),
    *("1", "a: b", "a, b", "{", "é", "\N{GRINNING FACE}", '"', "a:", "~", "0x1", "y"),
]


@pytest.mark.parametrize("name", NAMES)
def test_the_last_line_selects_what_was_missing(name: str):
    needed = Selection(
        operators={name: Operator(False, True, False)},
        kernel_metadata={name: frozenset({"Float"})},
        et_kernel_metadata={name: frozenset({"v1/6;0,1|7;"})},
        build_features=frozenset({"threads"}),
        custom_classes=frozenset({name}),
    )
    said = list(refusals(Selection(), needed))
    assert len(said) == 5
    lines = [str(each).splitlines()[-1] for each in said]
    made = merge(parse_selection(each.encode()) for each in lines)
    assert made == needed
    assert not list(refusals(made, needed))
    called = str(missing_operator(name)).splitlines()[-1]
    assert parse_selection(called.encode()).is_operator_selected(name)
