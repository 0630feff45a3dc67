"""
Complex numbers as pairs of real ones: two tensors, which operators are read on.

The graph dialect has no complex elements. An operator that is linear over the real
numbers, as all are that only move elements, is read twice: on the real parts and on the
imaginary ones. Others have formulas (`complex_numbers.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from torch import Tensor, fx
from xdsl.ir import Block, SSAValue

from ....dialects import shape as tensor
from ....dialects.graph import AddOp, SubOp
from ....dialects.graph.compose import (
    at_index,
    expanded,
    number_like,
    shape_of,
    stacked,
)
from ..unsupported import Unsupported
from .call import Call, Pair, Reader, Result
from .dtypes import is_complex

_MOVING = (
    *("view.default", "_unsafe_view.default", "permute.default", "transpose.int"),
    *("unsqueeze.default", "squeeze.default", "squeeze.dim", "squeeze.dims"),
    *("expand.default", "t.default", "repeat.default", "slice.Tensor", "select.int"),
    *("split.Tensor", "split_with_sizes.default", "unbind.int", "flip.default"),
    *("roll.default", "unfold.default", "diagonal.default", "index_select.default"),
    *("gather.default", "index.Tensor", "alias.default", "clone.default"),
    *("detach.default", "lift_fresh_copy.default", "as_strided.default"),
    *("cat.default", "stack.default", "tril.default", "triu.default"),
    *("neg.default", "sum.default", "sum.dim_IntList", "mean.default", "mean.dim"),
    *("cumsum.default", "_to_copy.default", "scalar_tensor.default"),
    *("zeros.default", "zeros_like.default", "empty.memory_format"),
)

_PRODUCTS = [
    f"aten.{name}"
    for name in (
        *("mul.Tensor", "mul.Scalar", "mm.default", "bmm.default", "mv.default"),
        *("dot.default", "matmul.default", "linear.default", "convolution.default"),
        *("conv1d.default", "conv2d.default", "conv3d.default"),
        *("conv_transpose1d.default", "conv_transpose2d.input"),
        "conv_transpose3d.input",
    )
]
"""
Operators that are linear in either of their two operands, to which some add a third.
"""

_QUANTITIES: dict[str, Sequence[int]] = {
    **{f"aten.{name}": (0,) for name in _MOVING},
    **{
        f"aten.{name}": (0, 1)
        for name in (
            *("add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar", "rsub.Scalar"),
            *("copy.default", "slice_scatter.default", "select_scatter.default"),
        )
    },
    "aten.where.self": (1, 2),
    "aten.constant_pad_nd.default": (0, 2),
    "aten.pad.default": (0, 3),
    "aten.index_put.default": (0, 2),
    "aten._index_put_impl.default": (0, 2),
    "aten.full.default": (1,),
    "aten.full_like.default": (1,),
}
"""
The operators that are linear, each with the places of its arguments that are complex
numbers; a real one there has an imaginary part of zero.
"""


def part_by_part(
    op: str, reader: Reader, call: Call, arguments: Sequence[Any]
) -> Result:
    """A call that has complex tensors, by the reader of real ones; or `Unsupported`."""
    if op in _PRODUCTS:
        return _product(call, reader, *arguments)
    if op not in _QUANTITIES:
        raise Unsupported("complex numbers")
    real = reader(call, *map(real_part, arguments))
    if not _is_complex(call.node):
        return real
    places = _QUANTITIES[op]
    imaginary = (
        imaginary_part(each) if place in places else each
        for place, each in enumerate(arguments)
    )
    return _paired(real, reader(call, *imaginary))


def has_complex(node: fx.Node) -> bool:
    """Whether a call has complex tensors among its operands or results."""
    return any(map(_is_complex, (node, *node.all_input_nodes)))


def _is_complex(node: fx.Node) -> bool:
    """Whether a value is, or has, a complex tensor."""
    foreseen: Any = node.meta.get("val")
    is_list = isinstance(foreseen, list | tuple)
    several = cast(Sequence[Any], foreseen) if is_list else [foreseen]
    tensors = [each for each in several if isinstance(each, Tensor)]
    return any(is_complex(each.dtype) for each in tensors)


def given(block: Block, type: tensor.Tensor, foreseen: Tensor) -> SSAValue | Pair:
    """The argument of a function for an input, which may be complex."""
    if not is_complex(foreseen.dtype):
        return block.insert_arg(type, len(block.args))
    pairs = tensor.tensor(type.element_type, *tensor.sizes(type), 2)
    return unpaired(block.insert_arg(pairs, len(block.args)))


def unpaired(x: SSAValue) -> Pair:
    """The numbers whose parts are along the last axis."""
    last = len(shape_of(x)) - 1
    return Pair(at_index(x, last, 0), at_index(x, last, 1))


def paired(x: Pair) -> SSAValue:
    """Both parts, along a new last axis."""
    return stacked([x.real, x.imaginary], len(shape_of(x.real)))


def _product(
    call: Call, reader: Reader, a: Any, b: Any, bias: Any = None, *how: Any
) -> Result:
    """The product of two tensors, one or both complex, plus the bias."""

    def times(x: Any, y: Any, added: Any = None) -> SSAValue:
        rest = (added, *how) if how or added is not None else ()
        found = reader(call, x, y, *rest)
        assert isinstance(found, SSAValue)
        return found

    added = (None, None) if bias is None else (real_part(bias), imaginary_part(bias))
    aa, bb = (real_part(a), imaginary_part(a)), (real_part(b), imaginary_part(b))
    if not isinstance(a, Pair | complex) or not isinstance(b, Pair | complex):
        is_left = isinstance(a, Pair | complex)
        other = (aa[1], bb[0]) if is_left else (aa[0], bb[1])
        return Pair(times(aa[0], bb[0], added[0]), times(*other, added[1]))
    return Pair(
        SubOp(times(aa[0], bb[0], added[0]), times(aa[1], bb[1])).result,
        AddOp(times(aa[0], bb[1], added[1]), times(aa[1], bb[0])).result,
    )


def real_part(argument: Any) -> Any:
    """The real part of an argument, which may be a list of such."""
    if isinstance(argument, Pair | complex):
        return argument.real
    if isinstance(argument, list | tuple):
        return [*map(real_part, cast(Sequence[Any], argument))]
    return argument


def imaginary_part(argument: Any) -> Any:
    """The imaginary part of an argument, which may be a list of such."""
    if isinstance(argument, Pair):
        return argument.imaginary
    if isinstance(argument, complex):
        return argument.imag
    if isinstance(argument, list | tuple):
        return [*map(imaginary_part, cast(Sequence[Any], argument))]
    if isinstance(argument, SSAValue):
        value = cast(SSAValue, argument)
        return expanded(number_like(0, value), shape_of(value))
    return None if argument is None else 0


def _paired(real: Result, imaginary: Result) -> Result:
    """The results of both calls together."""
    if isinstance(real, SSAValue):
        assert isinstance(imaginary, SSAValue)
        return Pair(real, imaginary)
    assert not isinstance(real, Pair)
    assert not isinstance(imaginary, Pair | SSAValue)
    found: list[Pair | None] = []
    for a, b in zip(real, imaginary, strict=True):
        if isinstance(a, SSAValue) and isinstance(b, SSAValue):
            found.append(Pair(a, b))
        else:
            found.append(None)
    return found
