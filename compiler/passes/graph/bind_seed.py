"""
Give numbers at random their seed, and each draw a stream of its own.

With `bind-seed{seed="7"}`:

Before:

    %0 = graph.get_attr "graph.seed" : tensor<i64>
    %1 = graph.random_uniform %i, %0 {stream = 0, to = f32} : …
    %2 = graph.random_uniform %i, %0 {stream = 0, to = f32} : …

After:

    %0 = graph.constant dense<7> : tensor<i64>
    %1 = graph.random_uniform %i, %0 {stream = 0, to = f32} : …
    %2 = graph.random_uniform %i, %0 {stream = 1, to = f32} : …

With `seed="input"` the seed is one more input of the model, called `seed`; without one
a model that draws numbers is refused. So is one that draws them in a loop, whose trips
would all draw the same; and where the seed is an input, in a branch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ....dialects import tensor
from ....dialects.graph import (
    ConstantOp,
    GetAttrOp,
    LoopOp,
    describe,
)
from ....dialects.graph.compose.random import SEED, RandomUniformOp
from ....runtime.program import ARRAY, STRUCTURE, Tree, read_structure
from ...ir import INPUT_NAMES
from ..defined_functions import defined_functions

_INPUT = "input"
"""The seed that each call gives."""

_NAME = "seed"
"""What the input is called."""


@dataclass(frozen=True)
class BindSeed(ModulePass):
    """Replaces the seed of a model by a number, or by an input."""

    name = "bind-seed"

    seed: str = ""
    """A number, or `input`; nothing where there is no seed."""

    @classmethod
    def by(cls, seed: int | str | None) -> BindSeed:
        """The pass for the seed of an option."""
        return cls("" if seed is None else str(seed))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in defined_functions(op):
            draws = [x for x in each.walk() if isinstance(x, RandomUniformOp)]
            for draw in draws:
                _refuse_loops(draw)
            seeds = [
                x
                for x in each.walk()
                if isinstance(x, GetAttrOp) and x.key.data == SEED
            ]
            if seeds:
                _number(draws, {x.result for x in seeds})
                self.bind(each, seeds)

    def bind(self, function: func.FuncOp, seeds: list[GetAttrOp]) -> None:
        """Replaces the seeds of a function."""
        if not self.seed:
            raise VerifyException(
                f"{_first_use(seeds[0])}: expected a seed for numbers at random, got "
                'none; compile with Options(seed=0), or with Options(seed="input") to '
                "give one in each call"
            )
        if self.seed == _INPUT:
            given = _seed_input(function, seeds)
            for each in seeds:
                Rewriter.replace_op(each, [], [given])
            return
        for each in seeds:
            made = ConstantOp(value=np.array(_number_of(self.seed), np.int64))
            made.location = each.location
            Rewriter.replace_op(each, made)


def _number_of(text: str) -> int:
    """The number that a text is; raises `VerifyException` for any other."""
    try:
        number = int(text)
    except ValueError as error:
        raise VerifyException(
            f"expected a seed as a number or {_INPUT}, got {text}"
        ) from error
    if not -(1 << 63) <= number < 1 << 63:
        raise VerifyException(f"expected a seed of 64 bits, got {text}")
    return number


def _first_use(seed: GetAttrOp) -> str:
    """What draws by a seed, as errors name it."""
    users = (each.operation for each in seed.result.uses)
    return describe(next(users, seed))


def _around(op: Operation) -> Iterator[Operation]:
    """The ops that an op is within, up to the function."""
    above = op.parent_op()
    while above is not None and not isinstance(above, func.FuncOp):
        yield above
        above = above.parent_op()


def _refuse_loops(draw: RandomUniformOp) -> None:
    """Raises `VerifyException` for numbers that each trip of a loop draws."""
    if any(isinstance(each, LoopOp) for each in _around(draw)):
        raise VerifyException(
            f"{describe(draw)}: expected numbers at random outside of loops, got some "
            "in one, whose trips would all draw the same; draw those of all trips "
            "before the loop"
        )


def _number(draws: list[RandomUniformOp], seeds: set[SSAValue]) -> None:
    """Gives each draw by the seed of the model a stream of its own."""
    own = [each for each in draws if each.key in seeds]
    for number, each in enumerate(own):
        each.properties["stream"] = IntegerAttr(number, i64)


def _seed_input(function: func.FuncOp, seeds: list[GetAttrOp]) -> SSAValue:
    """Adds the input of the seed."""
    for each in seeds:
        if [*_around(each)]:
            raise VerifyException(
                f"{_first_use(each)}: expected numbers at random outside of branches "
                f"with a seed that is an input, got some in one; compile with "
                "Options(seed=0)"
            )
    block = function.body.block
    given = block.insert_arg(tensor(i64), len(block.args))
    function.update_function_type()
    names = function.attributes.get(INPUT_NAMES)
    if isa(names, ArrayAttr[StringAttr]):
        if any(each.data == _NAME for each in names):
            raise VerifyException(
                f"expected no input called {_NAME} with a seed that is an input, got "
                f"one; call it otherwise, or compile with Options(seed=0)"
            )
        function.attributes[INPUT_NAMES] = ArrayAttr([*names, StringAttr(_NAME)])
    structure = function.attributes.get(STRUCTURE)
    if isinstance(structure, StringAttr):
        outputs = len(function.function_type.outputs)
        found = read_structure(structure.data, outputs)
        if (tree := found.inputs) is not None:
            parts = (*tree.parts, Tree(ARRAY, name=_NAME))
            tree = replace(tree, parts=parts, keys=(*tree.keys, _NAME))
            made = replace(found, inputs=tree)
            function.attributes[STRUCTURE] = StringAttr(json.dumps(asdict(made)))
    return given
