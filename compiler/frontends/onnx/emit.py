"""Known tensors as ops: constants, entries of the weight store, and dimensions."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from itertools import groupby

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, UnknownLoc, i64
from xdsl.ir import Block, Operation, SSAValue

from ....dialects import Dim
from ....dialects.graph import CastOp, ConcatOp, ConstantOp, DimOp, ReshapeOp, to_names
from ...ir import WeightStore
from ..known import Known
from ..stored import constant, stored


def location_of(name: str) -> NameLoc:
    """The location of what a node or a tensor of this name becomes."""
    return NameLoc(StringAttr(name), NoneAttr())


def locate(block: Block, last: Operation | None, name: str) -> None:
    """Sets the location of the ops of `block` after `last` to `name`."""
    location = location_of(name)
    op = block.first_op if last is None else last.next_op
    while op is not None:
        if isinstance(op.location, UnknownLoc):
            op.location = location
        op = op.next_op


class Emitter:
    """
    Builds known tensors at the end of a block on demand, each once. A tensor of sizes
    is built in the region at hand, which may be what defines them.
    """

    def __init__(self, block: Block, weights: WeightStore):
        """The emitter into `block`, which puts large tensors into `weights`."""
        self.block = self._region = block
        self.weights = weights
        self._built: dict[Known, SSAValue] = {}
        self._built_inside = self._built
        self.known: dict[SSAValue, Known] = {}
        """What is known of values that were built."""

    def __call__(self, known: Known) -> SSAValue:
        """The value in the graph of a known tensor."""
        is_inside = known.is_symbolic
        block = self._region if is_inside else self.block
        built = self._built_inside if is_inside else self._built
        if known not in built:
            last = block.last_op
            with ImplicitBuilder(block):
                built[known] = self._build(known)
            if known.name:
                locate(block, last, known.name)
            self.known[built[known]] = known
        return built[known]

    @contextmanager
    def inside(self, region: Block) -> Generator[None]:
        """What is at hand while the context is open is the block of a region."""
        before = self._region, self._built_inside
        self._region, self._built_inside = region, {}
        try:
            yield
        finally:
            self._region, self._built_inside = before

    def _build(self, known: Known) -> SSAValue:
        if known.is_symbolic:
            return _of_dims(known)
        build = stored if known.is_weight else constant
        return build(known.array, known.name or "constant", self.weights)


def _of_dims(known: Known) -> SSAValue:
    """Builds a tensor whose elements are dimensions."""
    shape = known.array.shape
    if shape == ():
        (only,) = known.dims()
        value = DimOp(value=str(only)).result
    else:
        parts = [
            part
            for is_number, run in groupby(known.dims(), lambda each: type(each) is int)
            for part in _runs(list(run), is_number)
        ]
        value = parts[0] if len(parts) == 1 else ConcatOp(*parts, axis=0).result
        if len(shape) > 1:
            value = ReshapeOp(value, shape=to_names(shape)).result
    return value if known.element == i64 else CastOp(value, to=known.element).result


def _runs(run: list[Dim], is_number: bool) -> list[SSAValue]:
    """Builds vectors whose concatenation is `run`."""
    if is_number:
        return [ConstantOp(value=np.array(run, np.int64)).result]
    return [
        ReshapeOp(DimOp(value=str(each)), shape=to_names([1])).result for each in run
    ]
