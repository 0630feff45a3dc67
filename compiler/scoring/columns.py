"""
`Columns`: which columns of a table a module takes, and which it gives.

A row of the table is one step along the first axis of each input and output. In the
column of an input each row has a number, or a list with the elements of the other axes,
flat in row-major order or nested as the axes are.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...runtime.program import Program, TensorInfo

if TYPE_CHECKING:
    import pyarrow as pa

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Columns:
    """The inputs and outputs of a module, and the column of each input."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    names: tuple[str, ...]
    most: int
    """Rows that a call of the module can take."""

    def check(self, schema: pa.Schema) -> None:
        """
        Raises `ValueError` unless a table of this schema has the columns of the inputs
        and none with the name of an output. A type that no one knows is `null`.
        """
        for info, name in zip(self.inputs, self.names, strict=True):
            if name not in schema.names:
                got = f"no such column among {', '.join(schema.names)}"
                raise ValueError(f"expected column {name} of {_row(info)}, got {got}")
            found = schema.field(name).type
            if not _fits(found, info):
                raise ValueError(
                    f"expected column {name} of {_row(info)}, got {found}; cast it"
                )
        for info in self.outputs:
            if info.name in schema.names:
                raise ValueError(
                    f"expected no column {info.name}, which is the name of an output, "
                    "got one; rename it, and say so by columns= if it is an input"
                )

    def inputs_of(self, table: pa.Table) -> list[Array]:
        """
        The inputs of a call, from the columns of a table; raises `ValueError` for
        missing values and for rows of another size.
        """
        self.check(table.schema)
        given = zip(self.inputs, self.names, strict=True)
        return [_values(table, name, info) for info, name in given]

    def as_columns(self, results: list[Array]) -> dict[str, pa.Array]:
        """The columns that hold the outputs of a call: numbers, or flat lists."""
        import pyarrow as pa

        columns: dict[str, pa.Array] = {}
        for info, result in zip(self.outputs, results, strict=True):
            column = pa.array(result.reshape(-1))
            if result.ndim > 1:
                size = prod(result.shape[1:])
                column = pa.FixedSizeListArray.from_arrays(column, size)
            columns[info.name] = column
        return columns


def columns_of(program: Program, renamed: Mapping[str, str] | None) -> Columns:
    """
    The columns of a program, with other names for some of its inputs.

    Raises `ValueError` for names that no input has, for inputs that are texts, and
    unless the first axis of each input and output is one open size and all other axes
    are of known size.
    """
    names = renamed or {}
    known = [each.name for each in program.inputs]
    if unknown := names.keys() - set(known):
        got = ", ".join(sorted(unknown))
        raise ValueError(f"expected inputs {', '.join(known)} in columns=, got {got}")
    structure = program.structure
    if structure is not None and (texts := structure.inputs_of_texts):
        raise ValueError(
            "expected a model whose inputs are numbers, to score tables by, got texts "
            f"for {', '.join(sorted(texts))}; call the module with columns as arrays"
        )
    rows = next((each.shape[0] for each in program.inputs[:1] if each.shape), 0)
    for info in (*program.inputs, *program.outputs):
        others = info.shape[1:]
        if (
            rows not in program.symbols
            or info.shape[:1] != (rows,)
            or not all(isinstance(each, int) and each > 0 for each in others)
        ):
            raise ValueError(
                "expected a model of rows, in which the first axis of all inputs and "
                "outputs is one open size and the others are known and not empty, got "
                f"{info.shown}: {info}; export it with an open batch alone"
            )
    least, most = program.ranges.get(str(rows), (0, sys.maxsize))
    if least > 1:
        raise ValueError(
            f"expected a model that takes any number of rows, got {rows} from "
            f"{least} on; export it with an open batch"
        )
    columns = tuple(names.get(each, each) for each in known)
    return Columns(program.inputs, program.outputs, columns, most)


def row_shape(info: TensorInfo) -> tuple[int, ...]:
    """The sizes of what a row has of an input or output."""
    return tuple(int(each) for each in info.shape[1:])


def _row(info: TensorInfo) -> str:
    """What a row holds, as messages say it."""
    shape = row_shape(info)
    if not shape:
        return info.dtype
    nested = f" ({'x'.join(map(str, shape))})" if len(shape) > 1 else ""
    return f"lists of {prod(shape)}{nested} {info.dtype}"


def _fits(found: pa.DataType, info: TensorInfo) -> bool:
    """Whether a column of this type can hold the rows of an input."""
    import pyarrow as pa

    if pa.types.is_null(found):
        return True
    if isinstance(found, pa.BaseExtensionType):
        found = found.storage_type
    sizes: list[int | None] = []
    while _is_list(found):
        is_fixed = pa.types.is_fixed_size_list(found)
        sizes.append(found.list_size if is_fixed else None)
        found = found.value_type
    return found == pa.from_numpy_dtype(np.dtype(info.dtype)) and any(
        len(sizes) == len(shape)
        and all(size in (None, each) for size, each in zip(sizes, shape, strict=True))
        for shape in _shapes(info)
    )


def _shapes(info: TensorInfo) -> list[tuple[int, ...]]:
    """The sizes of nested lists that hold a row."""
    shape = row_shape(info)
    return [shape, (prod(shape),)] if shape else [()]


def _is_list(found: pa.DataType) -> bool:
    """Whether a column of this type holds lists."""
    import pyarrow as pa

    kinds = pa.types
    kind = kinds.is_list(found) or kinds.is_large_list(found)
    return kind or kinds.is_fixed_size_list(found)


def _values(table: pa.Table, name: str, info: TensorInfo) -> Array:
    """The array of an input, from its column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    sizes: list[int] = []
    while not column.null_count and _is_list(column.type):
        found = pc.min_max(pc.list_value_length(column)).as_py()
        if found["min"] != found["max"]:
            raise ValueError(
                f"expected column {name} of {_row(info)}, got lists of {found['min']} "
                f"to {found['max']} elements"
            )
        sizes.append(found["min"])
        column = column.flatten()
    if column.null_count:
        raise ValueError(
            f"expected column {name} without missing values, got {column.null_count}"
        )
    if tuple(sizes) not in _shapes(info):
        got = "x".join(map(str, sizes))
        raise ValueError(f"expected column {name} of {_row(info)}, got lists of {got}")
    flat = column.to_numpy(zero_copy_only=False)
    return flat.reshape(len(table), *row_shape(info))
