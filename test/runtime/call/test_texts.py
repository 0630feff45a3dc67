"""Texts that callers give become numbers, which say all that a model asks of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from static_runtime.runtime.call.structure import match_tree
from static_runtime.runtime.call.texts import as_texts, numbered, texts_of
from static_runtime.runtime.program.program import TensorInfo
from static_runtime.runtime.program.structure import Structure, Tree

INFO = TensorInfo("c", "int64", ("n",))
OTHER = TensorInfo("d", "int64", ("n",))
NUMBER = TensorInfo("x", "float32", ())
TAKES = Structure(
    Tree(
        "dict",
        (
            Tree("texts", name="c"),
            Tree("array", name="x"),
            Tree("texts", name="d"),
        ),
        ("c", "x", "d"),
    ),
    None,
    ("red", "grün", ""),
)


@pytest.mark.parametrize(
    "value",
    [
        [["red", "grün"]],
        (("red", "grün"),),
        np.array([["red", "grün"]]),
        np.array([["red", "grün"]], object),
        np.array([[b"red", "grün".encode()]]),
        np.array([[b"red", "grün"]], object),
        [[np.str_("red"), np.bytes_("grün".encode())]],
        np.array([["grün", "red"]])[:, ::-1],
    ],
)
def test_what_texts_are_given_as(value: Any):
    found = as_texts(value, INFO)
    assert (found.dtype, found.tolist()) == (object, [["red", "grün"]])
    assert all(isinstance(each, str) for each in found.reshape(-1))


def test_one_text_and_none():
    assert as_texts("red", INFO).shape == ()
    assert as_texts([], INFO).shape == (0,)
    assert as_texts(np.empty((0, 3), "U2"), INFO).shape == (0, 3)


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (np.array([1, 2]), "int64"),
        (np.empty(0), "float64"),
        (["red", 1], "int"),
        (np.array(["red", None], object), "NoneType"),
        (["red", float("nan")], "float"),
        ([["red"], ["red", "red"]], "list"),
        ({"red": 1}, "dict"),
        (None, "NoneType"),
    ],
)
def test_what_is_no_text(value: Any, got: str):
    with pytest.raises(TypeError, match=f"^input c: expected texts, got {got}$"):
        as_texts(value, INFO)


def test_bytes_of_another_encoding():
    with pytest.raises(
        ValueError, match="input c: expected texts in UTF-8, got others"
    ):
        as_texts(np.array(["grün".encode("latin-1")]), INFO)


def test_other_texts_are_numbers_of_their_own_in_a_call():
    infos = [INFO, NUMBER, OTHER]
    values = [["grün", "blue", "red", "blue", "x"], 3, np.array([["y"], ["blue"]])]
    c, x, d = numbered(TAKES, infos, values)
    assert (c.dtype, c.tolist()) == (np.int64, [1, -1, 0, -1, -2])
    assert (x, d.tolist()) == (3, [[-3], [-1]])
    # Another call begins anew.
    assert numbered(TAKES, infos, ["y", 3, []])[0].tolist() == -1


def test_texts_by_position_by_name_and_beside_others():
    infos = [INFO, NUMBER, OTHER]
    given = ["red"], 3, np.array(["grün", "?"])
    named = dict(zip("cxd", given, strict=True))
    for arguments, by_name in ((given, {}), ((), named), (given[:1], {**named})):
        by_name = {k: v for k, v in by_name.items() if k != "c" or not arguments}
        c, x, d = match_tree(TAKES, infos, arguments, by_name)
        assert (c.tolist(), x, d.tolist()) == ([0], 3, [1, -1])
    with pytest.raises(TypeError, match="input c: expected texts, got dict"):
        match_tree(TAKES, infos, ({}, 3, []), {})
    with pytest.raises(TypeError, match="got none for d"):
        match_tree(TAKES, infos, given[:2], {})


def test_texts_of_results():
    texts = np.array(["a", "b"], object)
    assert texts_of(texts, np.array([[1], [0]]), "y").tolist() == [["b"], ["a"]]
    assert texts_of(texts[:0], np.empty(0, np.int64), "y").tolist() == []
    with pytest.raises(
        ValueError, match="output y: expected texts that the model names"
    ):
        texts_of(texts, np.array([1, -1]), "y")
