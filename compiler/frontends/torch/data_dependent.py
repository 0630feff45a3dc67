"""Operators of torch whose results have sizes that are computed at run time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import SymBool, SymFloat, SymInt, fx
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....dialects import (
    ELEMENT_TYPES,
    Dim,
    SizeError,
    broadcast,
    greatest,
    is_float,
    product,
    tensor_type,
)
from ....dialects.graph import (
    CastOp,
    ConcatListOp,
    DefineSymbolOp,
    EqOp,
    GetAttrOp,
    GraphOp,
    IndexSelectOp,
    ListConstructOp,
)
from ....dialects.graph.compose import (
    at_index,
    convert,
    expanded,
    must_be,
    number_like,
    part,
    reshaped,
    shape_of,
    true_indices,
    truths,
)
from ...ir import WeightStore
from ..known import MAX_EVALUATED, Known, evaluate
from ..unsupported import NeedsBound, Unsupported
from .arguments import NUMBERS, Item
from .asserted_bounds import asserted_bounds
from .call import Call, Reader
from .extremes import extreme_of
from .guards import must_hold
from .sizes import GREATEST, Expression, Sizes

ITEMS = ("aten.item.default", "aten._local_scalar_dense.default")
"""The operators that convert a tensor to a number."""


def define(
    sizes: Sizes, foreseen: int | SymInt, value: SSAValue, low: Dim, high: Dim
) -> Dim:
    """
    Builds the definition of a size that a run computes.

    Where torch takes it for another size, as by a `torch._check`, it must be equal.
    """
    expression: Expression = None if isinstance(foreseen, int) else foreseen.node.expr
    is_new = getattr(expression, "is_Symbol", False) and expression not in sizes.names
    name = expression if is_new else f"count_{len(sizes.names)}"
    symbol = sizes.define_at_run(name, low, high)
    DefineSymbolOp(value, symbol=str(symbol), low=str(low), high=str(high))
    if is_new:
        return symbol
    must_be(symbol, known := sizes.dim(foreseen), "torch._check")
    return known


def places(call: Call, mask: SSAValue, foreseen: int | SymInt) -> SSAValue:
    """Builds the indices of the true elements of a tensor, as rows."""
    return true_indices(
        mask, lambda count, most: define(call.sizes, foreseen, count, 0, most)
    )


def nonzero(call: Call, x: SSAValue) -> SSAValue:
    """The indices of the nonzero elements, a row for each."""
    mask = truths(reshaped(x, shape_of(x) or [1]))
    rows = places(call, mask, call.node.meta["val"].shape[0])
    return rows if shape_of(x) else part(rows, 1, 0, 0)


def without_masks(
    call: Call, indices: Sequence[SSAValue | None], count: int | SymInt | None = None
) -> Sequence[SSAValue | None]:
    """
    The indices with each mask replaced by the indices of its true elements. All masks
    have as many, `count`; else that is the size of the result where the indices are.
    """
    found: list[SSAValue | None] = []
    for each in indices:
        if each is None or not _is_mask(each):
            found.append(each)
            continue
        foreseen = _size_of_masks(call, indices) if count is None else count
        rows = places(call, each, foreseen)
        found += [at_index(rows, 1, axis) for axis in range(len(shape_of(each)))]
    return found


def size_beside_masks(call: Call) -> int | SymInt | None:
    """
    The number of true elements of each mask among indices, by the last axis of others
    that are broadcast to it; None where no other index has several.
    """
    nodes: Any = call.node.args[1]
    others = [each.meta["val"] for each in nodes if each is not None]
    sizes = [e.shape[-1] for e in others if e.dtype != torch.bool and e.ndim]
    several = [size for size in sizes if not isinstance(size, int) or size != 1]
    return several[0] if several else None


def _is_mask(index: SSAValue) -> bool:
    """Whether an index is a tensor of truths."""
    return tensor_type(index).element_type == i1


def _size_of_masks(call: Call, indices: Sequence[SSAValue | None]) -> int | SymInt:
    """
    The number of true elements of each mask, which is a size of the result: of the last
    axis that the indices make. Their axes stand where the first index does, or first of
    all where an axis without an index is between them.
    """
    given = [at for at, each in enumerate(indices) if each is not None]
    others = (e for e in indices if e is not None and not _is_mask(e))
    rank = max((len(shape_of(each)) for each in others), default=1)
    first = given[0] if given[-1] - given[0] + 1 == len(given) else 0
    return call.node.meta["val"].shape[first + max(rank, 1) - 1]


def masked_select(call: Call, x: SSAValue, mask: SSAValue) -> SSAValue:
    """The elements where a mask is true, as a vector; both are broadcast."""
    count = call.node.meta["val"].shape[0]
    if isinstance(count, SymInt):
        with suppress(SizeError):  # torch asserts no such bound
            most = greatest(product(shape_of(x)), call.sizes.ranges)
            call.sizes.mistaken.add(count.node.expr <= most)
    shape = broadcast(tensor_type(x), tensor_type(mask))
    whole = [expanded(each, shape) for each in (x, mask)]
    flat, chosen = (reshaped(each, [product(shape)]) for each in whole)
    rows = places(call, chosen, count)
    return IndexSelectOp(
        flat, reshaped(rows, [shape_of(rows)[0]]), axis=0, wraps=False
    ).result


def asserted(node: fx.Node) -> float | None:
    """
    The element of a tensor that a model asserts to be a certain number, which torch
    takes it for: a truth after `torch._check(mask.all())`. None of other nodes.
    """
    foreseen: Any = node.meta.get("val")
    if str(node.target) not in ITEMS or not isinstance(foreseen, NUMBERS):
        return None
    if isinstance(foreseen, SymBool):
        return foreseen.node.maybe_as_bool()
    if isinstance(foreseen, SymInt):
        return foreseen.node.maybe_as_int()
    if isinstance(foreseen, SymFloat):
        return foreseen.node.maybe_as_float()
    return foreseen


def read_item(
    sizes: Sizes, node: fx.Node, x: SSAValue, weights: WeightStore
) -> float | Dim | Item:
    """
    The only element of a tensor: the number that the program asserts it to be, which
    each run checks; a size when the program bounds it, or computes it from sizes and
    from integers that the model holds; else a number for tensor arithmetic.
    """
    foreseen: Any = node.meta["val"]
    x = reshaped(x, ())
    if (number := asserted(node)) is not None:
        (tensor,) = node.all_input_nodes
        is_it = EqOp(x, number_like(number, x)).result
        must_hold(is_it, f"{tensor.name} == {number}", sizes, "torch._check")
        return number
    if (new := _new_symbol(foreseen, sizes)) is not None:
        sizes.items[new] = x
        known = _known(x, {}, weights) if isinstance(foreseen, SymInt) else None
        if known is not None:
            (sizes.held[new],) = known.dims()
            return sizes.held[new]
    if not isinstance(foreseen, SymInt):
        reason = "a number that the run computes, where torch needs it"
        return Item(x, Unsupported(reason))
    value = convert(x, i64)
    least, most = sizes.limits(foreseen.node.expr)
    high = min(asserted_bounds(sizes, node), key=str, default=most)
    if high == GREATEST:
        high = sizes.most.get(str(foreseen), GREATEST)
    if least < 0 or high == GREATEST:
        why = f"a number that the run computes, {foreseen}; as a size it needs a range"
        return Item(value, NeedsBound([value], why, [str(foreseen)]))
    return define(sizes, foreseen, value, least, high)


def known_elements(value: SSAValue, weights: WeightStore) -> list[int] | None:
    """
    The elements, in order, of integers that the model holds, or of a few that are
    computed from such; None of others.
    """
    op = value.owner
    if isinstance(op, CastOp) and not is_float(tensor_type(op.input)):
        return known_elements(op.input, weights)
    if isinstance(op, GetAttrOp):
        return [int(each) for each in weights[op.key.data].ravel()]
    known = _known(value, {}, weights)
    if known is None or known.is_symbolic:
        return None
    return [int(each) for each in known.array.ravel()]


_DEEPEST = 64
"""The most ops in a row by which a tensor is computed from sizes."""


def _known(
    value: SSAValue,
    found: dict[SSAValue, Known | None],
    weights: WeightStore,
    deep: int = 0,
) -> Known | None:
    """
    The elements of a small tensor that is computed from sizes alone, and from tensors
    that the model holds; None of floats that are computed from open sizes, which each
    run rounds. `found` caches the elements of each tensor that was asked for.
    """
    if value in found:
        return found[value]
    found[value] = None
    op = value.owner
    if ELEMENT_TYPES[tensor_type(value).element_type].is_half:
        return None  # references of them compute in f32
    if isinstance(op, GetAttrOp):
        found[value] = _held(op, weights)
        return found[value]
    if not isinstance(op, GraphOp) or op.regions or deep > _DEEPEST:
        return None
    if (extreme := extreme_of(op, weights)) is not None:
        found[value] = extreme
        return extreme
    joins = isinstance(op, ConcatListOp)
    operands: list[Known] = []
    for each in _elements_of(op.list) if joins else op.operands:
        if (known := _known(each, found, weights, deep + 1)) is None:
            return None
        operands.append(known)
    results = [_joined(op, operands)] if joins else evaluate(op, operands)
    if results is not None:
        found.update(zip(op.results, results, strict=True))
    return found[value]


def _elements_of(values: SSAValue) -> Sequence[SSAValue]:
    """The tensors of a list, which this front end makes of them."""
    assert isinstance(values.owner, ListConstructOp), "what is joined was listed"
    return values.owner.operands


def _joined(op: ConcatListOp, operands: Sequence[Known]) -> Known | None:
    """The concatenation of a list of tensors, if its elements are few."""
    type = tensor_type(op.result)
    if sum(each.array.size for each in operands) > MAX_EVALUATED:
        return None
    arrays = [each.array for each in operands]
    return Known(np.concatenate(arrays, op.axis.value.data), type.element_type)


def _held(op: GetAttrOp, weights: WeightStore) -> Known | None:
    """The elements of a tensor that the model holds, if they are few."""
    array = weights[op.key.data]
    if array.size > MAX_EVALUATED:
        return None
    return Known(array, tensor_type(op.result).element_type)


def _new_symbol(foreseen: Any, sizes: Sizes) -> Expression | None:
    """
    The symbol that torch has for the element of a tensor alone: the element itself, or
    for a boolean the 1 or 0 that it is. None where torch takes it for what is known.
    """
    if not isinstance(foreseen, SymInt | SymBool | SymFloat):
        return None
    expression: Expression = foreseen.node.expr
    if isinstance(foreseen, SymBool) and expression.func.__name__ == "Equality":
        expression, one = expression.args
        if one != 1:
            return None
    is_new = expression.is_Symbol and expression not in sizes.names
    return expression if is_new else None


def decided(
    call: Call, foreseen: int | SymInt, value: SSAValue, greatest: int = GREATEST
) -> Dim:
    """
    The size of the result that a run computes as `value`, and that torch takes for
    `foreseen`; it is `greatest` at most. Raises `NeedsBound` where neither that, nor
    the model, nor the user says how much it may be.
    """
    sizes = call.sizes
    if isinstance(foreseen, int) or not sizes.is_new(foreseen):
        return define(sizes, foreseen, value, 0, sizes.dim(foreseen))
    low, most = sizes.limits(foreseen.node.expr)
    limits = [
        limit
        for user in call.node.users
        if str(user.target) == "aten.sym_size.int"
        for limit in asserted_bounds(sizes, user)
    ]
    high = min(limits, key=str, default=min(most, greatest))
    if high == GREATEST:
        high = sizes.most.get(str(foreseen), GREATEST)
    if high == GREATEST:
        why = f"a size that data decide, {foreseen}, without a bound"
        raise NeedsBound([value], why, [str(foreseen)])
    return define(sizes, foreseen, value, max(low, 0), high)


READERS: dict[str, Reader] = {
    "aten.masked_select.default": masked_select,
    "aten.nonzero.default": nonzero,
}
