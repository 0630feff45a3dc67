"""Functions of operators that combine elements under windows or along axes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .case import Case, dynamic, fixed, floats, positive, truths, whole

X = (4, 6)

IMAGE = (3, 4, 9, 11)


def modulated(
    x: Tensor, style: Tensor, weight: Tensor, transposed: bool = False
) -> Tensor:
    """Images, each convolved with weights of its own: the batch becomes groups."""
    n, channels, *image = x.shape
    axes = (n, channels, 1, 1, 1) if transposed else (n, 1, channels, 1, 1)
    own = (style.reshape(axes) * weight).reshape(-1, *weight.shape[1:])
    convolve = F.conv_transpose2d if transposed else F.conv2d
    result = convolve(x.reshape(1, -1, *image), own, stride=2, padding=1, groups=n)
    return result.reshape(n, -1, *result.shape[2:])


LOSSES: Any = import_module("torch.nn.modules.linear_cross_entropy")


def cross_entropy(reduction: str) -> Callable[..., Any]:
    """The loss of a linear layer with a bias and weights of classes; 2 is ignored."""

    def loss(x: Tensor, layer: Tensor, bias: Tensor, weight: Tensor, target: Tensor):
        how = reduction, 2, 0.0, 3, "balanced", torch.float32, True
        given = x, layer, target, bias, weight, *how, False, False, False
        return LOSSES._linear_cross_entropy_batch_chunked(*given)[0]

    return loss


LAYER = floats(6, 5), floats(4, 5), floats(4), positive(4)
TARGET = torch.tensor([0, 3, 2, 1, 1, 2])

CASES: dict[str, Case] = {
    **{
        f"cross entropy of a layer, {reduction}": fixed(
            cross_entropy(reduction), *LAYER, TARGET
        )
        for reduction in ("mean", "sum")
    },
    "cross entropy of a layer, each": fixed(
        lambda x, y, t: LOSSES._linear_cross_entropy_batch_chunked_no_reduction(
            x, y, t, None, None, 2, 3, "balanced", torch.float32
        ),
        *LAYER[:2],
        TARGET,
    ),
    # Contractions.
    "linear": dynamic(F.linear, floats(4, 6), floats(5, 6), floats(5)),
    "linear of stack": fixed(F.linear, floats(4, 2, 6), floats(5, 6)),
    "linear of vector": fixed(F.linear, floats(6), floats(5, 6), floats(5)),
    "addmm": fixed(torch.addmm, floats(5), floats(4, 6), floats(6, 5)),
    "addmm scaled": fixed(
        lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2),
        *(floats(4, 5), floats(4, 6), floats(6, 5)),
    ),
    "addmm without bias": fixed(
        lambda c, a, b: torch.addmm(c, a, b, beta=0),
        *(floats(4, 5), floats(4, 6), floats(6, 5)),
    ),
    "baddbmm": fixed(torch.baddbmm, floats(2, 4, 5), floats(2, 4, 6), floats(2, 6, 5)),
    "mm": fixed(torch.mm, floats(4, 6), floats(6, 5)),
    "bmm": dynamic(lambda x: torch.bmm(x, x.mT), floats(3, 4, 6)),
    "mv": fixed(torch.mv, floats(4, 6), floats(6)),
    "bilinear": dynamic(F.bilinear, floats(4, 6), floats(4, 3), floats(5, 6, 3)),
    "_trilinear": fixed(
        lambda a, b, c: torch._trilinear(a, b, c, [1], [0], [], [2]),
        *(floats(4, 3), floats(5, 3), floats(4, 5, 3)),
    ),
    **{
        f"_convolution {'back' if transposed else 'there'}": dynamic(
            lambda x, w, transposed=transposed: torch.ops.aten._convolution(
                *(x, w, None, [2, 1], [1, 0], [1, 1], transposed, [0, 0], 1),
                *(False, False, True, True),
            ),
            floats(*IMAGE),
            floats(4, 4, 3, 2),
        )
        for transposed in (False, True)
    },
    "dot": fixed(torch.dot, floats(6), floats(6)),
    "matmul stacks": fixed(torch.matmul, floats(3, 1, 4, 6), floats(2, 6, 5)),
    "matmul row": fixed(torch.matmul, floats(6), floats(2, 6, 5)),
    "matmul column": fixed(torch.matmul, floats(2, 4, 6), floats(6)),
    "matmul integers": fixed(torch.matmul, whole(4, 6), whole(6, 5)),
    "einsum": fixed(
        lambda a, b: torch.einsum("bij,bkj->bik", a, b),
        floats(2, 4, 6),
        floats(2, 5, 6),
    ),
    "attention of an open width": dynamic(
        lambda q, k, v: F.scaled_dot_product_attention(q.T, k.T, v.T),
        *(floats(8, 4),) * 3,
    ),
    "attention of an open width in f16": dynamic(
        lambda q, k, v: F.scaled_dot_product_attention(q.T, k.T, v.T),
        *(floats(8, 4).half(),) * 3,
    ),
    "attention": fixed(F.scaled_dot_product_attention, *(floats(2, 3, 4, 8),) * 3),
    # Convolutions and pooling.
    "max_pool1d with indices": fixed(
        lambda x: F.max_pool1d(x, 2, return_indices=True)[0], floats(2, 3, 4)
    ),
    "max_pool2d with indices": fixed(
        lambda x: F.max_pool2d(x, 2, return_indices=True)[0], floats(2, 3, 4, 5)
    ),
    "max_pool3d with indices": fixed(
        lambda x: F.max_pool3d(x, 2, return_indices=True)[0], floats(2, 3, 4, 5, 6)
    ),
    "adaptive_avg_pool1d": fixed(
        lambda x: F.adaptive_avg_pool1d(x, 2), floats(2, 3, 4)
    ),
    "adaptive_avg_pool2d": fixed(
        lambda x: F.adaptive_avg_pool2d(x, (2, 3)), floats(2, 3, 4, 6)
    ),
    "adaptive_avg_pool3d": fixed(
        lambda x: F.adaptive_avg_pool3d(x, (2, 1, 2)), floats(2, 3, 4, 6, 2)
    ),
    "conv2d": dynamic(F.conv2d, floats(*IMAGE), floats(6, 4, 3, 2), floats(6)),
    "conv2d options": fixed(
        lambda x, w: F.conv2d(x, w, None, (2, 1), (1, 2), (1, 2), 2),
        *(floats(*IMAGE), floats(6, 2, 3, 2)),
    ),
    "conv2d same": fixed(
        lambda x, w: F.conv2d(x, w, padding="same"), floats(*IMAGE), floats(6, 4, 2, 3)
    ),
    "conv2d valid": fixed(
        lambda x, w: F.conv2d(x, w, padding="valid"), floats(*IMAGE), floats(6, 4, 2, 3)
    ),
    "conv2d of one image": fixed(
        F.conv2d, floats(4, 9, 11), floats(6, 4, 3, 3), floats(6)
    ),
    "conv2d of a batch in groups": dynamic(
        modulated, floats(*IMAGE), floats(3, 4), floats(6, 4, 3, 2)
    ),
    "conv_transpose2d of a batch in groups": dynamic(
        lambda x, s, w: modulated(x, s, w, transposed=True),
        *(floats(*IMAGE), floats(3, 4), floats(4, 6, 3, 2)),
    ),
    "conv1d": fixed(
        lambda x, w, b: F.conv1d(x, w, b, 2, 1),
        floats(2, 4, 9),
        floats(6, 4, 3),
        floats(6),
    ),
    "conv1d same": fixed(
        lambda x, w: F.conv1d(x, w, padding="same", dilation=2),
        floats(2, 4, 9),
        floats(6, 4, 4),
    ),
    "conv3d": fixed(F.conv3d, floats(2, 4, 5, 6, 7), floats(6, 4, 3, 2, 1), floats(6)),
    "conv3d same": fixed(
        lambda x, w: F.conv3d(x, w, padding="same"),
        floats(2, 4, 5, 6, 7),
        floats(6, 4, 3, 2, 1),
    ),
    "convolution": fixed(
        lambda x, w: torch.convolution(
            x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1
        ),
        *(floats(*IMAGE), floats(6, 4, 3, 2)),
    ),
    "max_pool1d": fixed(lambda x: F.max_pool1d(x, 3, 2, 1), floats(2, 4, 9)),
    "max_pool2d": dynamic(lambda x: F.max_pool2d(x, 2), floats(*IMAGE)),
    "max_pool2d options": fixed(
        lambda x: F.max_pool2d(x, (3, 2), (2, 1), 1, (1, 2)), floats(*IMAGE)
    ),
    "max_pool2d ceil": fixed(
        lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), floats(2, 3, 8, 9)
    ),
    "max_pool2d of one image": fixed(lambda x: F.max_pool2d(x, 2), floats(4, 9, 11)),
    "max_pool3d": fixed(lambda x: F.max_pool3d(x, 2), floats(2, 3, 4, 5, 6)),
    "avg_pool1d": fixed(lambda x: F.avg_pool1d(x, 3, 2, 1), floats(2, 4, 9)),
    "avg_pool2d": fixed(lambda x: F.avg_pool2d(x, 2), floats(*IMAGE)),
    "avg_pool2d uncounted": fixed(
        lambda x: F.avg_pool2d(x, 3, 2, 1, True, False), floats(2, 3, 8, 9)
    ),
    "avg_pool2d divisor": fixed(
        lambda x: F.avg_pool2d(x, 2, divisor_override=3), floats(*IMAGE)
    ),
    "avg_pool3d": fixed(lambda x: F.avg_pool3d(x, 2), floats(2, 3, 4, 5, 6)),
    "adaptive_avg_pool2d to one": dynamic(
        lambda x: F.adaptive_avg_pool2d(x, 1), floats(*IMAGE)
    ),
    "_adaptive_avg_pool2d": fixed(
        lambda x: torch.ops.aten._adaptive_avg_pool2d(x, [3, 1]), floats(2, 3, 6, 5)
    ),
    "_adaptive_avg_pool3d": fixed(
        lambda x: torch.ops.aten._adaptive_avg_pool3d(x, [1, 1, 1]),
        floats(2, 3, 6, 5, 4),
    ),
    # Normalizations.
    "batch_norm": dynamic(
        lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b),
        *(floats(*IMAGE), floats(4), positive(4), floats(4), floats(4)),
    ),
    "batch_norm bare": fixed(F.batch_norm, floats(2, 4), floats(4), positive(4)),
    "layer_norm": dynamic(
        lambda x, w, b: F.layer_norm(x, (6,), w, b),
        floats(4, 3, 6),
        floats(6),
        floats(6),
    ),
    "layer_norm bare": fixed(lambda x: F.layer_norm(x, (3, 6)), floats(4, 3, 6)),
    "native_layer_norm": fixed(
        lambda x: torch.native_layer_norm(x, [6], None, None, 1e-5)[0], floats(*X)
    ),
    "group_norm": dynamic(
        lambda x, w, b: F.group_norm(x, 2, w, b), floats(*IMAGE), floats(4), floats(4)
    ),
    "native_group_norm": fixed(
        lambda x: torch.native_group_norm(x, None, None, 2, 4, 5, 2, 1e-5)[0],
        floats(2, 4, 5),
    ),
    "rms_norm": fixed(lambda x, w: F.rms_norm(x, (6,), w), floats(*X), floats(6)),
    "softmax": dynamic(lambda x: torch.softmax(x, 1), floats(*X)),
    "softmax to f64": fixed(
        lambda x: torch.softmax(x, -1, dtype=torch.float64), floats(*X)
    ),
    "_softmax": fixed(lambda x: torch._softmax(x, 1, False), floats(*X)),
    "log_softmax": fixed(lambda x: torch.log_softmax(x, 0), floats(*X)),
    "_log_softmax": fixed(lambda x: torch._log_softmax(x, 0, False), floats(*X)),
    "dropout": fixed(lambda x: F.dropout(x, 0.5, training=False), floats(*X)),
    "native_dropout": fixed(lambda x: torch.native_dropout(x, 0.5, False), floats(*X)),
    "native_dropout of all": fixed(
        lambda x: torch.native_dropout(x, 1.0, True), floats(*X)
    ),
    "conv_tbc": fixed(
        lambda x, w, b: torch.conv_tbc(x, w, b, 1),
        floats(9, 4, 5),
        floats(3, 5, 6),
        floats(6),
    ),
    **{
        f"prims.{name}": fixed(
            lambda x, name=name: getattr(torch.ops.prims, name)(x, (0, 2)),
            floats(3, 4, 5),
        )
        for name in ("sum", "prod")
    },
    # Reductions.
    "any": fixed(torch.any, truths(*X)),
    **{
        f"{name} of no elements {axes}": fixed(
            lambda x, f=f, axes=axes: f(x, axes), truths(0, 3)
        )
        for name, f in (("any", torch.any), ("all", torch.all))
        for axes in (0, 1, (0, 1))
    },
    "any of none at all": fixed(torch.any, floats(0, 3)),
    "any along": fixed(lambda x: torch.any(x, 1), whole(*X)),
    "all": fixed(torch.all, truths(*X)),
    "all along": fixed(lambda x: torch.all(x, 1), whole(*X)),
    "sum": dynamic(lambda x: x.sum(), floats(*X)),
    "sum along": dynamic(lambda x: x.sum(0), floats(*X)),
    "sum keepdim": fixed(lambda x: x.sum((0, -1), keepdim=True), floats(2, 3, 4)),
    "sum of truths": fixed(lambda x: x.sum(1), truths(*X)),
    "sum of i32": fixed(lambda x: x.sum(1), whole(*X).int()),
    "sum to f64": fixed(lambda x: x.sum(1, dtype=torch.float64), floats(*X)),
    "mean": dynamic(lambda x: x.mean(), floats(*X)),
    "mean along": dynamic(lambda x: x.mean((0,), keepdim=True), floats(*X)),
    "prod": fixed(lambda x: x.prod(), floats(*X)),
    "prod along": fixed(lambda x: x.prod(1), whole(*X)),
    "amax": dynamic(lambda x: x.amax((0, 1)), floats(*X)),
    "amin": fixed(lambda x: x.amin(1, keepdim=True), floats(*X)),
    "max": fixed(torch.max, floats(*X)),
    "min": fixed(torch.min, whole(*X)),
    "max along": dynamic(lambda x: tuple(torch.max(x, 0)), whole(*X)),
    "min along": fixed(lambda x: tuple(torch.min(x, 1, keepdim=True)), whole(*X)),
    "min of floats": fixed(lambda x: tuple(torch.min(x, -1)), floats(*X)),
    "min of truths": fixed(lambda x: torch.min(x, 1)[1], truths(*X)),
    "argmax": dynamic(lambda x: x.argmax(1), floats(*X)),
    "argmax of all": fixed(torch.argmax, floats(*X)),
    "argmin": fixed(lambda x: x.argmin(0, keepdim=True), floats(*X)),
    "argmax without axes": fixed(lambda x: x.sum().argmax(0), floats(*X)),
    "any along two": fixed(lambda x: torch.any(x, (0, 1), keepdim=True), truths(*X)),
    "var": dynamic(lambda x: x.var(0), floats(*X)),
    "var of all": fixed(lambda x: x.var(unbiased=False), floats(*X)),
    "var of few": fixed(lambda x: x.var(1, correction=9), floats(*X)),
    "var_mean": dynamic(lambda x: torch.var_mean(x, 0, keepdim=True), floats(*X)),
    "std": fixed(lambda x: x.std((0, 1), correction=2, keepdim=True), floats(*X)),
    "cumsum": dynamic(lambda x: x.cumsum(0), floats(*X)),
    "cumsum of truths": fixed(lambda x: x.cumsum(-1), truths(*X)),
    "cumsum without axes": fixed(lambda x: x.sum().cumsum(0), floats(*X)),
    "logsumexp": fixed(lambda x: x.logsumexp(1), floats(*X)),
    "norm": dynamic(lambda x: torch.linalg.vector_norm(x, dim=0), floats(*X)),
    "norm 1": fixed(lambda x: torch.linalg.vector_norm(x, 1), floats(*X)),
    "norm inf": fixed(lambda x: torch.linalg.vector_norm(x, torch.inf, 1), floats(*X)),
    "normalize": fixed(F.normalize, floats(*X)),
    "renorm": dynamic(lambda x: torch.renorm(x, 2, 1, 1.5), floats(*X)),
}
