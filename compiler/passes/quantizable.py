"""
Find the products that bytes could compute, the values that they read, and their names.

A profile is made and used by these names, so they are the same for any shapes: that of
an op is its node's in the model, that of an argument is the input's, and equal names
are numbered in the order of the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NameLoc, StringAttr, f32
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects import tensor_type
from ...dialects.graph import (
    ConvOp,
    ConvTransposeOp,
    IndexSelectOp,
    LinearOp,
    MatmulOp,
    MaxPoolOp,
    PermuteOp,
    ReshapeOp,
    SliceOp,
)
from ..ir import INPUT_NAMES, WeightStore
from ..quantizing import MOST_SCALE
from .defined_functions import defined_functions
from .steps import MOST_SUM, Steps, dequantized, has_full_windows, summed

_Contraction: TypeAlias = MatmulOp | LinearOp | ConvOp


@dataclass(frozen=True)
class Product:
    """A product of matrices or a convolution."""

    op: Operation
    name: str
    refusal: str = ""
    """Why it stays in floats, or nothing where bytes could compute it."""

    read: tuple[str | None, ...] = ()
    """The names of the values that its factors are, or move; None for a constant."""


@dataclass(frozen=True)
class Quantizable:
    """What of a module could be quantised, in the order of the model."""

    products: Sequence[Product]
    values: Mapping[str, SSAValue]
    """The values that products read, by name."""


def quantizable(module: ModuleOp, weights: WeightStore) -> Quantizable:
    """The products of a module, and what those read that bytes could compute."""
    finder = _Finder(Steps(weights))
    for function in defined_functions(module):
        finder.visit(function)
    return Quantizable(finder.products, finder.values)


class _Finder:
    """Goes over the ops of functions in order."""

    def __init__(self, steps: Steps):
        self.steps = steps
        self.products: list[Product] = []
        self.values: dict[str, SSAValue] = {}
        self._known: dict[SSAValue, str] = {}
        self._names: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        """How often each name was given to a product, and to a value."""

    def visit(self, function: func.FuncOp) -> None:
        """Adds the products of a function and of its regions."""
        for op in function.walk():
            if not isinstance(op, MatmulOp | LinearOp | ConvOp | ConvTransposeOp):
                continue
            if all(self.is_constant(each) for each in op.operands):
                continue
            found = Product(op, _numbered(_name_of(op), self._names[0]))
            if isinstance(op, ConvTransposeOp):
                refusal = "it is a transposed convolution"
            elif op.parent_op() is not function:
                refusal = "it is in a branch or a loop"
            else:
                refusal = self.refusal(op)
            read = () if refusal else tuple(map(self.read, op.operands))
            self.products.append(replace(found, refusal=refusal, read=read))

    def refusal(self, op: _Contraction) -> str:
        """Why bytes cannot compute a product, or nothing."""
        types = [tensor_type(each).element_type for each in (*op.operands, op.result)]
        if any(each != f32 for each in types) or op.to is not None:
            return "its numbers are not f32"
        if any(dequantized(each) is not None for each in op.operands):
            return "the model says how it is quantised"
        most = 255
        for each in op.operands:
            array = self.steps.known(each)
            if array is not None and not (np.abs(array) <= MOST_SCALE).all():
                return "its weight has numbers that are not finite, or beyond 2**40"
            most *= 128 if array is not None else 255
        count, _ = summed(op)
        if not isinstance(count, int):
            return "how much it adds up is known to the run alone"
        if count * (most // 255) > MOST_SUM:
            return f"sums of {count} products of bytes may not fit into 32 bits"
        return ""

    def read(self, factor: SSAValue) -> str | None:
        """The name of the value that a factor is, or moves; None for a constant."""
        if self.is_constant(factor):
            return None
        value = self.source(factor)
        if value not in self._known:
            name = _numbered(_name_of_value(value), self._names[1])
            self._known[value] = name
            self.values[name] = value
        return self._known[value]

    def source(self, value: SSAValue) -> SSAValue:
        """What is moved to be a value, as far back as steps are moved as well."""
        while True:
            match op := value.owner:
                case ReshapeOp() | PermuteOp() | SliceOp() | IndexSelectOp():
                    moved = op.operands[0]
                case MaxPoolOp() if has_full_windows(op):
                    moved = op.operands[0]
                case _:
                    return value
            if self.is_constant(moved) or dequantized(moved) is not None:
                return value
            value = moved

    def is_constant(self, value: SSAValue) -> bool:
        """Whether the numbers of a value are known."""
        return self.steps.known(value) is not None


def _numbered(name: str, given: Counter[str]) -> str:
    """The name, with a number where it was given before."""
    given[name] += 1
    return name if given[name] == 1 else f"{name}#{given[name]}"


def _name_of(op: Operation) -> str:
    """The name of the node that an op is of, or else the name of the op."""
    if isinstance(op.location, NameLoc):
        return op.location.desc.data
    return op.name.removeprefix("graph.")


def _name_of_value(value: SSAValue) -> str:
    """The name of an input, or of the op that makes a value."""
    if isinstance(value, BlockArgument):
        function = value.block.parent_op()
        names = None if function is None else function.attributes.get(INPUT_NAMES)
        if isa(names, ArrayAttr[StringAttr]) and value.index < len(names):
            return names.data[value.index].data
        return value.name_hint or f"in{value.index}"
    assert isinstance(value.owner, Operation)
    return _name_of(value.owner)
