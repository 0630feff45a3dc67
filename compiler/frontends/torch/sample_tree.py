"""The trees of what an exported program takes and returns, with samples as leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    InputKind,
    OutputKind,
)
from torch.utils._pytree import TreeSpec


def sample_inputs(program: ExportedProgram) -> Any:
    """The positional inputs and those with names, as a tuple of both."""
    given = program.graph_signature.input_specs
    own = (each.arg for each in given if each.kind is InputKind.USER_INPUT)
    return _sample(program, program.call_spec.in_spec, own)


def sample_outputs(program: ExportedProgram) -> Any:
    """What the program returns, without its states."""
    given = program.graph_signature.output_specs
    own = (each.arg for each in given if each.kind is OutputKind.USER_OUTPUT)
    return _sample(program, program.call_spec.out_spec, own)


def _sample(
    program: ExportedProgram, spec: TreeSpec | None, leaves: Iterable[ArgumentSpec]
) -> Any:
    """
    The tree of a specification, with tensors without elements where it has tensors.

    Classes that somebody registered are made of these, and may compute with them what
    tensors of their ranks can: the cache of transformers joins them.
    """
    assert spec is not None, "torch.export notes what a program takes and returns"
    values = {each.name: each.meta.get("val") for each in program.graph.nodes}
    found: list[Any] = []
    for each in leaves:
        value = values.get(each.name)
        if isinstance(value, torch.Tensor):
            found.append(torch.zeros((0,) * value.ndim, dtype=value.dtype))
        else:
            found.append(each.value if isinstance(each, ConstantArgument) else 0)
    return spec.unflatten(found)
