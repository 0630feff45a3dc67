"""Let an op read a value in fewer bits, which it converts where it loads it."""

from __future__ import annotations

from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import tensor_type
from ...dialects.graph import CastOp, FusionOp, GraphOp, YieldOp, same


def as_fusion(op: GraphOp) -> FusionOp:
    """The op, or the fusion of it alone that replaces it."""
    if isinstance(op, FusionOp):
        return op
    inputs = dict.fromkeys(op.operands)
    body = Block(arg_types=[each.type for each in inputs])
    copy = op.clone(dict(zip(inputs, body.args, strict=True)))
    body.add_ops([copy, YieldOp(*copy.results)])
    fusion = FusionOp.of(list(inputs), body)
    fusion.location = op.location
    Rewriter.insert_op(fusion, InsertPoint.before(op))
    Rewriter.replace_op(op, [], [fusion.result])
    return fusion


def read_narrow(fusion: FusionOp, wide: SSAValue, narrow: SSAValue) -> SSAValue | None:
    """
    Lets a fusion read a value of fewer bits in the place of a wide one: what rounds
    that to these bits goes, all else reads the value converted. Returns the converted
    value, or None where nothing reads it.
    """
    element, to = (tensor_type(each).element_type for each in (narrow, wide))
    converted: SSAValue | None = None
    body = fusion.body.block
    for number, (operand, argument) in enumerate(
        zip(fusion.operands, list(body.args), strict=True)
    ):
        if operand is not wide:
            continue
        fusion.operands[number] = narrow
        argument = Rewriter.replace_value_with_new_type(argument, narrow.type)
        rest: list[Use] = []
        for use in list(argument.uses):
            if rounds_to(use.operation, element):
                Rewriter.replace_op(use.operation, [], [argument])
            else:
                rest.append(use)
        if rest:
            cast = CastOp(argument, to=to)
            Rewriter.insert_op(cast, InsertPoint.at_start(body))
            converted = cast.result
            for use in rest:
                use.operation.operands[use.index] = converted
    return converted


def rounds_to(op: Operation, element: Attribute) -> bool:
    """Whether an op does nothing but convert elements to this type."""
    return isinstance(op, CastOp) and op.to == element


def moves(op: GraphOp) -> bool:
    """Whether each element of a result is one of an operand, or a number."""
    nests = op.nests() or ()
    plain = (not each.reductions and each.onto is None for each in nests)
    moved = (each.body is same or not each.sources for each in nests)
    return bool(nests) and all(plain) and all(moved)
