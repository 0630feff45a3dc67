"""ONNX's `TfIdfVectorizer`: how often sequences of numbers occur in rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from ....dialects import Array, greater
from ....dialects.graph import (
    AddOp,
    EqOp,
    GtOp,
    IndexSelectOp,
    LogicalAndOp,
    MulOp,
    SumOp,
)
from ....dialects.graph.compose import (
    convert,
    filled,
    joined,
    number,
    part,
    reshaped,
    shape_of,
)
from ..known import Known
from ..unsupported import Unsupported
from .node import Handler, Node, Result

_MODES = ("TF", "IDF", "TFIDF")


def _integers(node: Node, name: str) -> tuple[int, ...]:
    """The numbers of an attribute."""
    found = node.integers(name)
    if not found:
        raise node.error(f"expected numbers as {name}, got none")
    return found


def _pools(node: Node) -> Iterator[tuple[Array, Array]]:
    """The sequences of each length that count, and the columns of the result."""
    if not node.integers("pool_int64s"):
        raise Unsupported("sequences of strings")
    pool = np.array(_integers(node, "pool_int64s"), np.int64)
    starts = [*_integers(node, "ngram_counts"), len(pool)]
    columns = np.array(_integers(node, "ngram_indexes"), np.int64)
    least, most = node.integer("min_gram_length"), node.integer("max_gram_length")
    done = 0
    for length, (start, end) in enumerate(pairwise(starts), 1):
        count = (end - start) // length
        if not 0 <= start <= end or (end - start) % length:
            raise node.error(
                f"expected starts of sequences in the pool, got {starts[:-1]}"
            )
        own = columns[done : done + count]
        if len(own) != count:
            raise node.error(f"expected an index of each sequence, got {len(columns)}")
        done += count
        if count and least <= length <= most:
            yield pool[start:end].reshape(count, length), own


def _counted(node: Node, x: SSAValue, grams: Array, skips: int) -> SSAValue:
    """Builds how often each sequence is in each row, elements being skipped between."""
    batch, size = shape_of(x)
    count, length = grams.shape
    total: SSAValue | None = None
    # A sequence of one element has none between.
    for step in range(1, (skips if length > 1 else 0) + 2):
        windows = greater(size - (length - 1) * step, 0)
        if windows == 0:
            continue
        found: SSAValue | None = None
        for place in range(length):
            here = reshaped(part(x, 1, place * step, windows), [batch, windows, 1])
            wanted = node.tensor(Known.of(grams[:, place]))
            same = EqOp(here, reshaped(wanted, [1, 1, count])).result
            found = same if found is None else LogicalAndOp(found, same).result
        assert found is not None, "a sequence has elements"
        hits = SumOp(convert(found, i64), axes=(1,), keepdims=False).result
        total = hits if total is None else AddOp(total, hits).result
    if total is None:
        return filled(np.array(0, np.int64), [batch, count])
    return total


def _frequencies(node: Node) -> Result:
    """The count of each sequence in each row, weighted."""
    mode, shape = node.text("mode"), node.shape(0)
    if mode not in _MODES:
        raise node.error(f"expected a mode of {', '.join(_MODES)}, got {mode!r}")
    if len(shape) not in (1, 2):
        raise node.error(f"expected a row or rows, got {node.type(0)}")
    # A number of the pool may be one that the elements of a row cannot have.
    x = convert(node.operand(0), i64)
    x = reshaped(x, [1, *shape] if len(shape) == 1 else shape)
    width = max(_integers(node, "ngram_indexes")) + 1
    parts: list[SSAValue] = []
    columns: list[int] = []
    for grams, own in _pools(node):
        parts.append(_counted(node, x, grams, node.integer("max_skip_count")))
        columns += own.tolist()
    if len(set(columns)) < len(columns):
        raise Unsupported("several sequences of one index")
    batch = shape_of(x)[0]
    parts.append(filled(np.array(0, np.int64), [batch, 1]))
    # What no sequence has as its index is the last column, which is zero.
    at = np.full(width, len(columns), np.int64)
    at[columns] = np.arange(len(columns))
    counts = IndexSelectOp(
        joined(parts, 1), node.tensor(Known.of(at)), axis=1, wraps=False
    ).result
    if mode == "IDF":
        counts = convert(GtOp(counts, number(0, i64)).result, i64)
    result = convert(counts, f32)
    weights = node.attribute("weights")
    if mode != "TF" and weights is not None and len(weights.floats):
        if len(weights.floats) != width:
            raise node.error(f"expected {width} weights, got {len(weights.floats)}")
        table = np.array(weights.floats, np.float32)
        result = MulOp(result, node.tensor(Known.of(table))).result
    return reshaped(result, [*shape[:-1], width])


HANDLERS: dict[str, Handler] = {"TfIdfVectorizer": _frequencies}
