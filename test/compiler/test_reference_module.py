"""A module that runs references: what the compiled one takes, returns and refuses."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import parser

import static_runtime as sr
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.profiling import measure
from static_runtime.compiler.runtime_folder import build_runtime

from ..models.open_models import BLOCK, CHAIN, GROWN, OpenModel
from ..models.random_graphs import RandomGraph
from ..models.stored import STORED
from ..workers import run_apart

ORACLE = sr.Options(enable_out_variant=False, optimize_memory=False)
DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.onnx"

LOOP = """
func.func @main(%x: tensor<?x3xf32, ["n"]> {sr.name = "x"}, %go: tensor<i1> {sr.name = "go"}) -> (tensor<3xf32>, tensor<?x3xf32, ["n"]>) {
  %zero = graph.constant dense<0.0> : tensor<3xf32>
  %3:2 = graph.loop %zero, %x {trips = "n", carried = 1 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 0, 0>} : tensor<3xf32>, tensor<?x3xf32, ["n"]> -> tensor<3xf32>, tensor<?x3xf32, ["n"]> {
  ^bb0(%sum: tensor<3xf32>, %row: tensor<3xf32>):
    %a = graph.add %sum, %row : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    graph.yield %a, %a : tensor<3xf32>, tensor<3xf32>
  }
  %4 = graph.if %go, %3#0 : tensor<i1>, tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%t: tensor<3xf32>):
    %y = graph.neg %t : tensor<3xf32> -> tensor<3xf32>
    graph.yield %y : tensor<3xf32>
  } {
  ^bb0(%t: tensor<3xf32>):
    %z = graph.abs %t : tensor<3xf32> -> tensor<3xf32>
    graph.yield %z : tensor<3xf32>
  }
  func.return %4, %3#1 : tensor<3xf32>, tensor<?x3xf32, ["n"]>
}
"""  # noqa: E501

RELU = """
func.func @main(%x: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]>
    attributes {graph.symbols = {n = [1, 8]}, graph.input_names = ["x"]} {
  %y = graph.relu %x : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  func.return %y : tensor<?x3xf32, ["n"]>
}
"""

SAME = """
func.func @main(%x: tensor<3xf32> {sr.name = "x"}) -> tensor<3xf32> {
  func.return %x : tensor<3xf32>
}
"""


def oracle(model: Any, **options: Any) -> sr.StaticModule:
    """The module of a model that references run."""
    return sr.compile(model, options=ORACLE, **options)


def rows(count: int) -> Any:
    """Rows of three random numbers."""
    return np.random.default_rng(count).standard_normal((count, 3)).astype(np.float32)


def check(results: Any, wanted: Any) -> None:
    """Raises unless outputs are equal but for the order of sums."""
    for got, want in zip(results, wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("go", [False, True])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_runs_control_flow(go: bool, count: int):
    x = rows(count)
    total = x.cumsum(0, np.float32)
    last = total[-1] if count else np.zeros(3, np.float32)
    results = oracle(LOOP)(x, np.array(go))
    check(results, (-last if go else abs(last), total))
    check(results, sr.compile(LOOP)(x, np.array(go)))


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("model", "sizes"), [(BLOCK, (2, 5)), (CHAIN, (2, 3, 4, 5)), (GROWN, (2, 3, 4))]
)
def test_runs_models_of_onnx(model: OpenModel, sizes: tuple[int, ...]):
    made = oracle(model.model)
    compiled = sr.compile(model.model, options=sr.Options(cache=False))
    assert made.program.inputs == compiled.program.inputs
    assert made.program.outputs == compiled.program.outputs
    inputs = model.inputs(np.random.default_rng(0), *sizes)
    model.check(made(*inputs), inputs)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("seed", range(4))
def test_runs_random_graphs(seed: int):
    graph = RandomGraph(seed, True)
    text = str(graph.module)
    made, compiled = oracle(text), sr.compile(text, options=sr.Options(cache=False))
    random = np.random.default_rng(seed)
    for batch in (4, 1):
        shapes = [(batch, 5), (batch, 5), (5, 3), (batch, 2, 3)]
        inputs = [random.standard_normal(each).astype(np.float32) for each in shapes]
        check(made(*inputs), compiled(*inputs))


def test_takes_and_refuses_what_the_compiled_module_does():
    made, compiled = oracle(RELU), sr.compile(RELU)
    x = rows(4)
    for each in (x, x.tolist(), x[::-1], x.astype(np.float16)):
        np.testing.assert_array_equal(made(each), compiled(each))
    np.testing.assert_array_equal(made(x=x), np.maximum(x, 0))
    wrong: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((rows(9),), {}),
        ((rows(0),), {}),
        ((x[:, :2],), {}),
        ((x.astype(np.float64),), {}),
        ((), {}),
        ((x, x), {}),
        ((), {"y": x}),
        ((x,), {"out": np.empty((3, 3), np.float32)}),
    ]
    for arguments, named in wrong:
        with pytest.raises((TypeError, ValueError)) as ours:
            made(*arguments, **named)
        with pytest.raises(type(ours.value)) as theirs:
            compiled(*arguments, **named)
        assert str(ours.value) == str(theirs.value)


def test_writes_to_given_arrays_and_returns_new_ones():
    made, x = oracle(RELU), rows(3)
    wanted = np.maximum(x, 0)
    out = np.empty_like(x)
    assert made(x, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    assert made(x, out=x) is x
    np.testing.assert_array_equal(x, wanted)
    same, y = oracle(SAME), np.ones(3, np.float32)
    assert not np.shares_memory(same(y), y)


def test_conditions_on_sizes_are_checked():
    text = """
    func.func @main(%x: tensor<?x3xf32, ["n"]> {sr.name = "x"}, %y: tensor<?x3xf32, ["m"]> {sr.name = "y"}) -> tensor<?x3xf32, ["n"]> {
      graph.require {amount = "min(n - m, -n + m)", message = "equal sizes", shown = ["n", "m"], op = "Add"}
      %z = graph.relu %x : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
      func.return %z : tensor<?x3xf32, ["n"]>
    }
    """  # noqa: E501
    made = oracle(text)
    np.testing.assert_array_equal(made(rows(2), rows(2)), np.maximum(rows(2), 0))
    with pytest.raises(ValueError, match=r"^Add: expected equal sizes, got 3 and 2"):
        made(rows(3), rows(2))


def test_is_pickled_copied_and_not_taken_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path))
    model = STORED["mlp_small"]
    compiled = sr.compile(model.dynamic)
    x = model.rows(2)[0]
    first = oracle(model.dynamic)
    wanted = first(x)
    check([compiled(x)], [wanted])
    paths = [tmp_path / each for each in ("module.pickle", "x.npy", "y.npy")]
    paths[0].write_bytes(pickle.dumps(first))
    for each in (oracle(model.dynamic), copy.copy(first), copy.deepcopy(first)):
        np.testing.assert_array_equal(each(x), wanted)
        assert each.plan.size == 0
    np.save(paths[1], x)
    load = """
