"""The context of a compile: the registered dialects, and the weights of the model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math
from xdsl.ir import Dialect, Operation

from ...dialects.graph import Graph
from ...dialects.loop import Loop
from ...dialects.scalar import Scalar
from ..session import FewerProducts
from .registry import find_op
from .weights import WeightStore

_DIALECTS: tuple[Dialect, ...] = (Arith, Builtin, Func, Graph, Loop, Math, Scalar)


_POST_INIT = Operation.__post_init__
"""What an op does when it is made, outside of blocks of implicit builders."""


def _insert_nowhere() -> None:
    """
    Ends in the child of a fork what an implicit builder of another thread began: while
    one builds, xDSL looks for the place of each op that any thread makes. A builder of
    the child's own would begin a second such look, and insert each op twice.
    """
    try:
        Builder.assert_implicit()
    except ValueError:
        Operation.__post_init__ = _POST_INIT


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_insert_nowhere)


@cache
def _loaded() -> Context:
    """A context with the dialects, which others begin with a copy of."""
    made = Context()
    for dialect in _DIALECTS:
        made.load_dialect(dialect)
    return made


class SrContext(Context):
    """A context that also holds the weights which the IR names."""

    def __init__(self, weights: WeightStore | None = None):
        """A context that knows every dialect of the compiler."""
        super().__init__(**vars(_loaded().clone()))
        self.weights = WeightStore() if weights is None else weights
        self.operators: set[str] | None = None
        """The operators that the model names, where somebody asks for them."""
        self.spelled: dict[str, str | None] = {}
        """What was looked for among the ops of users, and the digests of these."""
        self.fewer_products: list[FewerProducts] = []
        """What became of convolutions that are computed by fewer products."""

    def get_optional_op(
        self, name: str, *, dialect_stack: Sequence[str] = ()
    ) -> type[Operation] | None:
        """The op of a name; of another dialect than ours, one that is registered."""
        known = super().get_optional_op(name, dialect_stack=dialect_stack)
        if known is not None or name.partition(".")[0] in self._loaded_dialects:
            return known
        found = find_op(name) if "." in name else None
        return None if found is None else found.op

    def clone(self) -> SrContext:
        """A context of its own, on the same weights."""
        return SrContext(self.weights)


def context() -> SrContext:
    """A new context that knows every dialect of the compiler, with no weights yet."""
    return SrContext()


def fewer_products_of(ctx: Context) -> list[FewerProducts]:
    """Where a pass notes convolutions of fewer products."""
    assert isinstance(ctx, SrContext), "passes run in a context that has this list"
    return ctx.fewer_products


def weights_of(ctx: Context) -> WeightStore:
    """The weights that a pass works with; a plain context of xDSL has none."""
    assert isinstance(ctx, SrContext), "passes run in a context that holds weights"
    return ctx.weights
