"""Functions of operators on images: windows, sizes, borders, statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .case import Case, dynamic, fixed, floats, whole

ATEN = torch.ops.aten

IMAGES = {
    1: (4, 3, 9),
    2: (4, 3, 7, 6),
    3: (4, 2, 4, 5, 3),
}
"""An image of each number of spatial axes."""


def image(count: int = 2) -> Tensor:
    """An image with a number of spatial axes."""
    return floats(*IMAGES[count])


def transposed(
    count: int, stride: int, padding: int, more: int, dilation: int, groups: int
) -> Case:
    """A transposed convolution with one number for each axis."""
    kernel = {1: (3,), 2: (3, 2), 3: (2, 3, 1)}[count]
    channels = 4
    function = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}

    def apply(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return function[count](x, weight, bias, stride, padding, more, groups, dilation)

    return dynamic(
        apply,
        floats(3, channels, *IMAGES[count][2:]),
        floats(channels, 6 // groups, *kernel),
        floats(6),
    )


def resized(count: int, mode: str, **how: Any) -> Case:
    """An image in another size."""
    return dynamic(lambda x: F.interpolate(x, mode=mode, **how), image(count))


MODES = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "trilinear": (3,),
    "bicubic": (2,),
}

FACTORS = (0.6, 2.0, 41.0)

CORNERS: dict[str, tuple[dict[str, bool], ...]] = {
    mode: ({},) if "nearest" in mode else ({}, {"align_corners": True})
    for mode in MODES
}


def sizes(count: int) -> list[tuple[int, ...]]:
    """Sizes that an image with a number of axes is brought to."""
    return [each[:count] for each in ((3, 13, 1), (14, 1, 7))]


OVERLOADS: dict[str, Callable[[Tensor], Tensor]] = {
    "upsample_nearest1d": lambda x: ATEN.upsample_nearest1d(x, [5], 0.6),
    "upsample_nearest2d": lambda x: ATEN.upsample_nearest2d(x, [5, 9]),
    "upsample_nearest3d": lambda x: ATEN.upsample_nearest3d(x, [5, 9, 2]),
    "_upsample_nearest_exact1d": lambda x: ATEN._upsample_nearest_exact1d(x, [5]),
    "_upsample_nearest_exact2d": lambda x: ATEN._upsample_nearest_exact2d(x, [5, 9]),
    "_upsample_nearest_exact3d": lambda x: ATEN._upsample_nearest_exact3d(x, [5, 9, 2]),
    "upsample_linear1d": lambda x: ATEN.upsample_linear1d(x, [5], False, 0.6),
    "upsample_bilinear2d": lambda x: ATEN.upsample_bilinear2d(x, [5, 9], True),
    "upsample_trilinear3d": lambda x: ATEN.upsample_trilinear3d(x, [5, 9, 2], False),
    "upsample_bicubic2d": lambda x: ATEN.upsample_bicubic2d(x, [5, 9], False),
}

POOLS: dict[str, Callable[[Tensor], Any]] = {
    "max with indices": lambda x: F.max_pool2d(x, 2, return_indices=True),
    "max with indices and padding": lambda x: F.max_pool2d(
        x, (3, 2), (2, 1), 1, (1, 2), return_indices=True
    ),
    "max with indices and ceil": lambda x: F.max_pool2d(
        x, 3, 2, 1, ceil_mode=True, return_indices=True
    ),
    "max unpooled": lambda x: F.max_unpool2d(
        *F.max_pool2d(x, 2, return_indices=True), 2, output_size=(7, 6)
    ),
    "average with ceil": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "average with ceil only": lambda x: F.avg_pool2d(x, 4, 3, ceil_mode=True),
    "average with ceil of image": lambda x: F.avg_pool2d(x[0], 3, 2, 1, ceil_mode=True),
    "average with ceil, not counted": lambda x: F.avg_pool2d(
        x, 3, 2, 1, ceil_mode=True, count_include_pad=False
    ),
    "average divided": lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5),
    "average divided with ceil": lambda x: F.avg_pool2d(
        x, 3, 2, 1, ceil_mode=True, divisor_override=5
    ),
    "max back": lambda x: ATEN.max_pool2d_with_indices_backward(
        *(x[..., :3, :3] + 1, x, [2, 2], [2, 2], [0, 0], [1, 1], False),
        F.max_pool2d(x, 2, return_indices=True)[1],
    ),
    "adaptive average": lambda x: F.adaptive_avg_pool2d(x, (3, 5)),
    "adaptive average of more": lambda x: F.adaptive_avg_pool2d(x, (9, 6)),
    "adaptive average core": lambda x: ATEN._adaptive_avg_pool2d(x, (3, 4)),
    "adaptive greatest": lambda x: F.adaptive_max_pool2d(x, (3, 4)),
    "adaptive greatest and places": lambda x: F.adaptive_max_pool2d(x, (3, 4), True),
    "adaptive greatest of more": lambda x: F.adaptive_max_pool2d(x, (10, 4)),
    "area": lambda x: F.interpolate(x, size=(3, 4), mode="area"),
    "length": lambda x: F.lp_pool2d(x.abs(), 3, 2),
}

INTEGERS: dict[str, Callable[[Tensor], Tensor]] = {
    "plain": lambda x: F.avg_pool2d(x, 2),
    "1d": lambda x: F.avg_pool1d(x[0], 2),
    "3d": lambda x: F.avg_pool3d(x, 2),
    "padded": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "padding not counted": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "ceil": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "divisor": lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=4),
}
"""Pools of tensors of integers, which are divided towards zero."""

BORDERS: dict[str, Callable[[Tensor], Tensor]] = {
    **{
        f"{mode} {amounts}": lambda x, mode=mode, amounts=amounts: F.pad(
            x, amounts, mode=mode
        )
        for mode in ("reflect", "replicate", "circular")
        for amounts in ((1, 2, 0, 3), (5, 0, 4, 1), (-1, 2, 0, -3), (0, 0, 0, 0))
    },
    "cut off": lambda x: F.pad(x, (-1, 2, 0, -3), value=2.5),
    "cut off only": lambda x: F.pad(x, (-1, 0, 0, -3)),
    "constant_pad_nd": lambda x: ATEN.constant_pad_nd(x, [1, 0, 2, 1], 3),
    "reflection_pad1d": lambda x: ATEN.reflection_pad1d(x[:, 0], [2, 1]),
    "reflection_pad2d": lambda x: ATEN.reflection_pad2d(x, [2, 1, 0, 3]),
    "reflection_pad3d": lambda x: ATEN.reflection_pad3d(x[None], [2, 1, 0, 3, 1, 1]),
    "replication_pad1d": lambda x: ATEN.replication_pad1d(x[:, 0], [2, 1]),
    "replication_pad2d": lambda x: ATEN.replication_pad2d(x, [2, 1, 0, 3]),
    "replication_pad3d": lambda x: ATEN.replication_pad3d(x[None], [2, 1, 0, 3, 1, 1]),
}

BLOCKS: dict[str, Callable[[Tensor], Tensor]] = {
    "im2col": lambda x: F.unfold(x, (2, 3), 1, 0, 2),
    "im2col padded": lambda x: F.unfold(x, (2, 3), (2, 1), (1, 2), (1, 2)),
    "im2col of image": lambda x: F.unfold(x[0], 2),
    "col2im": lambda x: F.fold(x.reshape(-1, 3, 42), (6, 9), (1, 3), (1, 1), 0, (1, 1)),
    "col2im padded": lambda x: F.fold(
        F.unfold(x, (2, 3), (2, 1), (1, 2), (1, 2)),
        (7, 6),
        (2, 3),
        (2, 1),
        (1, 2),
        (1, 2),
    ),
    "col2im of image": lambda x: F.fold(F.unfold(x, 2)[1], (7, 6), 2),
    "unfold": lambda x: x.unfold(2, 3, 2),
    "unfold last": lambda x: x.unfold(-1, 2, 1),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x.reshape(-1, 18, 7, 1), 3),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x[..., :4, :], 2),
    "channel_shuffle": lambda x: F.channel_shuffle(x.reshape(-1, 6, 7, 3), 3),
}

STATISTICS: dict[str, Callable[[Tensor], Any]] = {
    "layer norm and statistics": lambda x: torch.native_layer_norm(
        x, (7, 6), x[0, 0], None, 1e-5
    ),
    "group norm and statistics": lambda x: torch.native_group_norm(
        x, x[0, :, 0, 0].clone(), None, x.shape[0], 3, 42, 3, 1e-5
    ),
    "batch norm and statistics": lambda x: ATEN._native_batch_norm_legit_no_training(
        x, None, None, x[0, :, 0, 0], x[0, :, 0, 1] ** 2, 0.1, 1e-5
    ),
    "batch norm of input and statistics": lambda x: (
        ATEN._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 1e-5)
    ),
    "batch norm and running statistics": lambda x: (
        ATEN._native_batch_norm_legit_functional(
            x, None, None, x[0, :, 0, 0], x[0, :, 0, 1] ** 2, True, 0.1, 1e-5
        )
    ),
    "batch norm with update": lambda x: ATEN._batch_norm_with_update_functional(
        x,
        *(x[0, :, 1, at] for at in (0, 1)),
        x[0, :, 0, 0],
        x[0, :, 0, 1] ** 2,
        0.1,
        1e-5,
    )[::4],
    "local_response_norm": lambda x: F.local_response_norm(x, 3, 0.1, 0.6, 1.5),
    "instance_norm": lambda x: F.instance_norm(x, weight=x[0, :, 0, 0]),
    "instance_norm known": lambda x: F.instance_norm(
        x, x[0, :, 0, 0], x[0, :, 1, 0] ** 2, x[0, :, 2, 0], None, False
    ),
    "batch norm of input": lambda x: ATEN._native_batch_norm_legit.no_stats(
        x, x[0, :, 0, 0], None, True, 0.1, 1e-5
    )[0],
    "rms_norm without a weight": lambda x: F.rms_norm(x, (6,)),
    "normalize by a norm": lambda x: F.normalize(x, 3.0),
}

SAMPLED = {
    **{
        f"grid_sample {mode} {padding} {corners}": dynamic(
            lambda x, grid, mode=mode, padding=padding, corners=corners: F.grid_sample(
                x, grid, mode, padding, corners
            ),
            image(),
            floats(4, 5, 4, 2),
        )
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in ("zeros", "border", "reflection")
        for corners in (False, True)
    },
    **{
        f"grid_sample of volumes {mode} {padding}": dynamic(
            lambda x, grid, mode=mode, padding=padding: F.grid_sample(
                x, grid, mode, padding, False
            ),
            image(3),
            floats(4, 3, 2, 4, 3),
        )
        for mode, padding in (("bilinear", "zeros"), ("nearest", "reflection"))
    },
    "affine_grid": dynamic(
        lambda x, turn: F.grid_sample(
            x,
            F.affine_grid(turn, list(x.shape), align_corners=True),
            align_corners=True,
        ),
        image(),
        floats(4, 2, 3),
    ),
}

CASES: dict[str, Case] = {
    **SAMPLED,
    **{
        f"conv_transpose{count}d {window}": transposed(count, *window)
        for count, window in (
            (1, (1, 0, 0, 1, 1)),
            (1, (2, 1, 1, 1, 2)),
            (1, (4, 0, 0, 1, 1)),
            (1, (3, 2, 1, 4, 2)),
            (1, (2, 4, 0, 3, 1)),
            (2, (1, 1, 0, 2, 2)),
            (2, (2, 0, 0, 1, 1)),
            (2, (3, 1, 2, 2, 1)),
            (2, (4, 1, 3, 6, 2)),
            (3, (2, 0, 1, 1, 1)),
        )
    },
    "conv_transpose2d of image": fixed(
        lambda x, w: F.conv_transpose2d(x, w, stride=2),
        floats(3, 5, 4),
        floats(3, 2, 2, 2),
    ),
    **{
        f"interpolate {mode} {count} by {factor} {how}": resized(
            count, mode, scale_factor=factor, **how
        )
        for mode, counts in MODES.items()
        for count in counts
        for factor in FACTORS
        for how in CORNERS[mode]
        if factor != 2 or count == 2
        if factor < 40 or count == 1
    },
    **{
        f"interpolate {mode} {count} to {size} {how}": resized(
            count, mode, size=size, **how
        )
        for mode, counts in MODES.items()
        for count in counts
        for size in sizes(count)
        for how in CORNERS[mode]
    },
    "interpolate recomputed": resized(
        2, "bilinear", scale_factor=1.7, recompute_scale_factor=True
    ),
    "interpolate doubles": dynamic(
        lambda x: F.interpolate(x, scale_factor=1.7, mode="bicubic"),
        floats(4, 3, 5, 6, dtype=torch.float64),
    ),
    **{
        f"interpolate bytes {mode} {how}": dynamic(
            lambda x, mode=mode, how=how: F.interpolate(x, mode=mode, **how),
            whole(4, 3, 10, 11, low=0, high=256).to(torch.uint8),
        )
        for mode in ("bilinear", "bicubic")
        for how in (
            {"size": (7, 24)},
            {"size": (7, 24), "align_corners": True},
            {"size": (3, 24), "antialias": True},
            {"scale_factor": (1.05, 0.45)},
        )
    },
    **{
        f"interpolate smoothly {mode} {size}": resized(
            2, mode, size=size, antialias=True
        )
        for mode in ("bilinear", "bicubic")
        for size in ((3, 2), (14, 4), (7, 5))
    },
    "interpolate smoothly by": resized(2, "bilinear", scale_factor=0.4, antialias=True),
    **{
        f"interpolate smoothly {mode} between open sizes": dynamic(
            lambda x, mode=mode: F.interpolate(
                x[None, None], size=(3, 2 * x.shape[0]), mode=mode, antialias=True
            ),
            floats(9, 7),
        )
        for mode in ("bilinear", "bicubic")
    },
    **{
        f"{name}.default": dynamic(function, image(int(name[-2])))
        for name, function in OVERLOADS.items()
    },
    **{
        f"{name} default": dynamic(
            lambda x, name=name: getattr(ATEN, name).default(x, [3, 4], False),
            image(),
        )
        for name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
    },
    **{f"pool {name}": dynamic(function, image()) for name, function in POOLS.items()},
    "adaptive average 1": dynamic(lambda x: F.adaptive_avg_pool1d(x, 4), image(1)),
    "adaptive average 3": dynamic(
        lambda x: F.adaptive_avg_pool3d(x, (3, 2, 2)), image(3)
    ),
    "adaptive average 3 core": dynamic(
        lambda x: ATEN._adaptive_avg_pool3d(x, (3, 2, 2)), image(3)
    ),
    "adaptive greatest 3 and places": dynamic(
        lambda x: F.adaptive_max_pool3d(x, (3, 2, 2), True), image(3)
    ),
    "adaptive greatest 1": dynamic(lambda x: F.adaptive_max_pool1d(x, 4), image(1)),
    "adaptive greatest 3": dynamic(
        lambda x: F.adaptive_max_pool3d(x, (3, 2, 2)), image(3)
    ),
    "max with indices 3": dynamic(
        lambda x: F.max_pool3d(x, 2, return_indices=True), image(3)
    ),
    **{
        f"average of integers, {name}": fixed(function, whole(2, 3, 7, 6))
        for name, function in INTEGERS.items()
    },
    "replicate of no images": fixed(
        lambda x: F.pad(x, (1, 2), mode="replicate"), floats(0, 3, 3)
    ),
    **{
        f"replicate by {low} and {high}": fixed(
            lambda x, pads=(low, high): F.pad(x, pads, mode="replicate"),
            floats(1, 2, 5),
        )
        for low, high in ((-1, 2), (-5, 1), (-6, 3), (3, -6), (2, -5))
    },
    **{f"pad {name}": dynamic(function, image()) for name, function in BORDERS.items()},
    **{name: dynamic(function, image()) for name, function in BLOCKS.items()},
    **{name: dynamic(function, image()) for name, function in STATISTICS.items()},
}
