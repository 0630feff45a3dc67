"""Special functions: of gamma, of errors, of Bessel, and orthogonal polynomials."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....dialects import broadcast, tensor_type
from ....dialects.graph.compose import expanded, special
from .call import Call, Operand, Reader, Result


def _of_one(formula: Callable[[special.Real], special.Real]) -> Reader:
    """The reader of a function of each element."""

    def read(call: Call, x: Operand) -> Result:
        return special.in_f64(formula, call.as_tensor(x, call.element))

    return read


def _polygamma(call: Call, order: int, x: Operand) -> Result:
    """A derivative of the digamma function."""
    formula = partial(special.polygamma, order)
    return special.in_f64(formula, call.as_tensor(x, call.element))


def _of_two(formula: Callable[[special.Real, special.Real], special.Real]) -> Reader:
    """The reader of a function of the elements of two tensors."""

    def read(call: Call, a: Operand, b: Operand) -> Result:
        both = [call.as_tensor(each, call.element) for each in (a, b)]
        shape = broadcast(*map(tensor_type, both))
        return special.in_f64(formula, *(expanded(each, shape) for each in both))

    return read


_FORMULAS: dict[str, Callable[[special.Real], special.Real]] = {
    "lgamma": special.log_gamma,
    "digamma": special.digamma,
    "erfc": special.erfc,
    "erfinv": special.erfinv,
    "special_erfcx": special.erfcx,
    "special_ndtri": special.ndtri,
    "special_log_ndtr": special.log_ndtr,
    "i0": partial(special.bessel_i, 0),
    "special_i0e": partial(special.scaled_i, 0),
    "special_i1": partial(special.bessel_i, 1),
    "special_i1e": partial(special.scaled_i, 1),
    "special_airy_ai": special.airy_ai,
    "special_spherical_bessel_j0": special.spherical_j0,
    **{
        f"special_{name}{order}": partial(formula, order)
        for order in (0, 1)
        for name, formula in (
            ("bessel_j", special.bessel_j),
            ("bessel_y", special.bessel_y),
            ("modified_bessel_i", special.bessel_i),
            ("modified_bessel_k", special.bessel_k),
            ("scaled_modified_bessel_k", special.scaled_k),
        )
    },
}

READERS: dict[str, Reader] = {
    **{f"aten.{name}.default": _of_one(each) for name, each in _FORMULAS.items()},
    "aten.polygamma.default": _polygamma,
    **{
        f"aten.special_zeta.{form}": _of_two(special.zeta)
        for form in ("default", "other_scalar", "self_scalar")
    },
    "aten.igamma.default": _of_two(special.lower_gamma),
    "aten.igammac.default": _of_two(special.upper_gamma),
    **{
        f"aten.special_{name}.{form}": _of_two(partial(special.polynomial, family))
        for name, family in special.FAMILIES.items()
        for form in ("default", "x_scalar", "n_scalar")
    },
}
