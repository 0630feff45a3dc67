"""
`flex_attention`: attention whose scores a function of the model changes or masks.

The functions are graphs on one score, f32[], and its place: four i32[] for the batch,
the head, the query and the key. Torch maps each over all places (`torch.vmap`), which
makes a graph of tensors that broadcast; its nodes are read like those of the program.
Blocks that a block mask leaves out are those that its function masks: as in PyTorch
without a kernel of its own, the function alone counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import inf, log
from typing import Any

import torch
from torch import fx
from xdsl.dialects.builtin import UnitAttr, f64, i32
from xdsl.ir import SSAValue

from ....dialects import Dim, tensor_type
from ....dialects.graph import (
    AbsOp,
    AddOp,
    EqOp,
    ExpOp,
    LogOp,
    MatmulOp,
    ReduceMaxOp,
    SubOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    number_like,
    reshaped,
    shape_of,
    times,
)
from ..unsupported import Unsupported
from .arguments import Value, resolve
from .as_exported import is_readable
from .attention import masked, scores_of, weights_of, with_groups
from .call import Call, Result
from .control_flow import graph_of, inline
from .export import FAILURES, parts_of_call, taking_apart
from .program import ProgramReader
from .rounded import rounded_once

_fake_mode: Any = import_module("torch._guards").detect_fake_mode
_ALL_TRUE = ("aten.full.default", "aten.ones.default", "aten.new_ones.default")
_FULL = torch.ops.aten.full.default
_SCALAR = torch.ops.aten.scalar_tensor.default
_AXES = 4
"""The axes of the scores: batch, heads, queries and keys."""


@dataclass(frozen=True)
class _Function:
    """A function of scores and their places, or of places alone."""

    graph: fx.GraphModule
    captured: Sequence[Any]
    """What the function uses from outside, as arguments of the call."""

    is_of_scores: bool

    @property
    def inputs(self) -> list[fx.Node]:
        """The parameters of the graph: the score, if any, the places, what it uses."""
        return [*self.graph.graph.find_nodes(op="placeholder")]

    @property
    def result(self) -> Any:
        """What the graph returns."""
        (end,) = self.graph.graph.find_nodes(op="output")
        return end.args[0]

    @property
    def is_identity(self) -> bool:
        """Whether scores stay as they are, or none is masked."""
        if self.is_of_scores:
            return self.result is self.inputs[0]
        made: Any = self.result
        is_true = str(made.target) in _ALL_TRUE
        return is_true and (made.target is not _FULL or made.args[1] is True)

    def places(self) -> list[bool]:
        """Of each axis whether the function asks for places along it."""
        first = int(self.is_of_scores)
        return [bool(each.users) for each in self.inputs[first : first + _AXES]]

    def mapped(self) -> Callable[..., Any]:
        """The function of all scores, and of a vector of places for each axis."""
        function: Any = self.graph
        scores = (0,) if self.is_of_scores else ()
        rest = (None,) * len(self.captured)
        for axis in reversed(range(_AXES)):
            places = (0 if each == axis else None for each in range(_AXES))
            function = torch.vmap(function, in_dims=(*scores, *places, *rest))
        return function


def _traced(
    function: _Function, scores: Any, places: Sequence[Any], node: fx.Node
) -> fx.GraphModule:
    """The graph of a function of all places; raises `Unsupported` if torch has none."""
    captured = [
        each.meta["val"] if isinstance(each, fx.Node) else each
        for each in function.captured
    ]
    given = [*([scores] if function.is_of_scores else []), *places, *captured]
    try:
        with taking_apart() as table:
            mode = _fake_mode([scores])
            graph = parts_of_call(function.mapped(), given, mode, table)
    except FAILURES as error:
        raise Unsupported(f"a function that torch cannot map: {error}") from error
    for each in graph.graph.nodes:
        each.name = f"{node.name}_{each.name}"
        each.meta["stack_trace"] = node.stack_trace
        if str(each.target) == "aten._to_copy.default" and not each.all_input_nodes:
            # What mapping makes of a number that is an operand of a tensor.
            each.target, each.kwargs = _SCALAR, {"dtype": each.kwargs["dtype"]}
        if each.users and not is_readable(each):
            raise Unsupported(f"a function of scores that calls {each.target}")
    return graph


def _called(
    reader: ProgramReader,
    node: fx.Node,
    function: _Function,
    shape: Sequence[Dim],
    scores: SSAValue | None = None,
) -> SSAValue:
    """
    The value of a function for all scores, or all places of scores of a shape; one that
    is of places alone has one element along axes that it does not ask for.
    """
    arguments: Any = node.args
    query, key = (each.meta["val"] for each in arguments[:2])
    mode = _fake_mode([query])
    sizes = [*query.shape[:3], key.shape[2]]
    is_asked = [function.is_of_scores or each for each in function.places()]
    with mode:
        fakes = [
            torch.arange(size if asked else 1, dtype=torch.int32)
            for size, asked in zip(sizes, is_asked, strict=True)
        ]
        wide = query.dtype is torch.float64
        kind = torch.float64 if wide else torch.float32
        foreseen = query.new_empty(sizes, dtype=kind)
    graph = _traced(function, foreseen, fakes, node)
    places: list[Value] = [
        counted(size if asked else 1, 0, 1, i32)
        for size, asked in zip(shape, is_asked, strict=True)
    ]
    captured = [resolve(each, reader.values) for each in function.captured]
    given: list[Value] = [] if scores is None else [scores]
    result: Any = inline(reader, graph, [*given, *places, *captured])
    return result


def _is_used(node: fx.Node, place: int) -> bool:
    """Whether something uses a result of a call, by its number."""
    return any(user.args[1] == place and user.users for user in node.users)


def _logarithm(scores: SSAValue) -> SSAValue:
    """
    The logarithm to the base of 2 of the sum of exponentials of each row; minus
    infinity of a row that is masked.
    """
    *rows, _ = shape_of(scores)
    last = (len(rows),)
    greatest = ReduceMaxOp(
        scores, axes=last, keepdims=True, or_identity=UnitAttr()
    ).result
    size = AbsOp(greatest).result
    is_infinite = EqOp(size, number_like(inf, size)).result
    top = WhereOp(is_infinite, number_like(0, greatest), greatest).result
    terms = ExpOp(SubOp(scores, top).result).result
    total = LogOp(SumOp(terms, axes=last, keepdims=True).result).result
    return reshaped(times(AddOp(total, top).result, 1 / log(2)), rows)


def _attended(
    call: Call,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    scale: float,
    reader: ProgramReader,
    functions: tuple[_Function, _Function],
) -> Result:
    """The attention, and the logarithms where something uses them."""
    score, mask = functions
    element = tensor_type(query).element_type
    batch, heads, rows, _ = shape_of(query)
    _, groups, columns, _ = shape_of(key)
    shape = [batch, heads, rows, columns]
    hidden = None if mask.is_identity else _called(reader, call.node, mask, shape)
    if heads != groups:
        query, key, value, hidden = with_groups(query, key, value, hidden)
    scores = scores_of(query, key, scale)
    inside = shape_of(scores)
    if not score.is_identity:
        given = reshaped(scores, shape)
        found = _called(reader, call.node, score, shape, given)
        wide = f64 if tensor_type(found).element_type == f64 else element
        scores = reshaped(convert(found, wide), inside)
    if hidden is not None:
        scores = masked(scores, hidden)
    weights = weights_of(scores, not (score.is_identity and hidden is None))
    result = MatmulOp(convert(weights, element), value).result
    attended = reshaped(result, call.sizes.shape(call.node.meta["val"][0]))
    if not _is_used(call.node, 1):
        return [attended, None, None]
    return [attended, _logarithm(reshaped(scores, shape)), None]


def flex_attention(reader: ProgramReader, node: fx.Node) -> Any:
    """
    The attention, and for each query the logarithm of the sum of the exponentials of
    its scores; the greatest of them PyTorch itself has on no CPU.
    """
    query, key, value, score, blocks, scale, _, *others = node.args
    of_scores, of_masks = others or ((), ())
    functions = (
        _Function(graph_of(score), of_scores, True),
        _Function(graph_of(blocks[-1]), of_masks, False),
    )
    tensors = [resolve(each, reader.values) for each in (query, key, value)]
    call = Call(node, reader.sizes, reader.weights, reader.block, draws=reader.draws)
    return rounded_once(str(node.target), _attended)(
        call, *tensors, scale, reader, functions
    )


REGIONS: dict[str, Callable[[ProgramReader, fx.Node], Any]] = {
    "flex_attention": flex_attention,
}
"""The readers of operators on the functions of attention."""
