"""
Cases of an op: what its examples look like in other sizes and dtypes.

Each number in the types of an example stands for itself wherever it occurs, so that
replacing it everywhere gives another case. What the op refuses to infer is no case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, f32, i32, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ...dialects import (
    DTYPES,
    Dim,
    Element,
    Polynomial,
    dim,
    sizes,
    tensor,
    tensor_type,
)
from ...dialects.graph import GraphOp
from ..ir import INPUT_NAMES, context


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
    """The examples of an op."""
    lines = [line for line in op.examples() if line.strip()]
    assert lines, f"{op.name} has an example"
    return [example(op, line) for line in lines]


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


def _with_one_of(case: Case, operand: int, axis: int) -> Case:
    """The case with a one among the sizes of a single operand, to be broadcast."""
    operands = list(case.operands)
    type = tensor_type(operands[operand])
    shape = list(sizes(type))
    shape[axis] = 1
    operands[operand] = tensor(type.element_type, *shape)
    return Case(case.op, tuple(operands), case.properties)


def broadcast(case: Case) -> Iterator[Case]:
    """A case of several operands; one has one element along an axis."""
    if len(case.operands) > 1:
        for operand, type in enumerate(case.operands):
            for axis in range(len(sizes(tensor_type(type)))):
                yield _with_one_of(case, operand, axis)


def typed(case: Case) -> Iterator[Case]:
    """A case in other dtypes."""
    for element in DTYPES:
        other = with_element(case, f32, element)
        yield other
        yield with_element(other, i64, i32)


def module_of(cases: Sequence[Case]) -> ModuleOp:
    """A module whose function runs each case on inputs of its own."""
    types = [type for case in cases for type in case.operands]
    block = Block(arg_types=types)
    inputs = iter(block.args)
    ops = [case.build([next(inputs) for _ in case.operands]) for case in cases]
    results = [result for op in ops for result in op.results]
    block.add_ops([*ops, func.ReturnOp(*results)])
    outputs = [result.type for result in results]
    function = func.FuncOp("main", (types, outputs), Region(block))
    names = [StringAttr(f"x{number}") for number in range(len(types))]
    function.attributes[INPUT_NAMES] = ArrayAttr(names)
    return ModuleOp([function])
