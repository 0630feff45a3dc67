"""
Make the sizes of each kernel symbols, so that models that never met share kernels.

Before:

    loop.kernel @relu_0(%a, %b) symbols ["s0"] {
      loop.for parallel %i to "64 * s0" { … %a[%i + 16] … }
    }
    …
    loop.call @relu_0(%0, %1) symbols ["batch"]

After:

    loop.kernel @relu_0f3b…(%a, %b) symbols ["n0", "n1"] {
      loop.for parallel %i to "n0" { … %a[%i + "n1"] … }
    }
    …
    loop.call @relu_0f3b…(%0, %1) symbols ["64 * batch", "16"]

Each place that holds a size gets a symbol of its own, whatever sizes are equal in this
model, and whether they are numbers in it. What is left is the structure of the kernel:
its ops, its loops, how the elements lie, and small numbers, such as windows, strides of
convolutions, widths of panels and the steps of a word; an axis of one element is in no
subscript. A kernel is named after a hash of that, so that the same structure has the
same name in all models. It comes before the passes that look at sizes; those then
choose what is good for any.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from ....dialects import Dim, dim, evaluate
from ....dialects.loop import (
    STRATEGIES,
    CallOp,
    ForOp,
    KernelOp,
    NativeOp,
    TileOp,
    ZeroOutsideOp,
    texts_of,
)

_MAX_TAPS = 8
"""The most iterations of a reduction, such as a window, that stay a number."""

_MAX_STRIDE = 4
"""The greatest stride of a convolution or pooling that stays a number."""

_SIZES = ("size", "width", "count", "bound", "start", "step", "within")
"""Properties that hold a size, of ops other than loops."""


class _Give(Protocol):
    """What takes the place of the text of a dimension, but of numbers up to `most`."""

    def __call__(self, text: str, most: int = 0) -> str: ...


@dataclass(frozen=True)
class GeneralizeKernels(ModulePass):
    """Gives kernels their sizes in calls, and names them after what they do."""

    name = "generalize-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known: dict[str, KernelOp] = {}
        made: dict[str, tuple[str, list[str], list[Dim]]] = {}
        for kernel in [each for each in op.ops if isinstance(each, KernelOp)]:
            own, before = kernel.sym_name.data, [each.data for each in kernel.symbols]
            given = _generalize(kernel)
            kernel.sym_name = StringAttr("kernel")
            digest = hashlib.sha256(str(kernel).encode()).hexdigest()[:20]
            same = known.setdefault(digest, kernel)
            if same is kernel:
                kernel.sym_name = StringAttr(f"{own.rpartition('_')[0]}_{digest}")
            else:
                kernel.detach()
                kernel.erase()
            made[own] = same.sym_name.data, before, given
        for call in [each for each in op.walk() if isinstance(each, CallOp)]:
            if call.kernel_name in made:
                name, before, given = made[call.kernel_name]
                values = dict(zip(before, call.sizes, strict=True))
                sizes = [StringAttr(str(evaluate(each, values))) for each in given]
                call.callee = SymbolRefAttr(name)
                call.symbols = ArrayAttr(sizes)


def _generalize(kernel: KernelOp) -> list[Dim]:
    """Makes the sizes of a kernel symbols; the dimensions that these stand for."""
    # What is good for some sizes need not be for all, and layers without padding have
    # the kernels of those with it.
    kernel.attributes.pop(STRATEGIES, None)
    found: list[Dim] = []

    def give(text: str, most: int = 0) -> str:
        size = dim(text)
        if isinstance(size, int) and abs(size) <= most:
            return text
        found.append(size)
        return f"n{len(found) - 1}"

    for op in [each for each in kernel.walk() if isinstance(each, ZeroOutsideOp)]:
        op.detach()
        op.erase()
    for op in kernel.body.walk():
        op.properties.update(_replaced(op, give))
    _drop_hints(kernel)
    symbols = [StringAttr(f"n{number}") for number in range(len(found))]
    kernel.symbols = ArrayAttr(symbols)
    return found


def _drop_hints(kernel: KernelOp) -> None:
    """Drops the names of values, by which no two kernels differ."""
    for op in kernel.walk():
        arguments = (each for region in op.regions for each in region.block.args)
        for value in (*op.results, *arguments):
            value.name_hint = None


def _replaced(op: Operation, give: _Give) -> Iterator[tuple[str, Attribute]]:
    """The properties of an op with what is given in place of their sizes."""
    match op:
        case ForOp():
            yield "bound", StringAttr(give(op.bound.data, _most(op.kind)))
        case TileOp():
            texts = [each.data for each in op.bounds]
            word = [texts.pop()] if op.shares_words else []
            bounds = [
                give(text, _MAX_TAPS if at >= 2 else 1) for at, text in enumerate(texts)
            ]
            yield "bounds", ArrayAttr([StringAttr(each) for each in bounds + word])
        case NativeOp():
            yield "points", StringAttr(give(op.points.data))
            arguments = (
                StringAttr(give(each.data)) if isinstance(each, StringAttr) else each
                for each in op.arguments
            )
            yield "arguments", ArrayAttr(arguments)
        case _:
            for name in _SIZES:
                if isinstance(old := op.properties.get(name), StringAttr):
                    yield name, StringAttr(give(old.data, 1))
            strides = texts_of(op.properties.get("strides"))
            if strides is not None:
                texts = _in_subscript(strides, give)
                yield "strides", ArrayAttr([StringAttr(each) for each in texts])


def _most(kind: str) -> int:
    """The most iterations that stay, of a loop of some kind."""
    return 1 if kind == "parallel" else _MAX_TAPS


def _in_subscript(texts: Sequence[str], give: _Give) -> Iterator[str]:
    """The strides and the offset of a subscript."""
    *strides, offset = (each.partition(" blocked ") for each in texts)
    # Elements of one k are as far apart as a panel is wide.
    panels = {size for _, _, size in strides if size.isdigit()}
    in_words = sum(bool(blocked) for _, blocked, _ in strides) > 1
    for stride, blocked, blocks in strides:
        if in_words and blocked:
            # Words, and panels of words: their sizes are those of the layout.
            own = give(stride) if " by " in blocks else stride
            yield f"{own}{blocked}{blocks}"
            continue
        size, by, step = blocks.partition(" by ")
        stride = stride if stride in panels else give(stride, _MAX_STRIDE)
        if by:
            # The width of an image.
            size, step = give(size, 1), give(step)
        yield f"{stride}{blocked}{size}{by}{step}"
    yield give(offset[0])
