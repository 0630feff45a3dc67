"""What changed its form from one opset version to the next means the same in both."""

from __future__ import annotations

import pytest
from onnx import helper, load

from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError

from ....models.stored import DIGITS
from .interpreter import model

X = "float[n,1,4] x"

FORMS: dict[str, tuple[str, tuple[tuple[int, str], ...]]] = {
    "Squeeze": (
        X,
        (
            (11, "{ y = Squeeze<axes=[-2]>(x) }"),
            (13, "<int64[1] a = {1}> { y = Squeeze(x, a) }"),
        ),
    ),
    "Unsqueeze": (
        X,
        (
            (11, "{ y = Unsqueeze<axes=[0,4]>(x) }"),
            (13, "<int64[2] a = {-1,0}> { y = Unsqueeze(x, a) }"),
        ),
    ),
    "ReduceSum": (
        X,
        (
            (9, "{ y = ReduceSum<axes=[2], keepdims=0>(x) }"),
            (13, "<int64[1] a = {-1}> { y = ReduceSum<keepdims=0>(x, a) }"),
        ),
    ),
    "ReduceMean of all": (
        X,
        (
            (9, "{ y = ReduceMean(x) }"),
            (17, "{ y = ReduceMean<axes=[0,1,2]>(x) }"),
            (18, "{ y = ReduceMean(x) }"),
            (28, "<int64[0] a = {}> { y = ReduceMean(x, a) }"),
        ),
    ),
    "Clip": (
        X,
        (
            (9, "{ y = Clip<min=-1.0, max=2.0>(x) }"),
            (11, "<float a = {-1}, float b = {2}> { y = Clip(x, a, b) }"),
        ),
    ),
    "Clip on one side": (
        X,
        (
            (9, "{ y = Clip<max=2.0>(x) }"),
            (13, "<float b = {2}> { y = Clip(x, , b) }"),
        ),
    ),
    "Slice": (
        X,
        (
            (9, "{ y = Slice<axes=[2], starts=[1], ends=[-1]>(x) }"),
            (
                10,
                """<int64[1] a = {1}, int64[1] b = {3}, int64[1] c = {-1}>
                { y = Slice(x, a, b, c) }""",
            ),
            (
                13,
                """<int32[1] a = {-3}, int32[1] b = {-1}, int32[1] c = {2}>
                { d = Constant<value_ints=[1]>() e = Cast<to=6>(d)
                  y = Slice(x, a, b, c, e) }""",
            ),
        ),
    ),
    "Pad": (
        X,
        (
            (9, "{ y = Pad<pads=[0,0,1,0,0,2], value=3.0>(x) }"),
            (
                11,
                "<int64[6] p = {0,0,1,0,0,2}, float v = {3}> { y = Pad(x, p, v) }",
            ),
            (
                18,
                """<int64[2] p = {1,2}, float v = {3}, int64[1] a = {-1}>
                { y = Pad(x, p, v, a) }""",
            ),
        ),
    ),
    "Split": (
        X,
        (
            (9, "{ y, z = Split<axis=2>(x) }"),
            (11, "{ y, z = Split<axis=2, split=[2,2]>(x) }"),
            (13, "<int64[2] s = {2,2}> { y, z = Split<axis=-1>(x, s) }"),
            (18, "{ y, z = Split<axis=2, num_outputs=2>(x) }"),
        ),
    ),
    "Dropout": (
        X,
        (
            (9, "{ y = Dropout<ratio=0.25>(x) }"),
            (12, "<float r = {0.25}> { y = Dropout(x, r) }"),
            (22, "<float r = {0.25}, bool t = {0}> { y = Dropout(x, r, t) }"),
        ),
    ),
    "Dropout's mask": (
        X,
        (
            (7, "{ a, m = Dropout(x) y = Mul(a, m) }"),
            (12, "{ a, b = Dropout(x) m = Cast<to=1>(b) y = Mul(a, m) }"),
        ),
    ),
    "BatchNormalization of places": (
        "float[n,3,4] x, float[3,4] s, float[3,4] b, float[3,4] m, float[3,4] v",
        (
            (8, "{ y = BatchNormalization<spatial=0>(x, s, b, m, v) }"),
            (
                14,
                """<int64[2] f = {0,12}, int64[1] r = {12}, int64[3] o = {0,3,4}>
                { [y] i = Reshape(x, f) [y] c = Reshape(s, r) [y] d = Reshape(b, r)
                [y] e = Reshape(m, r) [y] g = Reshape(v, r)
                [y] h = BatchNormalization(i, c, d, e, g) y = Reshape(h, o) }""",
            ),
        ),
    ),
    "Softmax over the last axis": (
        X,
        (
            (9, "{ y = Softmax<axis=2>(x) }"),
            (12, "{ y = Softmax<axis=-1>(x) }"),
            (13, "{ y = Softmax<axis=2>(x) }"),
        ),
    ),
    **{
        f"{op} over all axes from one on": (
            X,
            (
                (7, f"{{ y = {op}(x) }}"),
                (12, f"{{ y = {op}<axis=-2>(x) }}"),
                (
                    13,
                    f"""<int64[2] f = {{0,-1}}> {{ s = Shape(x) r = Reshape(x, f)
                    t = {op}<axis=1>(r) y = Reshape(t, s) }}""",
                ),
            ),
        )
        for op in ("Softmax", "LogSoftmax", "Hardmax")
    },
    "BatchNormalization": (
        f"{X}, float[1] s, float[1] b, float[1] m, float[1] v",
        (
            (8, "{ y = BatchNormalization<spatial=1>(x, s, b, m, v) }"),
            (9, "{ y = BatchNormalization(x, s, b, m, v) }"),
            (14, "{ y = BatchNormalization<training_mode=0>(x, s, b, m, v) }"),
        ),
    ),
    "Add from an axis": (
        "float[n,3,4] x, float[3] b",
        (
            (6, "{ y = Add<broadcast=1, axis=1>(x, b) }"),
            (
                7,
                """<int64[2] s = {3,1}> { [y] c = Reshape(b, s) y = Add(x, c) }""",
            ),
        ),
    ),
    "Cast": (
        X,
        (
            (9, "{ y = Cast<to=11>(x) }"),
            (21, "{ y = Cast<to=11, saturate=0>(x) }"),
        ),
    ),
    "Shape": (
        X,
        (
            (9, "{ s = Shape(x) y = ConstantOfShape(s) }"),
            (15, "{ s = Shape<start=0, end=3>(x) y = ConstantOfShape(s) }"),
        ),
    ),
}


