"""
Read a program in the operators that torch.export wrote, without decomposing it.

PyTorch's `run_decompositions` traces a program anew, some ten milliseconds for each
node. Here most nodes are read as they are. An operator that has no reader is traced
alone, and its parts are read in its place. One that changes a tensor in place is read
as the operator that returns another, where nothing else sees it (`in_place.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

import torch
from torch import fx
from torch._ops import OpOverload
from torch.export import ExportedProgram

from . import composites
from .arguments import NUMBERS, Missing, Value
from .computed import is_computed
from .control_flow import inline
from .custom import find_custom, is_own
from .data_dependent import asserted
from .export import FAILURES, Whole, parts_of_call, quiet, taking_apart
from .guards import ASSERTIONS, restore
from .in_place import InPlace
from .pairs import has_complex
from .program import ProgramReader, Reading
from .readers import READERS
from .states import is_mutation

Readings: TypeAlias = Mapping[fx.Node, Reading]
"""How nodes are read that have no reader by the name of their operator."""

_fake_mode: Any = import_module("torch._guards").detect_fake_mode
_map_arg: Any = import_module("torch.fx.node").map_arg
_OF_DATA = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
"""The tags of operators by which data decide numbers or sizes."""

_symbols: Any = import_module(
    "torch.fx.experimental.symbolic_shapes"
).free_unbacked_symbols


def readings(program: ExportedProgram, regions: Collection[str]) -> Readings:
    """
    How the nodes of a program are read that no reader knows by name, where the names in
    `regions` are those of operators that take graphs; raises `Whole`.
    """
    try:
        with torch.no_grad(), quiet():
            is_known = restore(program)
    except FAILURES as error:
        raise Whole("a stored program, whose conditions torch fails at") from error
    if not is_known:
        raise Whole("a stored program, whose conditions on sizes a trace finds")
    found: dict[fx.Node, Reading] = {}
    unknown: list[fx.Node] = []
    for each in program.graph_module.modules():
        if isinstance(each, fx.GraphModule):
            changes = InPlace(each.graph)
            for node in each.graph.nodes:
                if asserted(node) is not None:
                    continue
                if has_complex(node) or _has_data(node):
                    raise Whole(f"{node.target} of complex numbers, or sizes of data")
                if node.op != "call_function" or str(node.target) in regions:
                    continue
                if is_mutation(node):
                    found[node] = changes.reading(node)
                elif not _is_known(node):
                    unknown.append(node)
    if unknown:
        found.update(_expanded(unknown))
    return found


def _is_known(node: fx.Node) -> bool:
    """Whether a call is read by the name of its operator."""
    name = str(node.target)
    return (
        not node.users
        or name in READERS
        or name in composites.READERS
        or name in ASSERTIONS
        or node.target is operator.getitem
        or isinstance(node.meta.get("val"), NUMBERS)
        or is_computed(node)
        or find_custom(node.target) is not None
    )


def _has_data(node: fx.Node) -> bool:
    """
    Whether a value is a number or has a size that data decide. What a model asserts of
    it, torch takes for granted in the program that it exports.
    """
    tags: Any = getattr(node.target, "tags", ())
    if node.kwargs.get("output_size") is not None:
        tags = ()  # which the model states
    if str(node.target) == "aten.index.Tensor":
        places: Any = node.args[1]
        kinds = {each.meta["val"].dtype for each in places if each is not None}
        tags = () if kinds.isdisjoint((torch.bool, torch.uint8)) else tags
    return not _OF_DATA.isdisjoint(tags) or bool(_symbols(node.meta.get("val")))


def _expanded(nodes: Collection[fx.Node]) -> Readings:
    """How calls are read as the graphs that they are made of; raises `Whole`."""
    for node in nodes:
        if not isinstance(node.target, OpOverload) or not is_own(node.target):
            raise Whole(str(node.target))
    found: dict[fx.Node, Reading] = {}
    with taking_apart() as table:
        for node in nodes:
            operands = node.all_input_nodes
            try:
                graph = _traced(node, operands, table)
            except FAILURES as error:
                raise Whole(str(node.target)) from error
            for each in graph.graph.nodes:
                each.name = f"{node.name}_{each.name}"
                each.meta["stack_trace"] = node.stack_trace
                if not is_readable(each):
                    raise Whole(f"{node.target}, which is made of {each.target}")
            found[node] = partial(_inlined, graph, operands)
    return found


def is_readable(node: fx.Node) -> bool:
    """Whether a node of what a call is made of is read by its name."""
    if node.op == "get_attr" or is_mutation(node) or _has_data(node):
        return False
    return node.op != "call_function" or _is_known(node)


def _traced(
    node: fx.Node,
    operands: list[fx.Node],
    table: Mapping[Any, Callable[..., Any]],
) -> fx.GraphModule:
    """The graph of what the operator of a call does with these operands."""

    def call(*tensors: Any) -> Any:
        given = dict(zip(operands, tensors, strict=True))
        target: Any = node.target
        args, kwargs = (
            _map_arg(each, given.__getitem__) for each in (node.args, node.kwargs)
        )
        return target(*args, **kwargs)

    foreseen = [each.meta["val"] for each in operands]
    mode = _fake_mode([node.meta["val"], *foreseen])
    if mode is None:
        raise Whole(str(node.target))
    return parts_of_call(call, foreseen, mode, table)


def _inlined(
    graph: fx.GraphModule,
    operands: list[fx.Node],
    reader: ProgramReader,
    node: fx.Node,
) -> Value:
    """Builds a graph in the place of a call."""
    if any(each not in reader.values for each in operands):
        raise Missing
    return inline(reader, graph, [reader.values[each] for each in operands])
