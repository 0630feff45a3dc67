"""Functions of operators that move elements, or make tensors of nothing."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from .case import Case, automatic, dynamic, fixed, floats, whole

X = (4, 6)

ATEN = torch.ops.aten

STRIDED: dict[str, Callable[[Tensor], Tensor]] = {
    "whole": lambda x: x.as_strided((3, 8), (8, 1)),
    "windows": lambda x: x.as_strided((5, 4), (4, 1), 2),
    "of a transpose": lambda x: x.t().as_strided((3, 2), (2, 7), 1),
    "of a part": lambda x: x[1:].as_strided((2, 3), (0, 1), 7),
    "of one place": lambda x: x.as_strided((3, 1 << 20, 2), (1, 0, 2))[:, :5],
    "of nothing": lambda x: x.as_strided((0, 3), (1, 1)),
    "without axes": lambda x: x.as_strided((), (), 5),
    "copy": lambda x: ATEN.as_strided_copy(x, (2, 2), (1, 5)),
    "scatter": lambda x: x.as_strided_scatter(x[0, :4].reshape(2, 2), (2, 2), (9, 2)),
}

CASES: dict[str, Case] = {
    # Bits.
    **{
        f"view of {source} as {to}": dynamic(
            lambda x, to=to: x.view(getattr(torch, to)),
            whole(4, 32, low=-99, high=99).to(getattr(torch, source)),
        )
        for source, to in (
            *(("float32", "int8"), ("int8", "int32"), ("uint8", "int64")),
            *(("int32", "uint16"), ("uint8", "float32"), ("float64", "int32")),
            *(("float16", "int8"), ("int16", "float64"), ("int64", "uint8")),
        )
    },
    "view of truths as words": fixed(lambda x: (x > 0).view(torch.int32), floats(4, 8)),
    "view of one number": fixed(
        lambda x: torch.complex(x.sum(), x.mean()).view(torch.float64), floats(*X)
    ),
    "view of integers": dynamic(lambda x: x.view(torch.int32), floats(*X)),
    "view of floats": fixed(lambda x: (x * x).view(torch.float64), whole(*X)),
    "view of half floats": fixed(
        lambda x: (x * x).view(torch.int16), floats(*X, dtype=torch.float16)
    ),
    "view of truths": fixed(lambda x: (x > 0).view(torch.uint8), floats(*X)),
    # Shapes.
    "view": dynamic(lambda x: x.view(x.shape[0], 2, 3), floats(*X)),
    "view all": dynamic(lambda x: x.view(-1), floats(*X)),
    "reshape": dynamic(lambda x: x.transpose(0, 1).reshape(3, -1), floats(*X)),
    "_unsafe_view": fixed(lambda x: torch.ops.aten._unsafe_view(x, [3, 8]), floats(*X)),
    "flatten": dynamic(lambda x: x.flatten(1), floats(4, 2, 3)),
    "flatten all": dynamic(lambda x: x.flatten(), floats(4, 2, 3)),
    "unsqueeze": dynamic(lambda x: x.unsqueeze(-1).unsqueeze(0), floats(*X)),
    "squeeze": fixed(lambda x: x.squeeze(), floats(4, 1, 6, 1)),
    "squeeze along": fixed(lambda x: x.squeeze(1).squeeze(0), floats(4, 1, 6)),
    "squeeze two": fixed(lambda x: x.squeeze((1, 3)), floats(4, 1, 6, 1)),
    "transpose": fixed(lambda x: x.transpose(-1, 0), floats(4, 2, 3)),
    "permute": dynamic(lambda x: x.permute(2, 0, -2), floats(4, 2, 3)),
    "t": dynamic(lambda x: x.t(), floats(*X)),
    "t of vector": fixed(lambda x: x.t() + x, floats(6)),
    "expand": dynamic(lambda x: x[:, None].expand(-1, 3, -1), floats(*X)),
    "expand to rank": fixed(lambda x: x.expand(2, 4, 6), floats(4, 1)),
    "expand to size": dynamic(
        lambda x, y: y.expand(x.shape[0], 6) + x, floats(*X), floats(1, 6)
    ),
    "repeat": dynamic(lambda x: x.repeat(2, 3, 1), floats(*X)),
    "copy": fixed(lambda x, y: x.clone().copy_(y), floats(*X), whole(6)),
    "cat": dynamic(lambda x, y: torch.cat([x, y, x], 0), floats(*X), floats(*X)),
    "cat of dtypes": fixed(lambda x, y: torch.cat([x, y], -1), floats(*X), whole(*X)),
    "cat with none": fixed(lambda x, y: torch.cat([x, y]), floats(0), floats(*X)),
    "stack": dynamic(lambda x, y: torch.stack([x, y], -1), floats(*X), floats(*X)),
    "flip": dynamic(lambda x: x.flip(0, -1), floats(*X)),
    "pad": fixed(lambda x: F.pad(x, (1, 2, 0, 3), value=1.5), floats(2, 4, 6)),
    "clone": fixed(lambda x: (x.clone() + 1).contiguous(), floats(*X)),
    "detach": fixed(lambda x: torch.ops.aten.alias(x.detach()) * 2, floats(*X)),
    "to": fixed(lambda x: x.to(torch.float64), whole(*X)),
    "to integers": fixed(lambda x: (x * 9).int(), floats(*X)),
    "to truths": fixed(lambda x: x.bool(), whole(*X)),
    "to the same": fixed(lambda x: x.float() + 1, floats(*X)),
    # Parts.
    "slice": dynamic(lambda x: x[:, 1:5:2], floats(*X)),
    "slice from": automatic(lambda x: x[1:] * 2, floats(*X)),
    "slice last": dynamic(lambda x: x[-2:] * 2, floats(*X)),
    "slice but last": automatic(lambda x: x[:-1] * 2, floats(*X)),
    "slice beyond": fixed(lambda x: x[2:99, -99:3], floats(*X)),
    "slice of nothing": fixed(lambda x: x[:, 6:].sum(1), floats(*X)),
    "select": dynamic(lambda x: x[:, 2] + x[:, -1], floats(*X)),
    "select last": dynamic(lambda x: x[-1] + x[0], floats(*X)),
    "select by size": automatic(lambda x: x[x.shape[0] - 2], floats(*X)),
    "narrow": fixed(lambda x: x.narrow(1, 2, 3), floats(*X)),
    "split": dynamic(lambda x: x.split(4, 1), floats(*X)),
    "split sizes": dynamic(lambda x: x.split([1, 2, 3], 1), floats(*X)),
    "chunk": dynamic(lambda x: x.chunk(3, -1)[1], floats(*X)),
    "unbind": dynamic(lambda x: sum(x.unbind(1)), floats(*X)),
    "embedding": dynamic(F.embedding, whole(4, 3, low=0, high=7), floats(7, 5)),
    "unfold scalar": fixed(lambda x: x.unfold(0, 1, 1), floats()),
    "unfold nothing of a scalar": fixed(lambda x: x.unfold(0, 0, 1), floats()),
    "unfold nothing": dynamic(lambda x: x.unfold(1, 0, 2), floats(3, 5)),
    "prims.collapse": dynamic(
        lambda x: torch.ops.prims.collapse(x, 1, 2), floats(3, 4, 5)
    ),
    # Tensors out of nothing.
    "full": dynamic(
        lambda x: torch.full((3, x.shape[0]), 2.5) + x.shape[0], floats(*X)
    ),
    "full of sizes": fixed(lambda x: x + torch.full((6,), 7), floats(*X)),
    "full_like": fixed(lambda x: torch.full_like(x, 3) + x, whole(*X)),
    "ones": fixed(lambda x: x + torch.ones(6), floats(*X)),
    "zeros": fixed(lambda x: x + torch.zeros(6, dtype=torch.int32), floats(*X)),
    "ones_like": dynamic(lambda x: x + torch.ones_like(x), floats(*X)),
    "zeros_like": dynamic(
        lambda x: torch.zeros_like(x, dtype=torch.float64) + x, floats(*X)
    ),
    "fill": fixed(lambda x: torch.empty(6).fill_(3) + x, floats(*X)),
    "empty_permuted": fixed(
        lambda x: torch.empty_permuted((4, 6), (1, 0)).fill_(2) + x, floats(*X)
    ),
    "empty_strided": fixed(
        lambda x: torch.empty_strided((4, 6), (6, 1)).fill_(2) + x, floats(*X)
    ),
    "new_empty_strided": fixed(
        lambda x: x.new_empty_strided((4, 6), (6, 1)).fill_(2) + x, floats(*X)
    ),
    "scalar": fixed(
        lambda x: torch.where(x > 0, torch.scalar_tensor(2), x), floats(*X)
    ),
    "arange": fixed(lambda x: x + torch.arange(6), floats(*X)),
    "arange with step": fixed(lambda x: x + torch.arange(0.5, 3.5, 0.5), floats(*X)),
    "arange of many": fixed(lambda x: torch.arange(40, 0, -1) + x.sum(), floats(*X)),
    "arange with a step of size": dynamic(
        lambda x: torch.arange(0, 3 * x.shape[0], x.shape[0]), floats(*X)
    ),
    "arange of size": dynamic(
        lambda x: torch.arange(3, 3 + 2 * x.shape[0], 2), floats(*X)
    ),
    "constant": fixed(lambda x: x + torch.tensor([1, 2, 3, 4, 5, 6]), floats(*X)),
    "diagonal_scatter": fixed(
        lambda x, y: x.diagonal_scatter(y, 1), floats(*X), floats(4)
    ),
    "diagonal_scatter of any size": dynamic(
        lambda x: x.diagonal_scatter(x.diagonal(2) * 2, 2), floats(*X)
    ),
    "diagonal_scatter below, of any size": dynamic(
        lambda x: x.t().diagonal_scatter(x.t().diagonal(-2) * 2, -2), floats(*X)
    ),
    "diagonal_scatter of nothing": fixed(
        lambda x, y: x.diagonal_scatter(y, 7), floats(*X), floats(0)
    ),
    "diagonal_scatter below": fixed(
        lambda x, y: x.diagonal_scatter(y, -2, 2, 0), floats(4, 2, 5), floats(2, 3)
    ),
    "resize": fixed(lambda x: ATEN.resize(x, [3, 5]) + 1, floats(*X)),
    # Copies of views.
    "permute_copy": fixed(lambda x: ATEN.permute_copy(x, [1, 0]), floats(*X)),
    "view_copy": dynamic(lambda x: ATEN.view_copy(x, [-1, 3]), floats(*X)),
    "detach_copy": fixed(lambda x: ATEN.detach_copy(x) + 1, floats(*X)),
    "select_copy": fixed(lambda x: ATEN.select_copy(x, 1, -1), floats(*X)),
    "slice_copy": fixed(lambda x: ATEN.slice_copy(x, 1, 1, 9, 2), floats(*X)),
    "split_copy": fixed(lambda x: tuple(ATEN.split_copy(x, 4, 1)), floats(*X)),
    "unbind_copy": fixed(lambda x: tuple(ATEN.unbind_copy(x, 0)), floats(*X)),
    "narrow_copy": dynamic(lambda x: torch.narrow_copy(x, 1, -4, 2), floats(*X)),
    # Places in memory.
    **{
        f"as_strided {name}": fixed(function, floats(*X))
        for name, function in STRIDED.items()
    },
}
