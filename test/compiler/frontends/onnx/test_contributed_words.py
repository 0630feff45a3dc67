"""Windows, hashes and banned words of `com.microsoft` are ONNX Runtime's."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError

from .beside import both, contributed
from .interpreter import Array, read

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "how", ["dim=1, size=2, step=1", "size=3, step=2", "dim=0, size=2", "size=4"]
)
@pytest.mark.parametrize("shape", ["2,3,4", "a,b,c"])
def test_windows_are_onnx_runtimes(shape: str, how: str):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    body = f"float[{shape}] x | y = com.microsoft.UnfoldTensor<{how}>(x)"
    got, wanted = both(contributed(body), {"x": x})
    np.testing.assert_array_equal(got, wanted)


def test_a_window_fits_its_axis():
    def refused(how: str, message: str) -> None:
        body = f"float[2,4] x | y = com.microsoft.UnfoldTensor<{how}>(x)"
        with pytest.raises(CompileError, match=message):
            read(contributed(body))

    refused("size=5", "expected a window of 5 that fits tensor<2x4xf32>")
    refused("size=0", "expected a size and a step of 1 or more, got 0 and 1")
    refused("size=2, step=0", "expected a size and a step of 1 or more, got 2 and 0")
    refused("size=2, dim=2", "expected an axis from -2 to 1, got 2")


def numbers(kind: str) -> Array:
    """Ten numbers of a type, with its least and its greatest."""
    random = np.random.default_rng(0)
    if kind.startswith("float"):
        some = [0, -0.0, 1, -1, np.inf, np.nan, 1e-40, 3.5, 1e30, -2e-3]
        return np.array(some, kind)
    limits = np.iinfo(kind)
    found = random.integers(limits.min, limits.max, 10, np.dtype(kind).type, True)
    found[:2] = limits.min, limits.max
    return found


@pytest.mark.parametrize("how", ["", "<positive=0, seed=7>", "<seed=-1>"])
@pytest.mark.parametrize(
    "kind", ["int32", "uint32", "int64", "uint64", "float32", "float64"]
)
def test_hashes_are_onnx_runtimes(kind: str, how: str):
    name = {"float32": "float", "float64": "double"}.get(kind, kind)
    body = f"{name}[n] x | y = com.microsoft.MurmurHash3{how}(x)"
    got, wanted = both(contributed(body), {"x": numbers(kind)})
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


def test_hashes_are_of_numbers_of_32_or_64_bits():
    body = "y = com.microsoft.MurmurHash3(x)"
    with pytest.raises(CompileError, match="expected numbers of 32 or 64 bits"):
        read(contributed(f"int8[1] x | {body}"))
    with pytest.raises(UnsupportedModelError, match="a tensor of texts"):
        read(contributed(f"string[1] x | {body}"))


@pytest.mark.parametrize("sizes", [("4,9", "4,5"), ("b,l", "b,v")])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 10])
def test_banned_words_are_onnx_runtimes(size: int, sizes: tuple[str, str]):
    random = np.random.default_rng(size)
    words, scores = random.integers(0, 3, (4, 9)), random.standard_normal((4, 5))
    body = "y = com.microsoft.NGramRepeatBlock"
    text = f"int64[{sizes[0]}] i, float[{sizes[1]}] s | {body}<ngram_size={size}>(i, s)"
    source = contributed(text)
    for length in (9,) if sizes[0] == "4,9" else (1, 2, 4, 9):
        given = {"i": words[:, :length], "s": scores.astype(np.float32)}
        got, wanted = both(source, given)
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("word", [-1, 5])
def test_a_banned_word_has_a_score(word: int):
    text = (
        "int64[1,3] i, float[1,5] s | "
        "y = com.microsoft.NGramRepeatBlock<ngram_size=2>(i, s)"
    )
    graph = read(contributed(text))
    with pytest.raises(IndexError, match="expected indices from 0 to 4"):
        graph.run(np.full((1, 3), word), np.zeros((1, 5), np.float32))
