"""
Operators that change a tensor in place, where nothing else sees it: each is read as the
operator that returns another tensor, and later uses of the one are uses of the other.
"""

from __future__ import annotations

import operator
from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, fx
from torch._ops import OpOverload
from xdsl.dialects.builtin import i64

from ....dialects import normalize_axis
from ....dialects.graph import EqOp, WhereOp
from ....dialects.graph.compose import (
    expanded,
    number,
    progression,
    quantity,
    reshaped,
    shape_of,
)
from . import composites
from .arguments import NUMBERS, Value, arguments_of
from .call import Call
from .export import Whole
from .indexing import slice_scatter
from .program import ProgramReader, Reading
from .readers import READERS
from .result import checked
from .selection import from_front
from .states import is_mutation

_NEW = {
    f"aten.{name}"
    for name in (
        *("batch_norm.default", "layer_norm.default", "group_norm.default"),
        *("instance_norm.default", "linear.default", "matmul.default"),
        *("conv1d.default", "conv2d.default", "conv3d.default"),
        *("conv1d.padding", "conv2d.padding", "conv3d.padding"),
        *("conv_transpose1d.default", "conv_transpose2d.input"),
        *("conv_transpose3d.input", "scaled_dot_product_attention.default"),
        *("upsample_nearest2d.vec", "upsample_bilinear2d.vec"),
    )
}
"""Composite operators whose results are never their operands, nor views of them."""

_DROPOUTS = tuple(f"aten.{kind}dropout_.default" for kind in ("", "alpha_", "feature_"))
"""Changes that are none without training, as of classifiers that drop in place."""

_SLICES = ("aten.slice.Tensor", "aten.select.int")
"""The views that a change of them is written back from."""

_fake_mode: Any = import_module("torch._guards").detect_fake_mode
_map_arg: Any = import_module("torch.fx.node").map_arg


class InPlace:
    """The changes in place of one graph, in the order of its nodes."""

    def __init__(self, graph: fx.Graph):
        """What is known before the first node of `graph`."""
        self._order = {node: number for number, node in enumerate(graph.nodes)}
        self._same: dict[fx.Node, list[fx.Node]] = {}

    def reading(self, node: fx.Node) -> Reading:
        """
        The reader of a change; raises `Whole` for one that may be seen otherwise than
        by the tensor itself, or that no reader knows.

        It is to be asked for every change of a graph, one after the other.
        """
        if str(node.target) in _DROPOUTS and node.args[2] is False:
            return _unchanged
        functional = _functional(node)
        changed = node.args[0] if node.args else None
        if functional is None or not isinstance(changed, fx.Node):
            raise Whole(str(node.target))
        if not _keeps_type(node, functional):
            raise Whole(f"{node.target} of a tensor of another type")
        base, views = (changed, []) if _has_own_memory(changed) else _parts(changed)
        same = self._same.get(base, [base])
        is_seen = not all(self._is_alone(each, node, {*views, *same}) for each in same)
        if is_seen or not _has_own_memory(same[0]):
            raise Whole(f"{node.target} of a tensor that others may see")
        changed_too = tuple(same)
        if not views:
            same.append(node)
        self._same.update(dict.fromkeys(same, same))
        return partial(_read, str(functional), changed_too, views)

    def _is_alone(self, node: fx.Node, change: fx.Node, known: set[fx.Node]) -> bool:
        """Whether no views of a tensor but `known` ones are used after a change."""
        return all(
            each in known or self._ends(each, node, change)
            for each in node.users
            if self._order[each] < self._order[change]
        )

    def _ends(self, user: fx.Node, node: fx.Node, change: fx.Node) -> bool:
        """Whether what a user makes of a tensor is used no later than by a change."""
        waiting = [(user, node)]
        while waiting:
            user, node = waiting.pop()
            if user is change:
                continue
            if self._order[user] > self._order[change]:
                return False
            if _returns_new(user) or (is_mutation(user) and user.args[0] is not node):
                continue
            if not _is_call(user):
                return False
            waiting += [(each, user) for each in user.users]
        return True


def _parts(node: fx.Node) -> tuple[fx.Node, list[fx.Node]]:
    """A tensor, and the slices that lead to a view of it, each used once."""
    views: list[fx.Node] = []
    while str(node.target) in _SLICES and len(node.users) == 1:
        views.insert(0, node)
        (node, *_) = node.all_input_nodes
    return node, views


