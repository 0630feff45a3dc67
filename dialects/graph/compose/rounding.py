"""
Several ops in the place of one on floats of 16 bits: all inside is f32, rounded once.

    %1 = graph.cast %x {to = f32} : tensor<2x3xf16> -> tensor<2x3xf32>
    %2 = … : several ops of f32
    %3 = graph.cast %2 {to = f16} : tensor<2x3xf32> -> tensor<2x3xf16>

Where just one op would be between the casts, or ops that round nothing, there are none
of these: an op on floats of 16 bits itself means that (`narrow_casts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...element_type import ELEMENT_TYPES, Element, loaded_type
from ...shape import Tensor, is_float, tensor_type, with_element
from .. import scalar
from ..nest import Nest, Read
from ..op import GraphOp
from ..ops.cast import CastOp
from .number import convert, element_of


def is_half(value: SSAValue | Attribute) -> bool:
    """Whether it is a tensor of floats of 16 bits."""
    type: Attribute = value.type if isinstance(value, SSAValue) else value
    if not isinstance(type, TensorType):
        return False
    return ELEMENT_TYPES[tensor_type(cast(Attribute, type)).element_type].is_half


def wide(element: Element) -> Element:
    """The element type that ops inside compute with."""
    row = ELEMENT_TYPES[element]
    return row.compute if row.is_half else element


def wide_type(type: Tensor) -> Tensor:
    """The type that a tensor has inside."""
    return with_element(type, wide(type.element_type))


def widened(x: SSAValue) -> SSAValue:
    """Builds a tensor as it is inside."""
    return convert(x, wide(element_of(x))) if is_half(x) else x


def narrowed(x: SSAValue, type: Attribute) -> SSAValue:
    """Builds a tensor from inside as one of a type, if that has floats of 16 bits."""
    return convert(x, tensor_type(type).element_type) if is_half(type) else x


def round_operand(op: Operation, number: int, element: Element) -> None:
    """Rounds an operand of floats where an op reads it, and widens it again."""
    value = op.operands[number]
    narrow = CastOp(value, to=element)
    back = CastOp(narrow, to=element_of(value))
    Rewriter.insert_op([narrow, back], InsertPoint.before(op))
    op.operands[number] = back.result


def remade(op: GraphOp, operands: Sequence[SSAValue]) -> GraphOp:
    """An op of the same properties on other operands, for a caller to insert."""
    results = op.infer_types([each.type for each in operands], op.properties)
    with ImplicitBuilder(Block()):  # else it is inserted where others are built
        made = type(op).create(
            operands=operands,
            result_types=results,
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
    made.detach()
    made.location = op.location
    return made


def rounds(op: GraphOp) -> bool:
    """Whether a result of floats of 16 bits may be none before it is rounded."""
    if not any(map(is_half, op.results)) or not op.operands:
        return False
    nests = op.nests()
    return nests is None or any(_rounds(op, each) for each in nests)


def _rounds(op: GraphOp, nest: Nest) -> bool:
    """Whether a nest of an op computes what its result rounds."""
    if nest.combine in ("add", "mul") or nest.onto in ("add", "mul"):
        return True
    with ImplicitBuilder(block := Block()):
        values: list[SSAValue] = []
        for each in nest.sources:
            element: Attribute = i64
            if isinstance(each, Read):
                element = tensor_type(op.operands[each.operand]).element_type
            argument = block.insert_arg(loaded_type(element), len(block.args))
            values.append(scalar.loaded(argument))
        found = nest.body(*values)
    return not scalar.is_element(found, tensor_type(op.results[0]).element_type)


def ops_after(block: Block, last: Operation | None) -> list[Operation]:
    """The ops of a block after one of them, or all."""
    op = block.first_op if last is None else last.next_op
    found: list[Operation] = []
    while op is not None:
        found.append(op)
        op = op.next_op
    return found


def narrow_casts(
    ops: Iterable[Operation], kept: Sequence[SSAValue] = ()
) -> dict[SSAValue, SSAValue]:
    """
    Removes casts to f32 and back around ops that need none, of ops in their order, with
    values that are `kept`; returns what is in the place of each that is gone.

        cast16(op(cast32(%x)))    op(%x), where nothing else uses what is between
        op(cast32(%x))            cast32(op(%x)), where the op rounds nothing
        cast(cast32(%x))          cast(%x)

    An op on floats of 16 bits computes in f32 and rounds its result, so all are the
    same to the bit.
    """
    replaced: dict[SSAValue, SSAValue] = {}
    known = list(ops)
    casts = [each for each in known if isinstance(each, CastOp)]
    for op in known:
        if not isinstance(op, GraphOp) or len(op.results) != 1 or op.regions:
            continue
        if not isinstance(op, CastOp):
            found = _before_casts(op)
        elif op.input in kept:
            continue
        else:
            found = _without_casts(op)
        if found is not None:
            replaced[op.results[0]] = found
            inner = op.operands[0].owner
            Rewriter.replace_op(op, [], [found])
            if isinstance(found.owner, CastOp):
                casts.append(found.owner)
            if isinstance(op, CastOp) and isinstance(inner, GraphOp):
                _erase_unused(inner)
    # What is in the place of a value that is kept has no users yet either.
    stays = {replaced.get(each, each) for each in kept}
    for op in reversed(casts):
        if op.result not in stays and is_half(op.input):
            _erase_unused(op)
    return replaced


def _erase_unused(op: GraphOp) -> None:
    """Erases an op that nothing uses, unless it is gone."""
    if op.parent is not None and not any(each.uses for each in op.results):
        Rewriter.erase_op(op)


def _source(value: SSAValue) -> SSAValue | None:
    """What is widened to a value, if it is."""
    owner = value.owner
    if not isinstance(owner, CastOp) or not is_half(owner.input):
        return None
    return owner.input if value.type == wide_type(tensor_type(owner.input)) else None


def _on_sources(op: GraphOp) -> GraphOp | None:
    """
    The op on what its operands are widened from, not yet in a block; None unless all
    floats among these are widened, from one type.
    """
    if op.TAKES_ELEMENTS:
        return None
    operands: list[SSAValue] = []
    halves = set[Attribute]()
    for each in op.operands:
        source = _source(each)
        if source is not None:
            halves.add(element_of(source))
        elif not isinstance(each.type, TensorType) or is_float(tensor_type(each)):
            return None
        operands.append(each if source is None else source)
    return remade(op, operands) if len(halves) == 1 else None


def _without_casts(op: CastOp) -> SSAValue | None:
    """What is in the place of a cast of what was widened before it, or before an op."""
    if (source := _source(op.input)) is not None:
        if source.type == op.result.type:
            return source
        op.operands[0] = source
        return None
    inner = op.input.owner
    if not is_half(op.result) or not isinstance(inner, GraphOp):
        return None
    if inner.regions or len(inner.results) != 1 or not op.input.has_one_use():
        return None
    made = _on_sources(inner)
    if made is None:
        return None
    if made.results[0].type != op.result.type:
        made.erase()
        return None
    Rewriter.insert_op(made, InsertPoint.before(op))
    return made.results[0]


def _before_casts(op: GraphOp) -> SSAValue | None:
    """What is in the place of an op that rounds nothing of what was widened before."""
    result = op.results[0]
    made = _on_sources(op)
    if made is None:
        return None
    found = made.results[0]
    if found.type == result.type:
        Rewriter.insert_op(made, InsertPoint.before(op))
        return found
    is_inside = is_half(found) and wide_type(tensor_type(found)) == result.type
    if not is_inside or rounds(made):
        made.erase()
        return None
    with ImplicitBuilder(Block()):
        cast = CastOp(found, to=wide(element_of(found)))
    cast.detach()
    cast.location = op.location
    Rewriter.insert_op([made, cast], InsertPoint.before(op))
    return cast.result
