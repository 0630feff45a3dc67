"""What the package promises: `import static_runtime as sr`."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr

POST = Path(__file__).parent / "models" / "static_runtime_post.mlir"

PERCEPTRON = """
func.func @main(%x : tensor<?x2xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> {
  %0 = graph.constant dense<[[2.0, 0.0, 1.0], [-2.0, 1.0, 4.0]]> : tensor<2x3xf32>
  %1 = graph.matmul %x, %0
    : tensor<?x2xf32, ["n"]>, tensor<2x3xf32> -> tensor<?x3xf32, ["n"]>
  %2 = graph.relu %1 : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  return %2 : tensor<?x3xf32, ["n"]>
}
"""

RUN_POST = f"""
import sys
import numpy as np
import static_runtime as sr

model = sr.compile({str(POST)!r})
inputs = [np.full((64, 32), value, np.float32) for value in (1, 2, 3, 4, 5)]
output = model(*inputs)
assert (output[:, :32] == (1 + 2) * 3 * 4).all() and (output[:, 32:] == 5).all()
print(model.report.warm, *sys.modules)
"""
"""A program that compiles a model."""


COMPILERS = {"xdsl", "onnx", "torch"}
"""What a name alone does not load."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Compiled models are kept in a folder of the test."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))


def words(code: str) -> list[str]:
    """What a program of Python prints, run in a process of its own."""
    return subprocess.check_output([sys.executable, "-c", code], text=True).split()


def test_every_promised_name_is_there():
    assert all(getattr(sr, name) for name in sr.__all__)
    assert dir(sr) == sr.__all__


def test_no_other_name_is_there():
    name = "compiel"
    with pytest.raises(AttributeError, match=r"'static_runtime' has no .* 'compiel'"):
        getattr(sr, name)


@pytest.mark.parametrize("batch", [0, 1, 5])
def test_a_compiled_model_computes_what_numpy_does(batch: int):
    x = np.arange(2 * batch, dtype=np.float32).reshape(batch, 2)
    w = np.array([[2, 0, 1], [-2, 1, 4]], np.float32)
    np.testing.assert_array_equal(sr.compile(PERCEPTRON)(x), np.maximum(x @ w, 0))


def test_refuses_an_input_of_another_shape():
    message = r"input x: expected shape \(n, 2\) with n = 4, got \(4, 3\)"
    with pytest.raises(ValueError, match=message):
        sr.compile(PERCEPTRON)(np.ones((4, 3), np.float32))


def test_refuses_what_is_no_model():
    with pytest.raises(sr.CompileError, match="expected a model, got no such file"):
        sr.compile("no_such.mlir")


def test_loads_only_what_it_uses():
    """As `sr-opt` does, whose test that is."""
    steps = {
        "import static_runtime as sr": {"numpy", "llvmlite"} | COMPILERS,
        "sr.StaticModule": COMPILERS,
        "sr.compile": COMPILERS,
    }
    told = "print(*sys.modules, sep=',')"
    lines = "\n".join(f"{code}; {told}" for code in steps)
    loaded = words(f"import sys\n{lines}")
    for modules, unwanted in zip(loaded, steps.values(), strict=True):
        assert unwanted.isdisjoint(modules.split(","))


@pytest.mark.usefixtures("runs_host")
def test_a_model_that_was_compiled_before_loads_no_compiler():
    assert not sr.compile(str(POST)).report.warm
    warm, *modules = words(RUN_POST)
    assert warm == "True"
    assert {"xdsl", "onnx", "torch"}.isdisjoint(modules)
