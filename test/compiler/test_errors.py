"""What the errors of the compiler say."""

import re
from pathlib import Path

import numpy as np
import pytest
from onnx import parser

import static_runtime as sr
from static_runtime.compiler.errors import (
    ADVICE,
    CompileError,
    ModelFileError,
    UnsupportedModelError,
    UnsupportedOp,
)

ROOT = Path(__file__).parents[2]
UNCACHED = sr.Options(cache=False)


def test_every_unsupported_op_is_named_at_once():
    error = UnsupportedModelError(
        [
            UnsupportedOp("Loop", "loop_1"),
            UnsupportedOp("Cast", "cast_1", "to string"),
            UnsupportedOp("Loop", "loop_2"),
            UnsupportedOp("Scan"),
        ],
        "model.onnx",
    )
    assert [each.node for each in error.ops] == ["loop_1", "cast_1", "loop_2", ""]
    assert str(error).splitlines() == [
        "expected ops that the compiler knows, got 4 other nodes in model.onnx:",
        "  Loop: 'loop_1', 'loop_2'",
        "  Cast (to string): 'cast_1'",
        "  Scan: 1 without a name",
        ADVICE,
    ]


def test_a_thousand_nodes_of_one_op_are_counted():
    error = UnsupportedModelError(UnsupportedOp("Loop", f"n{i}") for i in range(1000))
    (line,) = (each for each in str(error).splitlines() if "Loop" in each)
    assert line.startswith("  Loop: 'n0', 'n1', ")
    assert line.endswith("'n7', 992 more")


def test_users_may_catch_all_of_them_as_one():
    for each in (ModelFileError, UnsupportedModelError):
        assert issubclass(each, CompileError)
        assert issubclass(each, ValueError)


def test_the_advice_names_a_document_of_the_repository():
    names = re.findall(r"docs/\w+\.md", ADVICE)
    assert names
    assert all((ROOT / each).is_file() for each in names)


UNKNOWN = """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
g (float[n] x) => (float[n] z) {{
  y = Neg(x)
  [last] {node}
}}"""
FUNCTION = """
<domain: "own", opset_import: ["" : 18]>
twice (a) => (b) { b = Add(a, a) }"""


def onnx_model(node: str, rest: str = "") -> bytes:
    """A model that ends with a node, and the functions that it brings."""
    text = UNKNOWN.format(node=node) + rest
    return parser.parse_model(text).SerializeToString()


@pytest.mark.usefixtures("runs_host")
def test_the_advice_helps():
    refused = onnx_model("z = own.twice(y)")
    with pytest.raises(UnsupportedModelError, match=r"own\.twice: 'last'"):
        sr.compile(refused, options=UNCACHED)
    x = np.array([1, -2, 3], np.float32)
    as_a_function = sr.compile(
        onnx_model("z = own.twice(y)", FUNCTION), options=UNCACHED
    )
    np.testing.assert_array_equal(as_a_function(x), -2 * x)
    by_known_ops = sr.compile(onnx_model("z = Add(y, y)"), options=UNCACHED)
    np.testing.assert_array_equal(by_known_ops(x), -2 * x)
    ends_before = sr.compile(onnx_model("z = Identity(y)"), options=UNCACHED)
    np.testing.assert_array_equal(ends_before(x) * 2, -2 * x)
