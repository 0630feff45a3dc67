"""
Choose the range of a value by the Kullback-Leibler divergence, so that a few outliers
do not make all steps coarse.

For each threshold the numbers beyond it are counted at the ends of the range, as they
saturate; the divergence says how much of that distribution is lost where it is rounded
to as many steps as there are. The threshold of the least divergence is taken.

The way is that of S. Migacz, *8-bit Inference with TensorRT*, GTC 2017, and of MXNet
and Glow, which smooth what has counts of zero. As in NVIDIA's pytorch-quantization the
bin of zero counts as much as its neighbour: Relu makes many zeros, and zero is exact in
every schema, so they say nothing of steps.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .histogram import HALF, Counts, Histogram

_STRIDE = 8
"""Bins between thresholds: an eighth of 1,800 is tried, since each takes time."""

_SMOOTH = 1e-4
"""What counts of zero become, as in MXNet."""

_Distribution = npt.NDArray[np.float64]


def calibrated_range(
    seen: Histogram, levels: int, is_symmetric: bool
) -> tuple[float, float]:
    """
    The range of the least divergence for this number of steps: from -t to t, and of
    that, where steps need not be symmetric, what was seen.
    """
    counts = without_zeros(seen.counts)
    filled = np.flatnonzero(seen.counts) - HALF
    first, last = int(filled[0]), int(filled[-1]) + 1
    most = max(last, -first)
    if is_symmetric:
        first, last = -most, most
    best, threshold = np.inf, most
    # From the widest: of equal ones that is taken.
    for each in range(most, 0, -_STRIDE):
        low, high = max(first, -each), min(last, each)
        if high - low < levels:
            break
        found = divergence(counts, low + HALF, high + HALF, levels)
        if found < best:
            best, threshold = found, each
    reach = threshold * seen.width
    return max(seen.least, -reach), min(seen.greatest, reach)


def without_zeros(counts: Counts) -> Counts:
    """The counts, but as many numbers near zero as in the next bin on the same side."""
    counts = counts.copy()
    counts[HALF] = min(counts[HALF], counts[HALF + 1])
    return counts


def divergence(counts: Counts, low: int, high: int, levels: int) -> float:
    """
    How much is lost of the counts where what is outside of the bins from `low` to
    `high` saturates, and what is inside has this number of steps.
    """
    inside = counts[low:high].astype(np.float64)
    seen = inside.copy()
    seen[0] += counts[:low].sum()
    seen[-1] += counts[high:].sum()
    bins = len(inside)
    step_of = np.arange(bins) * levels // bins
    starts = np.flatnonzero(np.diff(step_of, prepend=-1))
    is_filled = (seen > 0).astype(np.float64)
    totals = np.add.reduceat(inside, starts)
    filled = np.add.reduceat(is_filled, starts)
    shares = np.divide(totals, filled, out=np.zeros(levels), where=filled > 0)
    p, q = _smoothed(seen), _smoothed(shares[step_of] * is_filled)
    if p is None or q is None:
        return np.inf
    return float((p * np.log(p / q)).sum())


def _smoothed(counts: _Distribution) -> _Distribution | None:
    """The counts as a distribution that is nowhere zero; None of nothing."""
    is_zero = counts == 0
    zeros, others = int(is_zero.sum()), int((~is_zero).sum())
    taken = _SMOOTH * zeros / others if others else 1.0
    if taken >= 1:
        return None
    smooth = np.where(is_zero, _SMOOTH, counts - taken)
    return None if (smooth <= 0).any() else smooth / smooth.sum()
