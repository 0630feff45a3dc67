"""Tests, and what PyTorch answers to the calls of one."""

from __future__ import annotations

from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of a module."""

    inputs: list[Any]
    output: Any


class Case(NamedTuple):
    """A module and calls of it."""

    unique_name: str
    program_factory: Any
    inputs: list[Any]


def generate_golden_trace(case: Case) -> list[Call]:
    """The calls of a case, with the answers of PyTorch."""
    return [Call(case.inputs, case.program_factory()(*case.inputs))]
