"""sr-run compiles a model and runs it, or says in one sentence why it does not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.passes.pipeline import pipeline
from static_runtime.compiler.session.options import Options
from static_runtime.compiler.tools import benchmark, run
from static_runtime.compiler.tools.cold import compile_apart
from static_runtime.compiler.tools.run import main
from static_runtime.runtime.files.safetensors import write
from static_runtime.runtime.program.structure import Structure, Tree

Array = npt.NDArray[Any]

MODEL = """
func.func @model(%x: tensor<?x3xf32, ["n"]>, %i: tensor<2xi64>)
    -> (tensor<2x3xf32>, tensor<?x3xf32, ["n"]>)
    attributes {graph.output_names = ["file", "y"], graph.symbols = {n = [2, 9]}} {
  %0 = graph.embedding %x, %i : tensor<?x3xf32, ["n"]>, tensor<2xi64> -> tensor<2x3xf32>
  %1 = graph.neg %x : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  return %0, %1 : tensor<2x3xf32>, tensor<?x3xf32, ["n"]>
}
"""

ONE = """
func.func @one(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""

TIME = r"\d+\.\d\d ms"

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
PLACES = np.array([1, 0])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two models, in which the command runs."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "model.mlir").write_text(MODEL)
    (work / "one.mlir").write_text(ONE)
    return work


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a test that asks what is in it; others share that of the run."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def arrays(path: Path | str) -> dict[str, Array]:
    """The arrays in a file."""
    with np.load(path) as found:
        return {name: found[name] for name in found.files}


def save(path: str, given: Any) -> None:
    """Writes arrays to a file, by name."""
    np.savez(path, **given)


def refused(*arguments: str) -> str:
    """The sentence with which the command ends."""
    with pytest.raises(SystemExit) as error:
        main(arguments)
    said = error.value.code
    assert isinstance(said, str)
    assert said.startswith("sr-run: ")
    assert "Traceback" not in said
    assert "bug" not in said
    return said.removeprefix("sr-run: ")


def test_runs_on_inputs_at_random(capsys: pytest.CaptureFixture[str]):
    main(["model.mlir"])
    first, second = capsys.readouterr().out.splitlines()
    number = r"-?\d+(\.\d+)?(e-?\d+)?"
    numbers = f"  min {number}  mean {number}  max {number}"
    assert re.fullmatch(r"file: float32\[2, 3\]" + numbers, first)
    assert re.fullmatch(r"y: float32\[2, 3\]" + numbers, second)


def test_the_seed_decides_what_is_random(capsys: pytest.CaptureFixture[str]):
    printed: list[str] = []
    for seed in ("0", "0", "1"):
        main(["model.mlir", "--random-seed", seed])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]


def test_texts_are_read_and_are_at_random(capsys: pytest.CaptureFixture[str]):
    takes = Tree("dict", (Tree("texts", name="x"),), ("x",))
    gives = Tree("texts", keys=("red", "grün"), number=0)
    known = asdict(Structure(takes, gives, ("red", "grün")))
    Path("texts.mlir").write_text(
        f"""
        func.func @f(%x: tensor<?xi64, ["n"]>) -> tensor<?xi64, ["n"]>
            attributes {{graph.input_names = ["x"], graph.output_names = ["y"],
                         graph.structure = {json.dumps(json.dumps(known))}}} {{
          return %x : tensor<?xi64, ["n"]>
        }}"""
    )
    main(["texts.mlir", "--size", "n=40", "--output", "out.npz"])
    assert "y: <U4[40]" in capsys.readouterr().out
    assert {*arrays("out.npz")["y"].tolist()} == {"red", "grün"}
    np.savez("in.npz", x=np.array(["grün", "red"]))
    main(["texts.mlir", "--input", "in.npz", "--output", "out.npz"])
    assert arrays("out.npz")["y"].tolist() == ["grün", "red"]


def test_sizes_are_given(capsys: pytest.CaptureFixture[str]):
    main(["model.mlir", "--size", "n=7", "--output", "out.npz"])
    assert "y: float32[7, 3]" in capsys.readouterr().out
    assert arrays("out.npz")["y"].shape == (7, 3)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("m=3", r"expected a symbol of the model \(n\) and a number, got m=3"),
        ("n", r"expected a symbol of the model \(n\) and a number, got n"),
        ("n=", r"expected a symbol of the model \(n\) and a number, got n="),
        ("n=-1", r"expected a symbol of the model \(n\) and a number, got n=-1"),
        ("n=x", r"expected a symbol of the model \(n\) and a number, got n=x"),
        ("n=²", r"expected a symbol of the model \(n\) and a number, got n=²"),
        ("n=10", "expected n from 2 to 9, got 10"),
        ("n=1", "expected n from 2 to 9, got 1"),
        ("n=" + "9" * 17, r"\w"),
        ("n=" + "9" * 30, r"\w"),
    ],
)
def test_refuses_another_size(size: str, message: str):
    assert re.match(message, refused("model.mlir", "--size", size))


