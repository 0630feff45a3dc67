"""
`#graph.panels`: how a packed weight lies in the weight store.

    %w = graph.weight "fc.panels" {
        panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>
    } : tensor<64x120xf32>

The type is that of the unpacked tensor in row-major order. Here it has 64 rows with a
stride of 120 elements, and 120 columns with a stride of 1. The store holds panels, each
with 16 columns of every row, row after row, padded with zeros after the last column. So
a contraction reads contiguous memory. With `vnni = 2` two rows are interleaved: each
element is beside that of the next row in its column, and the two are one word (the VNNI
layout, `dialects/loop/isa.py`). Zeros fill up the last word of the innermost axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim
from ...shape import Array
from .stored import StoredOp

PANELS = "panels"
"""The name of the attribute or property that says how memory holds a result."""

Axis = tuple[int, int]
"""The length of an axis, and its stride in elements."""


@irdl_attr_definition
class PanelsAttr(ParametrizedAttribute):
    """The width of panels, and the axes of their rows and of their columns."""

    name = "graph.panels"

    width: IntAttr = param_def()
    axes: ArrayAttr[IntAttr] = param_def()
    """
    Length and stride of each axis of the rows, outermost first, then of the columns.
    """
    k_group: IntAttr = param_def()
    """The number of rows that are interleaved, element by element; 1 for none."""

    @staticmethod
    def of(
        width: int, rows: Sequence[Axis], columns: Axis, k_group: int = 1
    ) -> PanelsAttr:
        """Panels of these axes."""
        numbers = [IntAttr(number) for axis in (*rows, columns) for number in axis]
        return PanelsAttr(IntAttr(width), ArrayAttr(numbers), IntAttr(k_group))

    @property
    def rows(self) -> list[Axis]:
        """The axes of the rows."""
        return list(self._axes())[:-1]

    @property
    def columns(self) -> Axis:
        """The axis of the columns."""
        return list(self._axes())[-1]

    def _axes(self) -> Iterator[Axis]:
        numbers = [each.data for each in self.axes]
        yield from zip(numbers[::2], numbers[1::2], strict=True)

    @property
    def panel_size(self) -> int:
        """The elements of a panel."""
        return self.width.data * prod(self._lengths())

    def _lengths(self) -> list[int]:
        """The length of each axis of the rows, the innermost one in whole words."""
        lengths, group = [length for length, _ in self.rows], self.k_group.data
        return [*lengths[:-1], *(-(-last // group) * group for last in lengths[-1:])]

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of panels, of rows in each, and the width."""
        width = self.width.data
        return -(-self.columns[0] // width), self.panel_size // width, width

    def verify_read(self, stride: Dim, bound: Dim) -> None:
        """
        Raises `VerifyException` where elements of the tensor that are `stride` apart
        are read which are not those of an axis; a bound that is no number is one's.
        """
        lengths = [length for length, each in self._axes() if each == stride]
        if not lengths or (isinstance(bound, int) and bound not in lengths):
            raise VerifyException(
                f"expected panels to be read along their axes, as contractions do, got "
                f"{bound} elements {stride} apart of {self}"
            )

    def strides(self) -> dict[int, int]:
        """The stride in a panel for each stride of the rows in the tensor."""
        found: dict[int, int] = {}
        step = self.width.data
        rows = zip(self.rows, self._lengths(), strict=True)
        for (_, stride), length in reversed([*rows]):
            found[stride] = step
            step *= length
        return found

    def verify(self) -> None:
        """The width is positive and the axes are complete."""
        if self.width.data < 1 or len(self.axes) < 2 or len(self.axes) % 2:
            raise VerifyException(
                f"expected panels of a width, got {self.width.data} and {self.axes}"
            )
        group = self.k_group.data
        if group < 1 or (group > 1 and not self.rows):
            raise VerifyException(f"expected rows in groups of {group}, got none")

    def pack(self, array: Array) -> Array:
        """
        The panels of a tensor, as panels x rows x elements, padded with zeros after the
        last column. They are a view of the tensor when no padding is needed.
        """
        panels = self._in_rows(array)
        if (group := self.k_group.data) == 1:
            return panels
        *outer, rows, width = panels.shape
        if rows % group:
            more = np.zeros((*outer, -rows % group, width), panels.dtype)
            panels, rows = np.concatenate([panels, more], -2), rows + more.shape[-2]
        groups = panels.reshape(*outer, rows // group, group, width)
        return np.swapaxes(groups, -1, -2).reshape(*outer, rows, width)

    def _in_rows(self, array: Array) -> Array:
        """The panels of a tensor, whose rows are not interleaved."""
        flat = np.ascontiguousarray(array).reshape(-1)
        (count, step), width, item = self.columns, self.width.data, flat.itemsize
        rows = [length for length, _ in self.rows]
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
            length = number()
            parser.parse_keyword("by")
            return length, number()

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
            group = IntAttr(1)
            if parser.parse_optional_punctuation(",") is not None:
                name("vnni")
                group = number()
            numbers = ArrayAttr([each for axis in axes for each in axis])
            return [width, numbers, group]

    def print_parameters(self, printer: Printer) -> None:
        rows = ", ".join(f"{length} by {stride}" for length, stride in self.rows)
        length, stride = self.columns
        vnni = f", vnni = {self.k_group.data}" if self.k_group.data > 1 else ""
        printer.print_string(
            f"<width = {self.width.data}, rows = [{rows}], "
            f"columns = {length} by {stride}{vnni}>"
        )


def panels_of(value: SSAValue) -> PanelsAttr | None:
    """The panels in which memory holds a value; None where it is in row-major order."""
    if not isinstance(owner := value.owner, Operation):
        return None
    # Attributes of other ops say nothing of memory, whatever their names are.
    entries = owner.attributes if isinstance(owner, StoredOp) else owner.properties
    panels = entries.get(PANELS)
    return panels if isinstance(panels, PanelsAttr) else None
