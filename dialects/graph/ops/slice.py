"""`graph.slice`: a strided block of a tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, StringAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim
from ...shape import Array, Tensor, tensor, tensor_type
from ...shape import sizes as sizes_of
from ..literal import to_attribute
from ..nest import Nest, Read, axes, axis, same
from ..op import Requirement, SingleResultOp
from ..order import Carried, Order, ordered


def inside(
    shape: Sequence[Dim],
    starts: Sequence[str],
    sizes: Sequence[str],
    steps: Sequence[int],
) -> Iterator[Dim]:
    """
    Quantities that are not negative when a slice lies inside a tensor of this shape.
    """
    for whole, start, size, step in zip(shape, starts, sizes, steps, strict=True):
        first, count = dim(start), dim(size)
        yield count
        ends = first, first + (count - 1) * step
        low, high = ends if step > 0 else ends[::-1]
        # An empty slice may begin anywhere, so that all of its quantities are zero.
        yield low * count
        yield (whole - 1 - high) * count


@irdl_op_definition
class SliceOp(SingleResultOp):
    """
    Along each axis `sizes` elements, from `starts` at a stride of `steps`.

    ```mlir
    %1 = graph.slice %0 {starts = ["0", "1"], sizes = ["2", "2"], steps = array<i64: 1, 2>} : tensor<2x5xf32> -> tensor<2x2xf32>
    %2 = graph.slice %0 {starts = ["0", "4"], sizes = ["2", "5"], steps = array<i64: 1, -1>} : tensor<2x5xf32> -> tensor<2x5xf32>
    ```
    """

    name = "graph.slice"
    DIM_PROPERTIES: ClassVar = ("starts", "sizes")

    input = operand_def(TensorType)
    starts = prop_def(ArrayAttr[StringAttr])
    sizes_ = prop_def(ArrayAttr[StringAttr], prop_name="sizes")
    steps = prop_def(DenseArrayBase.constr(i64))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        starts: tuple[str, ...],
        sizes: tuple[str, ...],
        steps: tuple[int, ...],
    ) -> Tensor:
        shape = sizes_of(input)
        if not len(starts) == len(sizes) == len(steps) == len(shape):
            raise VerifyException(
                f"expected a start, size and step for each axis of {input}, got "
                f"{starts}, {sizes} and {steps}"
            )
        if 0 in steps:
            raise VerifyException(f"expected steps that are not zero, got {steps}")
        for each in inside(shape, starts, sizes, steps):
            if isinstance(each, int) and each < 0:
                raise VerifyException(
                    f"expected elements inside {input}, got starts {starts}, sizes "
                    f"{sizes} and steps {steps}"
                )
        return tensor(input.element_type, *(dim(each) for each in sizes))

    def requirements(self) -> Sequence[Requirement]:
        values, found = self.values(), list[Requirement]()
        shape = sizes_of(tensor_type(self.input))
        cuts = zip(values["starts"], values["sizes"], values["steps"], strict=True)
        for place, (start, size, step) in enumerate(cuts):
            first, count, whole = dim(start), dim(size), shape[place]
            last = first + (count - 1) * step
            what = f"{count} elements", f"element {first}", f"element {last}"
            shown = (count, first, last) if step > 0 else (count, last, first)
            parts = what if step > 0 else (what[0], *what[:0:-1])
            quantities = inside([whole], [start], [size], [step])
            for quantity, part, number in zip(quantities, parts, shown, strict=True):
                message = (
                    f"expected a slice inside {self.input.type}, which has {part} of "
                    f"{whole} along axis {place}"
                )
                found.append(Requirement(quantity, message, (number, whole)))
        return found

    def carry(self, operand: int, order: Order) -> Carried | None:
        cuts = {
            name: to_attribute(ordered(each, order))
            for name, each in self.values().items()
        }
        return Carried((order,), order, cuts)

    def reference(
        self,
        input: Array,
        starts: tuple[Any, ...],
        sizes: tuple[Any, ...],
        steps: tuple[int, ...],
    ) -> Array:
        cuts: list[slice] = []
        for start, size, step in zip(map(int, starts), map(int, sizes), steps):
            stop = start + size * step
            if size == 0:
                cuts.append(slice(0, 0))
            else:
                cuts.append(slice(start, stop if stop >= 0 else None, step))
        return input[tuple(cuts)].reshape([int(each) for each in sizes])

    def nests(self) -> Sequence[Nest]:
        starts, steps = self.values()["starts"], self.values()["steps"]
        at = tuple(
            axis(number) * step + dim(start)
            for number, (start, step) in enumerate(zip(starts, steps, strict=True))
        )
        return [Nest(self.shape, (Read(0, at),), same, axes(len(at)))]