def text(inputs: str, body: str, opset: int) -> str:
    """The IR of a graph."""
    outputs = "float y, float z" if "y, z" in body else "float y"
    source = model(f"g ({inputs}) => ({outputs}) {body}", opset)
    return str(read_onnx(source, SrContext()))


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_read_as_the_same_graph(name: str):
    inputs, forms = FORMS[name]
    first, *others = [text(inputs, body, opset) for opset, body in forms]
    assert others
    for each in others:
        assert each == first


DIGITS_TEXT = str(read_onnx(DIGITS / "digits.onnx", SrContext()))


@pytest.mark.parametrize("opset", range(9, 29))
def test_the_digits_are_the_same_graph_in_every_opset(opset: int):
    source = load(DIGITS / "digits.onnx")
    source.opset_import[0].version = opset
    for node in source.graph.node:
        kept = [
            each
            for each in node.attribute
            if (opset >= 14 or each.name != "training_mode")
            and (opset >= 10 or each.name not in ("ceil_mode", "dilations"))
        ]
        if node.op_type != "Conv":
            node.ClearField("attribute")
            node.attribute.extend(kept)
    assert str(read_onnx(source, SrContext())) == DIGITS_TEXT


@pytest.mark.parametrize("opset", [0, 29])
def test_refuses_other_opsets(opset: int):
    source = model("g (float[2] x) => (float[2] y) { y = Relu(x) }")
    source.opset_import[0].version = opset
    message = f"expected one opset version from 1 to 28, got {opset}: convert the model"
    with pytest.raises(CompileError, match=message):
        read_onnx(source, SrContext())


@pytest.mark.parametrize("opset", [1, 5])
def test_reads_older_opsets_where_they_have_the_form_of_later_ones(opset: int):
    source = model("g (bool[2] x) => (bool[2] y) { y = Not(x) }")
    source.opset_import[0].version = opset
    assert "graph.logical_not" in str(read_onnx(source, SrContext()))
    source = model("g (float[2] x) => (float[2] y) { y = Relu(x) }")
    source.opset_import[0].version = opset
    message = rf"Relu.*its form of opset {opset}, before opset 6"
    with pytest.raises(UnsupportedModelError, match=message):
        read_onnx(source, SrContext())


def test_refuses_two_opsets():
    source = model("g (float[2] x) => (float[2] y) { y = Relu(x) }")
    source.opset_import.append(helper.make_opsetid("ai.onnx", 17))
    with pytest.raises(CompileError, match="got 17 and 18"):
        read_onnx(source, SrContext())


def test_reads_the_long_name_of_the_domain():
    source = model("g (float[2] x) => (float[2] y) { y = ai.onnx.Relu(x) }")
    source.opset_import[0].domain = "ai.onnx"
    assert "graph.relu" in str(read_onnx(source, SrContext()))