@pytest.mark.parametrize(
    "names",
    [("x", "i"), ("in0", "in1"), ("x", "in1")],
)
def test_inputs_go_by_name_or_in_order(names: tuple[str, str]):
    save("in.npz", {names[0]: X, names[1]: PLACES, "more": X})
    main(["model.mlir", "--input", "in.npz", "--output", "out.npz"])
    result = arrays("out.npz")
    np.testing.assert_array_equal(result["file"], X[PLACES])
    np.testing.assert_array_equal(result["y"], -X)
    assert list(result) == ["file", "y"]


def test_a_name_of_the_model_goes_before_the_order(folder: Path):
    text = ONE.replace(
        "(%x: tensor<2x3xf32>)", "(%in1: tensor<2x3xf32>, %in0: tensor<f32>)"
    )
    (folder / "swapped.mlir").write_text(text.replace("%x", "%in1"))
    np.savez("in.npz", in0=np.float32(3), in1=X)
    main(["swapped.mlir", "--input", "in.npz", "--output", "out.npz"])
    np.testing.assert_array_equal(arrays("out.npz")["output"], -X)


@pytest.mark.parametrize("name", ["x", "in0"])
def test_one_input_may_be_an_npy_file(name: str):
    np.save("in.npy", X)
    save("in.npz", {name: X})
    for file in ("in.npy", "in.npz"):
        main(["one.mlir", "--input", file, "--output", "out.npz"])
        np.testing.assert_array_equal(arrays("out.npz")["output"], -X)


def test_inputs_are_converted_as_in_a_call():
    np.save("in.npy", np.asfortranarray(X.astype(np.int8)))
    main(["one.mlir", "--input", "in.npy", "--output", "out.npz"])
    np.testing.assert_array_equal(arrays("out.npz")["output"], -X)
    np.save("in.npy", X.astype(np.float64))
    assert "input x: expected float32, got float64" in refused(
        "one.mlir", "--input", "in.npy"
    )


def broken_inputs() -> None:
    """Writes files that hold no inputs."""
    np.savez("few.npz", x=X)
    np.savez("none.npz")
    np.savez("shape.npz", x=X[:, :2], i=PLACES)
    np.savez("index.npz", x=X, i=PLACES + 1)
    np.savez("objects.npz", x=np.array([None, 1]), i=PLACES)
    np.save("objects.npy", np.array([None, 1]))
    np.save("x.npy", X)
    Path("text.npz").write_text("no zip")
    Path("empty.npz").write_bytes(b"")
    whole = Path("few.npz").read_bytes()
    Path("cut.npz").write_bytes(whole[:60])
    Path("cut.npy").write_bytes(Path("x.npy").read_bytes()[:-4])
    at = whole.index(X.tobytes())
    Path("flipped.npz").write_bytes(whole[:at] + b"\x7f" + whole[at + 1 :])
    with zipfile.ZipFile("other.npz", "w") as archive:
        archive.writestr("x", "text")
        archive.writestr("i", "text")
    Path("folder.npz").mkdir()
    os.mkfifo("pipe.npz")
    Path("device.npz").symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("none.npy", r"none\.npy: expected an \.npz or \.npy file, got no such file$"),
        ("few.npz", r"few\.npz: expected arrays for i, got x$"),
        ("none.npz", r"none\.npz: expected arrays for x, i, got $"),
        ("shape.npz", r"input x: expected shape \(n, 3\) with n = 2, got \(2, 2\)$"),
        ("index.npz", r"graph\.embedding: expected an index from 0 to 1, got 2$"),
        ("objects.npz", r"objects\.npz: expected an \.npz or \.npy file, got Object"),
        ("objects.npy", r"objects\.npy: expected an \.npz or \.npy file, got Object"),
        ("x.npy", r"x\.npy: expected an \.npz file with x, i, got one array$"),
        ("text.npz", r"text\.npz: expected an \.npz or \.npy file, got "),
        ("empty.npz", r"empty\.npz: expected an \.npz or \.npy file, got "),
        ("cut.npz", r"cut\.npz: expected an \.npz or \.npy file, got "),
        ("cut.npy", r"cut\.npy: expected an \.npz or \.npy file, got "),
        ("flipped.npz", r"flipped\.npz: expected an \.npz or \.npy file, got Bad CRC"),
        ("other.npz", r"input x: expected an array of float32, got bytes"),
        ("folder.npz", r"folder\.npz: expected an \.npz or \.npy file, got a folder$"),
        ("pipe.npz", r"pipe\.npz: expected an \.npz or \.npy file, got a pipe$"),
        ("device.npz", r"device\.npz: expected an \.npz or \.npy file, got a device$"),
    ],
)
def test_refuses_other_inputs_and_writes_nothing(file: str, message: str):
    broken_inputs()
    assert re.match(message, refused("model.mlir", "--input", file, "--output", "out"))
    assert not Path("out").exists()


