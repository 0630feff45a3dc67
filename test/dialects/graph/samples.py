"""
Samples of an op: what its docstring's examples look like in other sizes and dtypes.

Each number in the types of an example stands for itself wherever it occurs, so that
replacing it everywhere gives another case: sizes 0 and 1, odd ones, larger ones than a
vector. Replaced by a symbol it gives a case in which sizes are known at run time only.
What the op refuses to infer is no case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Block
from xdsl.utils.hints import isa

from static_runtime.compiler.library.cases import (
    Case,
    accepted,
    broadcast,
    examples,
    numbers,
    resized,
    typed,
)
from static_runtime.dialects.dims import Dim, dim, evaluate, symbol
from static_runtime.dialects.graph.element_array import to_elements
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.shape import (
    ELEMENTS,
    Array,
    dtype,
    sizes,
    tensor,
    tensor_type,
)

SIZES = (0, 1, 7, 33)
"""Sizes that numbers of an example are replaced by, one number at a time."""

RUNS = (1, 0, 5, 19)
"""Values of the symbols of a case, in its runs: all the same, then spread out."""


def assumes_nothing(case: Case) -> bool:
    """Whether the op takes the case at all values of its symbols."""
    return not case.build(Block(arg_types=case.operands).args).agreements()


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
    yield from broadcast(case)


def symbolic_cases(op: type[GraphOp], start: int = 0) -> Iterator[Case]:
    """
    The examples with symbols for as many sizes as the op accepts, each with its own;
    their names are numbered from `start` on.
    """
    for number, first in enumerate(examples(op), start):
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
    if kind.kind in "iu":
        values = random.integers(-9, 10, shape).astype(kind)
        edges: list[Any] = [0, ~kind.type(0), np.iinfo(kind).min, np.iinfo(kind).max]
    else:
        element = ELEMENTS[kind]
        values = to_elements(random.standard_normal(shape) * 2, element)
        edges = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-15, -1e8]
    if special and values.size:
        places = random.random(shape) < 0.3
        whole = kind.kind in "iu"
        few = np.array(edges, kind) if whole else to_elements(edges, ELEMENTS[kind])
        values = np.where(places, few[random.choice(len(few), shape)], values)
    return np.asarray(values, kind)
