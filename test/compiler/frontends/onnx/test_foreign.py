"""Nodes that have no op of ours are run by the reference of ONNX, where asked for."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import (
    FunctionProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
    save,
)

import static_runtime as sr
from static_runtime.compiler.bundle import Network, make_bundle
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.runtime_folder import build_runtime
from static_runtime.runtime.call import Tally

from .acme import Fails, Twice, Wider

FOREIGN = sr.Options(fallback="foreign", foreign_ops=(Twice, Wider, Fails))
X = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)

node = helper.make_node


def info(name: str, *shape: int | str, element: int = TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    declared: Sequence[ValueInfoProto] = (),
    functions: Sequence[FunctionProto] = (),
    weights: Sequence[TensorProto] = (),
) -> ModelProto:
    graph = helper.make_graph(
        nodes, "g", inputs, outputs, [*weights], value_info=[*declared]
    )
    opsets = [helper.make_opsetid(*each) for each in (("", 17), ("acme", 1))]
    return helper.make_model(
        graph, opset_imports=opsets, functions=[*functions], ir_version=10
    )


def one(op: str, outputs: Sequence[str] = ("d",), **attributes: Any) -> ModelProto:
    """The op of our domain between two others; what it computes is declared."""
    return model(
        [
            node("Relu", ["x"], ["r"]),
            node(op, ["r"], outputs, "mine", domain="acme", **attributes),
            node("Neg", [outputs[0]], ["y"]),
        ],
        [info("x", "n", 3)],
        [info("y", "n", 3)],
        [info("d", "n", 3)],
    )


def test_one_op_of_a_foreign_domain():
    module = sr.compile(one("Twice"), options=FOREIGN)
    for n in (4, 1, 0, 9):
        x = np.resize(X, (n, 3))
        np.testing.assert_array_equal(module(x), -2 * np.maximum(x, 0))
    assert "graph.foreign acme.Twice at mine" in module.program.calls
    (call,) = module.program.call_outs
    assert call.framework == "onnx.reference"


def test_without_the_option_the_error_names_it():
    with pytest.raises(sr.CompileError, match=r"acme.Twice: 'mine'(.|\n)*fallback=\"f"):
        sr.compile(one("Twice"))


def test_without_the_class_the_error_asks_for_it():
    with pytest.raises(sr.CompileError, match=r"acme.Twice(.|\n)*foreign_ops=") as told:
        sr.compile(one("Twice"), options=sr.Options(fallback="foreign"))
    assert "nothing here runs it of the domain acme" in str(told.value)


def test_a_standard_op_has_the_types_that_onnx_infers():
    made = model(
        [node("Trilu", ["x", "k"], ["t"]), node("Neg", ["t"], ["y"])],
        [info("x", "n", 2, 2), info("k", element=TensorProto.INT64)],
        [info("y", "n", 2, 2)],
    )
    module = sr.compile(made, options=FOREIGN)
    x = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    np.testing.assert_allclose(module(x, np.array(1)), -np.triu(x, 1))


def test_a_value_that_only_a_run_knows():
    made = model(
        [node("CumSum", ["x", "axis"], ["y"])],
        [info("x", "n", 3), info("axis", element=TensorProto.INT64)],
        [info("y", "n", 3)],
    )
    module = sr.compile(made, options=FOREIGN)
    for axis in (0, 1):
        np.testing.assert_allclose(module(X, np.array(axis)), X.cumsum(axis), 1e-5)


def test_several_results_and_omitted_inputs():
    made = model(
        [node("Twice", ["x", "", "x"], ["", "y"], domain="acme")],
        [info("x", "n", 3)],
        [info("y", "n", 3)],
    )
    np.testing.assert_allclose(sr.compile(made, options=FOREIGN)(X), 3 * X, 1e-6)
    made = model(
        [node("Twice", ["x", "", "x"], ["a", "y"], domain="acme")],
        [info("x", "n", 3)],
        [info("y", "n", 3), info("a", "n", 3)],
    )
    y, a = sr.compile(made, options=FOREIGN)(X)
    np.testing.assert_allclose(y, 3 * X, 1e-6)
    np.testing.assert_array_equal(a, 2 * X)


def test_in_a_branch_and_in_a_loop():
    then = helper.make_graph(
        [node("Twice", ["x"], ["a"], domain="acme")], "then", [], [info("a", "n", 3)]
    )
    other = helper.make_graph([node("Neg", ["x"], ["b"])], "e", [], [info("b", "n", 3)])
    truth = TensorProto.BOOL
    chosen = sr.compile(
        model(
            [node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
            [info("c", element=truth), info("x", "n", 3)],
            [info("y", "n", 3)],
        ),
        options=FOREIGN,
    )
    np.testing.assert_array_equal(chosen(np.array(True), X), 2 * X)
    np.testing.assert_array_equal(chosen(np.array(False), X), -X)
    number = TensorProto.INT64
    body = helper.make_graph(
        [
            node("Twice", ["a"], ["b"], domain="acme"),
            node("Identity", ["go"], ["goes"]),
        ],
        "body",
        [info("i", element=number), info("go", element=truth), info("a", "n", 3)],
        [info("goes", element=truth), info("b", "n", 3)],
    )
    looped = sr.compile(
        model(
            [node("Loop", ["k", "", "x"], ["y"], body=body)],
            [info("k", element=number), info("x", "n", 3)],
            [info("y", "n", 3)],
        ),
        options=FOREIGN,
    )
    np.testing.assert_array_equal(looped(np.array(3), X), 8 * X)


def test_a_function_of_the_model_runs_as_a_whole():
    body = [
        node("SplitToSequence", ["x"], ["s"]),
        node("ConcatFromSequence", ["s"], ["y"], axis=0),
    ]
    own = helper.make_function(
        "acme", "F", ["x"], ["y"], body, [helper.make_opsetid("", 17)]
    )
    made = model(
        [node("F", ["x"], ["a"], domain="acme"), node("Neg", ["a"], ["y"])],
        [info("x", "n", 3)],
        [info("y", "n", 3)],
        [info("a", "n", 3)],
        [own],
    )
    module = sr.compile(made, options=FOREIGN)
    np.testing.assert_array_equal(module(X), -X)
    assert module.program.call_outs[0].source == "graph.foreign acme.F at a"


def test_known_inputs_are_computed_while_the_model_is_read():
    """As of a weight of eight bits; the reference has DequantizeLinear from 19 on."""
    whole = np.arange(12, dtype=np.int8).reshape(3, 4)
    weights = [
        numpy_helper.from_array(whole, "q"),
        numpy_helper.from_array(np.array(0.5, np.float32), "s"),
        numpy_helper.from_array(np.array(1, np.int8), "z"),
    ]
    made = model(
        [
            node("DequantizeLinear", ["q", "s", "z"], ["w"]),
            node("MatMul", ["x", "w"], ["y"]),
        ],
        [info("x", "n", 3)],
        [info("y", "n", 4)],
        weights=weights,
    )
    module = sr.compile(made, options=FOREIGN)
    assert module.program.call_outs == ()
    wanted = X @ ((whole - 1) * np.float32(0.5))
    np.testing.assert_allclose(module(X), wanted, rtol=1e-5, atol=1e-5)


def test_random_numbers_are_new_in_each_call():
    made = model(
        [node("RandomUniformLike", ["x"], [each]) for each in ("y", "z")],
        [info("x", "n", 3)],
        [info("y", "n", 3), info("z", "n", 3)],
    )
    module = sr.compile(made, options=FOREIGN)
    drawn = np.stack([*module(X), *module(X)])
    assert len(np.unique(drawn)) > 2 * X.size


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, r"expected a result float32\[4, 3\], got float32\[4, 6\]"),
        ({"double": 1}, r"expected a result float32\[4, 3\], got float64\[4, 3\]"),
    ],
)
def test_a_result_of_another_type_than_declared(attributes: Any, message: str):
    module = sr.compile(one("Wider", **attributes), options=FOREIGN)
    with pytest.raises(ValueError, match=message) as told:
        module(X)
    assert told.value.__notes__ == ["in graph.foreign acme.Wider at mine"]


def test_the_error_of_an_implementation_is_that_of_the_call():
    module = sr.compile(one("Fails"), options=FOREIGN)
    with pytest.raises(ArithmeticError, match="no 4 today") as told:
        module(X)
    assert told.value.__notes__ == ["in graph.foreign acme.Fails at mine"]


def giving_a_sequence() -> ModelProto:
    """A model in which an op of a user gives a sequence."""
    made = model(
        [node("Twice", ["x"], ["s"], domain="acme"), node("Neg", ["x"], ["y"])],
        [info("x", "n", 3)],
        [info("y", "n", 3)],
    )
    declared = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    made.graph.value_info.append(declared)
    return made


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (one("Twice", ("undeclared",)), "a result undeclared of unknown type"),
        (
            giving_a_sequence(),
            "a result s that is a sequence",
        ),
        (
            model(
                [node("StringNormalizer", ["x"], ["y"])],
                [info("x", "n", element=TensorProto.STRING)],
                [info("y", "n", element=TensorProto.STRING)],
            ),
            r"StringNormalizer \(a tensor of texts\)",
        ),
        (
            model(
                [node("Twice", ["x"], ["y"], domain="acme")],
                [info("x", "n", 3)],
                [info("y", "unheard_of", 3)],
            ),
            "a result y of unknown sizes",
        ),
    ],
)
def test_refusals(made: ModelProto, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(made, options=FOREIGN)


def test_what_has_no_python_refuses_with_the_node(tmp_path: Path):
    path = tmp_path / "m.onnx"
    save(one("Twice"), path)
    with pytest.raises(sr.CompileError, match=r"graph\.foreign acme\.Twice at mine"):
        build_runtime(path, ["host"], tmp_path / "built", FOREIGN)
    with pytest.raises(sr.CompileError, match=r"graph\.foreign acme\.Twice at mine"):
        make_bundle([Network(Compilation(path, options=FOREIGN), "m")], None, "static")


def test_options():
    assert sr.Options(foreign_ops=[Twice]).foreign_ops == (f"{__package__}.acme:Twice",)
    with pytest.raises(sr.CompileError, match="expected fallback of error or foreign"):
        sr.Options(fallback="no")
    local = type("Local", (Twice,), {"__qualname__": "f.<locals>.Local"})
    wrongs: list[Any] = [Twice, "acme:Twice", [3], [local], ["acme"]]
    for wrong in wrongs:
        with pytest.raises(sr.CompileError, match="expected foreign_ops such as"):
            sr.Options(foreign_ops=wrong)


_ELSEWHERE = """
import pickle, sys
import numpy as np
module = pickle.load(open(sys.argv[1], "rb"))
assert "onnx" not in sys.modules and module.report.warm
sys.path.insert(0, sys.argv[2])
x = np.array([[1, -2, 3]], np.float32)
try:
    print(module(x).tolist())
except ImportError as error:
    print(error)
"""


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("is_there", [True, False])
def test_in_another_process_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
):
    """The artifact has the node; onnx and the class are imported when it runs."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "there"
    folder.mkdir()
    source = Path(__file__).with_name("acme.py").read_text()
    (folder / "acme_elsewhere.py").write_text(source)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    options = sr.Options(fallback="foreign", foreign_ops=("acme_elsewhere:Twice",))
    module = sr.compile(one("Twice"), options=options)
    (tmp_path / "pickled").write_bytes(pickle.dumps(module))
    there = folder if is_there else tmp_path
    ran = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, tmp_path / "pickled", there],
        capture_output=True,
        text=True,
        check=False,
    )
    wanted = "[[-2.0, 0.0, -6.0]]" if is_there else "expected the module acme_elsewhere"
    assert wanted.replace("0.0", "-0.0") in ran.stdout or wanted in ran.stdout, ran


def test_coverage_counts_what_python_runs():
    found = sr.compile(one("Twice"), options=FOREIGN).coverage(n=4)
    assert found.ways["foreign"] == Tally(nodes=1, flops=12)
    assert found.ways["compiled"].nodes == 2
    assert "run by onnx.reference: graph.foreign acme.Twice at mine" in str(found)
