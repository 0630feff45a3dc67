"""The operators that an exported program names: in its graph, branches and loops."""

from __future__ import annotations

import pytest
import torch

import static_runtime as sr
from static_runtime.compiler.frontends.torch.operator_names import operator_names

pytestmark = pytest.mark.torch


class Branch(torch.nn.Module):
    """Where the sum is positive exp, else tanh, of a sum with itself."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The result for a tensor."""
        y = x + x
        return torch.cond(y.sum() > 0, torch.exp, torch.tanh, (y,))


NAMES = {
    *("aten::add.Tensor", "aten::sum", "aten::gt.Scalar", "aten::exp", "aten::tanh"),
    "higher_order::cond",
}


def test_names_of_branches():
    program = torch.export.export(Branch(), (torch.ones(3),))
    assert operator_names(program.graph_module) == NAMES


def test_a_module_is_traced_with_these_roots():
    with sr.trace() as found:
        module = sr.compile(Branch(), (torch.ones(3),))
        module(torch.ones(3).numpy())
    made = found.selection
    assert {each for each in made.operators if made.is_root_operator(each)} == NAMES
    assert "graph::exp" in made.et_kernel_metadata
    assert "graph::tanh" not in made.et_kernel_metadata
