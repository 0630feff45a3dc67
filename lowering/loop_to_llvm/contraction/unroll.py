"""
Unroll the k-loop, with fences between its k.

The fence between two k is no instruction. It keeps LLVM from moving loads of the next k
up, which would spill accumulators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from ..text.types import Value
from .blocks import Blocks


def unrolled(
    blocks: Blocks,
    k: str,
    count: int,
    accumulators: Sequence[Value],
    one_k: Callable[[str, Sequence[Value]], Sequence[Value]],
    index: SSAValue | None = None,
) -> list[Value]:
    """
    Writes `count` k from `k` on, and sets `index` for each where one is given; the
    accumulators after them.
    """
    w, scope = blocks.w, blocks.scope
    at = "" if index is None else scope[index].text
    for number in range(count):
        if number:
            w.fence()
        with scope.inner():
            if index is not None:
                scope.set_index(index, w.add(at, str(number)))
            accumulators = one_k(w.add(k, str(number)), accumulators)
    return list(accumulators)
