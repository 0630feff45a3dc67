"""What a kernel copies by indices in order is what numpy leaves where it is."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Block

from static_runtime.dialects.graph.ops.gather import GatherOp
from static_runtime.dialects.graph.ops.index_select import IndexSelectOp
from static_runtime.dialects.kernel.identity import holds
from static_runtime.dialects.kernel.known_groups import group_of
from static_runtime.dialects.kernel.ordered import Ordered, ordered_copy_of

from ..graph.samples import Case
from .test_identity import X, at_all_sizes, case, name_of, numbered, of, results

SELECTIONS = [
    *(
        case(IndexSelectOp, X, of(*shape, element=kind), axis=axis, wraps=wraps)
        for axis in (0, 1, 2)
        for shape, kind, wraps in ((("d",), i64, True), (("d", "1"), i32, False))
    ),
    case(IndexSelectOp, X, of(element=i64), axis=0, wraps=True),
    case(GatherOp, of("a"), of("d", element=i64), axis=0, wraps=True),
]
"""Ops whose indices select what lies along an axis."""

OTHERS = [
    # Each row has indices of its own, which begin anew.
    case(GatherOp, of("2", "3"), of("2", "3", element=i64), axis=1, wraps=True),
    # Fewer are selected than there are.
    case(IndexSelectOp, of("3"), of("2", element=i64), axis=0, wraps=True),
]
"""Ops that move elements also where their indices are in order."""


def ordered(known: Case) -> Ordered | None:
    """What a case copies where its indices are in order."""
    group = group_of(known.build(Block(arg_types=known.operands).args))
    return None if group is None else ordered_copy_of(group)


@pytest.mark.parametrize("symbolic", SELECTIONS, ids=name_of)
def test_indices_in_order_select_what_is_there(symbolic: Case):
    found, copied = ordered(symbolic), 0
    assert found is not None
    op = symbolic.build(Block(arg_types=symbolic.operands).args)
    axis: int = op.values()["axis"]
    for symbols, known in at_all_sizes(symbolic):
        source, indices = numbered(known)
        indices[...] = np.arange(indices.size).reshape(indices.shape)
        along = source.shape[axis]
        if indices.size > along:
            assert not holds(found.when, symbols)
            continue
        if holds(found.when, symbols):
            copied += 1
            result = results(known, [source, indices])
            assert result.tobytes() == source.tobytes()
        else:
            # There is more along the axis than indices.
            assert indices.size < along
    assert copied > 1


@pytest.mark.parametrize("symbolic", OTHERS, ids=name_of)
def test_others_are_no_copies(symbolic: Case):
    assert ordered(symbolic) is None
