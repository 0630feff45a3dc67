"""What the errors of the compiler say."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import Message
from onnx import ModelProto, parser

import static_runtime as sr
from static_runtime.compiler.session.errors import (
    CompileError,
    ModelFileError,
    UnsupportedModelError,
    UnsupportedOp,
)
from static_runtime.compiler.session.remedies import Cause, advice

(ADVICE,) = advice([(Cause.OP, ())], "onnx")
ROOT = Path(__file__).parents[3]
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


NAMES = """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
g (float[n,4] x, int64[1] k) => (float[m,4] y) <float[4] w = {1,2,3,4}> {
  [first] a = Add(x, w)
  b = own.Twice <factor = 2.0, how = "so"> (a)
  c = Gather <axis = 0> (b, k)
  y = Relu(c)
}
<domain: "own", opset_import: ["" : 18]>
Twice <factor, how>(p) => (q) {
  r = Constant <value_float: float = @factor>()
  q = Mul(p, r)
}"""
"""A model with a text in every place that may have one."""

LONG = "n" * 20_000


def texts(message: Any) -> Iterator[tuple[Any, str, int | None]]:
    """Each text of a message: what has it, the name of its field, and its place."""
    for field, value in message.ListFields():
        values = [*value] if field.is_repeated else [value]
        for at, each in enumerate(values):
            if isinstance(each, Message):
                yield from texts(each)
            elif isinstance(each, str | bytes) and field.name != "raw_data":
                yield message, field.name, at if field.is_repeated else None


def long_in_one_place() -> Iterator[ModelProto]:
    """The model with a long text in each place, and with a long name in all of its."""
    for number, _ in enumerate(texts(parser.parse_model(NAMES))):
        model = parser.parse_model(NAMES)
        message, name, at = [*texts(model)][number]
        old: Any = getattr(message, name)
        if at is not None:
            old[at] = LONG
        else:
            setattr(message, name, LONG if isinstance(old, str) else LONG.encode())
        yield model
    for name in ("x", "k", "y", "n", "a", "c", "Relu", "Twice", "own", "first"):
        yield parser.parse_model(re.sub(rf"\b{name}\b", LONG, NAMES))


def test_no_message_is_as_long_as_the_texts_of_a_model():
    rows = np.zeros((2, 4), np.float32)
    messages: list[str] = []
    wrong = [(), (1, 2, 3), (rows[0], [0]), (rows, [9]), ("a", [0])]
    for model in long_in_one_place():
        try:
            module = sr.compile(model, options=UNCACHED)
        except CompileError as error:
            messages.append(str(error))
            continue
        for inputs in wrong:
            with pytest.raises((TypeError, ValueError, IndexError)) as caught:
                module(*inputs)
            messages.append(str(caught.value))
    assert [each[:2000] for each in messages if len(each) > 1500] == []
    assert len(messages) > 100


def test_one_node_is_told_of_as_one():
    error = UnsupportedModelError([UnsupportedOp("Loop", "loop_1")], "model.onnx")
    assert "got 1 other node in model.onnx:" in str(error)


def test_a_long_message_keeps_its_beginning_and_its_end():
    error = str(UnsupportedModelError(UnsupportedOp(f"Op{i}", LONG) for i in range(99)))
    assert len(error) <= 4096
    assert error.startswith("expected ops that the compiler knows, got 99 other nodes")
    assert error.endswith(ADVICE)


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
