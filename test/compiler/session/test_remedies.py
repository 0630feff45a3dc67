"""What a refused model needs is said in a line for each cause, with the names."""

from __future__ import annotations

import pytest
from onnx import parser

import static_runtime as sr
from static_runtime.compiler.session.errors import UnsupportedModelError
from static_runtime.compiler.session.remedies import Cause, advice

ELEMENT = "element types: cast them outside of the model"
OPS = "ops: express each of them by ops that docs/ops.md lists"

CASES: dict[str, tuple[str, list[str]]] = {
    "an op": ("(float[n] x) => (float[n] y) { y = Ghost(x) }", [OPS]),
    "another element": (
        "(complex64[n] x) => (complex64[n] y) { y = Neg(x) }",
        [ELEMENT],
    ),
    "channels in blocks, as ONNX Runtime saves them": (
        "(float[n,8,4,4] x) => (y) { y = com.microsoft.nchwc.ReorderInput(x) }",
        ["ops for one processor: save the model again by ONNX Runtime with"],
    ),
    "no shape": (
        "(float x, float[n] z) => (float y) { y = Neg(x) }",
        ["shapes: give each input a shape, in which a size may be a name, as"],
    ),
    "another in between": (
        "(float[n] x) => (float[n] y) { h = Cast<to = 8>(x) y = Cast<to = 1>(h) }",
        [ELEMENT],
    ),
    "training": (
        "(float[n,3] x, bool t) => (float[n,3] y) { r = Constant<value_float = 0.5>() "
        "yes = Constant<value = bool {1}>() y = Dropout(x, r, yes) }",
        ["training: export the model for inference"],
    ),
    "sizes": (
        """(float[n,c,h] x, float[c,s,width] k, float[c,s,other] l) => (y, z)
        { y = ConvTranspose(x, k) z = ConvTranspose(x, l) }""",
        ["sizes that vary: give the inputs a number for 'width', 'other', as"],
    ),
    "branches of other types, by a value": (
        """(float[n,c] x, bool is) => (y) <int64[1] one = {-1}> {
        y = If (is) <then_branch = t () => (float[k] a) { a = Reshape(x, one) },
          else_branch = e () => (float[k,l] b) { b = Identity(x) }> }""",
        ["values that only a run knows: compile with constants={'is': ...}"],
    ),
    "values": (
        """(float[n,c] x, int64[1] axes, int64[1] more) => (y, z)
        { y = ReduceSum(x, axes) z = ReduceSum(x, more) }""",
        [
            "values that only a run knows: compile with constants={'axes': ..., "
            "'more': ...}, or Options(bind=\"first-call\")"
        ],
    ),
    "a value of a tensor": (
        """(float[n,c] x) => (y) { a = ArgMax<keepdims = 0>(x) y = ReduceSum(x, a) }""",
        [OPS],
    ),
    "one bound for nodes that read one size": (
        """(float[n,3] x, float[n] l) => (y, z, s) <int64[1] three = {3}> {
        m = ReduceMax<keepdims = 1>(l) count = Cast<to = 7>(m)
        shape = Concat<axis = 0>(count, three)
        y = Expand(x, shape) s = ConstantOfShape(shape) z = Tile(x, shape) }""",
        [
            "sizes that only a run knows: compile with Options(bounds={'count': 4096})",
            "values that only a run knows: compile with constants={'l': ...}",
        ],
    ),
    "several": (
        """(float[n,c] x, complex64[2] h, string[2] b, int64[1] a) => (y, z)
        { y = ReduceSum(x, a) z = Ghost(x) g = Ghost(x) }""",
        [ELEMENT, "values that only a run knows: compile with constants={'a'", OPS],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_line_says_what_to_do_about_each_cause(name: str):
    text, wanted = CASES[name]
    made = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {text}')
    if name == "no shape":
        made.graph.input[0].type.tensor_type.ClearField("shape")
    source = made.SerializeToString()
    with pytest.raises(UnsupportedModelError) as error:
        sr.compile(source, options=sr.Options(cache=False))
    lines = [each for each in str(error.value).splitlines()[1:] if each[:1] != " "]
    assert len(lines) == len(wanted)
    for line, beginning in zip(lines, wanted, strict=True):
        assert line.startswith(beginning)


@pytest.mark.parametrize("cause", Cause)
def test_each_cause_has_a_remedy_in_the_words_of_each_framework(cause: Cause):
    onnx, torch = (advice([(cause, ["a", "b", "a"])], to) for to in ("onnx", "torch"))
    assert onnx != torch
    for (line,) in (onnx, torch):
        assert line.startswith(f"{cause.value}: ")
        assert "{" not in line.replace("={'a'", "").replace("={", "")
        assert line.count("'a'") <= 1
