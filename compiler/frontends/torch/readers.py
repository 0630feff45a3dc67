"""Every operator of torch that can be read, by a name such as `aten.relu.default`."""

from __future__ import annotations

from . import (
    activation,
    adaptive,
    arithmetic,
    attention,
    bags,
    bits,
    cholesky,
    complex_numbers,
    contraction,
    convolution_back,
    counting,
    creation,
    data_dependent,
    distance,
    distinct,
    experts,
    fourier,
    fractional,
    indexing,
    linear_algebra,
    losses,
    movement,
    normalization,
    ordering,
    padding,
    pointwise,
    pooling,
    quantization,
    random,
    recurrent,
    reduction,
    repeating,
    resampling,
    resampling_back,
    scattering,
    searching,
    segments,
    selection,
    special,
    spectral,
    strided,
    vision,
)
from .call import Reader

_READERS: dict[str, Reader] = {
    **complex_numbers.FORMULAS,
    **pointwise.READERS,
    **arithmetic.READERS,
    **activation.READERS,
    **contraction.READERS,
    **convolution_back.READERS,
    **experts.READERS,
    **attention.READERS,
    **pooling.READERS,
    **fractional.READERS,
    **quantization.READERS,
    **recurrent.READERS,
    **adaptive.READERS,
    **resampling.READERS,
    **resampling_back.READERS,
    **padding.READERS,
    **normalization.READERS,
    **reduction.READERS,
    **ordering.READERS,
    **distinct.READERS,
    **distance.READERS,
    **movement.READERS,
    **selection.READERS,
    **indexing.READERS,
    **scattering.READERS,
    **bags.READERS,
    **counting.READERS,
    **special.READERS,
    **linear_algebra.READERS,
    **spectral.READERS,
    **fourier.READERS,
    **bits.READERS,
    **losses.READERS,
    **segments.READERS,
    **cholesky.READERS,
    **strided.READERS,
    **searching.READERS,
    **creation.READERS,
    **random.READERS,
    **data_dependent.READERS,
    **vision.READERS,
    **repeating.READERS,
}
"""Later families override readers that are derived from `SPELLINGS`."""

_VIEWS = (
    *("view.default", "permute.default", "detach.default"),
    *("select.int", "slice.Tensor", "split.Tensor", "unbind.int"),
)
"""Views that torch also has as copies, which it leaves whole."""

READERS: dict[str, Reader] = {
    **_READERS,
    **{
        f"aten.{name.replace('.', '_copy.')}": _READERS[f"aten.{name}"]
        for name in _VIEWS
    },
}
