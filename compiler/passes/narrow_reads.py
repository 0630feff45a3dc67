"""Let an op read a value in fewer bits, which it converts where it loads it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from ...dialects import tensor_type, with_element
from ...dialects.graph import CastOp, FusionOp, GraphOp, YieldOp, same


def as_fusion(op: GraphOp) -> FusionOp:
    """The op, or the fusion of it alone that replaces it."""
    return op if isinstance(op, FusionOp) else fused([op])


def fused(ops: Sequence[GraphOp]) -> FusionOp:
    """The fusion that replaces `ops`, in their order, and yields the last result."""
    inside, last = set[Operation](ops), ops[-1]
    inputs: dict[SSAValue, None] = {}
    for op in ops:
        for operand in op.operands:
            if operand.owner not in inside:
                inputs[operand] = None
    body = Block(arg_types=[each.type for each in inputs])
    copies: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for op in ops:
        body.add_op(op.clone(copies))
    body.add_op(YieldOp(copies[last.results[0]]))
    fusion = FusionOp.of(list(inputs), body)
    fusion.location = last.location
    Rewriter.insert_op(fusion, InsertPoint.before(last))
    Rewriter.replace_op(last, [], [fusion.result])
    for op in reversed(ops[:-1]):
        Rewriter.erase_op(op)
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
            for use in rest:
                use.operation.operands[use.index] = cast.result
            converted = _behind_moves(cast).result
    return converted


def _behind_moves(cast: CastOp) -> CastOp:
    """
    The cast behind ops that move what it converts: what is looked up is in memory, and
    a product converts what it loads.
    """
    while len(uses := [*cast.result.uses]) == 1:
        user = uses[0].operation
        behind = sink(user) if isinstance(user, GraphOp) else None
        if behind is None:
            break
        Rewriter.erase_op(cast)
        cast = behind
    return cast


def rounds_to(op: Operation, element: Attribute) -> bool:
    """Whether an op does nothing but convert elements to this type."""
    return isinstance(op, CastOp) and op.to == element


def moves(op: GraphOp) -> bool:
    """Whether each element of a result is one of an operand, or a number."""
    nests = op.nests() or ()
    plain = (not each.reductions and each.onto is None for each in nests)
    moved = (each.body is same or not each.sources for each in nests)
    return bool(nests) and all(plain) and all(moved)


def sink(op: GraphOp) -> CastOp | None:
    """Puts the casts of all operands of an op behind it, where they may be there."""
    if len(op.results) != 1 or op.regions or not (op.IS_VIEW or moves(op)):
        return None
    sources = _sources(op)
    if sources is None:
        return None
    result = op.results[0]
    (narrow,) = {tensor_type(each).element_type for each in sources.values()}
    copy = op.clone(sources)
    type = with_element(tensor_type(result), narrow)
    Rewriter.replace_value_with_new_type(copy.results[0], type)
    try:
        copy.verify()
    except VerifyException:
        # A padding has a value that the narrow type lacks.
        copy.erase()
        return None
    copy.location = op.location
    cast = CastOp(copy.results[0], to=tensor_type(result).element_type)
    cast.location = op.location
    Rewriter.insert_op([copy, cast], InsertPoint.before(op))
    Rewriter.replace_op(op, [], [cast.result])
    return cast


def _sources(op: GraphOp) -> dict[SSAValue, SSAValue] | None:
    """
    What the operands that an op moves are widened from, if all are, and from one type.
    """
    looked_up = {each.operand for nest in op.nests() or () for each in nest.lookups}
    found: dict[SSAValue, SSAValue] = {}
    for number, each in enumerate(op.operands):
        if number in looked_up:
            continue
        if not isinstance(each.owner, CastOp) or not each.owner.only_widens:
            return None
        found[each] = each.owner.input
    types = {tensor_type(each).element_type for each in found.values()}
    return found if len(types) == 1 else None