import pickle, sys
import numpy as np
from pathlib import Path
module = pickle.loads(Path(sys.argv[1]).read_bytes())
assert type(module).__name__ == "ReferenceModule"
np.save(sys.argv[3], module(np.load(sys.argv[2])))
"""
    run_apart(load, *paths)
    np.testing.assert_array_equal(np.load(paths[2]), wanted)
    # The compiled artifact is found again.
    assert sr.compile(model.dynamic).report.warm


def test_damaged_pickles_are_refused():
    reduced: Any = oracle(RELU).__reduce_ex__(4)
    function, (facts, digest, text, weights) = reduced
    with pytest.raises(pickle.UnpicklingError, match="as it was written"):
        function(facts, digest, text.replace("relu", "neg"), weights)
    with pytest.raises(pickle.UnpicklingError, match="as it was written"):
        function(facts + b" ", digest, text, weights)


def test_runtimes_and_pools_run_it():
    made, x = oracle(RELU), rows(3)
    np.testing.assert_array_equal(sr.StaticRuntime(made).run([x]), np.maximum(x, 0))
    others = sr.Options(enable_out_variant=False, optimize_memory=False, threads=2)
    pool = sr.RuntimePool(made, others)
    np.testing.assert_array_equal(pool.run_async([x]).result(), np.maximum(x, 0))
    with pytest.raises(
        sr.CompileError, match="expected optimize_memory=False as the m"
    ):
        sr.StaticRuntime(made, sr.Options())
    made.repeater(x)(3)
    assert made.statistics().slow_calls == 1
    made.release()


def test_what_only_compiled_code_has_is_refused(tmp_path: Path):
    made = oracle(RELU)
    asked = made.memory_report, made.coverage, lambda: made.context
    for ask in (*asked, lambda: made.benchmark([]), lambda: measure(made, [])):
        with pytest.raises(ValueError, match="expected a compiled module, to ask for"):
            ask()
    with pytest.raises(
        sr.CompileError, match=r"enable_out_variant=True for what is com"
    ):
        build_runtime(DIGITS, ["host"], tmp_path / "folder", ORACLE)
    with pytest.raises(
        sr.CompileError, match=r"enable_out_variant=True for what is com"
    ):
        Driver(context(), ORACLE, "host", None).compile(RandomGraph(0, False).module)


def test_models_that_cannot_be_read_are_refused_alike():
    for text in (RELU.replace("graph.relu", "graph.nothing"), "func.func", "x.onnx"):
        with pytest.raises(sr.CompileError) as ours:
            oracle(text)
        with pytest.raises(sr.CompileError) as theirs:
            sr.compile(text)
        assert str(ours.value) == str(theirs.value)


def test_constants_and_values_of_the_first_call():
    proto = parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 20]> g (float[2, 3] x, int64[1] axes) '
        "=> (float[a, b] y) { y = ReduceSum <keepdims = 1> (x, axes) }"
    )
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    made = oracle(proto.SerializeToString(), constants={"axes": [1]})
    assert made.input_names == ("x",)
    np.testing.assert_array_equal(made(x), [[6], [15]])
    later = sr.Options(
        enable_out_variant=False, optimize_memory=False, bind="first-call"
    )
    bound = sr.compile(proto.SerializeToString(), options=later)
    np.testing.assert_array_equal(bound(x, [0]), [[5, 7, 9]])
    np.testing.assert_array_equal(bound(x, [1]), [[6], [15]])


def test_bounds_of_symbols_are_kept():
    bounded = sr.Options(
        enable_out_variant=False, optimize_memory=False, bounds={"n": 4}
    )
    made = sr.compile(RELU, options=bounded)
    made(rows(4))
    with pytest.raises(ValueError, match="expected n from 1 to 4, got 5"):
        made(rows(5))
