"""Every operator of torch that can be read, by a name such as `aten.relu.default`."""

from __future__ import annotations

from . import (
    activation,
    arithmetic,
    contraction,
    creation,
    indexing,
    movement,
    normalization,
    pointwise,
    pooling,
    reduction,
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
    **normalization.READERS,
    **reduction.READERS,
    **movement.READERS,
    **selection.READERS,
    **indexing.READERS,
    **scattering.READERS,
    **creation.READERS,
}
"""Later families say how to read what an op of ours also spells."""
