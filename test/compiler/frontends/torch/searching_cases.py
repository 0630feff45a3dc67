"""Functions of operators that find places: among boundaries, in bins."""

from __future__ import annotations

import torch

from .case import Case, dynamic, fixed, floats, whole

X = (4, 6)

FEW = torch.tensor([-1.0, -0.5, -0.5, 0.25, 2.0])
MANY = torch.arange(-40, 60).div(20)

SPECIAL = torch.tensor([torch.nan, torch.inf, -torch.inf, -0.5, 0.25, 0.3])

CASES: dict[str, Case] = {
    **{
        f"{name} {'right' if right else 'left'}": dynamic(
            lambda x, b, right=right: torch.bucketize(x, b, right=right),
            torch.cat([floats(3, 6), SPECIAL[None]]),
            boundaries,
        )
        for name, boundaries in (("bucketize", FEW), ("bucketize by halves", MANY))
        for right in (False, True)
    },
    "bucketize among an open number": dynamic(
        lambda b, x: (torch.bucketize(x, b), torch.bucketize(x, b, right=True)),
        MANY,
        torch.cat([floats(3, 6), SPECIAL[None]]),
    ),
    "searchsorted in open rows": dynamic(
        lambda b, x: torch.searchsorted(b.T.contiguous(), x, out_int32=True),
        floats(9, 3).sort(0).values,
        floats(3, 5),
    ),
    "bucketize to i32": fixed(
        lambda x, b: torch.bucketize(x, b, out_int32=True), whole(*X), FEW
    ),
    "bucketize a number": fixed(lambda b: torch.bucketize(0.3, b), FEW),
    "bucketize without boundaries": fixed(torch.bucketize, floats(*X), floats(0)),
    "searchsorted": dynamic(torch.searchsorted, FEW.repeat(4, 1), floats(*X)),
    "searchsorted by halves": fixed(
        lambda b, x: torch.searchsorted(b, x, side="right"),
        floats(2, 1, 70).sort().values,
        floats(2, 1, 9),
    ),
    "searchsorted of integers": fixed(
        lambda b, x: torch.searchsorted(b, x, right=True, out_int32=True),
        torch.tensor([1, 1, 3, 9]),
        whole(*X),
    ),
    "searchsorted in an order": fixed(
        lambda b, x: torch.searchsorted(b, x, sorter=b.argsort()), floats(9), floats(*X)
    ),
    "searchsorted a number": fixed(lambda b: torch.searchsorted(b, 0.3), FEW),
    "histc": fixed(lambda x: torch.histc(x, 5, -1, 1), floats(*X)),
    "histc from least to most": fixed(lambda x: torch.histc(x, 7), floats(*X)),
    "histc of one": fixed(lambda x: torch.histc(x, 4), torch.full((3,), 2.0)),
    "histc of NaN": fixed(lambda x: torch.histc(x, 4, 0, 1), SPECIAL),
    "histogram": fixed(
        lambda x: tuple(torch.histogram(x, 6, range=(-1, 1))), floats(*X)
    ),
    "histogram from least to most": fixed(
        lambda x: tuple(torch.histogram(x, 5, density=True)), floats(*X)
    ),
    "histogram of edges": fixed(
        lambda x, b, w: tuple(torch.histogram(x, b, weight=w)),
        floats(9),
        FEW,
        floats(9),
    ),
    "nonzero_static": dynamic(
        lambda x: torch.nonzero_static(x, size=5, fill_value=9),
        whole(*X, low=0, high=2),
    ),
    "nonzero_static of one": fixed(
        lambda x: torch.nonzero_static(x.sum(), size=2), floats(*X)
    ),
}
