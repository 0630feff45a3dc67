"""Ask whether what was selected for a library covers what models need."""

from __future__ import annotations

from collections.abc import Iterator

from .not_selected import (
    NotSelectedError,
    missing_class,
    missing_dtype,
    missing_feature,
    missing_kernel,
    missing_operator,
    missing_operators,
)
from .selection import Selection, SelectionError


def refusals(library: Selection, needed: Selection) -> Iterator[NotSelectedError]:
    """
    What a library of one selection says of what another one needs, in the order of a
    load: all operators at once, then dtypes, kernels, features and classes one by one.

    Raises `SelectionError` for a need that has no names.
    """
    if needed.include_all_operators or needed.include_all_non_op_selectives:
        raise SelectionError(
            "expected what models need, by name, got a selection that includes all"
        )
    has = library.is_operator_selected
    if operators := [each for each in needed.operators if not has(each)]:
        yield missing_operators(operators)
    yield from _missing_kernels(library, needed)
    for name in sorted(needed.build_features):
        if not library.is_feature_selected(name):
            yield missing_feature(name)
    for name in sorted(needed.custom_classes):
        if not library.is_class_selected(name):
            yield missing_class(name)


def refusal_of_call(library: Selection, used: Selection) -> NotSelectedError | None:
    """What a library of one selection says of a call, if it lacks what that uses."""
    for name in sorted(used.operators):
        if not library.is_operator_selected(name):
            return missing_operator(name)
    return next(_missing_kernels(library, used), None)


def _missing_kernels(
    library: Selection, needed: Selection
) -> Iterator[NotSelectedError]:
    """The dtypes of kernel families, then the keys of operators, that are missing."""
    for kernel, dtypes in sorted(needed.kernel_metadata.items()):
        for dtype in sorted(dtypes):
            if not library.is_kernel_dtype_selected(kernel, dtype):
                yield missing_dtype(kernel, dtype)
    for name, keys in sorted(needed.et_kernel_metadata.items()):
        for key in sorted(keys):
            if not library.is_kernel_selected(name, key):
                yield missing_kernel(name, key)
