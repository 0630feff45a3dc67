from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from static_runtime.compiler.scoring.columns import columns_of
from static_runtime.compiler.scoring.scorer import scorer_of
from static_runtime.runtime.program.structure import Structure, Tree

from .model import ROWS, assert_scored, inputs_of, module_of, table_of

ONE = """
func.func @main(%x: tensor<{0}>) -> tensor<{0}>
    attributes {{graph.symbols = {{{1}}}}} {{
  return %x : tensor<{0}>
}}
"""


@pytest.fixture(name="pa")
def arrow() -> Any:
    """Arrow, which only some environments have."""
    return pytest.importorskip("pyarrow")


@pytest.mark.parametrize("shape", ["4x3xf32", '?x?xf32, ["n", "m"]', "f32"])
def test_refuses_a_model_without_rows(shape: str):
    with pytest.raises(ValueError, match=r"expected a model of rows, .*, got x: f"):
        columns_of(module_of(ONE.format(shape, "")).program, None)


def test_refuses_a_model_that_needs_several_rows():
    module = module_of(ONE.format('?xf32, ["n"]', "n = [2, 8]"))
    with pytest.raises(ValueError, match="takes any number of rows, got n from 2 on"):
        columns_of(module.program, None)


def test_refuses_a_name_that_no_input_has():
    message = r"expected inputs x, scale in columns=, got z"
    with pytest.raises(ValueError, match=message):
        columns_of(module_of().program, {"z": "x"})


def test_refuses_a_model_of_texts():
    known = module_of().program
    takes = Tree("dict", (Tree("texts", name="x"), Tree("array", name="scale")))
    texts = replace(known, structure=Structure(takes, None))
    with pytest.raises(
        ValueError, match=r"whose inputs are numbers, .* got texts for x"
    ):
        columns_of(texts, None)


def test_lists_may_be_nested_as_the_axes_are(pa: Any):
    x, scale = inputs_of()
    flat = pa.array(x.reshape(-1))
    fixed = pa.FixedSizeListArray.from_arrays
    several = {
        "nested": fixed(fixed(flat, 3), 2),
        "flat": fixed(flat, 6),
        "open": pa.array([*x.reshape(ROWS, 6)], pa.large_list(pa.float32())),
        "both": pa.array(x.tolist(), pa.list_(pa.list_(pa.float32(), 3))),
        "tensor": pa.FixedShapeTensorArray.from_numpy_ndarray(x),
    }
    for name, column in several.items():
        table = pa.table({"id": np.arange(ROWS), name: column, "scale": scale})
        done = scorer_of(module_of(), {"x": name}, 300).scored(table)
        assert done.column_names == ["id", name, "scale", "y", "size"]
        assert_scored(done.to_pandas())
        # A slice has memory in common with the rows around it.
        part = scorer_of(module_of(), {"x": name}, 300).scored(table.slice(10, 5))
        assert part.equals(done.slice(10, 5))


def test_a_table_in_pieces_and_one_without_rows(pa: Any):
    scorer = scorer_of(module_of(), None, 300)
    table = pa.concat_tables([table_of().slice(0, 7), table_of().slice(7)])
    assert_scored(scorer.scored(table).to_pandas())
    assert scorer.scored(table.slice(0, 0)).schema == scorer.scored(table).schema


REFUSED = {
    "expected column x of lists of 6 (2x3) float32, got no such column among i": "gone",
    "expected column x of lists of 6 (2x3) float32, got float; cast it": "number",
    "expected column x of lists of 6 (2x3) float32, got list<item: double>": "double",
    "expected column x of lists of 6 (2x3) float32, got fixed_size_list<it": "size",
    "expected column scale of float32, got string; cast it": "text",
    "expected no column y, which is the name of an output, got one; rename": "output",
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_wrong_column_is_refused_by_the_schema(message: str, pa: Any):
    fixed, number = pa.list_(pa.float32(), 6), pa.float32()
    good = {"id": pa.int64(), "x": fixed, "scale": number}
    changes: dict[str, dict[str, Any]] = {
        "gone": {"x": None},
        "number": {"x": number},
        "double": {"x": pa.list_(pa.float64())},
        "size": {"x": pa.list_(pa.float32(), 5)},
        "text": {"scale": pa.string()},
        "output": {"y": number},
    }
    types = {**good, **changes[REFUSED[message]]}
    schema = pa.schema([(name, each) for name, each in types.items() if each])
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        columns_of(module_of().program, None).check(schema)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0] * 6, None], "expected column x without missing values, got 1"),
        ([[1.0] * 6, [None] * 6], "expected column x without missing values, got 6"),
        ([[1.0] * 6, [1.0] * 5], r"expected column x of .*, got lists of 5 to 6 elem"),
        ([[1.0] * 5, [1.0] * 5], r"expected column x of .*, got lists of 5"),
        ([[1.0] * 12, []], r"expected column x of .*, got lists of 0 to 12 elements"),
    ],
)
def test_wrong_rows_are_refused(rows: list[Any], message: str, pa: Any):
    x = pa.array(rows, pa.list_(pa.float32()))
    table = pa.table({"x": x, "scale": np.ones(2, np.float32)})
    with pytest.raises(ValueError, match=message):
        scorer_of(module_of(), None, 8).scored(table)
