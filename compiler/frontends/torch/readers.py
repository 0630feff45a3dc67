"""Every operator of torch that can be read, by a name such as `aten.relu.default`."""

from __future__ import annotations

from . import (
    activation,
    adaptive,
    arithmetic,
    contraction,
    creation,
    data_dependent,
    distance,
    indexing,
    movement,
    normalization,
    ordering,
    padding,
    pointwise,
    pooling,
    recurrent,
    reduction,
    resampling,
    scattering,
    selection,
)
from .call import Reader

READERS: dict[str, Reader] = {
    **pointwise.READERS,
    **arithmetic.READERS,
    **activation.READERS,
    **contraction.READERS,
    **pooling.READERS,
    **recurrent.READERS,
    **adaptive.READERS,
    **resampling.READERS,
    **padding.READERS,
    **normalization.READERS,
    **reduction.READERS,
    **ordering.READERS,
    **distance.READERS,
    **movement.READERS,
    **selection.READERS,
    **indexing.READERS,
    **scattering.READERS,
    **creation.READERS,
    **data_dependent.READERS,
}
"""Later families override readers that are derived from `SPELLINGS`."""
