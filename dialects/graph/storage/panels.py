"""
`#graph.panels`: how a packed weight lies in the weight store.

    %w = graph.weight "fc.panels" {
        panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>
    } : tensor<64x120xf32>

The type is that of the unpacked tensor in row-major order. Here it has 64 rows with a
stride of 120 elements, and 120 columns with a stride of 1. The store holds panels, each
with 16 columns of every row, row after row, padded with zeros after the last column. So
a contraction reads contiguous memory. With `pairs` two rows are interleaved: each
element is beside that of the next row in its column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...shape import Array

Axis = tuple[int, int]
"""The number of steps of an axis, and its stride in elements."""


@irdl_attr_definition
class PanelsAttr(ParametrizedAttribute):
    """The width of panels, and the axes of their rows and of their columns."""

    name = "graph.panels"

    width: IntAttr = param_def()
    axes: ArrayAttr[IntAttr] = param_def()
    """
    Size and stride of each axis of the rows, outermost first, then of the columns.
    """
    pairs: IntAttr = param_def()
    """Whether two rows are interleaved, element by element."""

    @staticmethod
    def of(
        width: int, rows: Sequence[Axis], columns: Axis, pairs: bool = False
    ) -> PanelsAttr:
        """Panels of these axes."""
        numbers = [IntAttr(number) for axis in (*rows, columns) for number in axis]
        return PanelsAttr(IntAttr(width), ArrayAttr(numbers), IntAttr(int(pairs)))

    @property
    def rows(self) -> list[Axis]:
        """The axes of the rows."""
        return list(self._pairs())[:-1]

    @property
    def columns(self) -> Axis:
        """The axis of the columns."""
        return list(self._pairs())[-1]

    def _pairs(self) -> Iterator[Axis]:
        numbers = [each.data for each in self.axes]
        yield from zip(numbers[::2], numbers[1::2], strict=True)

    @property
    def panel_size(self) -> int:
        """The elements of a panel."""
        size = self.width.data
        for steps, _ in self.rows:
            size *= steps
        return size

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of panels, of rows in each, and the width."""
        width = self.width.data
        return -(-self.columns[0] // width), self.panel_size // width, width

    def steps(self) -> dict[int, int]:
        """The stride in a panel for each stride of the rows in the tensor."""
        found: dict[int, int] = {}
        step = self.width.data
        for steps, stride in reversed(self.rows):
            found[stride] = step
            step *= steps
        return found

    def verify(self) -> None:
        """The width is positive and the axes are complete."""
        if self.width.data < 1 or len(self.axes) < 2 or len(self.axes) % 2:
            raise VerifyException(
                f"expected panels of a width, got {self.width.data} and {self.axes}"
            )
        if self.pairs.data and (not self.rows or self.rows[-1][0] % 2):
            raise VerifyException(f"expected rows in pairs, got {self.axes}")

    def pack(self, array: Array) -> Array:
        """
        The panels of a tensor, as panels x rows x elements, padded with zeros after the
        last column. They are a view of the tensor when no padding is needed.
        """
        panels = self._side_by_side(array)
        if not self.pairs.data:
            return panels
        *outer, rows, width = panels.shape
        pairs = panels.reshape(*outer, rows // 2, 2, width)
        return np.swapaxes(pairs, -1, -2).reshape(panels.shape)

    def _side_by_side(self, array: Array) -> Array:
        """The panels of a tensor, without pairs."""
        flat = np.ascontiguousarray(array).reshape(-1)
        (count, step), width, item = self.columns, self.width.data, flat.itemsize
        rows = [steps for steps, _ in self.rows]
        strides = [stride * item for _, stride in self.rows]

        def view(first: int, panels: int, columns: int) -> Array:
            return np.lib.stride_tricks.as_strided(
                flat[first * step :],
                (panels, *rows, columns),
                (width * step * item, *strides, step * item),
                writeable=False,
            )

        whole, rest = divmod(count, width)
        if not rest:
            return view(0, whole, width)
        filled = np.zeros((whole + 1, *rows, width), array.dtype)
        filled[:whole] = view(0, whole, width)
        filled[whole:, ..., :rest] = view(whole * width, 1, rest)
        return filled

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def number() -> IntAttr:
            return IntAttr(parser.parse_integer(allow_negative=False))

        def axis() -> tuple[IntAttr, IntAttr]:
            steps = number()
            parser.parse_keyword("by")
            return steps, number()

        def name(word: str) -> None:
            parser.parse_keyword(word)
            parser.parse_punctuation("=")

        with parser.in_angle_brackets():
            name("width")
            width = number()
            parser.parse_punctuation(",")
            name("rows")
            rows = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, axis)
            parser.parse_punctuation(",")
            name("columns")
            axes = [*rows, axis()]
            pairs = parser.parse_optional_punctuation(",") is not None
            if pairs:
                parser.parse_keyword("pairs")
            numbers = ArrayAttr([each for pair in axes for each in pair])
            return [width, numbers, IntAttr(int(pairs))]

    def print_parameters(self, printer: Printer) -> None:
        rows = ", ".join(f"{steps} by {stride}" for steps, stride in self.rows)
        steps, stride = self.columns
        printer.print_string(
            f"<width = {self.width.data}, rows = [{rows}], "
            f"columns = {steps} by {stride}{', pairs' if self.pairs.data else ''}>"
        )
