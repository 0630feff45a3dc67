"""
`Selection`: the operators, kernels, dtypes, classes and features that are built.

It has the keys of PyTorch's selective build. An operator is called
`namespace::name.overload`, such as `aten::add.Tensor`, `onnx::Conv` or `graph::relu`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

DEFAULT_KERNEL = "default"
"""The kernel of an operator that takes whatever its other kernels do not."""

_NOTHING: frozenset[str] = frozenset()


class SelectionError(ValueError):
    """A selection that cannot be read, or that lacks what is asked of it."""


@dataclass(frozen=True)
class Operator:
    """How an operator is selected; what a file leaves out is true."""

    is_used_for_training: bool = True

    is_root_operator: bool = True
    """Whether a model names it, and not only the code of other operators."""

    include_all_overloads: bool = True
    """Whether every overload of its name is selected with it."""

    debug_info: frozenset[str] | None = None
    """Where it comes from; None where nobody notes that."""


@dataclass(frozen=True)
class Selection:
    """What is built. One without arguments selects nothing."""

    include_all_non_op_selectives: bool = False
    """Whether every dtype, class and feature is selected."""

    include_all_operators: bool = False
    """Whether everything is selected."""

    debug_info: frozenset[str] | None = None

    build_features: frozenset[str] = _NOTHING

    operators: Mapping[str, Operator] = field(default_factory=dict[str, Operator])

    kernel_metadata: Mapping[str, frozenset[str]] = field(
        default_factory=dict[str, frozenset[str]]
    )
    """The dtypes of each kernel family, such as `Float`."""

    et_kernel_metadata: Mapping[str, frozenset[str]] = field(
        default_factory=dict[str, frozenset[str]]
    )
    """The dtypes and layouts of all operands of each operator (`kernel_key.py`)."""

    custom_classes: frozenset[str] = _NOTHING
    """The classes and packages of operators that users bring, as `namespace.name`."""

    def is_operator_selected(self, name: str) -> bool:
        """Whether an operator is selected, by its name or that of all overloads."""
        return self.include_all_operators or bool(self._entries(name))

    def is_root_operator(self, name: str) -> bool:
        """Whether a selected operator is one that a model names."""
        return self.include_all_operators or any(
            each.is_root_operator for each in self._entries(name)
        )

    def is_operator_selected_for_training(self, name: str) -> bool:
        """Whether an operator is selected, and for training."""
        return self.include_all_operators or any(
            each.is_used_for_training for each in self._entries(name)
        )

    def is_kernel_dtype_selected(self, kernel: str, dtype: str) -> bool:
        """Whether a kernel family is selected for a dtype."""
        known = self.kernel_metadata.get(kernel, _NOTHING)
        return self._includes_all_else or dtype in known

    def is_kernel_selected(self, name: str, key: str) -> bool:
        """Whether an operator is selected for the dtypes and layouts of a key."""
        known = self.et_kernel_metadata.get(name, _NOTHING)
        return self.include_all_operators or not known.isdisjoint((key, DEFAULT_KERNEL))

    def is_class_selected(self, name: str) -> bool:
        """Whether a custom class is selected."""
        return self._includes_all_else or name in self.custom_classes

    def is_feature_selected(self, name: str) -> bool:
        """Whether a build feature is selected."""
        return self._includes_all_else or name in self.build_features

    def get_et_selected_kernels(self, name: str, kernels: Sequence[str]) -> Set[str]:
        """
        The keys among an operator's kernels that cover what is selected.

        A key that none of them has is covered by the default kernel, if there is one.
        Raises `SelectionError` if there is none.
        """
        if name not in self.et_kernel_metadata:
            return frozenset(kernels if self.include_all_operators else ())
        needed = self.et_kernel_metadata[name]
        missing = sorted(needed - {*kernels})
        if missing and DEFAULT_KERNEL not in kernels:
            raise SelectionError(
                f"expected kernels of {name} for {', '.join(missing)}, got those for "
                f"{', '.join(kernels) or 'nothing'}"
            )
        others = {DEFAULT_KERNEL} if missing else _NOTHING
        return (needed & {*kernels}) | others

    @property
    def _includes_all_else(self) -> bool:
        """Whether every dtype, class and feature is selected."""
        return self.include_all_operators or self.include_all_non_op_selectives

    def _entries(self, name: str) -> list[Operator]:
        """What is said of an operator, by its name and by that of all overloads."""
        own = self.operators.get(name)
        base = self.operators.get(without_overload(name))
        all_overloads = base is not None and base.include_all_overloads
        return [*([own] if own else ()), *([base] if base and all_overloads else ())]


def without_overload(name: str) -> str:
    """The name of an operator without its overload."""
    namespace, separator, rest = name.rpartition("::")
    return namespace + separator + rest.partition(".")[0]
