"""Functions of operators that read or change elements at places that are looked up."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .case import Case, dynamic, fixed, floats, truths, whole

X = (4, 6)

segments: Any = torch.segment_reduce
ROWS = whole(4, 3, low=0, high=4)
COLUMNS = whole(4, 3, low=0, high=6)
"""Indices along either axis; some are equal."""


def assigned(x: Tensor, place: Any, value: Any) -> Tensor:
    """The tensor with a value in some place, which the program sees as one."""
    result = x.clone()
    result[place] = value
    return result


def reduced(how: str, include_self: bool) -> Case:
    """A scatter that reduces so."""
    return dynamic(
        lambda x, i, y: x.scatter_reduce(1, i, y, how, include_self=include_self),
        floats(*X),
        COLUMNS,
        floats(*X),
    )


def bag(mode: str, **options: Any) -> Case:
    """Bags of rows of a table, one of them empty."""
    return fixed(
        lambda i, o, t: F.embedding_bag(i, t, o, mode=mode, **options),
        whole(8, low=0, high=5),
        torch.tensor([0, 3, 3, 7]),
        floats(5, 3),
    )


LENGTHS = torch.tensor([[2, 0, 3], [1, 4, 0], [0, 0, 5], [5, 0, 0]])

SEGMENTS: dict[str, Case] = {
    **{
        f"segments {how}": fixed(
            lambda x, n, how=how: segments(x, how, lengths=n, axis=1, unsafe=True),
            floats(4, 5, 3),
            LENGTHS,
        )
        for how in ("sum", "mean", "max", "min", "prod")
    },
    "segments by offsets": fixed(
        lambda x, at: segments(x, "mean", offsets=at, initial=1.0, unsafe=True),
        floats(*X),
        torch.tensor([0, 1, 1, 4]),
    ),
}

TIMES = torch.tensor([2, 0, 3, 1])

REPEATS: dict[str, Case] = {
    "repeat_interleave": dynamic(
        lambda x, n: x.repeat_interleave(n, 0, output_size=x.shape[0] * 2),
        floats(*X),
        torch.tensor([2]),
    ),
    "repeat_interleave of i32": fixed(
        lambda x, n: x.repeat_interleave(n, -2, output_size=6),
        floats(2, 4, 3),
        TIMES.int(),
    ),
    "repeat_interleave in a row": fixed(
        lambda x, n: x.repeat_interleave(n, output_size=6), floats(2, 2), TIMES
    ),
    "repeat_interleave as often as one number says": fixed(
        lambda x, n: x.repeat_interleave(n, 1, output_size=18), floats(*X), TIMES[2]
    ),
    "repeat_interleave of a constant": fixed(
        lambda x: x.repeat_interleave(torch.tensor([2, 0, 3, 1]), 0), floats(*X)
    ),
    "repeat_interleave of numbers": fixed(
        lambda n: torch.repeat_interleave(n, output_size=6), TIMES.int()
    ),
    "repeat_interleave by a number": dynamic(
        lambda x: (x.repeat_interleave(3, 1), x.repeat_interleave(2)), floats(*X)
    ),
}

CASES: dict[str, Case] = {
    **SEGMENTS,
    # Read.
    "gather": dynamic(lambda x, i: x.gather(1, i), floats(*X), COLUMNS),
    "gather along rows": fixed(
        lambda x, i: x.gather(-2, i), floats(*X), whole(9, 2, low=0, high=4)
    ),
    "gather of one": fixed(
        lambda x, i: x.sum().gather(0, i), floats(*X), torch.tensor(0)
    ),
    "take_along_dim": fixed(
        lambda x, i: x.take_along_dim(i, 1), floats(*X), whole(1, 4, low=0, high=6)
    ),
    "take": fixed(lambda x, i: x.take(i), floats(*X), whole(2, 5, low=-24, high=24)),
    "take of open rows": dynamic(
        lambda x, i: torch.take(x, i), floats(*X), whole(4, 3, low=-12, high=12)
    ),
    "take one": fixed(lambda x, i: torch.take(x, i), floats(*X), torch.tensor(-2)),
    "index_select": fixed(
        lambda x, i: x.index_select(1, i), floats(*X), whole(5, low=0, high=6)
    ),
    "index_select rows": dynamic(
        lambda x, i: x.index_select(0, i), floats(*X), whole(4, low=0, high=2)
    ),
    "index_select of one": fixed(
        lambda x, i: x.index_select(0, i), floats(*X), torch.tensor(2)
    ),
    "index_select of none": fixed(
        lambda x, i: x.sum().index_select(0, i), floats(*X), torch.tensor([0])
    ),
    "index": fixed(lambda x, i: x[:, i], floats(*X), whole(2, 5, low=-6, high=6)),
    "index twice": fixed(
        lambda x, i, j: x[i, j],
        floats(*X),
        whole(3, 1, low=-4, high=4),
        whole(5, low=-6, high=6),
    ),
    "index of two dtypes": fixed(
        lambda x, i, j: x[i, j.int()],
        floats(*X),
        whole(5, low=-4, high=4),
        whole(5, low=-6, high=6),
    ),
    "index after an axis": dynamic(
        lambda x, i, j: x[:, i, j],
        floats(4, 5, 6, 2),
        whole(3, 2, low=-5, high=5),
        whole(2, low=-6, high=6),
    ),
    "index around an axis": fixed(
        lambda x, i, j: x[i, :, j],
        floats(4, 5, 6),
        whole(3, 2, low=-4, high=4),
        whole(2, low=-6, high=6),
    ),
    "index apart after an axis": fixed(
        lambda x, i, j: x[:, i, :, j],
        floats(2, 4, 5, 6),
        whole(3, low=-4, high=4),
        whole(3, low=-6, high=6),
    ),
    "index by numbers": dynamic(
        lambda x: x[torch.arange(x.shape[0]), x.argmax(1)], floats(*X)
    ),
    "one_hot": dynamic(lambda i: F.one_hot(i, 7).float(), whole(4, 3, low=0, high=7)),
    # Change.
    "scatter": dynamic(
        lambda x, i, y: x.scatter(1, i[:, :1], y), floats(*X), COLUMNS, floats(*X)
    ),
    "scatter a number": dynamic(lambda x, i: x.scatter(1, i, 2.5), floats(*X), COLUMNS),
    "scatter of one": fixed(
        lambda x, i: x.sum().scatter(0, i, 2), floats(*X), torch.tensor(0)
    ),
    "scatter to multiply": fixed(
        lambda x, i, y: x.scatter(0, i, y, reduce="multiply"),
        floats(*X),
        ROWS,
        floats(*X),
    ),
    "scatter a number to add": fixed(
        lambda x, i: x.scatter(0, i, 3, reduce="add"), floats(*X), ROWS
    ),
    "scatter_add": dynamic(
        lambda x, i, y: x.scatter_add(-1, i, y), floats(*X), COLUMNS, floats(*X)
    ),
    **{
        f"scatter_reduce {how} {'with' if include_self else 'without'}": reduced(
            how, include_self
        )
        for how in ("sum", "prod", "mean", "amax", "amin")
        for include_self in (True, False)
    },
    "scatter_reduce integers": fixed(
        lambda x, i, y: x.scatter_reduce(0, i, y, "amin", include_self=False),
        whole(*X),
        ROWS,
        whole(*X),
    ),
    "index_put": fixed(
        lambda x, i, y: x.index_put((i,), y),
        floats(*X),
        torch.tensor([2, -4]),
        floats(6),
    ),
    "index_put twice": fixed(
        lambda x, i, j, y: x.index_put((i, j), y),
        floats(4, 5, 3),
        torch.tensor([[2], [-4]]),
        torch.tensor([1, -1]),
        floats(2, 1, 1),
    ),
    "index_put to add": fixed(
        lambda x, i, y: x.index_put((i,), y, accumulate=True),
        floats(*X),
        torch.tensor([2, -2, 1]),
        floats(3, 6),
    ),
    "_index_put_impl_ to add": fixed(
        lambda x, i, y: torch.ops.aten._index_put_impl_(
            x.clone(), (i,), y, accumulate=True, unsafe=False
        ),
        floats(*X),
        torch.tensor([2, -2, 1]),
        floats(3, 6),
    ),
    **{
        f"scatter {kind} of a tensor's number": fixed(
            lambda x, i, y: x.scatter(1, i, y.item()), x, whole(4, 2, low=0), y
        )
        for kind, x, y in (
            ("a float", floats(*X), torch.tensor(2.5)),
            ("an integer", whole(*X), torch.tensor(7)),
        )
    },
    "index_put after an axis": fixed(
        lambda x, i, j, y: assigned(x, (slice(None), i, j), y),
        floats(4, 5, 6),
        torch.tensor([1, -1]),
        torch.tensor([[2], [-4]]),
        floats(4, 2, 2),
    ),
    "index_put around an axis": fixed(
        lambda x, i, j, y: assigned(x, (i, slice(None), j), y),
        floats(4, 5, 6),
        torch.tensor([1, -1]),
        torch.tensor([2, -4]),
        floats(2, 5),
    ),
    "index_put a number where": dynamic(
        lambda x, m: assigned(x, m, 2.0), floats(*X), truths(*X)
    ),
    "index_put a row where": dynamic(
        lambda x, m, y: assigned(x, m, y), floats(*X), truths(4), floats(6)
    ),
    "index_put to add where": fixed(
        lambda x, m, y: x.index_put((m,), y, accumulate=True),
        floats(*X),
        truths(*X),
        floats(1),
    ),
    "index_put columns where": fixed(
        lambda x, m, y: assigned(x, (slice(None), m), y),
        floats(4, 6, 2, 3),
        truths(6, 2),
        floats(4, 1, 3),
    ),
    "index_add": fixed(
        lambda x, i, y: x.index_add(1, i, y, alpha=2),
        floats(*X),
        torch.tensor([2, 2, 5]),
        floats(4, 3),
    ),
    "index_copy": fixed(
        lambda x, i, y: x.index_copy(0, i, y),
        floats(*X),
        torch.tensor([2, 0]),
        floats(2, 6),
    ),
    "index_fill": fixed(
        lambda x, i: x.index_fill(1, i, 2.0), floats(*X), torch.tensor([2, 0])
    ),
    "index_reduce": fixed(
        lambda x, i, y: x.index_reduce(1, i, y, "mean", include_self=False),
        floats(*X),
        torch.tensor([2, 2, 5]),
        floats(4, 3),
    ),
    "index_reduce to means of integers": fixed(
        lambda x, i, y: x.index_reduce(1, i, y, "mean", include_self=False),
        whole(*X),
        torch.tensor([2, 2, 5]),
        whole(4, 3),
    ),
    "index_reduce scalar": fixed(
        lambda x, i, y: x.index_reduce(0, i, y, "prod"),
        floats(),
        torch.tensor([0]),
        floats(),
    ),
    "index_reduce with": fixed(
        lambda x, i, y: x.index_reduce(0, i, y, "amax"),
        floats(*X),
        torch.tensor([2, 2]),
        floats(2, 6),
    ),
    "put": fixed(
        lambda x, i, y: x.put(i, y),
        floats(*X),
        torch.tensor([[2, -3], [7, 0]]),
        floats(2, 2),
    ),
    "put to add": fixed(
        lambda x, i, y: x.put(i, y, accumulate=True),
        floats(*X),
        torch.tensor([2, -3, 2]),
        floats(3),
    ),
    "select_scatter": dynamic(
        lambda x, y: x.select_scatter(y, 1, -2), floats(*X), floats(4)
    ),
    "slice_scatter": dynamic(
        lambda x, y: x.slice_scatter(y[:, :2], 1, 3, 5), floats(*X), floats(*X)
    ),
    "slice_scatter rows": dynamic(
        lambda x, y: x.slice_scatter(y, 0, -1), floats(*X), floats(1, 6)
    ),
    "slice_scatter apart": dynamic(
        lambda x, y: x.slice_scatter(y[:, :3], 1, -6, 6, 2), floats(*X), floats(*X)
    ),
    "assign a slice": dynamic(
        lambda x, y: assigned(x, (slice(None), slice(1, 3)), y), floats(*X), floats(2)
    ),
    **{
        f"index_put at a mask beside integers, {accumulate}": fixed(
            lambda x, i, m, v, more=accumulate: (
                torch.index_put(x, (i, m), v[0], more),
                torch.ops.aten.index_put(x[None] * v[0, 0], (None, i, m), v, more),
            ),
            floats(5, 4),
            torch.tensor([0, 2, 0]),
            torch.tensor([True, False, True, True]),
            floats(1, 3),
        )
        for accumulate in (False, True)
    },
    "gather nothing of another rank": fixed(
        lambda x, i: x.gather(0, i), floats(5), torch.zeros(2, 0, dtype=torch.int64)
    ),
    "masked_fill of columns": dynamic(
        lambda x, m: x.masked_fill(m, -2.0), floats(*X), truths(4, 1)
    ),
    "masked_scatter": dynamic(
        lambda x, m, y: x.masked_scatter(m, y), floats(*X), truths(*X), floats(*X)
    ),
    # Bags.
    "embedding_bag": bag("sum"),
    "embedding_bag mean": bag("mean"),
    "embedding_bag max": bag("max"),
    "embedding_bag padded": bag("sum", padding_idx=2),
    "embedding_bag mean padded": bag("mean", padding_idx=-1),
    "embedding_bag max padded": bag("max", padding_idx=2),
    "embedding_bag to the end": bag("sum", include_last_offset=True),
    "embedding_bag of rows": dynamic(
        lambda i, t: F.embedding_bag(i, t, mode="mean"),
        whole(4, 3, low=0, high=5),
        floats(5, 3),
    ),
    "embedding_bag weighted": fixed(
        lambda i, o, t, w: F.embedding_bag(i, t, o, mode="sum", per_sample_weights=w),
        whole(8, low=0, high=5),
        torch.tensor([0, 0, 3, 8]),
        floats(5, 3),
        floats(8),
    ),
    **REPEATS,
}
