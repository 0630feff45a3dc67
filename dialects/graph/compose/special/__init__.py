"""Special functions, as formulas in f64."""

from __future__ import annotations

from .airy import (
    airy_ai as airy_ai,
)
from .bessel import (
    bessel_i as bessel_i,
)
from .bessel import (
    bessel_j as bessel_j,
)
from .bessel import (
    bessel_k as bessel_k,
)
from .bessel import (
    bessel_y as bessel_y,
)
from .bessel import (
    scaled_i as scaled_i,
)
from .bessel import (
    scaled_k as scaled_k,
)
from .bessel import (
    spherical_j0 as spherical_j0,
)
from .divisors import (
    common_divisor as common_divisor,
)
from .divisors import (
    common_multiple as common_multiple,
)
from .gamma import (
    digamma as digamma,
)
from .gamma import (
    log_gamma as log_gamma,
)
from .gamma import (
    polygamma as polygamma,
)
from .incomplete import (
    lower_gamma as lower_gamma,
)
from .incomplete import (
    upper_gamma as upper_gamma,
)
from .normal import (
    erfc as erfc,
)
from .normal import (
    erfcx as erfcx,
)
from .normal import (
    erfinv as erfinv,
)
from .normal import (
    log_ndtr as log_ndtr,
)
from .normal import (
    ndtri as ndtri,
)
from .plane import (
    Point as Point,
)
from .plane import (
    cosine as cosine,
)
from .plane import (
    hyperbolic_cosine as hyperbolic_cosine,
)
from .plane import (
    hyperbolic_sine as hyperbolic_sine,
)
from .plane import (
    hyperbolic_tangent as hyperbolic_tangent,
)
from .plane import (
    sine as sine,
)
from .plane import (
    square_root as square_root,
)
from .plane import (
    tangent as tangent,
)
from .polar import (
    angle as angle,
)
from .polar import (
    distance as distance,
)
from .polar import (
    point as point,
)
from .polynomials import (
    FAMILIES as FAMILIES,
)
from .polynomials import (
    polynomial as polynomial,
)
from .real import (
    Real as Real,
)
from .real import (
    in_f64 as in_f64,
)
from .zeta import (
    zeta as zeta,
)