def test_pickles_are_never_read():
    harm = Path("harm")
    code = f"cos\nsystem\n(S'touch {harm}'\ntR."
    Path("in.npy").write_bytes(code.encode())
    refused("one.mlir", "--input", "in.npy")
    with zipfile.ZipFile("in.npz", "w") as archive:
        archive.writestr("x.npy", code)
    refused("one.mlir", "--input", "in.npz")
    assert not harm.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.mlir"], "none.mlir: expected a model, got no such file"),
        (["."], ".: expected a model, got a folder"),
        (["bad.mlir"], "bad.mlir:1:14"),
        (
            ["bad.txt"],
            "bad.txt: expected a file that ends in .onnx, .mlir or .pt2, got .txt",
        ),
        (["one.mlir", "--planner", "x"], "expected a planner like "),
        (["one.mlir", "--precision", "f16"], "expected a precision f32 or bf16, got "),
        (["one.mlir", "--threads", "0"], "expected one thread or more, got 0"),
        (["one.mlir", "--target", "x"], "expected a target like "),
        (["weights.mlir"], "weights.mlir: expected its weights in w beside it, got no"),
        (["one.mlir", "--output", "none/out.npz"], "none/out.npz: No such file"),
        (["one.mlir", "--output", "folder.txt"], "folder.txt: Is a directory"),
        (
            ["one.mlir", "--random-seed", "-1"],
            "expected a seed of inputs of 0 or more, got -1",
        ),
    ],
)
def test_says_what_the_user_can_mend(arguments: list[str], message: str):
    Path("bad.mlir").write_text("func.func @f(")
    Path("bad.txt").write_text(ONE)
    Path("folder.txt").mkdir()
    attribute = 'builtin.module attributes {graph.weights = "w"} {'
    Path("weights.mlir").write_text(f"{attribute}{ONE}}}")
    assert refused(*arguments).startswith(message)
    assert {path.suffix for path in Path().iterdir()} == {".mlir", ".txt"}


def test_an_output_is_written_whole_or_stays_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
):
    main(["one.mlir", "--output", "out.npz"])
    before = Path("out.npz").read_bytes()

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    assert "No space left" in refused("one.mlir", "--output", "out.npz")
    assert Path("out.npz").read_bytes() == before
    assert {path.name for path in Path().iterdir()} == {
        "model.mlir",
        "one.mlir",
        "out.npz",
    }


def test_a_bug_of_ours_is_told_as_one(monkeypatch: pytest.MonkeyPatch):
    def fail(_: Compilation) -> None:
        raise TypeError("no such thing")

    monkeypatch.setattr(Compilation, "run", fail)
    with pytest.raises(SystemExit) as error:
        main(["one.mlir"])
    told = "sr-run: this is a bug of the compiler: TypeError: no such thing"
    assert error.value.code == told


@pytest.mark.full(beside="test_lit.py::test_run_lines")
def test_the_status_is_one_and_nothing_is_traced(folder: Path):
    command = "from static_runtime.compiler.tools.run import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", command, "none.mlir"],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "sr-run: none.mlir: expected a model, got no such file\n"


def test_the_cache_may_be_left_out(cache: Path):
    main(["one.mlir", "--no-cache"])
    assert not cache.exists()
    main(["one.mlir"])
    assert list(cache.glob("*.sr"))


