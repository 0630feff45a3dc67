"""Columns of texts go into models, as the pipelines of scikit-learn have them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError

from .text_models import OWN, column, compiled, ml, model_of, texts

C, D = ["red", "grün", "blue"], ["a", "b"]
COLORS = np.array(["blue", "?", "red", "grün", "red"], object)
LETTERS = np.array(["b", "a", "c", "a", "b"], object)

PIPELINE = [
    ml("OneHotEncoder", ["c"], ["c1"], cats_strings=C, zeros=1),
    OWN("Reshape", ["c1", "three"], ["c2"]),
    ml("LabelEncoder", ["d"], ["d1"], keys_strings=D, values_floats=[1.0, 2.0]),
    ml("Scaler", ["u"], ["u1"], offset=[1.0], scale=[0.5]),
    OWN("Concat", ["c2", "d1", "u1"], ["f"], axis=1),
    ml(
        "LinearClassifier",
        ["f"],
        ["label", "scores"],
        classlabels_strings=["no", "yes"],
        coefficients=[0.5, -1, 0.25, 1, 2, -0.5, 1, -0.25, -1, -2],
        intercepts=[0.125, -0.125],
    ),
]
THREE = helper.make_tensor("three", TensorProto.INT64, [2], [-1, 3])


def features(rows: Any = "n", kind: int = TensorProto.FLOAT, name: str = "u") -> Any:
    """A column of numbers."""
    return helper.make_tensor_value_info(name, kind, [rows, 1])


def expected(c: Any, d: Any, u: Any) -> tuple[list[str], Any]:
    """What the pipeline computes, in numpy."""
    one = c == np.array(C, object)
    number = np.select([d == "a", d == "b"], [1.0, 2.0], 0.0)
    rows = np.concatenate([one, number, (u - 1) * 0.5], 1)
    weights = np.array([[0.5, -1, 0.25, 1, 2], [-0.5, 1, -0.25, -1, -2]])
    scores = rows @ weights.T + [0.125, -0.125]
    return [["no", "yes"][each] for each in scores.argmax(1)], scores


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("rows", ["n", 3])
def test_a_pipeline_of_columns(rows: Any, kind: Any):
    numbers = TensorProto.DOUBLE if kind == np.float64 else TensorProto.FLOAT
    inputs = [column("c", rows, 1), column("d", rows, 1), features(rows, numbers)]
    module: Any = compiled(PIPELINE, ["label", "scores"], inputs, [THREE])
    for count in (5, 1, 3, 0) if rows == "n" else (3,):
        c, d = COLORS[:count, None], LETTERS[:count, None]
        u = np.arange(count, dtype=kind)[:, None]
        label, scores = module(c, d, u)
        wanted, wanted_scores = expected(c, d, u)
        assert label.tolist() == wanted
        np.testing.assert_allclose(scores, wanted_scores, rtol=1e-6)
        again = module(u=u.tolist() or u, d=d.astype(str), c=c.tolist() or c)
        assert again[0].tolist() == wanted


def test_columns_of_one_input():
    nodes = [
        ml("ArrayFeatureExtractor", ["x", "one"], ["d"]),
        ml("LabelEncoder", ["d"], ["y"], keys_strings=D, values_int64s=[1, 2]),
        OWN("Split", ["x"], ["a", "b"], axis=1, num_outputs=2),
        OWN("Equal", ["a", "b"], ["z"]),
        OWN("Shape", ["x"], ["n"]),
    ]
    nodes[2].attribute.pop()
    one = helper.make_tensor("one", TensorProto.INT64, [1], [1])
    module: Any = compiled(nodes, ["y", "z", "n"], [column("x", "n", 2)], [one])
    for count in (5, 1, 0):
        x = np.stack([COLORS[:count], LETTERS[:count]], 1)
        if count:
            x[0] = "?"
        y, z, n = module(x)
        assert y.reshape(-1).tolist() == [{"a": 1, "b": 2}.get(e, -1) for e in x[:, 1]]
        assert z.reshape(-1).tolist() == [a == b for a, b in x]
        assert n.tolist() == [count, 2]


def test_missing_texts_are_replaced():
    nodes = [
        OWN("Equal", ["x", "nothing"], ["e"]),
        OWN("Where", ["e", "often", "x"], ["w"]),
        ml("OneHotEncoder", ["w"], ["y"], cats_strings=["often", "red"], zeros=1),
    ]
    stored = [texts("nothing", ""), texts("often", "often")]
    found: Any = compiled(nodes, stored=stored)(["", "red", "?", "often"])
    assert found.tolist() == [[1, 0], [0, 1], [0, 0], [1, 0]]


def test_branches_have_texts_of_outside():
    branches: dict[str, Any] = {
        f"{name}_branch": helper.make_graph(
            [ml("OneHotEncoder", ["x"], [name], cats_strings=cats, zeros=1)],
            name,
            [],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
        )
        for name, cats in (("then", ["a", "b"]), ("else", ["b", "c"]))
    }
    taken = helper.make_tensor_value_info("t", TensorProto.BOOL, [])
    module: Any = compiled(
        [OWN("If", ["t"], ["y"], **branches)], ["y"], [column("x"), taken]
    )
    assert module(["b", "a"], np.array(True)).tolist() == [[0, 1], [1, 0]]
    assert module(["b", "a"], np.array(False)).tolist() == [[1, 0], [0, 0]]


SAME = [OWN("Identity", ["x"], ["y"]), OWN("Identity", ["o"], ["z"])]
NAMED = [texts("o", "red", "blue")]


@pytest.mark.parametrize(
    "options",
    [{}, {"strict": True}, {"enable_out_variant": False, "optimize_memory": False}],
)
def test_texts_go_through_if_the_model_names_them(options: dict[str, Any]):
    made = model_of(SAME, ["y", "z"], [column("x")], NAMED)
    module: Any = sr.compile(made, options=sr.Options(cache=False, **options))
    y, z = module(["blue", "red", "blue"])
    assert (y.tolist(), z.tolist()) == (["blue", "red", "blue"], ["red", "blue"])
    with pytest.raises(ValueError, match="output y: expected texts that the model"):
        module(["blue", "?"])
    with pytest.raises(TypeError, match="input x: expected texts, got int64"):
        module(np.array([0, 1]))
    with pytest.raises(ValueError, match=r"input x: expected shape \(n,\), got \(1, 1"):
        module([["red"]])


def test_a_module_shows_its_texts_and_counts_calls_of_them():
    module: Any = compiled(SAME, ["y", "z"], [column("x")], NAMED)
    assert "main(x: str[n]) -> " in repr(module)
    for count in (1, 2, 1):
        module(["red"] * count)
    assert module.statistics().slow_calls >= 3


def test_arrays_for_outputs_and_other_ways_to_call():
    node = ml("LabelEncoder", ["x"], ["y"], keys_strings=D, values_int64s=[1, 2])
    module: Any = compiled([node])
    out = np.zeros(2, np.int64)
    assert module(["b", "?"], out=out) is out
    assert out.tolist() == [2, -1]
    assert pickle.loads(pickle.dumps(module))(["b", "a"]).tolist() == [2, 1]
    runtime: Any = sr.StaticRuntime(module)
    assert runtime.run([["a"]]).tolist() == runtime(x=["a"]).tolist() == [1]
    assert runtime.run_async([["b"]]).result().tolist() == [2]


def test_an_artifact_has_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path))
    node = ml("LabelEncoder", ["x"], ["y"], keys_strings=D, values_int64s=[1, 2])
    made = model_of([node])
    for hit in (False, True):
        module: Any = sr.compile(made)
        assert module.report.warm is hit
        assert module(["b", "c"]).tolist() == [2, -1]


SIZED = [
    ml("LabelEncoder", ["x"], ["k"], keys_strings=D, values_int64s=[1, 3]),
    OWN("Reshape", ["u", "k"], ["y"]),
]


def test_texts_may_be_constants_or_bound():
    made = model_of(SIZED, ["y"], [column("x", 2), features(3)])
    u = np.ones((3, 1), np.float32)
    for given in (["a", "b"], np.array(["a", "b"], object)):
        module: Any = sr.compile(made, constants={"x": given})
        assert module(u).shape == (1, 3)
    other: Any = sr.compile(made, constants={"x": np.array(["b", "a"], object)})
    assert other(u).shape == (3, 1)
    bound: Any = sr.compile(made, options=sr.Options(bind="first-call"))
    assert [bound(x, u).shape for x in (["a", "b"], ["b", "a"])] == [(1, 3), (3, 1)]
    with pytest.raises(TypeError, match="input x: expected texts, got int64"):
        bound(np.array([1, 2]), u)
    with pytest.raises(CompileError, match="constant for input x: expected texts, got"):
        sr.compile(made, constants={"x": [1, 2]})
    with pytest.raises(CompileError, match=r"constant 'x': expected shape \[2\]"):
        sr.compile(made, constants={"x": ["a"]})


@pytest.mark.parametrize(
    ("nodes", "refused"),
    [
        ([OWN("StringConcat", ["x", "x"], ["y"])], "StringConcat"),
        ([OWN("StringNormalizer", ["x"], ["y"])], "StringNormalizer"),
        ([OWN("Cast", ["x"], ["y"], to=TensorProto.FLOAT)], "Cast"),
        ([OWN("Expand", ["o", "x"], ["y"])], "Expand"),
        ([OWN("Unique", ["x"], ["y"])], "Unique"),
        (
            [ml("TreeEnsembleClassifier", ["x"], ["y"], classlabels_strings=["a"])],
            "TreeEnsembleClassifier",
        ),
    ],
)
def test_other_ops_of_texts_are_refused(nodes: Sequence[NodeProto], refused: str):
    with pytest.raises(CompileError, match=rf"{refused} \(a tensor of texts\): 'y'"):
        compiled(nodes, ["y"], [column("x")], NAMED)
