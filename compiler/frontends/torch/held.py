"""
Tensors that a program holds and changes, in the form that PyTorch decomposes: buffers,
each held once.

`torch.export` without strict=True gives a tensor that is no buffer of the module, such
as one of a cache in a list, an input of its own, beside that of a buffer which is the
same tensor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from ...session import CompileError
from .export import quiet
from .parameters import KINDS
from .states import is_mutation


def with_buffers(program: ExportedProgram) -> ExportedProgram:
    """
    The program whose changed tensors are buffers: of several inputs that are the same
    tensor one is left, and a constant that is changed becomes a buffer.

    Raises `CompileError` for one that shares memory with another tensor in part.
    """
    signature = program.graph_signature
    names = [each.name for each in program.graph.find_nodes(op="placeholder")]
    specs = dict(zip(names, signature.input_specs, strict=True))
    tensors = {**program.constants, **program.state_dict}
    held = {
        name: tensors[str(spec.target)]
        for name, spec in specs.items()
        if spec.kind in KINDS
    }
    changed = _changed(program.graph) & held.keys()
    if not changed:
        return program
    # Buffers come first, so that what a caller passes has the name of one.
    order = sorted(held, key=lambda name: specs[name].kind is not InputKind.BUFFER)
    same: dict[object, str] = {}
    instead = {name: same.setdefault(_identity(held[name]), name) for name in order}
    changed = {instead[name] for name in changed}
    instead = {
        name: kept for name, kept in instead.items() if kept != name and kept in changed
    }
    _check_apart(changed, {name: held[name] for name in held if name not in instead})
    constants = {
        name for name in changed if specs[name].kind is InputKind.CONSTANT_TENSOR
    }
    if not (constants or instead):
        return program
    for name in constants:
        spec: Any = specs[name]
        specs[name] = replace(spec, kind=InputKind.BUFFER, persistent=False)
    made = copy(signature)
    made.input_specs = [spec for name, spec in specs.items() if name not in instead]
    old: Any = program
    with quiet():
        return old._update(_without(program.graph_module, instead), made)


def _changed(graph: fx.Graph) -> set[str]:
    """The inputs that operators change, themselves or through views."""
    found: set[str] = set()
    for node in graph.nodes:
        source = node
        if is_mutation(node):
            while source.op == "call_function" and source.all_input_nodes:
                source = source.all_input_nodes[0]
            found.add(source.name)
    return found


def _identity(tensor: torch.Tensor) -> object:
    """What two tensors have in common that are one, as seen from PyTorch."""
    if not tensor.numel() or str(tensor.layout) != "torch.strided":
        return id(tensor)
    place = tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype
    return (*place, tensor.is_conj(), tensor.is_neg())


def _check_apart(changed: Collection[str], held: Mapping[str, torch.Tensor]) -> None:
    """Raises `CompileError` for a changed tensor whose memory another has a part of."""
    ranges = {name: _range(tensor) for name, tensor in held.items()}
    for name in sorted(changed):
        begin, end = ranges[name]
        for other, (first, last) in ranges.items():
            if other != name and first < end and begin < last:
                raise CompileError(
                    f"expected a tensor that the model changes in memory of its own, "
                    f"got {name}, which shares it with {other}; let one be a buffer, "
                    "and make the other of it in forward"
                )


def _range(tensor: torch.Tensor) -> tuple[int, int]:
    """The address of the first byte of a tensor, and that behind the last."""
    if not tensor.numel() or str(tensor.layout) != "torch.strided":
        return 0, 0
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    extent = 1 + sum((size - 1) * step for size, step in steps)
    return tensor.data_ptr(), tensor.data_ptr() + extent * tensor.element_size()


def _without(module: fx.GraphModule, instead: Mapping[str, str]) -> fx.GraphModule:
    """A copy of a graph in which other inputs are read instead of some."""
    graph: Any = fx.Graph()
    copies: dict[Any, Any] = {}
    result: Any = graph.graph_copy(module.graph, copies, return_output_node=True)
    output, old = result
    graph.output(output).meta = copy(old.meta)
    for each, new in copies.items():
        new.name = each.name
    by_name = {each.name: each for each in graph.find_nodes(op="placeholder")}
    for name, kept in instead.items():
        by_name[name].replace_all_uses_with(by_name[kept])
        graph.erase_node(by_name[name])
    make: Any = fx.GraphModule
    whole: Any = module
    made = make(whole, graph)
    made.meta = copy(whole.meta)
    return made
