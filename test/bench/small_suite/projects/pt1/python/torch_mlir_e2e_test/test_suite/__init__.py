"""Three tests: one that passes, one of a number, one that is random."""

from __future__ import annotations

from typing import Any

import torch

from torch_mlir_e2e_test.annotations import annotate_args
from torch_mlir_e2e_test.framework import Case
from torch_mlir_e2e_test.registry import GLOBAL_TEST_REGISTRY

ARGUMENTS = annotate_args([None, ([-1, 3], torch.float32, True)])


class Add(torch.nn.Module):
    """One more."""

    @ARGUMENTS
    def forward(self, x: Any) -> Any:
        return x + 1


class Most(torch.nn.Module):
    """A number."""

    @ARGUMENTS
    def forward(self, x: Any) -> Any:
        return x.max().item()


class Random(torch.nn.Module):
    """Numbers of no seed."""

    @ARGUMENTS
    def forward(self, x: Any) -> Any:
        return torch.rand_like(x)


def register_all_tests() -> None:
    """Registers the tests."""
    GLOBAL_TEST_REGISTRY[:] = [
        Case(module.__name__, module, [torch.ones(2, 3)])
        for module in (Add, Most, Random)
    ]
