"""Trees that the tests of structures are about."""

from static_runtime.runtime.program.structure import Constant, Tree


def array(number: int) -> Tree:
    """An output."""
    return Tree("array", number=number)


def constant(value: Constant) -> Tree:
    """A leaf that is the same in all runs."""
    return Tree("constant", value=value)


def sequence(kind: str, *parts: Tree) -> Tree:
    """A container of parts in order."""
    return Tree(kind, parts)


def mapping(**parts: Tree) -> Tree:
    """A dictionary."""
    return Tree("dict", (*parts.values(),), (*parts,))
