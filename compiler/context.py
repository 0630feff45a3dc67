"""The context of a compile: the registered dialects, and the weights of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math
from xdsl.ir import Dialect

from ..dialects.graph import Graph
from ..dialects.loop import Loop
from ..dialects.scalar import Scalar
from .weights import WeightStore

if TYPE_CHECKING:
    from .tuning.tuner import Tuner

DIALECTS: tuple[Dialect, ...] = (Arith, Builtin, Func, Graph, Loop, Math, Scalar)


class SrContext(Context):
    """A context that also holds the weights which the IR names, and perhaps a tuner."""

    def __init__(self, weights: WeightStore | None = None, tuner: Tuner | None = None):
        """A context that knows every dialect of the compiler."""
        super().__init__()
        self.weights = WeightStore() if weights is None else weights
        self.tuner = tuner
        for dialect in DIALECTS:
            self.load_dialect(dialect)

    def clone(self) -> SrContext:
        """A context of its own, on the same weights, with the same tuner."""
        return SrContext(self.weights, self.tuner)


def context() -> SrContext:
    """A new context that knows every dialect of the compiler, with no weights yet."""
    return SrContext()


def weights_of(ctx: Context) -> WeightStore:
    """The weights that a pass works with; a plain context of xDSL has none."""
    assert isinstance(ctx, SrContext), "passes run in a context that holds weights"
    return ctx.weights


def tuner_of(ctx: Context) -> Tuner | None:
    """What measures contractions; None where nothing is to be tuned."""
    return ctx.tuner if isinstance(ctx, SrContext) else None
