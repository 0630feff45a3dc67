"""ONNX's `Einsum`: sums of products, with a letter for every axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ....dialects import Dim, product, sizes, tensor_type
from ....dialects.graph import (
    DiagonalOp,
    MatmulOp,
    MulOp,
    PermuteOp,
    ReshapeOp,
    SumOp,
    to_names,
)
from ....dialects.graph.compose import reshaped
from .node import Handler, Node, Result

ELLIPSIS = "..."


@dataclass(frozen=True)
class _Term:
    """A tensor with a distinct label for each axis."""

    value: SSAValue
    labels: tuple[str, ...]

    def sizes(self) -> dict[str, Dim]:
        """The size of the axis of each label."""
        return dict(zip(self.labels, sizes(tensor_type(self.value)), strict=True))

    def shaped(self, groups: Sequence[Sequence[str]]) -> SSAValue:
        """
        Builds the tensor with one axis for each group of labels; size 1 for an empty
        one.
        """
        order = [label for group in groups for label in group if label in self.labels]
        known = self.sizes()
        shape = [product(known.get(label, 1) for label in group) for group in groups]
        moved = self.in_order(order).value
        return ReshapeOp(moved, shape=to_names(shape)).result

    def in_order(self, labels: Sequence[str]) -> _Term:
        """Builds the term with its axes in this order."""
        order = tuple(self.labels.index(label) for label in labels)
        if order == tuple(range(len(order))):
            return self
        return _Term(PermuteOp(self.value, order=order).result, tuple(labels))

    def without(self, labels: set[str]) -> _Term:
        """Builds the term with the axes of these labels summed up."""
        axes = tuple(axis for axis, each in enumerate(self.labels) if each in labels)
        if not axes:
            return self
        total = SumOp(self.value, axes=axes, keepdims=False).result
        return _Term(total, tuple(each for each in self.labels if each not in labels))


def einsum(node: Node) -> Result:
    """The sum of products over the indices of all letters."""
    inputs, output = parse(node)
    terms = [
        _unrepeated(node, _Term(value, labels))
        for value, labels in zip(node.operands(), inputs, strict=True)
    ]
    terms = _squeezed(node, terms)
    while len(terms) > 1:
        a, b, *rest = terms
        needed = set(output).union(*(each.labels for each in rest))
        terms = [_multiplied(a, b, needed), *rest]
    (last,) = terms
    return last.without(set(last.labels) - set(output)).in_order(output).value


def parse(node: Node) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The labels of the axes of every operand, and of the result."""
    equation = node.text("equation").replace(" ", "")
    left, arrow, right = equation.partition("->")
    parts = left.split(",")
    if len(parts) != len(node.values):
        raise node.error(f"expected {len(parts)} operands, got {len(node.values)}")
    names = [len(part.replace(ELLIPSIS, "")) for part in parts]
    extra = [node.rank(place) - count for place, count in enumerate(names)]
    wide = max(
        (each for each, part in zip(extra, parts, strict=True) if ELLIPSIS in part),
        default=0,
    )
    inputs: list[tuple[str, ...]] = []
    for place, (part, count) in enumerate(zip(parts, extra, strict=True)):
        if count < 0 or (count > 0 and ELLIPSIS not in part):
            raise node.error(f"expected axes as in {part!r}, got {node.type(place)}")
        inputs.append(_labels_of(node, part, range(wide - count, wide)))
    if arrow:
        output = _labels_of(node, right, range(wide))
        if set(output) - set().union(*inputs) or len(set(output)) < len(output):
            raise node.error(f"expected letters of operands, each once, got {right!r}")
        return inputs, output
    letters = [label for label in left if label.isalpha()]
    once = sorted(label for label in letters if letters.count(label) == 1)
    return inputs, _labels_of(node, "".join([ELLIPSIS, *once]), range(wide))


def _labels_of(node: Node, part: str, rest: range) -> tuple[str, ...]:
    """The labels of a part; an ellipsis has the numbers `rest` as labels."""
    before, dots, after = part.partition(ELLIPSIS)
    if not (before + after).isalpha() and before + after:
        raise node.error(f"expected letters, got {part!r}")
    return (*before, *(map(str, rest) if dots else ()), *after)


def _unrepeated(node: Node, term: _Term) -> _Term:
    """Builds the term with the diagonals of axes that share a label."""
    labels, value = list(term.labels), term.value
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            shape = sizes(tensor_type(value))
            _agreed(node, label, shape[first], shape[second])
            value = DiagonalOp(value, axes=(first, second), offset=0).result
            del labels[second], labels[first]
            labels.append(label)
    return _Term(value, tuple(labels))


def _squeezed(node: Node, terms: Sequence[_Term]) -> list[_Term]:
    """Builds the terms without axes of size one that broadcast to other terms."""
    known: dict[str, Dim] = {}
    for term in terms:
        for label, size in term.sizes().items():
            if known.setdefault(label, size) == 1:
                known[label] = size
            elif size != 1:
                known[label] = _agreed(node, label, known[label], size)
    results: list[_Term] = []
    for term in terms:
        kept = {
            label: known[label]
            for label, size in term.sizes().items()
            if size != 1 or known[label] == 1
        }
        results.append(_Term(reshaped(term.value, [*kept.values()]), tuple(kept)))
    return results


def _agreed(node: Node, label: str, a: Dim, b: Dim) -> Dim:
    """The size of two axes with the same label."""
    return node.agreed(a, b, f"expected one size of {label}, got {a} and {b}")


def _multiplied(a: _Term, b: _Term, needed: set[str]) -> _Term:
    """Builds the product of two terms, summed over labels not in `needed`."""
    a = a.without(set(a.labels) - set(b.labels) - needed)
    b = b.without(set(b.labels) - set(a.labels) - needed)
    shared = [label for label in a.labels if label in b.labels]
    summed = [label for label in shared if label not in needed]
    stacked = [label for label in shared if label in needed]
    left = [label for label in a.labels if label not in shared]
    right = [label for label in b.labels if label not in shared]
    stacks = [(label,) for label in stacked]
    labels = (*stacked, *left, *right)
    if not summed:
        groups = [(label,) for label in labels]
        return _Term(MulOp(a.shaped(groups), b.shaped(groups)).result, labels)
    rows = a.shaped([*stacks, left, summed])
    columns = b.shaped([*stacks, summed, right])
    known = a.sizes() | b.sizes()
    shape = to_names(known[label] for label in labels)
    return _Term(ReshapeOp(MatmulOp(rows, columns), shape=shape).result, labels)


HANDLERS: dict[str, Handler] = {"Einsum": einsum}
