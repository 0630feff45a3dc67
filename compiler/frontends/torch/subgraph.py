"""
A partition of a graph, which is compiled at its first call, and anew for new weights.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import SymInt, Tensor, fx, nn

from ....dialects import Array
from ....runtime.abi import bits_of, dtype_of
from ....runtime.call import StaticModule
from ...compile import Compilation
from ...session import CompileError, Options
from .coverage import Part
from .dtypes import to_numpy, to_tensor
from .partition import Partition

Version: TypeAlias = "tuple[int, int | None]"
"""
Where the elements of a weight are, and how often they were changed in place; None of a
weight that does not count.
"""

MOST_CHANGES = 8
"""How often weights are packed anew before they become inputs, as while one trains."""


@dataclass(frozen=True)
class _Bound:
    """What was compiled for some weights."""

    versions: tuple[Version, ...] | None
    """The versions that are packed; None where weights are inputs."""

    module: StaticModule | None
    """The compiled code; None where there is none, and torch runs the partition."""

    passed: tuple[int, ...]
    """The inputs of the partition, by number, that the code takes."""

    changes: int
    alive: tuple[weakref.ref[Tensor], ...]
    """The weights, which tell when the code is of no use any more."""


class Subgraph(nn.Module):
    """
    A partition. Inputs that stay the same from call to call, as parameters do, are
    constants of the code, which is valid for their identities and versions.
    """

    def __init__(
        self,
        graph: fx.GraphModule,
        weights: Sequence[int],
        options: Options,
        part: Part,
    ):
        """The partition `graph` with `weights` among its inputs, by number."""
        super().__init__()
        self.graph = graph
        self._part = part
        self._weights = tuple(weights)
        self._options = options
        self._bound: dict[tuple[int, ...], _Bound] = {}
        self._lock = threading.Lock()
        inputs = graph.graph.find_nodes(op="placeholder")
        self._names = [each.name for each in inputs]
        # Sizes are read off the shapes of tensors.
        self._tensors = tuple(
            place
            for place, each in enumerate(inputs)
            if isinstance(each.meta["val"], Tensor)
        )
        (end,) = graph.graph.find_nodes(op="output")
        self._is_tuple = not isinstance(end.args[0], fx.Node)
        results: Any = end.args[0] if self._is_tuple else end.args
        self._orders = [_order_of(each.meta["val"]) for each in results]

    def forward(self, *arguments: Any) -> Any:
        """The results; torch computes them where compiled code cannot."""
        bound = self._bound_to([arguments[each] for each in self._weights])
        if bound.module is None:
            return self.graph(*arguments)
        try:
            results = bound.module(
                *[_array_of(arguments[each]) for each in bound.passed]
            )
        except (IndexError, ValueError):
            # Torch says what is wrong, or has an answer where we assumed too much.
            self._part.refused_calls += 1
            return self.graph(*arguments)
        arrays: Sequence[Array] = results if len(self._orders) > 1 else (results,)
        kinds = [each.dtype for each in bound.module.program.outputs]
        tensors = tuple(map(_tensor_of, arrays, kinds, self._orders))
        return tensors if self._is_tuple else tensors[0]

    def _bound_to(self, weights: Sequence[Tensor]) -> _Bound:
        """What is compiled for these weights as they are now."""
        key = tuple(map(id, weights))
        versions = tuple(map(_version_of, weights))
        bound = self._bound.get(key)
        if bound is not None and bound.versions in (None, versions):
            return bound
        with self._lock:
            before = self._bound.get(key)
            changes = 0 if before is None else before.changes + 1
            bound = self._bind(weights, versions, changes)
            self._bound[key] = bound
        return bound

    def _bind(
        self, weights: Sequence[Tensor], versions: tuple[Version, ...], changes: int
    ) -> _Bound:
        """Compiles the partition for these weights, which have changed so often."""
        key = tuple(map(id, weights))
        packed = {
            place: weight
            for place, weight, version in zip(
                self._weights, weights, versions, strict=True
            )
            if version[1] is not None and changes < MOST_CHANGES
        }
        held = {self._names[place]: weight for place, weight in packed.items()}
        try:
            compilation = Compilation(
                Partition(self.graph, held), options=self._options
            )
            module = compilation.run()
            self._part.compiles += 1
        except CompileError as error:
            self._part.error = str(error)
            module = None
        return _Bound(
            versions if packed else None,
            module,
            tuple(each for each in self._tensors if each not in packed),
            changes,
            tuple(weakref.ref(each, self._dropper(key)) for each in weights),
        )

    def _dropper(self, key: tuple[int, ...]) -> Any:
        """What removes the code of weights when one of them is gone."""
        mine = weakref.ref(self)

        def drop(_: object) -> None:
            if (subgraph := mine()) is not None:
                subgraph._bound.pop(key, None)

        return drop


def _version_of(weight: Tensor) -> Version:
    """The version of a weight; a tensor of the inference mode has none."""
    count = None if weight.is_inference() else weight._version  # pyright: ignore[reportPrivateUsage]
    return weight.data_ptr(), count


def _array_of(tensor: Tensor) -> Array:
    """The elements of a tensor in order, without a copy where they are."""
    array = to_numpy(tensor.detach().resolve_neg().contiguous())
    name = str(tensor.dtype).removeprefix("torch.")
    return array if bits_of(name) is None else array.view(dtype_of(name))


def _tensor_of(array: Array, kind: str, order: tuple[int, ...] | None) -> Tensor:
    """An array as a tensor, its axes in memory in the order that torch foresees."""
    made = to_tensor(array, kind)
    if not array.size:
        # Such an array of numpy has no strides.
        made = torch.empty(array.shape, dtype=made.dtype)
    if order is None:
        return made
    back = sorted(range(len(order)), key=order.__getitem__)
    return made.permute(order).contiguous().permute(back)


def _order_of(foreseen: Tensor) -> tuple[int, ...] | None:
    """
    The axes of a dense tensor, the greatest strides first; None for a tensor
    in order, or one that is not dense, such as an expanded one.
    """
    sizes, strides = [
        [_hint(each) for each in numbers]
        for numbers in (foreseen.shape, foreseen.stride())
    ]
    if None in (*sizes, *strides):
        return None
    order = sorted(range(len(sizes)), key=lambda axis: (-strides[axis], axis))
    # An axis of one element may have any stride.
    expected = 1
    for axis in reversed(order):
        if sizes[axis] != 1 and strides[axis] != expected:
            return None
        expected *= sizes[axis]
    longer = [axis for axis in order if sizes[axis] != 1]
    return None if longer == sorted(longer) else tuple(order)


def _hint(size: int | SymInt) -> Any:
    """The number that a size was when it was traced; None for one of data."""
    return size.node.hint if isinstance(size, SymInt) else size
