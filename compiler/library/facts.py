"""
What a selection has, and what the calls of a model need of it, as texts for C.

A need is met by one of two texts, or by a selection that includes all. The needs of a
call are in the order in which Python asks for them (`runtime/library/coverage.py`), so
that C says the same of the first that is not met.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.library import (
    DEFAULT_KERNEL,
    Selection,
    missing_dtype,
    missing_kernel,
    missing_operator,
    without_overload,
)

_ALL_OPERATORS, _ALL_ELSE = 0, 1
"""What a need is met by besides: a selection of all operators, or one of all else."""


def needs_of(used: Selection) -> Iterator[tuple[int, str, str, str]]:
    """
    What a call needs, each as one of the numbers above, the two texts, and what is
    said where a library lacks it.
    """
    for name in sorted(used.operators):
        other = f"overloads {without_overload(name)}"
        said = str(missing_operator(name))
        yield _ALL_OPERATORS, f"operator {name}", other, said
    for kernel, dtypes in sorted(used.kernel_metadata.items()):
        for dtype in sorted(dtypes):
            fact, said = f"dtype {kernel} {dtype}", str(missing_dtype(kernel, dtype))
            yield _ALL_ELSE, fact, fact, said
    for name, keys in sorted(used.et_kernel_metadata.items()):
        for key in sorted(keys):
            other, said = f"kernel {name} {DEFAULT_KERNEL}", missing_kernel(name, key)
            yield _ALL_OPERATORS, f"kernel {name} {key}", other, str(said)


def facts_of(selection: Selection) -> list[str]:
    """What a selection has, in the order of bytes."""
    facts: set[str] = set()
    for name, each in selection.operators.items():
        facts.add(f"operator {name}")
        if each.include_all_overloads:
            facts.add(f"overloads {name}")
    for kernel, dtypes in selection.kernel_metadata.items():
        facts |= {f"dtype {kernel} {dtype}" for dtype in dtypes}
    for name, keys in selection.et_kernel_metadata.items():
        facts |= {f"kernel {name} {key}" for key in keys}
    return sorted(facts, key=str.encode)


def includes(selection: Selection) -> tuple[bool, bool]:
    """Whether a selection includes all operators, and all else."""
    operators = selection.include_all_operators
    return operators, operators or selection.include_all_non_op_selectives
