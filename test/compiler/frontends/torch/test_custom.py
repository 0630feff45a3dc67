"""Operators of `torch.library` become the ops that users registered, if these fit."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, TensorType
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)

import static_runtime as sr
from static_runtime.dialects.shape import Tensor

from ....custom_ops import Unary, loops

pytestmark = pytest.mark.torch


@torch.library.custom_op("sr_test::scale", mutates_args=())
def scale(
    x: torch.Tensor,
    factor: float = 2.0,
    bias: torch.Tensor | None = None,
    axes: list[int] | None = None,
) -> torch.Tensor:
    """An operator of a library."""
    return x * factor if bias is None else x * factor + bias


@scale.register_fake
def _(x: torch.Tensor, *_: Any) -> torch.Tensor:
    return torch.empty_like(x)


def computed(x: Any, bias: Any = np.float32(0), **properties: Any) -> Any:
    return x * np.float32(properties["factor"]) + bias


class Scale(sr.CustomOp):
    """The same, for several names."""

    x = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    factor = prop_def(FloatAttr)
    axes = opt_prop_def(DenseArrayBase)
    result = result_def(TensorType)
    KERNELS: ClassVar = (sr.PythonKernel(computed),)

    @classmethod
    def infer(cls, x: Tensor, bias: Tensor | None = None, **properties: Any) -> Tensor:
        return x


@sr.register_op
class ScaleOp(Scale):
    """The same op."""

    name = "sr_test.scale"
    SPELLINGS: ClassVar = ("sr_test.scale.default",)


@torch.library.custom_op("sr_test::twice_and_one", mutates_args=())
def twice_and_one(x: torch.Tensor) -> torch.Tensor:
    """An operator of a library, which is compiled."""
    return x * 2 + 1


@twice_and_one.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


@sr.register_op
class TwiceOp(Unary):
    """The same op, as loops."""

    name = "sr_test.twice_and_one"
    SPELLINGS: ClassVar = ("sr_test.twice_and_one.default",)
    KERNELS: ClassVar = (sr.NestKernel(loops),)


@torch.library.custom_op("sr_test::extremes", mutates_args=())
def extremes(x: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """An operator with a list of tensors, and two results."""
    whole = torch.stack(x)
    return whole.amin(0), whole.amax(0)


@extremes.register_fake
def _(x: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.empty_like(x[0]), torch.empty_like(x[0])


def least_and_most(*x: Any) -> Any:
    return np.minimum.reduce(x), np.maximum.reduce(x)


@sr.register_op
class ExtremesOp(sr.CustomOp):
    """The same op."""

    name = "sr_test.extremes"
    SPELLINGS: ClassVar = ("sr_test.extremes.default",)
    x = var_operand_def(TensorType)
    low = result_def(TensorType)
    high = result_def(TensorType)
    KERNELS: ClassVar = (sr.PythonKernel(least_and_most),)

    @classmethod
    def infer(cls, *x: Tensor) -> tuple[Tensor, Tensor]:
        return x[0], x[0]


class Model(torch.nn.Module):
    """A model that calls a function."""

    def __init__(self, function: Callable[[torch.Tensor], Any]):
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(x.relu())


MODELS: dict[str, Callable[[torch.Tensor], Any]] = {
    "defaults": lambda x: scale(x),
    "given": lambda x: scale(x, 3.0),
    "whole": lambda x: scale(x, 3),
    "optional": lambda x: scale(x, 3.0, x, [1, 2]),
    "loops": lambda x: twice_and_one(x) - 1,
    "lists": lambda x: extremes([x, -x, x * 2]),
}


@pytest.mark.parametrize("name", MODELS)
def test_an_operator_of_a_library_is_an_op(name: str):
    model = Model(MODELS[name])
    batch = torch.export.Dim("batch", min=1, max=64)
    compiled = sr.compile(model, (torch.randn(3, 4),), dynamic_shapes={"x": {0: batch}})
    for rows in (1, 5):
        x = torch.randn(rows, 4)
        wanted, got = model(x), compiled(x.numpy())
        if isinstance(wanted, torch.Tensor):
            wanted, got = [wanted], [got]
        for each, other in zip(wanted, got, strict=True):
            np.testing.assert_allclose(other, each.numpy(), rtol=1e-6)


def test_loops_of_an_operator_fuse():
    compiled = sr.compile(Model(MODELS["loops"]), (torch.randn(3, 4),))
    assert compiled.report.kernels == 1


def test_torch_compile_takes_operators_of_a_library():
    model = Model(MODELS["loops"])
    compiled = torch.compile(model, backend="static_runtime")
    x = torch.randn(3, 4)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), model(x))


@torch.library.custom_op("sr_test::other", mutates_args=())
def other(x: torch.Tensor, alpha: float) -> torch.Tensor:
    """An operator whose schema differs from that of the op."""
    return x * alpha


@other.register_fake
def _(x: torch.Tensor, alpha: float) -> torch.Tensor:
    return torch.empty_like(x)


@sr.register_op
class OtherOp(Scale):
    """An op with another name of its property."""

    name = "sr_test.other"
    SPELLINGS: ClassVar = ("sr_test.other.default",)


def test_a_schema_that_does_not_fit_is_an_error():
    with pytest.raises(
        sr.CompileError,
        match=r"sr_test\.other\.default\): expected arguments x, bias, factor, axes as "
        r"sr_test\.other has them, got alpha",
    ):
        sr.compile(Model(lambda x: other(x, 2.0)), (torch.randn(3, 4),))


@torch.library.custom_op("sr_test::unknown", mutates_args=())
def unknown(x: torch.Tensor) -> torch.Tensor:
    """An operator that nobody registered here."""
    return x.clone()


@unknown.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def test_the_error_of_an_unknown_operator_says_what_to_do():
    with pytest.raises(sr.CompileError) as error:
        sr.compile(Model(unknown), (torch.randn(3, 4),))
    assert "sr_test.unknown.default" in str(error.value)
    assert (
        "register each of them with static_runtime.register_op, or install the package "
        "whose entry point in static_runtime.ops does so (docs/custom_ops.md), with "
        'SPELLINGS = ("<namespace>.<op>.<overload>",)'
    ) in str(error.value)
