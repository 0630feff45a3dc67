"""Functions of operators that training calls for gradients, and of bags for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .case import Case, automatic, dynamic, fixed, floats, whole

aten: Any = torch.ops.aten


def counts(*shape: int) -> Tensor:
    """Floats whose sums of products are exact."""
    return whole(*shape).float()


CONVOLUTIONS: dict[str, tuple[tuple[int, ...], tuple[Any, ...], tuple[Any, ...]]] = {
    "plain": ((7,), (3,), ((1,), (0,), (1,), (0,), 1)),
    "strided": ((11,), (3,), ((2,), (1,), (2,), (1,), 2)),
    "in groups": ((8, 9), (3, 2), ((2, 3), (1, 0), (1, 2), (0, 0), 4)),
    "padded": ((8, 9), (3, 2), ((2, 3), (1, 1), (2, 3), (1, 2), 1)),
    "of volumes": (
        (4, 5, 6),
        (2, 3, 2),
        ((1, 2, 2), (1, 1, 0), (2, 1, 1), (0, 1, 0), 2),
    ),
}
"""The sizes of an image and of the weights, and how these are moved over it."""


def convolution(name: str, transposed: bool, is_open: bool) -> Case:
    """All gradients of a convolution, of as many images as are known or of any."""
    spatial, kernel, (strides, padding, dilation, more, groups) = CONVOLUTIONS[name]
    count = len(spatial)
    beyond = more if transposed else (0,) * count
    shape = (4, 8 // groups) if transposed else (8, 4 // groups)
    x, weight = counts(3, 4, *spatial), counts(*shape, *kernel)
    how = (strides, padding, dilation, transposed, beyond, groups)
    gradient = counts(*aten.convolution(x, weight, None, *how).shape)
    make = dynamic if is_open else fixed
    return make(
        lambda g, x, w: aten.convolution_backward(g, x, w, [8], *how, [True] * 3),
        gradient,
        x,
        weight,
    )


def resized(name: str, before: Sequence[int], after: Sequence[int], *how: Any) -> Case:
    """The gradient of some images that were resized."""
    back = getattr(aten, f"{name}_backward").default
    return fixed(
        lambda g: back(g, [*after], [3, 2, *before], *how), floats(3, 2, *after)
    )


NEAREST: dict[str, Case] = {
    f"{name}{len(before)}d gradient {before} of {after}": resized(
        f"{name}{len(before)}d", before, after
    )
    for name in ("upsample_nearest", "_upsample_nearest_exact")
    for before, after in (((5,), (10,)), ((6, 7), (3, 9)), ((3, 4, 1), (6, 3, 1)))
}

BETWEEN: dict[str, Case] = {
    f"{name} gradient {before} of {after} {corners}": resized(
        name, before, after, corners
    )
    for name, before, after in (
        *(("upsample_linear1d", (5,), (9,)), ("upsample_linear1d", (9,), (1,))),
        *(
            (name, before, after)
            for name in ("upsample_bilinear2d", "upsample_bicubic2d")
            for before, after in (((5, 4), (7, 4)), ((6, 7), (3, 2)))
        ),
        ("upsample_trilinear3d", (3, 4, 5), (6, 3, 7)),
    )
    for corners in (False, True)
}

SCALED: dict[str, Case] = {
    f"{name} gradient scaled {before} of {after}": resized(
        name, before, after, *how, 1.03, 1.6
    )
    for name, how in (
        *(("upsample_nearest2d", ()), ("_upsample_nearest_exact2d", ())),
        *(("upsample_bilinear2d", (False,)), ("upsample_bicubic2d", (False,))),
        ("_upsample_bilinear2d_aa", (False,)),
        ("_upsample_bicubic2d_aa", (False,)),
    )
    for before, after in (((5, 5), (5, 8)), ((5, 5), (5, 5)))
}


def slopes(training: bool) -> Case:
    """The gradient of slopes at random."""
    return dynamic(
        lambda g, x, n: aten.rrelu_with_noise_backward(
            g, x, n, 0.1, 0.3, training, False
        ),
        *(floats(4, 6) for _ in range(3)),
    )


def bags(name: str, mode: int, last: bool, padding: int, *more: Tensor) -> Case:
    """All results of bags of rows of a table, one of them empty."""
    call = getattr(aten, name).default

    def found(table: Any, indices: Any, offsets: Any, *weights: Any) -> Any:
        given = weights[0] if weights else None
        how = (False, mode, False, given, last, padding)
        results = call(table, indices, offsets, *how)
        # Torch infers other sizes of the rest than these have where this is so.
        is_odd = last and name.endswith("only")
        return tuple(each.clone() for each in results[: 2 if is_odd else 4])

    offsets = torch.tensor([0, 3, 3, 6])
    table = whole(5, 3, low=-2, high=3).float()
    return fixed(found, table, whole(8, low=0, high=5), offsets, *more)


BAGS: dict[str, Case] = {
    f"bags for training {name} {mode} {last} {padding}": bags(name, mode, last, padding)
    for name in ("_embedding_bag", "_embedding_bag_forward_only")
    for mode in range(3)
    for last in (False, True)
    for padding in (-1, 1)
}

UNORDERED = floats(2, 3, 9, 9)
UNORDERED[UNORDERED > 1] = torch.nan
UNORDERED[UNORDERED < -0.3] = -torch.inf


def drawn(count: int, kernel: Any, size: Any, x: Tensor) -> Case:
    """A pool at places that samples say."""
    pool: Any = getattr(aten, f"fractional_max_pool{count}d").default
    samples = torch.rand(
        len(x) if x.dim() > count + 1 else 1, x.shape[-count - 1], count
    )
    make = automatic if x.dim() == 4 and count == 2 else fixed
    return make(lambda x, s: pool(x, kernel, size, s), x, samples.to(x.dtype))


POOLS: dict[str, Case] = {
    "fractional pool": drawn(2, (2, 3), (3, 4), floats(2, 3, 8, 9)),
    "fractional pool to one row": drawn(2, (2, 2), (1, 5), floats(2, 3, 7, 7)),
    "fractional pool of one image": drawn(2, (2, 2), (9, 13), floats(3, 20, 31)),
    "fractional pool of f64": drawn(2, (2, 2), (9, 13), floats(2, 3, 20, 31).double()),
    "fractional pool of f16": drawn(2, (2, 2), (9, 13), floats(2, 3, 20, 31).half()),
    "fractional pool of NaN": drawn(2, (2, 3), (4, 4), UNORDERED),
    "fractional pool of volumes": drawn(
        3, (2, 3, 2), (3, 4, 5), floats(2, 2, 8, 9, 10)
    ),
}

GRADIENTS: dict[str, Case] = {
    " ".join(
        ["gradients of", *["transposed"] * back, name, *["of any"] * is_open]
    ): convolution(name, back, is_open)
    for name in CONVOLUTIONS
    for back in (False, True)
    for is_open in (False, True)
}

CASES: dict[str, Case] = {
    **GRADIENTS,
    "gradient of weights alone": fixed(
        lambda g, x, w: aten.convolution_backward(
            *(g, x, w, [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
            [False, True, False],
        )[1],
        floats(1, 4, 6, 6),
        floats(1, 2, 8, 8),
        floats(4, 2, 3, 3),
    ),
    **NEAREST,
    **BETWEEN,
    **SCALED,
    "gradient of slopes at random": slopes(True),
    "gradient of the mean slope": slopes(False),
    **BAGS,
    "bags for training weighted": bags("_embedding_bag", 0, True, -1, floats(8)),
    **POOLS,
    **{
        # Beyond an image torch reads what follows it, and multiplies that by zero; of
        # the last image that is memory of others, and NaN if that is.
        f"{name} scaled beyond": fixed(
            lambda x, name=name: getattr(aten, name).default(
                *(x, [10, 8], False, 1.0, 1.3)
            )[:1],
            floats(2, 3, 5, 8),
        )
        for name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
    },
}
