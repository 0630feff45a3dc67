"""Name the sizes that a kernel uses, whatever they are in the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from ...dialects import (
    Atom,
    Dim,
    Polynomial,
    Symbol,
    evaluate,
    is_nonnegative,
    product,
    symbol,
    symbols_of,
    tensor_type,
    terms_of,
    total,
)
from ...dialects.loop import KernelOp, buffer_type


def kernel_over(
    values: Sequence[SSAValue],
    name: str,
    build: Callable[[Sequence[SSAValue], Renaming], None],
) -> tuple[KernelOp, Renaming]:
    """Builds a kernel over the buffers of values; the names of sizes in it."""
    types = [buffer_type(tensor_type(each).element_type) for each in values]
    body, rename = Block(arg_types=types), Renaming()
    with ImplicitBuilder(body):
        build(body.args, rename)
    return KernelOp(name, [str(each) for each in rename.names.values()], body), rename


@dataclass
class Renaming:
    """
    The kernel's own names for the sizes that it uses, given as they are met: for
    symbols, for quotients, and for what is held to zero or more.

    So a kernel depends neither on what sizes are called in the model nor on how they
    are computed: layers that are alike have one kernel, whether their images are an
    eighth or a sixteenth of the input's.
    """

    names: dict[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """By the text of a size its name, in the order of the kernel's symbols."""

    renamed: dict[Polynomial, Dim] = field(default_factory=dict[Polynomial, Dim])
    """What sizes are in these names: a kernel uses one at many places."""

    def __call__(self, size: Dim) -> Dim:
        """The dimension in the kernel's own names."""
        if isinstance(size, int):
            return size
        if size not in self.renamed:
            self.renamed[size] = self.rename(size)
        return self.renamed[size]

    def rename(self, size: Polynomial) -> Dim:
        """The same for a size that was not met before."""
        atoms = {atom for monomial, _ in terms_of(size) for atom in monomial}
        own = {atom: self.name(atom) for atom in sorted(atoms, key=str)}
        return total(
            product(own[atom] for atom in monomial) * factor
            for monomial, factor in terms_of(size)
        )

    def name(self, atom: Atom) -> Dim:
        """
        The name of an atom; a function of names where it may be below zero, as no
        symbol is, or where its bounds tell more than a name would.
        """
        whole = Polynomial((((atom,), 1),))
        if isinstance(atom, Symbol) or (
            _says_no_more(atom.function, atom.arguments) and _is_size(whole)
        ):
            return self.names.setdefault(str(atom), symbol(f"s{len(self.names)}"))
        inside = {each: self.name(Symbol(each)) for each in sorted(symbols_of(whole))}
        return evaluate(whole, inside)


def _says_no_more(function: str, arguments: tuple[Dim, Dim]) -> bool:
    """
    Whether a function says of its value no more than that it is not below zero: a
    quotient, and `max(0, floordiv(h + 15, 16) - 1)`, but not `max(1, n)`.
    """
    return function == "floordiv" or (function == "max" and 0 in arguments)


@lru_cache(maxsize=1 << 12)
def _is_size(value: Polynomial) -> bool:
    """Whether a dimension is never below zero, as symbols are not."""
    return is_nonnegative(value, {})
