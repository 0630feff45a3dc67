"""Models that are compiled for the values of inputs, given or met at the first call."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler import first_call
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.first_call import FirstCallModule

from .frontends.onnx.interpreter import Array
from .frontends.onnx.interpreter import model as parsed

BIND = sr.Options(bind="first-call")
SUMS = """g (float[n,3,4] x, int64[1] axes, float[n,3,4] w) => (float[a,b,c] y) {
    s = ReduceSum(x, axes)
    y = Mul(s, w) }"""


def model(body: str) -> ModelProto:
    """The model of a graph in ONNX's own text, opset 18."""
    return parsed(body)


def first(source: ModelProto, **options: Any) -> FirstCallModule:
    """A model that is compiled at calls."""
    made = sr.compile(source, options=sr.Options(bind="first-call", **options))
    assert isinstance(made, FirstCallModule)
    return made


def floats(*shape: int) -> Array:
    """Numbers at random, the same in every run."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


VALUES: dict[str, tuple[str, Mapping[str, Any], list[Any]]] = {
    "axes": (
        "g (float[2,3,4] x, int64[1] k) => (float[a,b,c] y) { y = ReduceSum(x, k) }",
        {"x": floats(2, 3, 4)},
        [[0], [1], [2], [-1], [-3]],
    ),
    "axis": (
        "g (float[3,4] x, int64 k) => (float[a,b] y) { y = CumSum(x, k) }",
        {"x": floats(3, 4)},
        [0, 1, -1, -2, 0],
    ),
    "pads": (
        "g (float[3,4] x, int64[4] k) => (float[a,b] y) { y = Pad(x, k) }",
        {"x": floats(3, 4)},
        [[0, 0, 0, 0], [1, 0, 2, 3], [0, 1, 0, 0], [4, 4, 4, 4], [1, 1, 0, 0]],
    ),
    "k": (
        "g (float[3,6] x, int64[1] k) => (float[a,b] y, int64[a,b] z) "
        "{ y, z = TopK(x, k) }",
        {"x": floats(3, 6)},
        [[1], [2], [6], [3], [5]],
    ),
    "repeats": (
        "g (float[3,2] x, int64[2] k) => (float[a,b] y) { y = Tile(x, k) }",
        {"x": floats(3, 2)},
        [[1, 1], [0, 2], [3, 1], [2, 2], [1, 5]],
    ),
    "a computed shape": (
        """g (float[2,6] x, int64[2] k) => (float[a,b] y) <int64 one = {1}> {
        t = Add(k, one) y = Reshape(x, t) }""",
        {"x": floats(2, 6)},
        [[0, 11], [11, 0], [2, 3], [1, 5], [5, 1]],
    ),
}


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("name", VALUES)
def test_values_that_ops_need(name: str):
    text, given, values = VALUES[name]
    source = model(text)
    with pytest.raises(sr.CompileError, match="computed when the model runs"):
        sr.compile(source)
    module, judge = first(source), ReferenceEvaluator(source)
    for value in values:
        k = np.array(value, np.int64)
        wanted = judge.run(None, {**given, "k": k})
        pinned = sr.compile(source, constants={"k": value})
        assert pinned.input_names == ("x",)
        for got in (module(**given, k=k), pinned(**given)):
            results = list(got) if len(wanted) > 1 else [got]
            for result, want in zip(results, wanted, strict=True):
                assert result.dtype == want.dtype
                np.testing.assert_allclose(result, want, 1e-5, 1e-6)


def test_a_module_is_what_it_can_be():
    module = first(model(SUMS))
    assert isinstance(module, sr.StaticModule)
    assert module.input_names == ("x", "axes", "w")
    assert module.output_names == ("y",)
    assert module.bound_names == ("axes",)
    assert module.modules() == ()
    x, w = floats(2, 3, 4), floats(2, 3, 4)
    out = np.zeros_like(w)
    assert module(x, [1], w=w, out=out) is out
    np.testing.assert_allclose(out, x.sum(1, keepdims=True) * w, 1e-5, 1e-6)
    (only,) = module.modules()
    assert only.input_names == ("x", "w")
    module.release()
    module.repeater(x, [1], w)(3)
    assert module.modules() == (only,)
    assert "axes: int64[1]" in repr(module)
    assert isinstance(module, sr.StaticModule)
    assert sr.StaticRuntime(module).run([x, [1], w]).shape == w.shape
    asked = module.statistics, module.coverage, lambda: module.memory_report(n=2)
    for ask in (*asked, lambda: module.benchmark([])):
        with pytest.raises(ValueError, match=r"each value of axes; ask one of module"):
            ask()
    for name in ("program", "plan", "context"):
        with pytest.raises(ValueError, match=f"to ask for {name}, got one for each"):
            getattr(module, name)


def test_wrong_calls_are_told_of():
    module = first(model(SUMS))
    x = floats(2, 3, 4)
    with pytest.raises(TypeError, match=r"expected 3 inputs \(x, axes, w\), got"):
        module(x, [1])
    with pytest.raises(TypeError, match="input axes: expected int64, got float32"):
        module(x, np.ones(1, np.float32), x)
    with pytest.raises(sr.CompileError, match=r"constant 'axes': expected shape \[1\]"):
        module(x, [1, 2], x)
    with pytest.raises(sr.CompileError, match="expected an axis"):
        module(x, [7], x)
    with pytest.raises(ValueError, match="input x: expected shape"):
        module(x[0], [1], x)
    assert module(x, [1], x).shape == x.shape


def test_one_module_is_compiled_for_a_value(monkeypatch: pytest.MonkeyPatch):
    runs: list[int] = []
    run = Compilation.run

    def counted(self: Compilation) -> sr.StaticModule:
        runs.append(1)
        return run(self)

    module = first(model(SUMS), cache=False)
    monkeypatch.setattr(Compilation, "run", counted)
    x, start = floats(2, 3, 4), threading.Barrier(8)
    found: list[Array] = []

    def call() -> None:
        start.wait()
        found.append(module(x, [2], x))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(runs) == 1
    assert len(found) == 8
    for each in found:
        np.testing.assert_allclose(each, x.sum(2, keepdims=True) * x, 1e-5, 1e-6)


def test_modules_that_were_not_used_for_longest_go(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(first_call, "_MAX_MODULES", 2)
    module, x = first(model(SUMS)), floats(2, 3, 4)
    module(x, [0], x)
    (zero,) = module.modules()
    module(x, [1], x)
    module(x, [0], x)
    module(x, [2], x)
    assert len(module.modules()) == 2
    assert zero in module.modules()
    np.testing.assert_allclose(module(x, [1], x), x.sum(1, keepdims=True) * x, 1e-5)
    assert zero not in module.modules()


def test_more_inputs_are_bound_where_a_value_asks_for_them():
    source = model("""g (float[3,4] x, bool c, int64 k) => (float[a,b] y) {
        y = If (c) <
          then_branch = t () => (float[a,b] u) { u = Trilu(x, k) },
          else_branch = e () => (float[a,b] v) { v = CumSum(x, k) }
        > }""")
    module, x = first(source), floats(3, 4)
    np.testing.assert_array_equal(module(x, True, 1), np.triu(x, 1))
    np.testing.assert_allclose(module(x, False, 1), x.cumsum(1), 1e-5)
    assert "k" in module.bound_names


def test_what_no_value_helps_is_refused_at_once():
    source = model("""g (float[3,3] x, int64 k) => (float d, float[3,3] t) {
        t = Trilu(x, k) d = RandomNormalLike(x) }""")
    with pytest.raises(sr.CompileError, match="RandomNormalLike"):
        sr.compile(source, options=BIND)


def test_what_no_value_helps_is_refused_when_it_shows():
    source = model("""g (float[3,3] x, int64 k) => (float d) {
        t = Trilu(x, k) d = RandomNormalLike(t) }""")
    module = first(source)
    with pytest.raises(sr.CompileError, match="RandomNormalLike"):
        module(floats(3, 3), 1)


def test_a_model_that_needs_no_value_is_an_ordinary_module():
    source = model("g (float[n] x) => (float[n] y) { y = Relu(x) }")
    module = sr.compile(source, options=BIND)
    assert not isinstance(module, FirstCallModule)
    assert module.statistics().slow_calls == 0


def test_large_values_are_not_bound():
    source = model("g (float[4] x, int64[n] k) => (float[a] y) { y = Expand(x, k) }")
    module = sr.compile(source, options=BIND)
    with pytest.raises(ValueError, match="input k: expected at most 4096 elements"):
        module(floats(4), np.ones(5000, np.int64))


def test_a_constant_binds_the_symbols_of_its_shape():
    source = model("""g (float[n,3] x, float[n] w, int64[n] k) => (float[a] y) {
        y = Add(w, w) }""")
    module = sr.compile(source, constants={"k": [1, 2, 3, 4]})
    assert [each.shape for each in module.program.inputs] == [(4, 3), (4,)]


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"q": 1}, r"constants for inputs of the model \(x, axes, w\), got q"),
        ({"axes": [1.5]}, "constant for input axes: expected an array of int64, got"),
        ({"axes": [1, 2]}, r"constant 'axes': expected shape \[1\], got \[2\]"),
        ({"axes": "1"}, "constant for input axes: expected an array of int64, got str"),
        ({3: 1}, "expected names of constants as str, got int 3"),
        ([1], "expected constants such as {'axes': .1.}, got list"),
    ],
)
def test_constants_are_values_of_inputs(constants: Any, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(model(SUMS), constants=constants)


def test_constants_are_part_of_the_key():
    source = model(SUMS)
    x = floats(2, 3, 4)
    for axis in (0, 1, 2, 1):
        module = sr.compile(source.SerializeToString(), constants={"axes": [axis]})
        got = module(x, x)
        np.testing.assert_allclose(got, x.sum(axis, keepdims=True) * x, 1e-5, 1e-6)
    assert module.report.warm


def test_a_constant_is_a_copy():
    axes = np.array([1])
    compilation = Compilation(model(SUMS)).with_constants({"axes": axes})
    axes[0] = 2
    x = floats(2, 3, 4)
    got = compilation.run()(x, x)
    np.testing.assert_allclose(got, x.sum(1, keepdims=True) * x, 1e-5, 1e-6)
