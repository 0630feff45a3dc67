"""
Random models in textual IR whose sizes are hostile, each compiled and called here.

    python hostile_text.py first last

The same as `hostile_sizes.py` for the graph dialect itself: what it reads as a size in
a type or a property, and sizes that a run defines.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from hostile_sizes import HUGE, MEMORY, SHAPES, SMALL, Array, Source, refusal
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

import static_runtime as sr
from static_runtime.dialects.dims import dim, evaluate
from static_runtime.dialects.dims import product as times
from static_runtime.dialects.graph.literal import to_names
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.concat import ConcatOp
from static_runtime.dialects.graph.ops.define_symbol import DefineSymbolOp
from static_runtime.dialects.graph.ops.dim import DimOp
from static_runtime.dialects.graph.ops.expand import ExpandOp
from static_runtime.dialects.graph.ops.iota import IotaOp
from static_runtime.dialects.graph.ops.pad import PadOp
from static_runtime.dialects.graph.ops.pool import MaxPoolOp
from static_runtime.dialects.graph.ops.reduce import SumOp
from static_runtime.dialects.graph.ops.reshape import ReshapeOp
from static_runtime.dialects.graph.ops.slice import SliceOp
from static_runtime.dialects.multiples import affine
from static_runtime.dialects.shape import ELEMENTS, sizes, tensor, tensor_type

ALONE = ("n", "m", "n", "m", "k")
TEXTS = (
    *("n + 1", "2 * n", "n - 4", "n * m", "min(n, 3)", "max(m, n)", "floordiv(n, 2)"),
    *("floordiv(m, n)", "floordiv(n, n - 1)", "n * n * n", "4611686018427387904 * n"),
    *("-n", "0 * n", "n - n", "1099511627776 * n * m", "n + 4611686018427387903"),
    *("n * n * n * n * n * n * n", "18446744073709551620", "0", "-1", "9" * 40),
)
BAD = (
    "n // 0",
    "(" * 100 + "n" + ")" * 100,
    "n n",
    "",
    "²",
    "٣",
    "9" * 5000,
    "n +",
    "?",
)


def size_text(s: Source) -> str:
    """The text of a size: a number, a symbol, or a polynomial."""
    kind = s.random()
    if kind < 0.4:
        return str(s.choice(SMALL) if kind < 0.32 else s.number())
    return s.choice(ALONE if kind < 0.88 else TEXTS if kind < 0.99 else BAD)


def type_text(element: str, texts: list[str]) -> str:
    """The text of a tensor type with sizes of these texts."""
    fixed = [each.isascii() and each.isdigit() and len(each) < 50 for each in texts]
    shape = "".join(
        f"{each if known else '?'}x" for each, known in zip(texts, fixed, strict=True)
    )
    names = [
        json.dumps(t, ensure_ascii=False)
        for t, known in zip(texts, fixed, strict=True)
        if not known
    ]
    encoding = f", [{', '.join(names)}]" if names else ""
    return f"tensor<{shape}{element}{encoding}>"


def slice_(x: SSAValue, rank: int, s: Source) -> GraphOp:
    starts = [s.choice(("0", "0", "1", size_text(s))) for _ in range(rank)]
    counts = [s.choice(("1", "2", size_text(s))) for _ in range(rank)]
    steps = tuple(s.choice((1, 1, 1, -1, 2, s.number())) for _ in range(rank))
    return SliceOp(x, starts=tuple(starts), sizes=tuple(counts), steps=steps)


def expand(x: SSAValue, rank: int, s: Source) -> GraphOp:
    more = [size_text(s) for _ in range(s.choice((1, 2, 63)))]
    return ExpandOp(x, shape=to_names([*map(dim, more), *sizes(tensor_type(x))]))


def reshape(x: SSAValue, rank: int, s: Source) -> GraphOp:
    shape = [*map(dim, (size_text(s) for _ in range(s.choice((1, 2, 3, 66)))))]
    if s.random() < 0.7:
        whole = sizes(tensor_type(x))
        shape = s.choice(([times(whole)], [*whole, 1], [1, times(whole), 1]))
    return ReshapeOp(x, shape=to_names(shape))


def pad(x: SSAValue, rank: int, s: Source) -> GraphOp:
    low, high = (tuple(s.choice((0, 1, s.number())) for _ in range(rank)) for _ in "ab")
    return PadOp(x, low=low, high=high, value=1.0)


def pool(x: SSAValue, rank: int, s: Source) -> GraphOp:
    count = max(rank - 2, 1)
    kernel, strides, dilation = (
        tuple(s.choice((1, 1, 2, s.number())) for _ in range(count)) for _ in range(3)
    )
    padding = tuple(s.choice((0, 1, s.number())) for _ in range(2 * count))
    return MaxPoolOp(
        x, kernel=kernel, strides=strides, padding=padding, dilation=dilation
    )


def total(x: SSAValue, rank: int, s: Source) -> GraphOp:
    axes = tuple(sorted(s.sample(range(rank), s.randint(1, rank))))
    return SumOp(x, axes=axes, keepdims=False)


def concat(x: SSAValue, rank: int, s: Source) -> GraphOp:
    return ConcatOp(x, x, x, axis=s.randrange(rank))


def number(x: SSAValue, rank: int, s: Source) -> GraphOp:
    return DimOp(value=size_text(s))


def iota(x: SSAValue, rank: int, s: Source) -> GraphOp:
    return IotaOp(size=size_text(s))


BUILDERS: tuple[Callable[[SSAValue, int, Source], GraphOp], ...] = (
    *(slice_, slice_, expand, reshape, reshape, pad, pool, total, concat, number),
    *(iota,),
)


class Model:
    """A function of an op on one argument, and of one on a size that it is given."""

    def __init__(self, s: Source):
        self.dtype = s.choice((np.float32, np.int64, np.bool_))
        self.texts = [size_text(s) for _ in range(s.choice((1, 2, 2, 3, 4)))]
        element = ELEMENTS[np.dtype(self.dtype)]
        self.ops: list[GraphOp] = []
        self.values: Sequence[SSAValue] = ()
        try:
            block = Block(arg_types=[tensor(element, *map(dim, self.texts))])
            self.late = s.random() < 0.3
            if self.late:
                self.ops.append(self.defined(block, s))
            self.ops.append(s.choice(BUILDERS)(block.args[0], len(self.texts), s))
            self.values = block.args
            block.add_ops([*self.ops, func.ReturnOp(*self.ops[-1].results)])
            types = block.arg_types, self.ops[-1].result_types
            function = func.FuncOp("main", types, Region(block))
            function.attributes["graph.symbols"] = DictionaryAttr({})
            function.attributes["graph.input_names"] = ArrayAttr(
                [StringAttr(f"x{at}") for at in range(len(block.args))]
            )
            self.text = str(ModuleOp([function]))
        except (VerifyException, ValueError):
            # The text is refused as well, and it is the text that users write.
            self.ops, self.late = [], False
            type = type_text(str(element), self.texts)
            self.text = (
                f"func.func @main(%x: {type}) -> {type} {{\n"
                f"  %0 = graph.relu %x : {type} -> {type}\n  return %0 : {type}\n}}"
            )

    def defined(self, block: Block, s: Source) -> GraphOp:
        """The definition of a symbol, which later texts call k."""
        count = block.insert_arg(tensor(ELEMENTS[np.dtype(np.int64)]), 1)
        low, high = s.choice(("0", "0", "1", "-4", "n")), size_text(s)
        self.texts = ["n" if each == "k" else each for each in self.texts]
        return DefineSymbolOp(count, symbol="k", low=low, high=high)

    def arguments(self, s: Source) -> list[Array]:
        """Arguments for a call, which may fit the model or not."""
        rank = len(self.texts)
        shapes = [each for each in SHAPES if len(each) == rank]
        shapes += [*product((1, 2, 4), repeat=rank)]
        shape = s.choice(shapes)
        if s.random() < 0.8 and (fit := self.fitting(s)) is not None:
            shape = fit
        count = int(np.prod([float(each) for each in shape]))
        try:
            x = (np.arange(count) % 7).astype(self.dtype).reshape(shape)
        except ValueError:
            # No array is that large, even without elements.
            x = np.ones([2] * rank, self.dtype)
        return [x, *([np.array(s.number())] if self.late else [])]

    def fitting(self, s: Source) -> tuple[int, ...] | None:
        """A shape that fits the model, if there is one of few elements."""
        values = {name: s.choice((0, 1, 2, 3, 4, 9)) for name in ALONE}
        if s.random() < 0.3:
            values[s.choice(ALONE)] = s.choice(HUGE)
        try:
            shape = tuple(int(str(evaluate(dim(t), values))) for t in self.texts)
        except ValueError:
            return None
        fits = min(shape) >= 0 and prod(shape) < 9999
        return shape if fits else None

    def symbols(self, shape: Sequence[int]) -> dict[str, int] | None:
        """What the symbols are for x of a shape; None where it fits no sizes."""
        places = [(dim(text), size) for text, size in zip(self.texts, shape)]
        found = {str(each): size for each, size in places if str(each) in ALONE}
        for each, size in places:
            if (form := affine(each)) is None:
                continue
            name, factor, offset = form
            found.setdefault(name, max((size - offset) // factor, 0))
        fits = all(evaluate(each, found) == size for each, size in places)
        return found if fits else None

    def expected(self, symbols: Mapping[str, int], inputs: list[Array]) -> Array | None:
        """What the op gives in numpy; None when it gives nothing."""
        known = dict(symbols)
        try:
            *before, op = self.ops
            for each in before:
                known |= each.defines(inputs[1:])
            places = dict(zip(self.values, inputs, strict=True))
            operands = [places[each] for each in op.operands]
            (result,) = op.run_reference(operands, known)
        except (ValueError, TypeError, OverflowError, MemoryError, IndexError):
            return None
        return np.asarray(result)


def run(s: Source) -> str:
    """What becomes of one model."""
    model = Model(s)
    try:
        module: Any = sr.compile(model.text, options=sr.Options(cache=False))
    except BaseException as error:
        return refusal(error, "compile")
    verdict = "refused"
    for _ in range(4):
        inputs = model.arguments(s)
        try:
            result, again = module(*inputs), module(*inputs)
        except BaseException as error:
            verdict = refusal(error, "call")
            if verdict != "refused":
                return f"{verdict} {inputs[0].shape}"
            continue
        if not model.ops:
            continue
        symbols = model.symbols(inputs[0].shape)
        expected = None if symbols is None else model.expected(symbols, inputs)
        if expected is None:
            return f"ANSWERED {inputs[0].shape} by {result.shape}"
        if expected.shape != result.shape or not (
            np.array_equal(expected, result) and np.array_equal(result, again)
        ):
            return f"DIFFERS {inputs[0].shape}: {expected!r} and {result!r}"[:600]
        verdict = "equal"
    return verdict


def main(first: int, last: int) -> None:
    """Writes a line for each seed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for seed in range(first, last):
        print(json.dumps([seed, "begun"]), flush=True)
        print(json.dumps([seed, run(Source(seed))]), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
