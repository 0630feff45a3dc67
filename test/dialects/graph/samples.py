"""
Samples of an op: what its docstring's examples look like in other sizes and dtypes.

Each number in the types of an example stands for itself wherever it occurs, so that
replacing it everywhere gives another case: sizes 0 and 1, odd ones, larger ones than a
vector. Replaced by a symbol it gives a case in which sizes are known at run time only.
What the op refuses to infer is no case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import getdoc
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, StringAttr, f32, i64
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from static_runtime.compiler.context import context
from static_runtime.dialects.dims import Dim, Polynomial, dim, evaluate, symbol
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.shape import (
    DTYPES,
    Array,
    Element,
    dtype,
    sizes,
    tensor,
    tensor_type,
)

SIZES = (0, 1, 7, 33)
"""Sizes that numbers of an example are replaced by, one number at a time."""

RUNS = (1, 0, 5, 19)
"""Values of the symbols of a case, in its runs: all the same, then spread out."""


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


def assumes_nothing(case: Case) -> bool:
    """Whether the op takes the case at all values of its symbols."""
    return not case.build(Block(arg_types=case.operands).args).agreements()


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


def static_cases(op: type[GraphOp]) -> Iterator[Case]:
    """The examples, and what they become in other sizes and dtypes."""
    seen = set[str]()
    for first in examples(op):
        for case in (*sized(first), *typed(first)):
            if str(case) not in seen and accepted(case):
                seen.add(str(case))
                yield case


def sized(case: Case) -> Iterator[Case]:
    """A case in its own sizes and in others."""
    yield case
    for number in numbers(case):
        for size in SIZES:
            yield resized(case, {number: size})
    yield resized(case, {number: number * 5 + 1 for number in numbers(case)})
    if len(case.operands) > 1:
        for operand, type in enumerate(case.operands):
            for axis in range(len(sizes(tensor_type(type)))):
                yield with_one_of(case, operand, axis)


def typed(case: Case) -> Iterator[Case]:
    """A case in other dtypes."""
    for element in DTYPES:
        other = with_element(case, f32, element)
        yield other
        yield with_element(other, i64, next(e for e in DTYPES if str(e) == "i32"))


def symbolic_cases(op: type[GraphOp]) -> Iterator[Case]:
    """
    The examples with symbols for as many sizes as the op accepts, each with its own.
    """
    for number, first in enumerate(examples(op)):
        known: dict[int, Dim] = {}
        for size in numbers(first):
            trial = known | {size: symbol(f"n{size}_{number}")}
            if accepted(case := resized(first, trial)) and assumes_nothing(case):
                known = trial
        if known:
            yield resized(first, known)


def at_sizes(case: Case, symbols: Mapping[str, int]) -> Case:
    """The case with its symbols given values."""
    operands = tuple(
        tensor(
            tensor_type(t).element_type,
            *(evaluate(size, symbols) for size in sizes(tensor_type(t))),
        )
        for t in case.operands
    )
    properties = dict(case.properties)
    for name in case.op.DIM_PROPERTIES:
        value = properties[name]
        if isa(value, ArrayAttr[StringAttr]):
            properties[name] = ArrayAttr(
                [StringAttr(str(evaluate(dim(each.data), symbols))) for each in value]
            )
    return Case(case.op, operands, properties)


def shapes(case: Case) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
    """The shapes and dtypes of the operands of a case of known sizes."""
    types = [tensor_type(each) for each in case.operands]
    return [(tuple(int(str(s)) for s in sizes(t)), dtype(t)) for t in types]


def index_limits(op: GraphOp) -> dict[int, tuple[int, int]]:
    """
    For operands that are looked up: the least index that is allowed, and the bound.
    """
    limits: dict[int, tuple[int, int]] = {}
    for nest in op.nests() or ():
        for position in nest.lookups:
            bound = int(str(position.bound))
            least = -bound if position.wraps else 0
            # Numbers of several axes have the narrowest of their ranges.
            known = limits.get(position.operand, (least, bound))
            limits[position.operand] = (max(least, known[0]), min(bound, known[1]))
    return limits


def make_inputs(case: Case, seed: int, special: bool) -> list[Array] | None:
    """Arrays for a case of known sizes; None when there is no index to look up."""
    random = np.random.default_rng(seed)
    op = case.build(Block(arg_types=case.operands).args)
    limits = index_limits(op)
    arrays: list[Array] = []
    for number, type in enumerate(case.operands):
        known = tensor_type(type)
        shape = tuple(int(str(size)) for size in sizes(known))
        if number in limits:
            least, bound = limits[number]
            if bound == 0:
                if np.prod(shape) > 0:
                    return None
                bound = 1
            arrays.append(random.integers(least, bound, shape, dtype(known)))
        else:
            arrays.append(sample(random, shape, dtype(known), special))
    return arrays


def sample(
    random: np.random.Generator,
    shape: tuple[int, ...],
    kind: np.dtype[Any],
    special: bool,
) -> Array:
    """Random elements, with the edges of the dtype among them when `special`."""
    if kind == np.bool_:
        return random.integers(0, 2, shape).astype(np.bool_)
    if kind.kind == "i":
        values = random.integers(-9, 10, shape).astype(kind)
        edges: list[Any] = [0, -1, np.iinfo(kind).min, np.iinfo(kind).max]
    else:
        values = (random.standard_normal(shape) * 2).astype(kind)
        edges = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-15, -1e8]
    if special and values.size:
        places = random.random(shape) < 0.3
        values = np.where(places, random.choice(np.array(edges, kind), shape), values)
    return np.asarray(values, kind)
