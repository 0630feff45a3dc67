"""Every operator computes what torch computes, for the sizes of the trace and more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

torch = pytest.importorskip("torch")
pytree = pytest.importorskip("torch.utils._pytree")

from static_runtime.compiler.frontends.torch import read as read_module  # noqa: E402
from static_runtime.compiler.frontends.torch import (  # noqa: E402
    read_torch,
)
from static_runtime.compiler.frontends.torch.export import Whole  # noqa: E402
from static_runtime.compiler.ir.context import SrContext, context  # noqa: E402

from ..interpret import interpret  # noqa: E402
from . import (  # noqa: E402
    complex_cases,
    contraction_cases,
    eight_bit_cases,
    elementwise_cases,
    gradient_cases,
    indexing_cases,
    linear_algebra_cases,
    movement_cases,
    number_cases,
    ordering_cases,
    quantization_cases,
    recurrent_cases,
    searching_cases,
    spatial_cases,
    special_cases,
)
from .case import Case, Wrapped  # noqa: E402

pytestmark = pytest.mark.torch


def joined(*tables: Mapping[str, Case]) -> dict[str, Case]:
    """The cases of several tables, whose names all differ."""
    found = dict[str, Case]()
    for each in tables:
        assert found.keys().isdisjoint(each), found.keys() & each.keys()
        found |= each
    return found


CASES = joined(
    elementwise_cases.CASES,
    contraction_cases.CASES,
    movement_cases.CASES,
    number_cases.CASES,
    ordering_cases.CASES,
    quantization_cases.CASES,
    recurrent_cases.CASES,
    searching_cases.CASES,
    linear_algebra_cases.CASES,
    special_cases.CASES,
    complex_cases.CASES,
    spatial_cases.CASES,
    indexing_cases.CASES,
    eight_bit_cases.CASES,
    gradient_cases.CASES,
)


def read(name: str, whole: bool = False) -> tuple[ModuleOp, SrContext]:
    """The case in the graph dialect: as it was exported, or decomposed as a whole."""
    case, ctx = CASES[name], context()
    shapes = tuple({0: case.dim} if each else None for each in is_sized(case))
    dynamic_shapes = None if case.dim is None else (shapes,)
    with pytest.MonkeyPatch.context() as patch:
        if whole:
            patch.setattr(read_module, "readings", refuse)
        module = read_torch(Wrapped(case.function), ctx, case.inputs, dynamic_shapes)
    return module, ctx


def refuse(*_: object) -> None:
    """Asks for the decomposition of a program."""
    raise Whole


def is_sized(case: Case) -> list[bool]:
    """Of each input whether its first axis is as long as that of the first input."""
    first = case.inputs[0].shape[:1]
    return [each.shape[:1] == first for each in case.inputs]


def inputs(case: Case, size: int | None) -> list[Any]:
    """The inputs of a case, or such with `size` rows."""
    if size is None:
        return list(case.inputs)
    rows = torch.arange(size) % len(case.inputs[0])
    return [
        each[rows] if sized else each
        for each, sized in zip(case.inputs, is_sized(case), strict=True)
    ]


ONE_OF = 12
"""How many cases there are for each that is also read decomposed, but for `soak`."""

WAYS = [
    *((name, False) for name in CASES),
    *(
        pytest.param(name, True, marks=pytest.mark.soak if at % ONE_OF else ())
        for at, name in enumerate(CASES)
    ),
]
"""The cases, and whether each is decomposed."""


@pytest.mark.parametrize(("name", "whole"), WAYS)
@pytest.mark.filterwarnings(
    "ignore:.*degrees of freedom:UserWarning"
)  # of "var of few"
@pytest.mark.filterwarnings(
    "ignore:The reduce argument of torch.scatter:UserWarning"
)  # of "scatter to multiply"
@pytest.mark.filterwarnings(
    "ignore:index_reduce\\(\\) is in beta:UserWarning"
)  # of "index_reduce"
@pytest.mark.filterwarnings(
    "ignore:torch.cholesky is deprecated:UserWarning"
)  # of "cholesky upper"
def test_computes_what_torch_computes(name: str, whole: bool):
    case = CASES[name]
    module, ctx = read(name, whole)
    module.verify()
    for size in (None,) if case.dim is None else (None, 2, 7):
        given = inputs(case, size)
        result: Any = case.function(*given)
        with np.errstate(all="ignore"):
            actual = interpret(module, ctx.weights, [each.numpy() for each in given])
        expected: list[Any] = pytree.tree_leaves(result)
        for mine, its in zip(actual, expected, strict=True):
            array = torch.from_numpy(np.array(mine))
            torch.testing.assert_close(array, its, equal_nan=True)