@pytest.mark.usefixtures("cache")
def test_prints_the_ir_after_each_pass(capsys: pytest.CaptureFixture[str]):
    for _ in range(2):
        main(["one.mlir", "--print-ir-after-all"])
        printed = capsys.readouterr()
        assert printed.err.startswith(
            "// -----// IR Dump After BindSeed (bind-seed) //-----"
        )
        assert "(graph-to-loop)" in printed.err
        assert printed.out.startswith("output: float32[2, 3]")


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("weights", [False, True])
def test_measures(
    weights: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(benchmark, "BURSTS", 3)
    monkeypatch.setattr(benchmark, "BURST_SECONDS", 0.001)
    if weights:
        write("w.safetensors", {"w": X})
        text = ONE.replace("%0 =", '%w = graph.weight "w" : tensor<2x3xf32>\n  %0 =')
        text = text.replace("graph.neg %x :", "graph.add %x, %w : tensor<2x3xf32>,")
        attribute = 'builtin.module attributes {graph.weights = "w.safetensors"} {'
        Path("one.mlir").write_text(f"{attribute}{text}}}")
    main(["one.mlir", "--benchmark"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("output: ")
    ops = "1 as read, 1 after the passes"
    for pattern in (
        rf"ops +{ops}",
        r"kernels +1 calls of 1, \d+ bytes of code",
        rf"compile, cold +{TIME}",
        rf"  reading the model +{TIME}",
        rf"  passes +{TIME}",
        rf"    fuse +{TIME}",
        rf"    fold-constants x\d +{TIME}",
        rf"  writing code +{TIME}",
        rf"  LLVM +{TIME}",
        rf"  writing to disk +{TIME}",
        rf"compile, warm +{TIME}",
        r"activations, planned +0 bytes",
        r"  lower bound +0 bytes \(nothing to plan\)",
        rf"constants +{64 * weights} bytes",
        r"compile, peak +[1-9]\d{7,} bytes "
        rf"\(3 x constants \+ 500 MB: {500_000_000 + 3 * 64 * weights}\)",
        r"latency from Python +\d+\.\d+ us",
        r"latency from C +\d+\.\d+ us",
        r"  overhead of a call +-?\d+ ns",
    ):
        (_,) = [line for line in lines if re.fullmatch(pattern, line)]
    passes = [line.split()[0] for line in lines if line.startswith("    ")]
    ran = pipeline(Options(), "host")
    assert passes == [*dict.fromkeys(each.name for each in ran)]
    cold, warm = (
        float(next(line for line in lines if line.startswith(each)).split()[-2])
        for each in ("compile, cold", "compile, warm")
    )
    assert warm < cold


@pytest.mark.parametrize(("given", "expected"), [([], None), (["--threads", "2"], 2)])
def test_as_many_threads_run_as_are_asked_for(
    given: list[str], expected: int | None, monkeypatch: pytest.MonkeyPatch
):
    asked: list[int | None] = []

    class Asked(Compilation):
        """A compilation that notes how many threads were asked for."""

        def run(self) -> sr.StaticModule:
            asked.append(self.options.threads)
            return super().run()

    monkeypatch.setattr(run, "Compilation", Asked)
    main(["one.mlir", *given])
    assert asked == [expected]


@pytest.mark.full(
    beside="compiler/tools/test_switches.py::test_each_switch_is_the_option_of_its_name"
)
def test_the_precision_is_of_every_compilation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(benchmark, "BURSTS", 3)
    monkeypatch.setattr(benchmark, "BURST_SECONDS", 0.001)
    write("w.safetensors", {"w": np.full((4, 64), 1.001, np.float32)})
    Path("product.mlir").write_text("""
builtin.module attributes {graph.weights = "w.safetensors"} {
  func.func @product(%x: tensor<2x4xf32>) -> tensor<2x64xf32> {
    %w = graph.weight "w" : tensor<4x64xf32>
    %0 = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x64xf32> -> tensor<2x64xf32>
    return %0 : tensor<2x64xf32>
  }
}
""")
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    save("x.npz", {"x": x})
    for precision, size, factor in (("f32", 1024, np.float32(1.001)), ("bf16", 512, 1)):
        files = ["--input", "x.npz", "--output", "out.npz"]
        main(["product.mlir", "--precision", precision, "--benchmark", *files])
        printed = capsys.readouterr().out
        assert re.search(rf"constants +{size} bytes", printed)
        assert ("narrow-weights" in printed) == (precision == "bf16")
        (got,) = arrays("out.npz").values()
        expected = (x.sum(1) * factor)[:, None].repeat(64, 1)
        np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.full(
    beside="compiler/tools/test_switches.py::test_each_switch_is_the_option_of_its_name"
)
def test_the_tier_is_of_the_compile(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    class Asked(Compilation):
        """A compilation that notes which tier was asked for."""

        def run(self) -> sr.StaticModule:
            asked.append(self.options.tier)
            return super().run()

    monkeypatch.setattr(benchmark, "BURSTS", 3)
    monkeypatch.setattr(benchmark, "BURST_SECONDS", 0.001)
    monkeypatch.setattr(benchmark, "Compilation", Asked)
    main(["one.mlir", "--benchmark", "--tier", "fast-start"])
    assert asked == ["full"]
    asked.clear()
    monkeypatch.setattr(run, "Compilation", Asked)
    save("x.npz", {"x": X})
    for tier in ("full", "fast-start"):
        files = ["--input", "x.npz", "--output", f"{tier}.npz"]
        main(["one.mlir", "--no-cache", "--tier", tier, *files])
    assert asked == ["full", "fast-start"]
    np.testing.assert_equal(arrays("full.npz"), arrays("fast-start.npz"))
    said = refused("one.mlir", "--tier", "fast")
    assert said == "expected a tier full or fast-start, got fast"


@pytest.mark.full(beside="test_measures")
def test_measures_the_sizes_that_were_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(benchmark, "BURSTS", 3)
    monkeypatch.setattr(benchmark, "BURST_SECONDS", 0.001)
    chain = MODEL.replace("graph.neg %x", "graph.cumsum %x {axis = 0 : i64}")
    chain = chain.replace(
        "return",
        "%w = graph.constant dense<2.0> : tensor<3x3xf32>\n"
        '  %2 = graph.matmul %1, %w : tensor<?x3xf32, ["n"]>, tensor<3x3xf32> '
        '-> tensor<?x3xf32, ["n"]>\n  return',
    ).replace("return %0, %1", "return %0, %2")
    Path("chain.mlir").write_text(chain)
    main(["chain.mlir", "--benchmark", "--size", "n=8"])
    printed = capsys.readouterr().out
    assert "activations, planned   128 bytes" in printed
    assert "lower bound          128 bytes (no plan is smaller)" in printed


@pytest.mark.usefixtures("cache")
def test_only_what_computes_something_counts_as_an_op(folder: Path):
    text = ONE.replace(
        "%0 = graph.neg %x",
        "%c = graph.constant dense<2.0> : tensor<f32>\n"
        "  %1 = graph.mul %x, %c : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>\n"
        "  %2 = graph.dropout %1 {ratio = 0.5 : f64} : "
        "tensor<2x3xf32> -> tensor<2x3xf32>\n"
        "  %0 = graph.neg %2",
    )
    report = sr.compile(text).report
    assert (report.ops_read, report.ops, report.kernels) == (3, 2, 1)
    warm = sr.compile(text).report
    assert warm.warm
    assert (warm.ops_read, warm.ops) == (3, 2)


@pytest.mark.full(beside="test_measures")
@pytest.mark.usefixtures("runs_host")
def test_the_peak_is_that_of_a_process_that_only_compiles(folder: Path):
    block = np.ones(400 << 20, np.uint8)
    _, peak = compile_apart("one.mlir", "host", Options(), folder)
    assert 20 << 20 < peak < block.nbytes


def test_coverage_is_printed(capsys: pytest.CaptureFixture[str]):
    main(["model.mlir", "--coverage", "--size", "n=4"])
    assert "compiled: 2 of 2 nodes (100%), 2 kernels" in capsys.readouterr().out
    main(["model.mlir", "--coverage", "--profile", "--size", "n=4"])
    assert "100% of time" in capsys.readouterr().out


def test_what_a_framework_runs_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    graph = helper.make_graph(
        [helper.make_node("RandomUniformLike", ["x"], ["y"], "det")],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets), folder / "det.onnx")
    assert "numbers at random, of no seed" in refused("det.onnx")
    main(["det.onnx", "--fallback", "foreign"])
    assert (
        "run by onnx.reference: graph.foreign RandomUniformLike at det"
        in capsys.readouterr().out
    )
    message = refused("det.onnx", "--fallback", "foreign", "--foreign-op", "nowhere:Op")
    assert "expected the module nowhere" in message


@pytest.mark.usefixtures("cache")
def test_a_module_that_is_gone_is_no_bug(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The artifact is found; what runs its node is imported by the call."""
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"
    ]
    made = helper.make_node("Op", ["x"], ["y"], domain="beside")
    model = helper.make_model(
        helper.make_graph([made], "g", values[:1], values[1:]),
        opset_imports=[
            helper.make_opsetid(*each) for each in (("", 17), ("beside", 1))
        ],
        ir_version=10,
    )
    onnx.save(model, folder / "op.onnx")
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "run_beside.py").write_text(
        "from onnx.reference.op_run import OpRun\n\n\n"
        "class Op(OpRun):\n"
        '    op_domain = "beside"\n\n'
        "    def _run(self, x):\n"
        "        return (2 * x,)\n"
    )
    flags = ["op.onnx", "--fallback", "foreign", "--foreign-op", "run_beside:Op"]
    main(flags)
    (folder / "run_beside.py").unlink()
    monkeypatch.setitem(sys.modules, "run_beside", None)
    assert refused(*flags).startswith("expected the module run_beside")
