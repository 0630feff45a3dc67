"""
Recurrent models whose states stay in the caller's arrays, a few steps a call.

An RNN is not among them: its one product reads the whole state for each new element.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx import TensorProto, helper
from onnx.numpy_helper import from_array

import static_runtime as sr

Array = npt.NDArray[Any]

WIDTH, HIDDEN = 5, 6
GATES = {"LSTM": 4, "GRU": 3}
"""The gates of a layer."""

LAYERS = 2


def model(op: str, steps: int | str) -> bytes:
    """Layers of one kind, which take `steps` steps and return their states."""
    random, gates = np.random.default_rng(0), GATES[op]
    stored: dict[str, Array] = {"skip": np.array([1], np.int64)}
    nodes = [helper.make_node("Identity", ["x"], ["x.0"])]
    for at in range(LAYERS):
        width = WIDTH if at == 0 else HIDDEN
        shapes = {
            f"w.{at}": (1, gates * HIDDEN, width),
            f"r.{at}": (1, gates * HIDDEN, HIDDEN),
            f"b.{at}": (1, 2 * gates * HIDDEN),
        }
        for name, shape in shapes.items():
            stored[name] = random.standard_normal(shape).astype(np.float32) / 2
        kept = [each for each in states(op) if each.endswith(str(at))]
        nodes += [
            helper.make_node(
                op,
                [f"x.{at}", *shapes, "", *kept],
                [f"y.{at}", *(f"{each}.new" for each in kept)],
                hidden_size=HIDDEN,
            ),
            helper.make_node("Squeeze", [f"y.{at}", "skip"], [f"x.{at + 1}"]),
        ]

    def value(name: str, *shape: int | str):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(
        nodes,
        "streaming",
        [
            value("x", steps, "batch", WIDTH),
            *(value(each, 1, "batch", HIDDEN) for each in states(op)),
        ],
        [
            value(f"x.{LAYERS}", steps, "batch", HIDDEN),
            *(value(f"{each}.new", 1, "batch", HIDDEN) for each in states(op)),
        ],
        [from_array(array, name) for name, array in stored.items()],
    )
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9
    )
    return made.SerializeToString()


def states(op: str) -> list[str]:
    """The names of the states of all layers."""
    kinds = ("h", "c") if op == "LSTM" else ("h",)
    return [f"{kind}.{at}" for at in range(LAYERS) for kind in kinds]


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("steps", ["n", 1, 3])
@pytest.mark.parametrize("op", GATES)
def test_states_stay_where_they_are(op: str, steps: int | str):
    options = sr.Options(cache=False)
    whole = sr.compile(model(op, "n"), options=options)
    is_whole = steps == "n"
    module = copy(whole) if is_whole else sr.compile(model(op, steps), options=options)
    names, total = states(op), 12
    pairs = {(at, at) for at in range(1, len(names) + 1)}
    assert pairs <= {*module.program.donations}
    random = np.random.default_rng(1)
    counts = [steps] * (total // steps) if isinstance(steps, int) else [1, 5, 1, 3, 2]
    for turn, batch in enumerate((2, 1, 4, 2, 1)):
        x = random.standard_normal((total, batch, WIDTH)).astype(np.float32)
        start = random.standard_normal((len(names), 1, batch, HIDDEN), np.float32)
        wanted, *ends = whole(x, *start)
        kept = [each.copy() for each in start]
        calls, at = module.statistics().slow_calls, 0
        for count in counts:
            module.context.activations[:] = 0xFF
            y = np.empty((count, batch, HIDDEN), np.float32)
            result = module(x[at : at + count], *kept, out=(y, *kept))
            assert all(a is b for a, b in zip(result, (y, *kept), strict=True))
            np.testing.assert_allclose(y, wanted[at : at + count], atol=1e-5)
            at += count
        for got, want in zip(kept, ends, strict=True):
            np.testing.assert_allclose(got, want, atol=1e-5)
        # A call that copies a state is one that left machine code.
        if turn > 2:
            assert module.statistics().slow_calls == calls


def test_states_that_are_given_to_one_another_are_right():
    module = sr.compile(model("LSTM", 1), options=sr.Options(cache=False))
    random, count = np.random.default_rng(2), len(states("LSTM"))
    x = random.standard_normal((1, 3, WIDTH), np.float32)
    start = random.standard_normal((count, 1, 3, HIDDEN), np.float32)
    wanted = module(x, *start)
    for shift in range(count):
        for _ in range(2):
            kept = [each.copy() for each in start]
            given = kept[shift:] + kept[:shift]
            found = module(x, *kept, out=(np.empty((1, 3, HIDDEN), np.float32), *given))
            for got, want in zip(found, wanted, strict=True):
                np.testing.assert_array_equal(got, want)
