"""Implementations of a domain of our own, as a user of ONNX writes them."""

from __future__ import annotations

from typing import Any

from onnx.reference.op_run import OpRun


class Twice(OpRun):
    """Twice the first input, plus the last where there are three."""

    op_domain = "acme"

    def _run(self, x: Any, y: Any = None, z: Any = None) -> tuple[Any, ...]:
        return (2 * x,) if z is None else (2 * x, 2 * x + z)


class Wider(OpRun):
    """A result with a column more than anybody declared, or of other elements."""

    op_domain = "acme"

    def _run(self, x: Any, double: int = 0) -> tuple[Any, ...]:
        return (x.astype("float64") if double else x.repeat(2, 1),)


class Fails(OpRun):
    """An error of its own."""

    op_domain = "acme"

    def _run(self, x: Any) -> tuple[Any, ...]:
        raise ArithmeticError(f"no {x.shape[0]} today")