def _functional(node: fx.Node) -> OpOverload | None:
    """The operator that returns what one in place changes its first operand to."""
    target = node.target
    assert isinstance(target, OpOverload), "only operators change their operands"
    packet, _, overload = str(target).removeprefix("aten.").partition(".")
    tags: Any = getattr(target, "tags", ())
    changes_shape = torch.Tag.inplace_view in tags and packet != "detach_"
    if target.namespace != "aten" or not packet.endswith("_") or changes_shape:
        return None
    found = getattr(getattr(torch.ops.aten, packet[:-1], None), overload, None)
    is_read = str(found) in READERS or str(found) in composites.READERS
    return found if isinstance(found, OpOverload) and is_read else None


def _returns_new(node: fx.Node) -> bool:
    """Whether the results of a call are never its operands, nor views of them."""
    if node.target is operator.getitem:
        several = node.args[0]
        return isinstance(several, fx.Node) and _returns_new(several)
    if not isinstance(node.target, OpOverload) or is_mutation(node):
        return False
    name = node.target.name()
    if torch._C._dispatch_has_kernel_for_dispatch_key(  # pyright: ignore[reportPrivateUsage]
        name, "CompositeImplicitAutograd"
    ):
        return str(node.target) in _NEW
    returns: Any = node.target._schema.returns  # pyright: ignore[reportPrivateUsage]
    return all(each.alias_info is None for each in returns)


def _has_own_memory(node: fx.Node) -> bool:
    """
    Whether no other value shares the memory of a result: it is new, or what it may be a
    view of is used by nothing else.
    """
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if _returns_new(each):
            continue
        sources = [
            source
            for source in each.all_input_nodes
            if not isinstance(source.meta.get("val"), NUMBERS)
        ]
        is_shared = any(len(source.users) != 1 for source in sources)
        if is_shared or is_mutation(each) or not _is_call(each):
            return False
        waiting += sources
    return True


def _is_call(node: fx.Node) -> bool:
    """Whether a node calls an operator of tensors, or takes one of several results."""
    return isinstance(node.target, OpOverload) or node.target is operator.getitem


def _keeps_type(node: fx.Node, functional: OpOverload) -> bool:
    """Whether the operator that returns a tensor returns one of the changed type."""
    operands = [each.meta.get("val") for each in node.all_input_nodes]
    tensors = [each for each in operands if isinstance(each, Tensor)]
    foreseen: Tensor = node.meta["val"]
    if all(each.dtype == foreseen.dtype for each in tensors):
        return True
    mode = _fake_mode(tensors)
    if mode is None:
        return False
    args, kwargs = (_map_arg(each, _foreseen) for each in (node.args, node.kwargs))
    with mode:
        return functional(*args, **kwargs).dtype == foreseen.dtype


def _foreseen(node: fx.Node) -> Any:
    """The value of a node as torch infers it."""
    return node.meta["val"]


def _unchanged(reader: ProgramReader, node: fx.Node) -> Value:
    """The operand itself."""
    return arguments_of(node, reader.values)[0]


def _read(
    functional: str,
    same: tuple[fx.Node, ...],
    views: list[fx.Node],
    reader: ProgramReader,
    node: fx.Node,
) -> Value:
    """
    Builds what a change returns, and what becomes of the changed tensor, which the
    change may see through `views`.
    """
    result: Any = reader.own(functional, node)
    value = result = checked(result, node.meta["val"], reader.sizes, functional)
    for view in reversed(views):
        value = _replaced(reader, view, value)
    reader.values.update(dict.fromkeys(same, value))
    return result


def _replaced(reader: ProgramReader, view: fx.Node, part: Any) -> Any:
    """The tensor that a slice is a view of, with another value of the slice."""
    source, *_ = view.all_input_nodes
    places: list[Any]
    whole, axis, *places = arguments_of(view, reader.values)
    call = Call(source, reader.sizes, reader.weights, reader.block)
    if str(view.target) == "aten.slice.Tensor":
        return slice_scatter(call, whole, part, axis, *places)
    shape = shape_of(whole)
    axis = normalize_axis(axis, len(shape))
    one = [*shape[:axis], 1, *shape[axis + 1 :]]
    numbers = progression(number(0, i64), 1, shape[axis])
    is_there = EqOp(numbers, quantity(from_front(places[0], shape[axis]), i64)).result
    aside = reshaped(is_there, [shape[axis], *[1] * (len(shape) - axis - 1)])
    return WhereOp(aside, expanded(reshaped(part, one), shape), whole).result
