"""
Cases of an op: what its docstring's examples look like in other sizes and dtypes.

Each number in the types of an example stands for itself wherever it occurs, so that
replacing it everywhere gives another case. What the op refuses to infer is no case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import getdoc

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ...dialects import Dim, Element, Polynomial, dim, sizes, tensor, tensor_type
from ...dialects.graph import GraphOp
from ..context import context


@dataclass(frozen=True)
class Case:
    """An op on operands of some types."""

    op: type[GraphOp]
    operands: tuple[Attribute, ...]
    properties: Mapping[str, Attribute]
    symbols: tuple[str, ...] = ()

    def build(self, operands: Sequence[SSAValue]) -> GraphOp:
        """The op on these operands."""
        return self.op(*operands, **self.properties)

    def __str__(self) -> str:
        types = ", ".join(map(str, self.operands))
        return f"{self.op.name} {dict(self.properties)} on {types}"


def examples(op: type[GraphOp]) -> list[Case]:
    """The examples in the docstring of an op."""
    text = (getdoc(op) or "").split("```mlir")[1].split("```")[0]
    return [example(op, line) for line in text.splitlines() if line.strip()]


def example(op: type[GraphOp], line: str) -> Case:
    """The op of one line, whose operands are named as they come."""
    call = line.split("=", 1)[1]
    names = list(dict.fromkeys(re.findall(r"%\w+", call)))
    types = re.findall(r"tensor<[^>]*>", call)
    arguments = ", ".join(
        f"{name}: {type}" for name, type in zip(names, types, strict=False)
    )
    source = f"func.func @f({arguments}) {{ {line} func.return }}"
    module = Parser(context(), source).parse_module()
    module.verify()
    (found,) = (each for each in module.walk() if isinstance(each, GraphOp))
    return Case(op, tuple(found.operand_types), dict(found.properties))


def accepted(case: Case) -> bool:
    """Whether the op infers a type for the case."""
    block = Block(arg_types=case.operands)
    try:
        op = case.build(block.args)
        op.verify_()
    except VerifyException:
        return False
    return True


def numbers(case: Case) -> list[int]:
    """The sizes in the types of the operands."""
    found: dict[int, None] = {}
    for type in case.operands:
        for size in sizes(tensor_type(type)):
            if isinstance(size, int) and size > 1:
                found[size] = None
    return list(found)


def resized(case: Case, new: Mapping[int, Dim]) -> Case:
    """The case with sizes replaced, in types and in properties that hold dimensions."""

    def change(size: Dim) -> Dim:
        return new.get(size, size) if isinstance(size, int) else size

    operands = tuple(
        tensor(tensor_type(t).element_type, *map(change, sizes(tensor_type(t))))
        for t in case.operands
    )
    properties = dict(case.properties)
    for name in case.op.DIM_PROPERTIES:
        value = properties[name]
        if isa(value, ArrayAttr[StringAttr]):
            properties[name] = ArrayAttr(
                [StringAttr(str(change(dim(each.data)))) for each in value]
            )
    names = [str(each) for each in new.values() if isinstance(each, Polynomial)]
    return Case(case.op, operands, properties, tuple(names))


def with_element(case: Case, old: Element, new: Element) -> Case:
    """The case with another element type in the place of one."""
    operands = tuple(
        tensor(new, *sizes(tensor_type(t))) if tensor_type(t).element_type == old else t
        for t in case.operands
    )
    return Case(case.op, operands, case.properties, case.symbols)


def with_one_of(case: Case, operand: int, axis: int) -> Case:
    """The case with a one among the sizes of a single operand, to be broadcast."""
    operands = list(case.operands)
    type = tensor_type(operands[operand])
    shape = list(sizes(type))
    shape[axis] = 1
    operands[operand] = tensor(type.element_type, *shape)
    return Case(case.op, tuple(operands), case.properties)
