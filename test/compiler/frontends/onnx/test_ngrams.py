"""Counts of sequences, in forms that ONNX's own tests leave out."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from static_runtime.compiler.session.errors import CompileError

from .interpreter import model, read

TEXT = """g (int64[{shape}] x) => (float y) {{ y = TfIdfVectorizer<mode = "{mode}",
min_gram_length = 1, max_gram_length = {most}, max_skip_count = 1,
ngram_counts = [0, 2, 6], ngram_indexes = {indexes}, pool_int64s = [2, 3, 2, 3, 5, 3],
weights = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]>(x) }}"""

INDEXES = "[0, 5, 2, 3]"


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize(
    ("shape", "sizes"), [("r, c", (3, 9)), ("9", (9,)), ("r, 1", (2, 1))]
)
def test_sequences_are_counted_and_weighted(
    mode: str, most: int, shape: str, sizes: tuple[int, ...]
):
    made = model(TEXT.format(mode=mode, most=most, shape=shape, indexes=INDEXES), 18)
    x = np.random.default_rng(0).integers(2, 6, sizes)
    (y,) = read(made).run(x)
    (expected,) = ReferenceEvaluator(made).run(None, {"x": x})
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0, 5, 2, 3]", "[0, 5, 2, 2]", "several sequences of one index"),
        ("[0, 5, 2, 3]", "[0, 5, 2]", "expected an index of each sequence, got 3"),
        ("[0, 2, 6]", "[0, 3, 6]", "expected starts of sequences in the pool"),
        ('"TF"', '"TFI"', "expected a mode of TF, IDF, TFIDF, got 'TFI'"),
        ("[r]", "[r,2,3]", "expected a row or rows"),
        ("6.0, 7.0", "6.0", "expected 6 weights, got 5"),
    ],
)
def test_what_is_no_count_is_refused(old: str, new: str, message: str):
    mode = "TFIDF" if "weights" in message else "TF"
    text = TEXT.format(mode=mode, most=2, shape="r", indexes=INDEXES)
    assert old in text
    with pytest.raises(CompileError, match=message):
        read(model(text.replace(old, new), 18))


def test_what_the_pool_has_beyond_the_elements_is_nowhere():
    text = TEXT.format(mode="TF", most=1, shape="r", indexes=INDEXES)
    text = text.replace("int64[r]", "int32[r]").replace(
        "[2, 3, 2,", f"[{1 << 62}, 3, 2,"
    )
    (y,) = read(model(text, 18)).run(np.array([0, 3, 0, 2], np.int32))
    np.testing.assert_array_equal(y, [0, 0, 0, 0, 0, 1])
