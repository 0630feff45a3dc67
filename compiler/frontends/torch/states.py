"""
States: buffers, parameters and inputs that a model changes.

A compiled model changes no tensor. It returns what a changed one holds in the end,
after its own results; and it takes a changed buffer or parameter, after its own inputs.
"""

from __future__ import annotations

from typing import Any

from torch import fx
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)

_HELD = (InputKind.BUFFER, InputKind.PARAMETER)
"""The kinds of tensors of a model that may be states."""

_CHANGES = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)
"""The kinds of outputs that are their last values."""


class States:
    """The states of an exported program, by the names of its inputs."""

    def __init__(self, program: ExportedProgram):
        """The states of `program`; of a part of a graph there are none."""
        signature = program.graph_signature
        changed = {
            each.arg.name: str(each.target)
            for each in getattr(signature, "output_specs", ())
            if each.kind in _CHANGES
        }
        self._names = {
            each.target: each.arg.name
            for each in signature.input_specs
            if each.kind in _HELD and isinstance(each.arg, TensorArgument)
        }
        # As one that is moved to the device where it is.
        self._kept = {
            target for name, target in changed.items() if name == self._names[target]
        }
        self._changed = {*changed.values()} - self._kept

    def is_state(self, spec: InputSpec) -> bool:
        """Whether an input is a buffer or parameter that the model changes."""
        return spec.kind in _HELD and spec.target in self._changed

    def is_given(self, spec: InputSpec) -> bool:
        """Whether an input is a tensor that the caller passes."""
        if not isinstance(spec.arg, TensorArgument):
            return False
        return spec.kind is InputKind.USER_INPUT or self.is_state(spec)

    def is_left_out(self, spec: OutputSpec) -> bool:
        """Whether an output is no tensor, or a state that is assigned to itself."""
        return spec.kind is OutputKind.TOKEN or (
            spec.kind in _CHANGES and spec.target in self._kept
        )

    def output_name(self, spec: OutputSpec) -> str | None:
        """The name of the output that is the last value of a state, if it is one."""
        if spec.kind in _CHANGES:
            return f"{self._names[spec.target]}_out"
        if spec.kind is OutputKind.USER_INPUT_MUTATION:
            return f"{spec.target}_out"
        return None


def is_changed(spec: OutputSpec) -> bool:
    """Whether an output is what a state holds in the end."""
    return spec.kind in (*_CHANGES, OutputKind.USER_INPUT_MUTATION)


def is_mutation(node: fx.Node) -> bool:
    """Whether an operator mutates its operands, which none of the core set does."""
    if not isinstance(node.target, OpOverload):
        return False
    schema: Any = node.target._schema  # pyright: ignore[reportPrivateUsage]
    return schema.is_mutable
