"""
Special functions. That they are exact, `test/dialects/graph/compose/special` tries.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import torch
from torch import Tensor

from .case import Case, dynamic, fixed, floats, positive, whole

X = (4, 6)

S: Any = torch.special

OF_ALL: dict[str, Callable[[Tensor], Tensor]] = {
    "lgamma": torch.lgamma,
    "digamma": torch.digamma,
    "erfc": torch.erfc,
    "erfcx": S.erfcx,
    "log_ndtr": S.log_ndtr,
    "i0": torch.i0,
    "i0e": S.i0e,
    "i1": S.i1,
    "i1e": S.i1e,
    "modified_bessel_i0": S.modified_bessel_i0,
    "modified_bessel_i1": S.modified_bessel_i1,
    "bessel_j0": S.bessel_j0,
    "bessel_j1": S.bessel_j1,
    "airy_ai": S.airy_ai,
    "spherical_bessel_j0": S.spherical_bessel_j0,
}

OF_POSITIVE: dict[str, Callable[[Tensor], Tensor]] = {
    "bessel_y0": S.bessel_y0,
    "bessel_y1": S.bessel_y1,
    "modified_bessel_k0": S.modified_bessel_k0,
    "modified_bessel_k1": S.modified_bessel_k1,
    "scaled_modified_bessel_k0": S.scaled_modified_bessel_k0,
    "scaled_modified_bessel_k1": S.scaled_modified_bessel_k1,
    **{f"polygamma {n}": lambda x, n=n: torch.polygamma(n, x) for n in (0, 1, 2, 3)},
    "mvlgamma": lambda x: torch.mvlgamma(x + 2, 3),
}

POLYNOMIALS = (
    *(f"chebyshev_polynomial_{kind}" for kind in "tuvw"),
    *(f"shifted_chebyshev_polynomial_{kind}" for kind in "tuvw"),
    *("hermite_polynomial_h", "hermite_polynomial_he"),
    *("laguerre_polynomial_l", "legendre_polynomial_p"),
)

EDGES = torch.tensor([0.0, inf, -1.0, 2.0, nan, 1e-3])

CASES: dict[str, Case] = {
    **{name: fixed(each, floats(*X)) for name, each in OF_ALL.items()},
    **{name: fixed(each, positive(*X)) for name, each in OF_POSITIVE.items()},
    "igamma": fixed(torch.igamma, positive(*X), 2 * positive(*X)),
    "igammac": fixed(torch.igammac, 3 * positive(*X), positive(6)),
    "igamma at edges": fixed(torch.igamma, EDGES.repeat(6), EDGES.repeat_interleave(6)),
    "lgamma of integers": fixed(torch.lgamma, whole(*X, low=1, high=9)),
    "digamma of any size": dynamic(torch.digamma, positive(*X)),
    "erfinv": fixed(torch.erfinv, floats(*X).tanh()),
    "ndtri": fixed(S.ndtri, floats(*X).sigmoid()),
    "zeta": fixed(S.zeta, positive(*X) + 1.1, positive(6)),
    "zeta of a number": fixed(lambda x: S.zeta(x + 1.5, 2.5), positive(*X)),
    "zeta of numbers from": fixed(lambda x: S.zeta(3.5, x), positive(*X)),
    **{
        name: fixed(getattr(S, name), floats(*X), whole(*X, low=-1, high=6))
        for name in POLYNOMIALS
    },
    **{
        f"{name} of a degree": fixed(
            lambda x, name=name: getattr(S, name)(x, 3), floats(*X)
        )
        for name in POLYNOMIALS
    },
    **{
        f"{name} of degrees": fixed(
            lambda n, name=name: getattr(S, name)(0.3, n), whole(6, low=-1, high=6)
        )
        for name in POLYNOMIALS
    },
}
