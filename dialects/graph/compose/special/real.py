"""`Real`: a tensor of f64 with the operators of arithmetic, for formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from ...ops.arithmetic import AbsOp, NegOp, SqrtOp
from ...ops.binary import AddOp, DivOp, MulOp, PowOp, SubOp
from ...ops.compare import EqOp, GeOp, GtOp, LeOp, LtOp
from ...ops.exponential import ExpOp, Log1pOp, LogOp
from ...ops.rounding import FloorOp, RoundOp
from ...ops.trigonometric import CosOp, SinOp, TanOp
from ...ops.where import WhereOp
from ..number import convert, element_of, number

Term: TypeAlias = "Real | float"


@dataclass(frozen=True, eq=False)
class Real:
    """Numbers of f64."""

    value: SSAValue

    def __add__(self, other: Term) -> Real:
        return self._with(AddOp, other)

    def __radd__(self, other: float) -> Real:
        return self._with(AddOp, other)

    def __sub__(self, other: Term) -> Real:
        return self._with(SubOp, other)

    def __rsub__(self, other: float) -> Real:
        return _real(other)._with(SubOp, self)

    def __mul__(self, other: Term) -> Real:
        return self._with(MulOp, other)

    def __rmul__(self, other: float) -> Real:
        return self._with(MulOp, other)

    def __truediv__(self, other: Term) -> Real:
        return self._with(DivOp, other)

    def __rtruediv__(self, other: float) -> Real:
        return _real(other)._with(DivOp, self)

    def __neg__(self) -> Real:
        return self._of(NegOp)

    def __lt__(self, other: Term) -> SSAValue:
        return LtOp(self.value, _real(other).value).result

    def __le__(self, other: Term) -> SSAValue:
        return LeOp(self.value, _real(other).value).result

    def __gt__(self, other: Term) -> SSAValue:
        return GtOp(self.value, _real(other).value).result

    def __ge__(self, other: Term) -> SSAValue:
        return GeOp(self.value, _real(other).value).result

    def equals(self, other: Term) -> SSAValue:
        """Where both are the same number."""
        return EqOp(self.value, _real(other).value).result

    def power(self, other: Term) -> Real:
        """The number raised to a power."""
        return self._with(PowOp, other)

    def _with(self, op: Any, other: Term) -> Real:
        return Real(op(self.value, _real(other).value).result)

    def _of(self, op: Any) -> Real:
        return Real(op(self.value).result)

    @property
    def size(self) -> Real:
        """The magnitude."""
        return self._of(AbsOp)

    @property
    def root(self) -> Real:
        """The square root."""
        return self._of(SqrtOp)

    @property
    def log(self) -> Real:
        """The natural logarithm."""
        return self._of(LogOp)

    @property
    def log1p(self) -> Real:
        """The natural logarithm of one more."""
        return self._of(Log1pOp)

    @property
    def exp(self) -> Real:
        """The exponential."""
        return self._of(ExpOp)

    @property
    def sin(self) -> Real:
        """The sine."""
        return self._of(SinOp)

    @property
    def cos(self) -> Real:
        """The cosine."""
        return self._of(CosOp)

    @property
    def tan(self) -> Real:
        """The tangent."""
        return self._of(TanOp)

    @property
    def floor(self) -> Real:
        """The greatest integer that is not above."""
        return self._of(FloorOp)

    @property
    def nearest(self) -> Real:
        """The nearest integer."""
        return self._of(RoundOp)

    def polynomial(self, coefficients: Sequence[float]) -> Real:
        """The polynomial with the coefficient of the lowest power first."""
        result: Real = _real(coefficients[-1])
        for each in reversed(coefficients[:-1]):
            result = result * self + each
        return result

    def over(self, low: float, high: float) -> Real:
        """The place of the number in an interval, from -1 to 1."""
        return (self - (low + high) / 2) * (2 / (high - low))


def _real(term: Term) -> Real:
    return term if isinstance(term, Real) else Real(number(term, f64))


def where(condition: SSAValue, a: Term, b: Term) -> Real:
    """The first where a condition is true, the second elsewhere."""
    return Real(WhereOp(condition, _real(a).value, _real(b).value).result)


def in_f64(formula: Callable[..., Real], *operands: SSAValue) -> SSAValue:
    """
    Builds a formula of floats: computed in f64, and rounded to their type.

    So an f32 is as exact as the formula cannot help to be: where the formula is off by
    some units of f64, it is rounded correctly but for ties.
    """
    numbers = (Real(convert(each, f64)) for each in operands)
    return convert(formula(*numbers).value, element_of(operands[0]))
