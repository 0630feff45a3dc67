"""Nodes of other domains become the ops that users registered, if these fit."""

from typing import Any, ClassVar

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
)
from xdsl.irdl import operand_def, opt_operand_def, opt_prop_def, prop_def, result_def

import static_runtime as sr
from static_runtime.dialects.shape import Tensor

from ....custom_ops import KINDS, Unary, by_python, expected, numbers

seen: list[dict[str, Any]] = []


def scale(x: Any, bias: Any = np.float32(0), **properties: Any) -> Any:
    seen.append(properties)
    return x * np.float32(properties["factor"]) + bias


@sr.register_op
class ScaleOp(sr.CustomOp):
    """An op with attributes, and an input that may be omitted."""

    name = "test.scale"
    SPELLINGS: ClassVar = ("onnx.test.own.Scale", "onnx.NotOfOnnx")
    x = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    factor = prop_def(FloatAttr)
    times = prop_def(IntegerAttr, default_value=IntegerAttr(3, 64))
    mode = opt_prop_def(StringAttr)
    axes = opt_prop_def(DenseArrayBase)
    names = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    KERNELS: ClassVar = (sr.PythonKernel(scale),)

    @classmethod
    def infer(cls, x: Tensor, bias: Tensor | None = None, **properties: Any) -> Tensor:
        return x


@sr.register_op
class NewScaleOp(Unary):
    """What another version of the domain has."""

    name = "test.new_scale"
    SPELLINGS: ClassVar = ("onnx.test.own.Scale@4", "onnx.test.own.Late@4")
    KERNELS: ClassVar = (sr.PythonKernel(by_python),)


def of_node(
    op: str,
    inputs: tuple[str, ...] = ("x",),
    domain: str = "test.own",
    version: int = 1,
    outputs: tuple[str, ...] = ("y",),
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node after another."""
    node = helper.make_node(
        op, list(inputs), list(outputs), domain=domain, name="node", **attributes
    )
    shape = ["n", 4]
    graph = helper.make_graph(
        [helper.make_node("Relu", ["z"], ["x"]), node],
        "graph",
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [helper.make_tensor("b", TensorProto.FLOAT, [4], [1, 2, 3, 4])],
    )
    opsets = [helper.make_opsetid("", 17)]
    if domain:
        opsets.append(helper.make_opsetid(domain, version))
    return helper.make_model(graph, opset_imports=opsets)


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_is_the_op_of_its_domain_and_type(kind: str):
    compiled, x = sr.compile(of_node(kind.title(), domain="test")), numbers(3, 4)
    np.testing.assert_array_equal(compiled(x), -expected(x))


def test_attributes_are_properties_by_name():
    x = np.abs(numbers(3, 4))
    compiled = sr.compile(
        of_node("Scale", ("x", "b"), factor=2.0, mode="m", axes=[1, 2], names=["a"])
    )
    seen.clear()
    np.testing.assert_array_equal(
        compiled(x), x * 2 + np.arange(1, 5, dtype=np.float32)
    )
    assert seen == [
        {"factor": 2.0, "times": 3, "mode": "m", "axes": (1, 2), "names": ("a",)}
    ]


def test_inputs_may_be_omitted():
    x = np.abs(numbers(3, 4))
    for inputs in (("x",), ("x", "")):
        compiled = sr.compile(of_node("Scale", inputs, factor=2.0, times=5))
        np.testing.assert_array_equal(compiled(x), x * 2)


def test_the_version_of_the_domain_chooses_the_op():
    x = np.abs(numbers(3, 4))
    np.testing.assert_array_equal(sr.compile(of_node("Scale", version=4))(x), x * 2 + 1)
    with pytest.raises(sr.CompileError, match="expected version 4 or later of the dom"):
        sr.compile(of_node("Late", version=3))


def test_an_op_without_a_domain_may_be_one_of_users():
    x = np.abs(numbers(3, 4))
    compiled = sr.compile(of_node("NotOfOnnx", domain="", factor=3.0))
    np.testing.assert_array_equal(compiled(x), x * 3)
    with pytest.raises(sr.CompileError, match="no op of opset 17"):
        sr.compile(of_node("NotOfAnyone", domain=""))


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (of_node("Scale", factor=2), "expected a property factor as the op defines it"),
        (of_node("Scale", facto=2.0), "expected attributes .*factor.*, got 'facto'"),
        (of_node("Scale"), "expected the attribute factor, got none"),
        (
            of_node("Scale", ("x", "b", "b"), factor=2.0),
            "expected 1 to 2 inputs, got 3",
        ),
        (of_node("Scale", ("", "b"), factor=2.0), "expected an input x, got none"),
        (
            of_node("Scale", outputs=("y", "z2"), factor=2.0),
            "expected 1 results at most, got 2",
        ),
    ],
)
def test_what_does_not_fit_is_an_error_of_the_node(node: onnx.ModelProto, message: str):
    with pytest.raises(sr.CompileError, match=message) as error:
        sr.compile(node)
    assert "onnx node 'node' (Scale)" in str(error.value)


def test_the_error_of_an_unknown_op_says_what_to_do():
    with pytest.raises(sr.CompileError) as error:
        sr.compile(of_node("Unknown"))
    assert str(error.value).splitlines()[1:] == [
        "  test.own.Unknown: 'node'",
        "ops of other domains: register each of them with static_runtime.register_op, "
        "or install the package whose entry point in static_runtime.ops does so "
        '(docs/custom_ops.md), with SPELLINGS = ("onnx.<domain>.<op>",), or compile '
        'with Options(fallback="foreign"), and with foreign_ops, which run in Python',
    ]


def test_an_op_that_is_registered_later_is_used_by_what_was_cached():
    function = helper.make_function(
        *("test.late", "F", ["x"], ["y"]),
        [helper.make_node("Neg", ["x"], ["y"])],
        [helper.make_opsetid("", 20)],
    )
    node = helper.make_node("F", ["x"], ["y"], domain="test.late")
    infos = [
        helper.make_tensor_value_info(each, TensorProto.FLOAT, ["n", 4])
        for each in ("x", "y")
    ]
    graph = helper.make_graph([node], "g", infos[:1], infos[1:])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("test.late", 3)]
    made = helper.make_model(graph, opset_imports=opsets, functions=[function])
    data, x = made.SerializeToString(), numbers(3, 4)

    def check(result: Any) -> None:
        for is_warm in (False, True):
            compiled = sr.compile(data)
            assert compiled.report.warm == is_warm
            np.testing.assert_array_equal(compiled(x), result)

    check(-x)
    for number, since in enumerate(("", "@3")):

        def by(x: Any, factor: float = number + 2) -> Any:
            return x * np.float32(factor)

        class Late(Unary):
            SPELLINGS: ClassVar = (f"onnx.test.late.F{since}",)
            KERNELS: ClassVar = (sr.PythonKernel(by),)

        Late.name = f"test.late{number}"
        sr.register_op(Late)
        check(x * np.float32(number + 2))
