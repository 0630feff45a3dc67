"""
How great the integers can get that a program computes from sizes.

Machine code computes sizes in 64 bits. That is right as long as nothing on the way is
2**62 or more, which is checked before a run with sizes that are new, in numbers of any
length. What is checked is a sum that bounds them all:

    16 * batch * seq + 768 * batch + 4

Each term has the greatest factor that it has in any dimension, whatever the signs, and
a size of zero counts as one: so that no part of a dimension is greater than the sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from xdsl.utils.exceptions import VerifyException

from ...dialects import (
    MOST_BYTES,
    Dim,
    Monomial,
    Symbol,
    Tensor,
    dim,
    dtype,
    evaluate,
    magnitude,
    product,
    sizes,
    terms_of,
)
from ...dialects.loop import CallOp, ProgramOp

Reach: TypeAlias = tuple[tuple[int, tuple[str, ...]], ...]
"""A sum of products: each is a factor, and the symbols that it is multiplied with."""


class _Bound:
    """The greatest factor of each term in some dimensions."""

    def __init__(self, sizes: Iterable[Dim] = ()):
        """The bound of these dimensions."""
        self.factors: dict[Monomial, int] = {}
        for each in sizes:
            self.add(magnitude(each))

    def add(self, size: Dim) -> None:
        """Extends the bound to a dimension with no negative factor."""
        for monomial, factor in terms_of(size):
            self.factors[monomial] = max(factor, self.factors.get(monomial, 0))

    def add_with(self, other: _Bound, symbols: Mapping[str, Dim]) -> None:
        """Extends the bound to another, whose symbols stand for these dimensions."""
        for monomial, factor in other.factors.items():
            size: Dim = factor
            for atom in monomial:
                assert isinstance(atom, Symbol), "a magnitude has symbols alone"
                size = symbols.get(atom.name, dim(atom.name)) * size
            self.add(size)

    def reach(self) -> Reach:
        """
        The terms of the sum; raises `VerifyException` when it is always too great.
        """
        if sum(self.factors.values()) >= MOST_BYTES:
            most = max(self.factors, key=lambda each: self.factors[each])
            text = " * ".join([str(self.factors[most]), *map(str, most)])
            raise VerifyException(
                "expected sizes, strides and numbers of bytes below 2**62, got "
                f"{text[:80]}"
            )
        return tuple(
            (factor, tuple(map(str, monomial)))
            for monomial, factor in self.factors.items()
        )


def reach_of(
    program: ProgramOp,
    sizes: Iterable[Dim],
    kernels: Mapping[str, tuple[Sequence[str], Iterable[Dim]]],
) -> Reach:
    """
    A bound of every number that a program computes from sizes: of `sizes`, of the bytes
    of its tensors, and of what each call of a kernel computes from its symbols.

    A symbol that the run defines counts as the greatest that it can be.
    """
    late: dict[str, Dim] = {}
    for name, op in program.defined.items():
        late[name] = evaluate(magnitude(op.range[1]), late)
    found = _Bound()
    bytes = [each.size for each in program.slots]
    tensors = (*program.input_types, *program.output_types)
    bytes += map(_bytes_of, tensors)
    for each in (*sizes, *bytes):
        found.add(evaluate(magnitude(each), late))
    calls = {
        (op.kernel_name, tuple(each.data for each in op.symbols)): None
        for op in program.walk()
        if isinstance(op, CallOp)
    }
    bounds = {name: _Bound(computed) for name, (_, computed) in kernels.items()}
    for name, symbols in calls:
        passed = (evaluate(magnitude(dim(each)), late) for each in symbols)
        names, _ = kernels[name]
        found.add_with(bounds[name], dict(zip(names, passed, strict=True)))
    return found.reach()


def _bytes_of(type: Tensor) -> Dim:
    """The bytes of a tensor, where a size of zero counts as one."""
    counted = (max(s, 1) if isinstance(s, int) else s for s in sizes(type))
    return product(counted) * dtype(type).itemsize


def reach_of_plans(program: ProgramOp, reach: Reach) -> Reach:
    """
    A bound of every number that the planning code of a program computes; `reach` bounds
    all others.
    """
    found = _Bound()
    for factor, names in reach:
        found.add(product([factor, *map(dim, names)]))
    for each in _planned(program):
        found.add(magnitude(each))
    return found.reach()


def _planned(program: ProgramOp) -> Iterable[Dim]:
    """What is computed of sizes when a call is planned, beside bytes of tensors."""
    for skip in program.skips:
        yield skip.offset
        for clause in skip.when:
            yield from clause
    for check in program.checks:
        yield check.size
