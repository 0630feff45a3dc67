"""What is said of models that are malformed, or that hold what is not supported."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from onnx import TensorProto, helper, parser

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError

from .interpreter import model, read

MALFORMED: dict[str, tuple[str, str]] = {
    "an undefined value": (
        "(float[2] x) => (float y) { [sum] y = Add(x, ghost) }",
        r"onnx node 'sum' \(Add\): expected an input that the model computes, "
        r"got no value called 'ghost'",
    ),
    "a value twice": (
        "(float[2] x) => (float y) { y = Relu(x) y = Neg(x) }",
        r"onnx node 'y' \(Neg\): expected a new name, got 'y' again",
    ),
    "an input as a result": (
        "(float[2] x) => (float x) { x = Relu(x) }",
        "expected a new name, got 'x' again",
    ),
    "an output that nothing computes": (
        "(float[2] x) => (float z) { y = Relu(x) }",
        "expected a node that computes the output 'z', got none",
    ),
    "no output": (
        "(float[2] x) => () { y = Relu(x) }",
        "expected a model with outputs, got none",
    ),
    "two inputs of one name": (
        "(float[2] x, float[2] x) => (float y) { y = Relu(x) }",
        "expected inputs with different names, got 'x' 2 times; give the others a name",
    ),
    "too many inputs": (
        "(float[2] x) => (float y) { y = Relu(x, x) }",
        r"onnx node 'y' \(Relu\): expected 1 to 1 inputs, got 2",
    ),
    "branches of other counts of outputs": (
        "(bool c, float[2] x) => (float y) { [if] y = If(c) <"
        "then_branch = t () => (float a) { a = Relu(x) }, "
        "else_branch = e () => (float b, float d) { b = Neg(x) d = Abs(x) }> }",
        r"onnx node 'if' \(If\): expected branches of 1 outputs each, as the node has, "
        "got 1 and 2",
    ),
    "an output_shape of too few sizes": (
        "(float[1,1,4,4] x, float[1,1,2,2] w) => (float y)"
        " { y = ConvTranspose<output_shape = [5]>(x, w) }",
        r"expected 2 sizes as output_shape, got \(5,\)",
    ),
    "too few inputs": (
        "(float[2] x) => (float y) { y = Add(x) }",
        "expected 2 to 2 inputs, got 1",
    ),
    "an input left out": (
        "(float[2] x) => (float y) { y = Add(, x) }",
        "expected an input A, got none",
    ),
    "too many results": (
        "(float[2] x) => (float y) { y, z = Relu(x) }",
        "expected 1 results at most, got 2",
    ),
    "elements of the wrong type": (
        "(int64[2] x) => (float y) { y = Sigmoid(x) }",
        r"onnx node 'y' \(Sigmoid\): expected an input X of .*tensor\(float\).*, "
        r"got tensor\(int64\)",
    ),
    "operands of two types": (
        "(float[2] x, double[2] z) => (float y) { y = Add(x, z) }",
        r"onnx node 'y' \(Add\): expected operands of one dtype, got tensor<2xf32> and "
        "tensor<2xf64>",
    ),
    "shapes that clash": (
        "(float[2,3] a, float[4,5] b) => (float y) { [mm] y = MatMul(a, b) }",
        r"onnx node 'mm' \(MatMul\): expected MxK and KxN, got tensor<2x3xf32> and "
        "tensor<4x5xf32>",
    ),
    "an output twice": (
        "(float[2] x) => (float y, float y) { y = Relu(x) }",
        "outputs with different names, got 'y' 2 times; give .* by an Identity of it",
    ),
    "an attribute missing": (
        "(float[1,1,4,4] x) => (float y) { y = MaxPool(x) }",
        r"onnx node 'y' \(MaxPool\): expected the attribute kernel_shape, got none",
    ),
    "an attribute of another type": (
        "(float[1,1,4,4] x) => (float y) { y = MaxPool<kernel_shape=2>(x) }",
        "expected the attribute kernel_shape as INTS, got INT",
    ),
    "an unknown attribute": (
        "(float[2] x) => (float y) { y = LeakyRelu<slope=0.1>(x) }",
        "expected attributes alpha, got 'slope'",
    ),
    "an attribute twice": (
        "(float[2] x) => (float y) { y = LeakyRelu<alpha=0.1, alpha=0.2>(x) }",
        "expected one attribute alpha, got two",
    ),
    "an axis beyond the tensor": (
        "(float[2] x) => (float y) { y = Softmax<axis=1>(x) }",
        "expected an axis from -1 to 0, got 1",
    ),
    "a kernel of another rank": (
        "(float[1,1,4,4] x) => (float y) { y = MaxPool<kernel_shape=[2]>(x) }",
        r"expected a kernel, strides and dilations of one or more along 2 axes, got "
        r"\(2,\)",
    ),
    "a shape of another size": (
        """(float[2,3] x) => (float y) <int64[1] s = {7}>
        { [bend] y = Reshape(x, s) }""",
        r"onnx node 'bend' \(Reshape\): expected as many elements as tensor<2x3xf32>, "
        "got shape 7",
    ),
    "two sizes to find": (
        "(float[2,3] x) => (float y) <int64[2] s = {-1,-1}> { y = Reshape(x, s) }",
        "expected a shape with one size to find, got -1, -1",
    ),
    "parts of another size": (
        "(float[5] x) => (float y) <int64[2] s = {1,2}> { y, z = Split(x, s) }",
        "expected parts of 5 in all, got 3",
    ),
    "a stride of zero": (
        "(float[1,1,4] x, float[1,1,2] w) => (float y) { y = Conv<strides=[0]>(x, w) }",
        "expected a kernel, strides and dilations of one or more",
    ),
    "an unknown word": (
        """(float[1,1,4] x, float[1,1,2] w) => (float y)
        { y = Conv<auto_pad="SAME">(x, w) }""",
        "expected auto_pad NOTSET, VALID, SAME_UPPER or SAME_LOWER, got 'SAME'",
    ),
    "a direction that time has not": (
        """(float[3,2,5] x, float[1,6,5] w, float[1,6,6] r) => (float y)
        { y = RNN<direction="sideways">(x, w, r) }""",
        "expected a direction forward or reverse or bidirectional, got 'sideways'",
    ),
    "weights of one direction for two": (
        """(float[3,2,5] x, float[1,6,5] w, float[1,6,6] r) => (float y)
        { y = RNN<direction="bidirectional">(x, w, r) }""",
        "for bidirectional a W and an R of 2x",
    ),
    "a state of another size than its weights": (
        """(float[3,2,5] x, float[1,6,5] w, float[1,6,6] r) => (float y)
        { y = RNN<hidden_size=7>(x, w, r) }""",
        "expected a hidden_size of 6, got 7",
    ),
    "a gate of no known function": (
        """(float[3,2,5] x, float[1,6,5] w, float[1,6,6] r) => (float y)
        { y = RNN<activations=["Sine"]>(x, w, r) }""",
        "expected a known activation, got 'Sine'",
    ),
    "a function for no gate": (
        """(float[3,2,5] x, float[1,6,5] w, float[1,6,6] r) => (float y)
        { y = RNN<activations=["Tanh","Relu"]>(x, w, r) }""",
        "expected 1 activations, got",
    ),
    "a tensor larger than any memory": (
        """(float[1] x) => (float y) <int64[2] s = {16777216,1073741824}>
        { y = Expand(x, s) }""",
        "expected a result that fits into memory, got tensor<16777216x1073741824xf32>",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_says_what_is_wrong_with_a_malformed_model(name: str):
    body, message = MALFORMED[name]
    with pytest.raises(CompileError, match=message) as caught:
        read(model(f"g {body}"))
    assert not isinstance(caught.value, UnsupportedModelError)


SWITCHES = {
    "keepdims": "ReduceSum <keepdims = {}> (x)",
    "noop_with_empty_axes": "ReduceSum <noop_with_empty_axes = {}> (x)",
    "select_last_index": "ArgMax <select_last_index = {}> (x)",
    "transA": "Gemm <transA = {}> (x, x)",
    "transB": "Gemm <transB = {}> (x, x)",
    "exclusive": "CumSum <exclusive = {}> (x, one)",
    "reverse": "CumSum <reverse = {}> (x, one)",
    "upper": "Trilu <upper = {}> (x)",
    "allowzero": "Reshape <allowzero = {}> (x, shape)",
    "fmod": "Mod <fmod = {}> (x, x)",
    "detect_negative": "IsInf <detect_negative = {}> (x)",
    "scan_input_directions": """Scan <num_scan_inputs = 1, scan_input_directions = [{}],
        body = b (float[2] i) => (float[2] o) {{ o = Relu(i) }}> (x)""",
}
"""A node for each attribute that is a boolean as ONNX writes it, which has no type."""


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_is_on_or_off(name: str):
    weights = "<int64 one = {{1}}, int64[2] shape = {{2, 2}}>"
    text = f"g (float[2,2] x) => (float y) {weights} {{{{ y = {SWITCHES[name]} }}}}"
    for value in (0, 1):
        with suppress(UnsupportedModelError):
            read(model(text.format(value)))
    for value in (2, -1, 2**62):
        expected = f"expected 0 or 1 for the attribute {name}, got {value}"
        with pytest.raises(CompileError, match=expected):
            read(model(text.format(value)))


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("steps", ["3", "t"])
@pytest.mark.parametrize(("op", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_no_row_has_more_steps_than_there_are(op: str, gates: int, steps: str):
    text = f"""g (float[{steps},2,1] x, float[1,{gates},1] w, float[1,{gates},1] r,
        int32[2] n) => (float y) {{ y = {op} <hidden_size = 1> (x, w, r, , n) }}"""
    module = sr.compile(model(text))
    x, w = np.ones((3, 2, 1), np.float32), np.ones((1, gates, 1), np.float32)
    assert np.all(module(x, w, w, np.array([0, 3], np.int32))[:, 0, 0] == 0)
    for wrong in ([0, 4], [-1, 3]):
        with pytest.raises(IndexError, match="expected an index from 0 to 3, got"):
            module(x, w, w, np.array(wrong, np.int32))


UNSUPPORTED: dict[str, tuple[str, str]] = {
    "an op": (
        """(float[1] x) => (float y)
        { [op] y = ai.onnx.preview.training.Gradient<xs=["x"], y="x">(x) }""",
        r"\n  ai.onnx.preview.training.Gradient: 'op'\n",
    ),
    "numbers at random": (
        "(float[2] x) => (float[2] y) { [loop] y = RandomNormalLike(x) }",
        r"\n  RandomNormalLike \(numbers at random, of no seed\): 'loop'\n.*seed=0",
    ),
    "an op of another domain": (
        "(float[2] x) => (float y) { [fast] y = com.example.FastRelu(x) }",
        r"\n  com.example.FastRelu: 'fast'\n",
    ),
    "an op of a later opset": (
        "(float[2] x) => (float y) { y = Swish(x) }",
        r"Swish \(no op of opset 18\): 'y'",
    ),
    "training": (
        """(float[2] x) => (float y) <float r = {0.5}, bool t = {1}>
        { y = Dropout(x, r, t) }""",
        r"Dropout \(elements dropped at random, as in training\)",
    ),
    "a number of elements": (
        "(float[2] x, int64[1] k) => (float y, int64 z) { y, z = TopK(x, k) }",
        r"TopK \(an input K that is computed when the model runs\)",
    ),
    "a part of an op": (
        "(float[4,5] x, int64[2] s) => (float[a,b] y) { y = CenterCropPad(x, s) }",
        r"CenterCropPad \(made of Pad: a pad that is computed .*\): 'y'",
    ),
    "an input": (
        "(complex64[2] x) => (complex64 y) { y = Neg(x) }",
        r"input \(elements of complex64, not of float, double, int32, .*\): 'x'",
    ),
    "texts": (
        """(float[2] x) => (float y) <string[2] w = {"1","2"}>
        { v = Cast<to=1>(w) y = Add(x, v) }""",
        r"Cast \(a tensor of texts\): 'v'",
    ),
    "a list": (
        "(seq(float[2]) x) => (float y) { y = Relu(x) }",
        r"input \(a sequence or an optional, .*\): 'x'",
    ),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_says_what_is_not_supported(name: str):
    body, message = UNSUPPORTED[name]
    source = parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 18, "com.example": 1]>\n' + f"g {body}"
    )
    with pytest.raises(UnsupportedModelError, match=message) as caught:
        read(source)
    assert len(caught.value.ops) == 1


def test_names_everything_that_is_not_supported_but_not_what_follows_from_it():
    body = """g (float[2,2] x, int64[1] s) => (float y) {
        [a] d = RandomNormalLike(x) [b] e = Relu(d) [c] f = Add(e, e)
        [d] g = RandomNormalLike(x) [e] h = ReduceSum(x, s) [f] y = Sum(g, f, h) }"""
    with pytest.raises(UnsupportedModelError) as caught:
        read(model(body))
    found = [(each.op, each.node) for each in caught.value.ops]
    random = "RandomNormalLike"
    assert found == [(random, "a"), (random, "d"), ("ReduceSum", "e")]


def test_names_everything_of_every_kind_at_once():
    source = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 18, "com.example": 1, "own": 1]>
        g (complex64[2] h, float[2,2] x, seq(float[2]) s, bool c) => (float y, float z)
        <string[2] w = {"1","2"}> {
            [a] a = RandomNormalLike(x) [b] b = com.example.Fast(x)
            [c] d = Cast<to=1>(w)
            [f] f = own.f(x) [g] g = own.f(x)
            [if] e = If(c) <
                then_branch = t () => (float t) { [u] t = RandomNormalLike(x) },
                else_branch = e () => (float e) { [v] e = com.example.Fast(x) }>
            [i] y = Add(a, b) [j] z = Neg(h) [k] o = SequenceLength(s) }
        <domain: "own", opset_import: ["" : 18, "com.example" : 1]>
        f (a) => (b) { [p] c = RandomNormalLike(a) [q] d = com.example.Slow(a)
            b = Add(c, d) }"""
    )
    with pytest.raises(UnsupportedModelError) as caught:
        read(source)
    assert [(each.op, each.node) for each in caught.value.ops] == [
        ("input", "h"),
        ("input", "s"),
        ("RandomNormalLike", "a"),
        ("com.example.Fast", "b"),
        ("Cast", "c"),
        ("RandomNormalLike", "f/p"),
        ("com.example.Slow", "f/q"),
        ("RandomNormalLike", "g/p"),
        ("com.example.Slow", "g/q"),
        ("RandomNormalLike", "if/u"),
        ("com.example.Fast", "if/v"),
    ]


def test_an_input_without_a_shape_is_not_supported():
    source = model("g (float[2] x) => (float y) { y = Relu(x) }")
    source.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(UnsupportedModelError, match="a tensor of any number of axes"):
        read(source)


def test_what_no_node_uses_may_be_of_any_type():
    source = model("g (float[2] x) => (float y) { y = Relu(x) }")
    source.graph.initializer.append(
        helper.make_tensor("w", TensorProto.FLOAT16, [1], [1.0])
    )
    assert [op.name for op in read(source).ops] == ["graph.relu"]


def test_a_function_that_calls_itself():
    source = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
        g (float[2] x) => (float y) { y = own.f(x) }
        <domain: "own", opset_import: ["" : 18, "own" : 1]>
        f (a) => (b) { b = own.f(a) }"""
    )
    with pytest.raises(CompileError, match="got f -> f"):
        read(source)


def test_a_function_with_fewer_results():
    source = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
        g (float[2] x) => (float y) { [call] y, z = own.f(x) }
        <domain: "own", opset_import: ["" : 18]>
        f (a) => (b) { b = Neg(a) }"""
    )
    message = r"onnx node 'call' \(f\): expected 1 results at most, got 2"
    with pytest.raises(CompileError, match=message):
        read(source)
