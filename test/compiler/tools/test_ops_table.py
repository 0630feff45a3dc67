"""The list of ops says what the ops and the front ends say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import i1

from static_runtime.compiler.tools import ops_table
from static_runtime.compiler.tools.ops_table import (
    TORCH_HEAD,
    elements,
    graph_part,
    kind,
    main,
    onnx_part,
    onnx_reading,
    ops_in,
)
from static_runtime.dialects import DTYPES, ELEMENT_TYPES
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.activation import ReluOp
from static_runtime.dialects.graph.ops.batch_norm import BatchNormOp
from static_runtime.dialects.graph.ops.binary import AddOp, MulOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.containers import ListConstructOp
from static_runtime.dialects.graph.ops.conv import ConvOp
from static_runtime.dialects.graph.ops.define_symbol import DefineSymbolOp
from static_runtime.dialects.graph.ops.dim import DimOp
from static_runtime.dialects.graph.ops.fusion import FusionOp
from static_runtime.dialects.graph.ops.linear import LinearOp
from static_runtime.dialects.graph.ops.reshape import ReshapeOp
from static_runtime.dialects.graph.ops.where import WhereOp

pytest.importorskip("onnx")
from onnx import defs

from static_runtime.compiler.frontends.onnx.coverage import (
    READERS,
    every_op,
    is_read,
)
from static_runtime.compiler.frontends.onnx.model_file import LATEST

NUMBERS = " ".join(
    str(each) for each in DTYPES if each != i1 and not ELEMENT_TYPES[each].is_stored
)

FILE = Path(__file__).parents[3] / "docs" / "ops.md"


@pytest.mark.skipif(
    defs.onnx_opset_version() != LATEST,
    reason="this onnx has another opset than the file lists",
)
def test_the_file_is_up_to_date():
    stored = FILE.read_text().partition(TORCH_HEAD)[0]
    assert stored == graph_part() + onnx_part(), "run `make docs`"


def test_what_is_stored_of_torch_stays_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(ops_table, "find_spec", dict[str, Any]().get)
    # Both of them look at every op.
    monkeypatch.setattr(ops_table, "graph_part", lambda: "graph\n")
    monkeypatch.setattr(ops_table, "onnx_part", lambda: "onnx")
    file = tmp_path / "ops.md"
    file.write_text(f"old{TORCH_HEAD}\nkept\n")
    main([str(file)])
    assert file.read_text() == f"graph\nonnx{TORCH_HEAD}\nkept\n"


@pytest.mark.parametrize(
    ("op", "runs", "taken"),
    [
        (ReluOp, "compiled", NUMBERS),
        (ConvOp, "compiled", NUMBERS),
        (BatchNormOp, "decomposed", "f32 f64 f16 bf16"),
        (LinearOp, "decomposed", NUMBERS),
        (ReshapeOp, "view", "all"),
        (WhereOp, "compiled", "computed"),
        (ConstantOp, "stored", ""),
        (DimOp, "compiled", ""),
        (DefineSymbolOp, "program", "i64"),
        (ListConstructOp, "container", ""),
        (FusionOp, "region", ""),
    ],
    ids=str,
)
def test_says_how_an_op_runs_and_what_it_takes(
    op: type[GraphOp], runs: str, taken: str
):
    assert (kind(op), elements(op)) == (runs, taken)


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("Relu", "`relu`"),
        ("Flatten", "`reshape`"),
        ("SwiGLU", "its definition: `Mul`, `Swish`"),
    ],
)
def test_says_how_an_op_of_onnx_is_read(name: str, reading: str):
    assert onnx_reading(name) == reading


def test_an_op_of_onnx_is_read_or_not():
    read = {name for name in every_op() if is_read(name)}
    assert {"Relu", "If", "SwiGLU"} <= read
    assert "StringSplit" not in read
    assert set(READERS) <= read


def inner() -> object:
    """Names an op, for a function that names none."""
    return AddOp


def outer() -> object:
    """Names a function only."""
    return inner()


def both() -> object:
    """Names an op inside of a function inside of it, and a function."""
    return [inner(), lambda: MulOp]


def test_the_ops_of_a_function_are_those_that_it_names_itself():
    ops_of = {each: ops_in(each) for each in (inner, both)}
    # Only names of functions of the package are followed; these are none.
    assert ops_of == {inner: [], both: []}
    for each in (inner, outer, both):
        each.__module__ = "static_runtime.test"
    assert ops_in(inner) == [AddOp]
    assert ops_in(outer) == [AddOp]
    assert ops_in(both) == [MulOp]


def test_ops_of_compositions_are_those_of_their_readers():
    found = {op.name for op in ops_in(READERS["HardSwish"])}
    assert found == {"graph.clamp", "graph.mul"}
    found = {op.name for op in ops_in(READERS["ArgMin"])}
    assert {"graph.argmax", "graph.neg"} <= found
