"""Who is interrupted while he compiles or calls can go on, whenever that was."""

from __future__ import annotations

import pytest

from ..workers import run_apart

PROGRAM = """
import random
import signal
import sys
import warnings

import numpy as np

import static_runtime as sr

warnings.simplefilter("ignore")
# What is interrupted while it frees something is told here, and goes on.
sys.unraisablehook = lambda told: None


def text(size):
    return f'''
func.func @main(%x: tensor<?x{size}xf32, ["n"]>, %w: tensor<{size}x{size}xf32>)
    -> tensor<?x{size}xf32, ["n"]> {{
  %0 = graph.matmul %x, %w : tensor<?x{size}xf32, ["n"]>, tensor<{size}x{size}xf32>
    -> tensor<?x{size}xf32, ["n"]>
  %1 = graph.softmax %0 {{axis = 1 : i64}} : tensor<?x{size}xf32, ["n"]>
    -> tensor<?x{size}xf32, ["n"]>
  return %1 : tensor<?x{size}xf32, ["n"]>
}}
'''


def interrupt(*_):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, interrupt)
random = random.Random(int(sys.argv[1]))
interrupted = 0
for turn in range(int(sys.argv[2])):
    size = random.choice((16, 24, 40))
    options = sr.Options(
        cache=False,
        threads=random.choice((1, 2)),
        tier=random.choice(("full", "fast-start")),
    )
    x, w = np.ones((4, size), np.float32), np.eye(size, dtype=np.float32)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, random.choice((0.01, 0.1, 0.3))
                             * random.random() + 1e-5)
            module = sr.compile(text(size), options=options)
            for _ in range(50):
                module(x, w)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
    if turn % 4 == 0:
        again = sr.compile(text(size), options=options)
        np.testing.assert_allclose(again(x, w), 1 / size, 1e-4)
print("interrupted" if interrupted else "never")
"""


@pytest.mark.full(
    beside="lowering/llvm_to_object/test_guarded_lock.py::"
    "test_an_interruption_anywhere_leaves_the_lock_free"
)
def test_who_is_interrupted_goes_on():
    assert run_apart(PROGRAM, "0", "30") == ["interrupted"]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 11))
def test_who_is_interrupted_often_goes_on(seed: int):
    assert run_apart(PROGRAM, f"{seed}", "200") == ["interrupted"]
