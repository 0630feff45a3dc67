"""
What is said of what a selective build left out: PyTorch's words, and what brings it in.

The last line of each message is a line of YAML: a selection by itself, which `sr-yaml
merge` adds to the one that the library was built from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z_][\w.:]*\w|[A-Za-z_]")
"""Names that YAML takes as they are, but for words that it has a meaning for."""

_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


class NotSelectedError(RuntimeError):
    """What a model needs, and a selective build left out."""


class OperatorNotSelectedError(NotSelectedError, NotImplementedError):
    """An operator that was called, and that a selective build left out."""


def missing_dtype(kernel: str, dtype: str) -> NotSelectedError:
    """The error of a kernel family that was not built for a dtype."""
    return NotSelectedError(
        f"dtype '{dtype}' not selected for kernel tag {kernel}\n"
        f"kernel_metadata: {{{_name(kernel)}: [{_name(dtype)}]}}"
    )


def missing_kernel(operator: str, key: str) -> NotSelectedError:
    """The error of an operator that was not built for these dtypes and layouts."""
    return NotSelectedError(
        f"kernel '{key}' not selected for operator {operator}\n"
        f"et_kernel_metadata: {{{_name(operator)}: [{_name(key)}]}}"
    )


def missing_operators(names: Iterable[str]) -> NotSelectedError:
    """The error of a model that is loaded, with all operators that were not built."""
    known = sorted({*names})
    return NotSelectedError(
        f"Following ops cannot be found: [{', '.join(known)}]. Please check if the "
        "operator library is included in the build. If built with selected ops, check "
        f"if these ops are in the list.\n{_operators(known, is_root=True)}"
    )


def missing_operator(name: str) -> OperatorNotSelectedError:
    """The error of an operator that is called, and was not built."""
    return OperatorNotSelectedError(
        f"Could not run '{name}' with arguments from the 'CPU' backend. This "
        "could be because the operator doesn't exist for this backend, or was omitted "
        "during the selective/custom build process (if using custom build).\n"
        f"{_operators([name], is_root=False)}"
    )


def missing_structure(kernel: str) -> NotSelectedError:
    """The error of a kernel whose structure no model of a build has."""
    return NotSelectedError(
        f"expected a library with the kernel {kernel}, got one without; build it with "
        "this model among its models"
    )


def missing_feature(name: str) -> NotSelectedError:
    """The error of a feature that was not built."""
    return NotSelectedError(
        f"Required feature '{name}' is not available\nbuild_features: [{_name(name)}]"
    )


def missing_class(name: str) -> NotSelectedError:
    """The error of a custom class that was not built."""
    return NotSelectedError(
        f"Tried to instantiate class '{name}', but it does not exist! Ensure that it "
        f"is registered via torch::class_\ncustom_classes: [{_name(name)}]"
    )


def _operators(names: Iterable[str], is_root: bool) -> str:
    """The line that selects operators."""
    flags = (
        f"{{is_used_for_training: false, is_root_operator: {str(is_root).lower()}, "
        "include_all_overloads: false}"
    )
    return f"operators: {{{', '.join(f'{_name(each)}: {flags}' for each in names)}}}"


def _name(name: str) -> str:
    """A name as YAML reads it again."""
    is_plain = _PLAIN.fullmatch(name) and name.lower() not in _WORDS
    return name if is_plain else json.dumps(name, ensure_ascii=False)
