"""Operators that are one elementwise graph op, after promotion of the dtypes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from xdsl.dialects.builtin import IntegerType, i1

from ....dialects.graph import (
    BinaryOp,
    BitwiseAndOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseXorOp,
    CompareOp,
    Graph,
    GraphOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogicalXorOp,
    SingleResultOp,
    UnaryOp,
    WhereOp,
)
from ....dialects.graph.compose import convert
from .call import Call, Operand, Reader, Result


def _spelled() -> dict[str, type[GraphOp]]:
    """The graph ops whose `SPELLINGS` name operators of torch."""
    return {
        name: op
        for op in Graph.operations
        if issubclass(op, GraphOp)
        for name in op.SPELLINGS
        if not name.startswith("onnx.")
    }


def _unary(op: type[SingleResultOp]) -> Reader:
    """The reader of a unary `op` in the element type of the result."""

    def read(call: Call, value: Operand, *_: Any) -> Result:
        return op(call.as_tensor(value, call.element)).result

    return read


def rounding(op: type[SingleResultOp]) -> Reader:
    """The reader of a rounding `op`, which is the identity on integers."""

    def read(call: Call, value: Operand, *_: Any) -> Result:
        same = call.as_tensor(value, call.element)
        return same if isinstance(call.element, IntegerType) else op(same).result

    return read


def _unless_boolean(op: type[SingleResultOp]) -> Reader:
    """The reader of an `op` on numbers, which is the identity on booleans."""

    def read(call: Call, value: Operand) -> Result:
        same = call.as_tensor(value, call.element)
        return same if call.element == i1 else op(same).result

    return read


def binary(op: type[SingleResultOp]) -> Reader:
    """The reader of a binary `op` in the element type of the result."""

    def read(call: Call, a: Operand, b: Operand, *_: Any) -> Result:
        return op(
            call.as_tensor(a, call.element), call.as_tensor(b, call.element)
        ).result

    return read


def compare(op: type[SingleResultOp]) -> Reader:
    """The reader of a comparison in the common type of two tensors."""

    def read(call: Call, a: Operand, b: Operand) -> Result:
        element = call.common(0, 1)
        return op(call.as_tensor(a, element), call.as_tensor(b, element)).result

    return read


def logical(op: type[SingleResultOp]) -> Reader:
    """The reader of a logical `op`, whose operands are true when not zero."""

    def read(call: Call, *operands: Operand) -> Result:
        return op(*(call.as_tensor(each, i1) for each in operands)).result

    return read


def bitwise(on_truths: type[SingleResultOp], on_bits: type[SingleResultOp]) -> Reader:
    """The reader of a bitwise operator; a boolean has one bit."""

    def read(call: Call, *operands: Operand) -> Result:
        op = on_truths if call.element == i1 else on_bits
        return op(*(call.as_tensor(each, call.element) for each in operands)).result

    return read


def _on_tensors(op: type[SingleResultOp]) -> Reader:
    """The reader of an `op` on its tensors without promotion."""
    count = len(op.get_irdl_definition().operands)

    def read(call: Call, *operands: Any) -> Result:
        return op(*operands[:count]).result

    return read


def _reader_of(op: type[GraphOp], name: str) -> Reader:
    """The reader of the operator `name`, one of the `SPELLINGS` of `op`."""
    assert issubclass(op, SingleResultOp), "only ops of one result spell operators"
    if not issubclass(op, (UnaryOp, BinaryOp)):
        return _on_tensors(op)
    if op.ACCEPTS == "bool":
        return logical(op)
    if issubclass(op, CompareOp):
        return compare(op)
    if name in _SIGN:
        return _unless_boolean(op)
    if name in _ROUNDING:
        return rounding(op)
    return _unary(op) if issubclass(op, UnaryOp) else binary(op)


def where(call: Call, condition: Operand, a: Operand, b: Operand) -> Result:
    """The elements of one tensor where a condition is true, of another elsewhere."""
    return WhereOp(
        call.as_tensor(condition, i1),
        call.as_tensor(a, call.element),
        call.as_tensor(b, call.element),
    ).result


def converted(call: Call, value: Any, *_: Any) -> Result:
    """
    The tensor converted to the element type of the result; a copy is the tensor itself.
    """
    return convert(value, call.element)


def _with_numbers(name: str) -> Iterator[str]:
    """
    The names of the overloads of a binary operator that take a number as an operand.
    """
    operator, _, form = name.removeprefix("aten.").partition(".")
    if form == "Tensor":
        known: Sequence[str] = getattr(torch.ops.aten, operator).overloads()
        for each in ("Scalar", "Scalar_Tensor", "Tensor_Scalar"):
            if each in known:
                yield f"aten.{operator}.{each}"


_ROUNDING = {
    f"aten.{name}.default" for name in ("ceil", "floor", "round", "trunc", "fix")
}

_SIGN = ("aten.sign.default", "aten.sgn.default")

_SPELLED = _spelled()

READERS: dict[str, Reader] = {
    **{name: _reader_of(op, name) for name, op in _SPELLED.items()},
    # A binary operator also has overloads that take a number.
    **{
        form: _reader_of(op, name)
        for name, op in _SPELLED.items()
        for form in _with_numbers(name)
    },
    **{
        f"aten.{name}.{form}": bitwise(on_truths, on_bits)
        for name, on_truths, on_bits in (
            ("bitwise_and", LogicalAndOp, BitwiseAndOp),
            ("bitwise_or", LogicalOrOp, BitwiseOrOp),
            ("bitwise_xor", LogicalXorOp, BitwiseXorOp),
        )
        for form in ("Tensor", "Scalar", "Scalar_Tensor")
    },
    "aten.bitwise_not.default": bitwise(LogicalNotOp, BitwiseNotOp),
    "aten.where.self": where,
    "aten._to_copy.default": converted,
    "aten.clone.default": converted,
    "aten.alias.default": converted,
    "aten.detach.default": converted,
    "aten.lift_fresh_copy.default": converted,
    "prims.convert_element_type.default": converted,
}
