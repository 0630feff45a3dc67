"""Words of bytes that tile registers multiply have the sums of every other way."""

from __future__ import annotations

import re

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.ir import target as targets
from static_runtime.dialects.loop import TargetAttr

from ....models.test_few_bits import build, stepped
from ...test_llvm_to_object import assemblies

TILES = TargetAttr.of("x86-64-v3", 512, 32, True, isas=["portable_amx_int8"])
"""A machine with tile registers in memory: every x86-64-v3 runs its code."""

WORDS = """
loop.kernel @dots(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  loop.tile %i to ROWS, %j to 16, reduce %k to 5 from %zero : f32 k_loop (%sum) {
    %x = loop.load %a[%i * 10 + %k * 2] : memref<?xi32>
    %y = loop.load %a[%i * 10 + %k * 2 + NEXT] : memref<?xi32>
    %u = loop.load %b[%k * 32 + %j] : memref<?xi32>
    %v = loop.load %b[%k * 32 + %j + 16] : memref<?xi32>
    %p = scalar.dot_bytes %none, %u, %x : i32
    %q = scalar.dot_bytes %p, %v, %y : i32
    %f = arith.sitofp %q : i32 to f32
    %next = arith.addf %f, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 16 + %column] : memref<?xf32>
    loop.yield
  }
}
"""


def kernel(rows: int, next: int = 1) -> str:
    """The kernel of some rows, whose second word lies behind the first or elsewhere."""
    return WORDS.replace("ROWS", str(rows)).replace("NEXT", str(next))


def test_rows_of_two_tiles_and_more_are_multiplied_in_tile_registers():
    text = assemblies("sapphirerapids", kernel(40))["dots"]
    # Products stand before the loop, and twice in it.
    assert len(re.findall(r"\ttdpbsud\s", text)) >= 3
    # Eight rows are left, of four words each for ten words of the tile.
    assert "vpdpbusd" in text
    assert text.count("ldtilecfg") == text.count("tilerelease") == 1


@pytest.mark.parametrize(("rows", "next"), [(31, 1), (64, 2)])
def test_few_rows_and_words_that_lie_apart_are_not(rows: int, next: int):
    text = assemblies("sapphirerapids", kernel(rows, next))["dots"]
    assert "tdpbsud" not in text
    assert "ldtilecfg" not in text
    assert "vpdpbusd" in text


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("shape", "bits", "group", "zero"),
    [
        ((64, 64), 4, 32, True),
        # One block, without a loop over any.
        ((160, 32), 4, 32, True),
        *(
            pytest.param(*each, marks=pytest.mark.full)
            for each in (
                ((50, 96), 4, 16, False),
                ((33, 160), 8, 32, True),
                ((32, 128), 2, 64, False),
                ((64, 256), 8, 128, False),
            )
        ),
    ],
)
def test_bits_are_those_of_vectors(
    monkeypatch: pytest.MonkeyPatch,
    shape: tuple[int, int],
    bits: int,
    group: int,
    zero: bool,
    threads: int,
):
    monkeypatch.setitem(targets.TARGETS, "tiles", TILES)
    text, weights = stepped(shape, bits, group, zero)
    options = sr.Options(cache=False, activations="int8", threads=threads)
    tiles, vectors = (
        build(text, weights, options, target) for target in ("tiles", "x86-64-v3")
    )
    for rows in (1, 15, 16, 31, 32, 33, 47, 48, 79, 100):
        x = np.random.default_rng(rows).standard_normal((rows, shape[1]), np.float32)
        np.testing.assert_array_equal(tiles(x), vectors(x))


def test_words_of_weights_beyond_the_scratch_memory_are_not_kept(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setitem(targets.TARGETS, "tiles", TILES)
    text, weights = stepped((16, 1 << 15), 4, 32, False)
    options = sr.Options(cache=False, activations="int8")
    x = np.random.default_rng(3).standard_normal((40, 1 << 15), np.float32)
    found = [build(text, weights, options, each)(x) for each in ("tiles", "x86-64-v3")]
    np.testing.assert_array_equal(*found)
