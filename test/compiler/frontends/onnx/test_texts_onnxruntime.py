"""Columns of texts are read as ONNX Runtime reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import NodeProto

import static_runtime as sr

from .text_models import OWN, column, ml, model_of, texts

pytestmark = pytest.mark.torch

X = np.array(["a", "ü", "?", "b", "", "_Unused", "a", "!"], object)
Z = np.array(["b", "ü", "?", "!", "", "a", "a", "none"], object)
STORED = [texts("o", "b", "new"), texts("m", "often"), texts("nothing", "")]


@pytest.mark.parametrize("count", [8, 1, 0])
@pytest.mark.parametrize(
    ("nodes", "version"),
    [
        ([ml("OneHotEncoder", ["x"], ["y"], cats_strings=["a", "b", "a"])], 3),
        (
            [
                ml(
                    "LabelEncoder",
                    ["x"],
                    ["k"],
                    keys_strings=["a", "ü", "a"],
                    values_strings=["b", "?", "c"],
                ),
                OWN("Equal", ["k", "z"], ["y"]),
            ],
            2,
        ),
        (
            [
                ml(
                    "CategoryMapper",
                    ["x"],
                    ["y"],
                    cats_strings=["a", "b", "a"],
                    cats_int64s=[1, 2, 3],
                )
            ],
            1,
        ),
        ([ml("LabelEncoder", ["x"], ["y"], classes_strings=["ü", "a", "ü"])], 1),
        (
            [
                OWN("Equal", ["x", "nothing"], ["e"]),
                OWN("Where", ["e", "m", "z"], ["w"]),
                OWN("Concat", ["o", "w", "x"], ["c"], axis=0),
                ml(
                    "LabelEncoder",
                    ["c"],
                    ["y"],
                    keys_strings=["often", "new", "none"],
                    values_floats=[1.0, 2.0, 3.0],
                ),
            ],
            3,
        ),
        ([OWN("Equal", ["x", "z"], ["y"])], 3),
    ],
)
def test_computes_what_onnxruntime_does(
    nodes: list[NodeProto], version: int, count: int
):
    made = model_of(nodes, ["y"], [column("x"), column("z")], STORED, version)
    feeds = {"x": X[:count], "z": Z[:count]}
    session = ort.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, feeds)
    found: Any = sr.compile(made)(**feeds)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
