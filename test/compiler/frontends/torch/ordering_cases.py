"""Functions of operators that put elements in order, and of elements so far."""

from __future__ import annotations

import torch

from .case import Case, dynamic, fixed, floats, truths, whole

X = (4, 6)

NAN = torch.tensor([[2.0, torch.nan, -1, torch.nan, 9], [torch.inf, 0, 0, -0.0, 3]])

MODES = torch.tensor(
    [[1, 1, 2, torch.nan, torch.nan, torch.nan], [torch.nan] * 6, [0, *[torch.nan] * 5]]
)
"""Rows whose numbers stand before NaN, in the order in which ATen ends with them."""

CASES: dict[str, Case] = {
    "sort": dynamic(lambda x: tuple(torch.sort(x)), floats(*X)),
    "sort down": fixed(lambda x: tuple(x.sort(0, descending=True)), floats(*X)),
    "sort of equals": fixed(
        lambda x: tuple(torch.sort(x, dim=0, stable=True, descending=True)),
        whole(9, 3, low=0, high=2),
    ),
    "sort of NaN": fixed(lambda x: tuple(torch.sort(x, 1, True)), NAN),
    "sort without axes": fixed(lambda x: tuple(torch.sort(x.sum())), floats(*X)),
    "argsort": fixed(lambda x: torch.argsort(x, dim=0, stable=True), truths(*X)),
    "topk": dynamic(lambda x: tuple(torch.topk(x, 3)), floats(*X)),
    "topk of all": dynamic(lambda x: torch.topk(x, x.shape[0], 0)[0], floats(*X)),
    "topk least": fixed(lambda x: tuple(x.topk(2, 0, largest=False)), floats(*X)),
    "topk of NaN": fixed(lambda x: torch.topk(x, 3)[0], NAN),
    "topk without axes": fixed(lambda x: tuple(torch.topk(x.sum(), 1)), floats(*X)),
    "kthvalue": fixed(lambda x: tuple(torch.kthvalue(x, 2, 0, True)), floats(*X)),
    "argmax of NaN": fixed(lambda x: x.argmax(1), NAN),
    "argmin of NaN": fixed(lambda x: x.argmin(0), NAN),
    "cumprod": dynamic(lambda x: x.cumprod(0), floats(*X)),
    "cumprod of i32": fixed(lambda x: x.cumprod(1), whole(*X).int()),
    "cummax": dynamic(lambda x: tuple(torch.cummax(x, 0)), whole(*X)),
    "cummax of NaN": fixed(lambda x: tuple(torch.cummax(x, 1)), NAN),
    "cummin": fixed(lambda x: tuple(torch.cummin(x, -1)), floats(2, 3, 5)),
    "cummin without axes": fixed(lambda x: torch.cummin(x.sum(), 0), floats(*X)),
    "median": dynamic(lambda x: tuple(torch.median(x, 1)), floats(*X)),
    "median of NaN": fixed(lambda x: tuple(torch.median(x, 0, True)), NAN),
    "median of all": dynamic(torch.median, floats(*X)),
    "median of all and NaN": fixed(torch.median, NAN),
    "median of integers": fixed(torch.median, whole(3, 4)),
    "nanmedian": fixed(lambda x: torch.nanmedian(x, 1)[0], NAN),
    "nanmedian of all": fixed(torch.nanmedian, NAN),
    "nanmedian of none": fixed(torch.nanmedian, NAN.new_full((3,), torch.nan)),
    "mode": dynamic(lambda x: torch.mode(x, 1)[0], whole(4, 9)),
    "mode of NaN": fixed(lambda x: torch.mode(x, 1)[0], MODES),
    "mode without axes": fixed(lambda x: tuple(torch.mode(x.sum())), floats(*X)),
    "logcumsumexp along an open axis": dynamic(
        lambda x: (torch.logcumsumexp(x, 0), torch.logcumsumexp(x.T, 1)),
        floats(9, 4) * 50,
    ),
    "logcumsumexp of infinities along an open axis": dynamic(
        lambda x: torch.logcumsumexp(x, 0), (-1 / NAN).T
    ),
    "logcumsumexp": dynamic(lambda x: torch.logcumsumexp(x, 1), floats(4, 9) * 50),
    "logcumsumexp of infinities": fixed(lambda x: torch.logcumsumexp(x, 1), -1 / NAN),
}
