"""
The structure of what a model takes and returns, as data: trees of containers.

A leaf of what is taken is an input by its name, and a leaf of what is returned an
output by its number; both may be constants. A program has a structure only where it
says more than the list of inputs and the tuple of outputs do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..files import shortened

Constant: TypeAlias = bool | int | float | str | None
"""A leaf that is no tensor, and the key of a dictionary."""

ARRAY, COMPLEX, NUMBER, CONSTANT = ("array", "complex", "number", "constant")
"""
Kinds of leaves: an array, an array of complex numbers whose parts are along the last
axis of a tensor, a number that a run computes, and a value that is the same in all
runs.
"""

TEXTS, RECORDS = LABELLED = ("texts", "records")
"""
Kinds of leaves with keys: an array of texts, whose numbers a tensor has, and a list
with a dictionary for each row of a matrix, which is returned alone. Texts that are
taken have no keys of their own: all inputs share those of the structure.
"""

LEAVES = (ARRAY, COMPLEX, NUMBER, CONSTANT, *LABELLED)
"""All kinds of leaves."""

STRUCTURE = "graph.structure"
"""
The name of an attribute of a function, and then of its program, that holds a structure
as JSON.
"""

SEQUENCES = ("tuple", "list", "deque")
"""The kinds of containers whose parts have no keys."""

MAPPINGS = ("dict", "OrderedDict")
"""The kinds of containers whose parts have keys of any type."""

CLASSES = ("namedtuple", "dataclass")
"""The kinds of containers whose parts are fields of a class."""

MOST_DEEP = 64
"""Containers within each other."""


@dataclass(frozen=True)
class Tree:
    """A container with its parts, or a leaf."""

    kind: str
    parts: tuple[Tree, ...] = ()
    keys: tuple[Constant, ...] = ()
    """The key or the field of each part, where the container has such."""

    name: str = ""
    """
    Where the class is found, as `module:qualname`; of an input, its name, and that of
    an output that is texts.
    """

    number: int = 0
    """Which output it is."""

    value: Constant = None
    """That of a constant."""

    @cached_property
    def has_complex(self) -> bool:
        """Whether a leaf is an array of complex numbers."""
        return any(each.kind == COMPLEX for each in self.leaves())

    def leaves(self) -> Iterator[Tree]:
        """The leaves, in order."""
        if self.kind in LEAVES:
            yield self
        for each in self.parts:
            yield from each.leaves()

    def nodes(self) -> Iterator[Tree]:
        """The tree, and all that is in it."""
        yield self
        for each in self.parts:
            yield from each.nodes()


@dataclass(frozen=True)
class Structure:
    """What a model takes and returns; None where these are arrays one by one."""

    inputs: Tree | None
    """The parameters of the model, a dictionary in their order."""

    outputs: Tree | None

    texts: tuple[str, ...] = ()
    """The texts whose places inputs of texts have; another text is below zero."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each of the texts."""
        return {text: place for place, text in enumerate(self.texts)}

    @cached_property
    def inputs_of_texts(self) -> frozenset[str]:
        """The names of the inputs that are texts."""
        leaves = () if self.inputs is None else self.inputs.leaves()
        return frozenset(each.name for each in leaves if each.kind == TEXTS)


def _check_tree(tree: Tree, depth: int = 0) -> None:
    """Raises `ValueError` for containers with other keys than parts, or too deep."""
    if depth > MOST_DEEP:
        raise ValueError(f"expected at most {MOST_DEEP} nested containers, got more")
    has_keys = tree.kind in (*MAPPINGS, *CLASSES)
    if tree.kind not in (*LEAVES, *SEQUENCES, *MAPPINGS, *CLASSES):
        raise ValueError(f"expected a kind of container, got {shortened(tree.kind)}")
    is_labelled = tree.kind in LABELLED
    if not is_labelled and len(tree.keys) != (len(tree.parts) if has_keys else 0):
        raise ValueError(f"expected a key for each part, got {len(tree.keys)}")
    if len({*tree.keys}) != len(tree.keys):
        raise ValueError(
            f"expected keys that differ, got a {tree.kind} where two agree"
        )
    if tree.kind in LEAVES and tree.parts:
        raise ValueError(f"expected a leaf, got {len(tree.parts)} parts of it")
    if tree.kind in CLASSES and not (
        all(isinstance(each, str) for each in tree.keys) and ":" in tree.name
    ):
        raise ValueError(f"expected the fields of a class, got {shortened(tree.name)}")
    for each in tree.parts:
        _check_tree(each, depth + 1)


def check_structure(structure: Structure, outputs: int) -> None:
    """
    Raises `ValueError` unless parameters have names, and each output of a program,
    which has this number of them, is one leaf.
    """
    inputs, result = structure.inputs, structure.outputs
    for each in (inputs, result):
        if each is not None:
            _check_tree(each)
    if inputs is not None and (
        inputs.kind != "dict" or not all(isinstance(key, str) for key in inputs.keys)
    ):
        raise ValueError(f"expected parameters with names, got a {inputs.kind}")
    for each in () if inputs is None else inputs.leaves():
        if each.kind in (NUMBER, RECORDS):
            raise ValueError(
                f"expected arrays, texts and constants as inputs, got {each.kind}"
            )
        if each.kind == TEXTS and each.keys:
            raise ValueError("expected the texts of inputs once, got keys of one")
    if len({*structure.texts}) != len(structure.texts):
        raise ValueError("expected texts of inputs that differ, got one twice")
    if result is not None:
        found = [each.number for each in result.leaves() if each.kind != CONSTANT]
        if found != [*range(outputs)]:
            raise ValueError(f"expected each of {outputs} outputs once, got {found}")
