"""A module that is pickled or copied answers alike, wherever it is made again."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import static_runtime as sr
from static_runtime.compiler.compile import restore
from static_runtime.compiler.first_call import FirstCallModule
from static_runtime.compiler.kept_model import MAX_KEPT_BYTES
from static_runtime.runtime.files.safetensors import write
from static_runtime.runtime.machine import host

from ..as_host import HOOK, missing
from ..hosts import HOSTS, VARIABLE
from ..runtime.texts import as_compiled
from ..workers import run_apart
from .frontends.onnx.interpreter import model as parsed

TEXT = """
module attributes {graph.weights = "model.safetensors"} {
  func.func @model(%x: tensor<?x3xf32, ["batch"]>) -> tensor<?x3xf32, ["batch"]>
      attributes {graph.output_names = ["y"]} {
    %0 = graph.weight "w" : tensor<3x3xf32>
    %1 = graph.matmul %x, %0 : tensor<?x3xf32, ["batch"]>, tensor<3x3xf32>
      -> tensor<?x3xf32, ["batch"]>
    return %1 : tensor<?x3xf32, ["batch"]>
  }
}
"""
SHORT = """
func.func @model(%x: tensor<?x3xf32, ["batch"]>) -> tensor<?x3xf32, ["batch"]> {
  %0 = graph.tanh %x : tensor<?x3xf32, ["batch"]> -> tensor<?x3xf32, ["batch"]>
  return %0 : tensor<?x3xf32, ["batch"]>
}
"""
ONNX = """g (float[batch,3] x) => (float[batch,3] y)
    <float[3,3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {
    z = MatMul(x, w)
    y = Sigmoid(z) }"""
AXES = "g (float[2,3] x, int64[1] k) => (float[a,b] y) { y = ReduceSum(x, k) }"
LENGTH = 20_000
X = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)

LOAD = """
import sys, time
import static_runtime.compiler.compile
import numpy as np
start = time.perf_counter()
import pickle
module = pickle.load(open(sys.argv[1], "rb"))
y = module(np.load(sys.argv[2]))
print(time.perf_counter() - start)
np.save(sys.argv[3], y)
print(module.report.warm, len(module.report.passes))
print([each for each in ("xdsl", "onnx", "torch") if each in sys.modules])
print(module.input_names, module.output_names)
"""
"""Reads a pickle and calls the module; prints the time, and what that took."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a test, which is its own."""
    return move(tmp_path / "cache", monkeypatch)


def move(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lets another folder be the cache."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(folder))
    return folder


def stored(folder: Path) -> Path:
    """A model in a folder, with its weights beside it."""
    (folder / "model.mlir").write_text(TEXT)
    w = np.arange(9, dtype=np.float32).reshape(3, 3)
    write(folder / "model.safetensors", {"w": w})
    return folder / "model.mlir"


def on_disk(folder: Path) -> Path:
    """An ONNX model in a file."""
    onnx.save(parsed(ONNX), folder / "model.onnx")
    return folder / "model.onnx"


def large(_: Path) -> bytes:
    """An ONNX model as bytes, more than are kept in memory."""
    weights = np.linspace(-1, 1, 3 * LENGTH, dtype=np.float32).reshape(3, LENGTH)
    model = parsed(f"""g (float[batch,3] x) => (float[batch,{LENGTH}] y)
        {{ y = MatMul(x, w) }}""")
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    data = model.SerializeToString()
    assert len(data) > MAX_KEPT_BYTES
    return data


SOURCES: dict[str, Callable[[Path], Any]] = {
    "text": lambda _: SHORT,
    "long text": lambda _: SHORT + "\n" * MAX_KEPT_BYTES,
    "a file of text and one of weights": stored,
    "a file of onnx": on_disk,
    "bytes of onnx": lambda _: parsed(ONNX).SerializeToString(),
    "many bytes of onnx": large,
    "a proto of onnx": lambda _: parsed(ONNX),
}


@pytest.mark.parametrize("options", [sr.Options(), sr.Options(cache=False)])
def test_a_text_longer_than_any_header_is_kept(
    options: sr.Options, monkeypatch: pytest.MonkeyPatch
):
    header = "static_runtime.runtime.files.safetensors_header.LONGEST_HEADER"
    monkeypatch.setattr(header, MAX_KEPT_BYTES // 2)
    module = sr.compile(SHORT + "\n" * MAX_KEPT_BYTES, options=options)
    np.testing.assert_array_equal(through_pickle(module)(X), module(X))


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("options", [sr.Options(), sr.Options(cache=False)])
@pytest.mark.parametrize("name", SOURCES)
def test_a_module_comes_back_as_it_was(name: str, options: sr.Options, tmp_path: Path):
    source = SOURCES[name](tmp_path)
    for _ in range(2):
        # The second module is loaded, if there is a cache.
        module = sr.compile(source, options=options)
        for make in (through_pickle, copy.copy, copy.deepcopy):
            made = make(make(module))
            np.testing.assert_array_equal(made(X), module(X), strict=True)
            assert made is not module
            assert made.input_names == module.input_names
            assert made.output_names == module.output_names
            # A copy is of the same code, and runs no pass in any case.
            is_warm = options.cache or make is not through_pickle
            assert made.report.warm == is_warm
            assert bool(made.report.passes) != is_warm
            assert made.context is not module.context


def through_pickle(module: Any) -> Any:
    """A module that was pickled."""
    return pickle.loads(pickle.dumps(module))


@pytest.mark.parametrize("name", ["text", "many bytes of onnx", "a file of onnx"])
def test_neither_source_nor_cache_is_needed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    source = SOURCES[name](tmp_path)
    module = sr.compile(source)
    data, expected = pickle.dumps(module), module(X)
    move(tmp_path / "other", monkeypatch)
    if isinstance(source, Path):
        source.unlink()
    made = pickle.loads(data)
    assert not made.report.warm
    np.testing.assert_array_equal(made(X), expected)
    assert pickle.loads(data).report.warm
    assert through_pickle(made).report.warm


def test_what_a_user_chose_is_kept(tmp_path: Path):
    options = sr.Options(planner="naive", threads=2, bounds={"batch": 8})
    model = parsed("""g (float[batch,3] x, float[3] k) => (float[batch,3] y)
        { y = Mul(x, k) }""")
    k = np.array([1, 2, 4], np.float32)
    module = sr.compile(model, options=options, constants={"k": k})
    made = through_pickle(module)
    assert made.report.warm
    assert made.input_names == ("x",)
    assert made.program.planner == module.program.planner
    assert made.program.ranges == module.program.ranges
    np.testing.assert_array_equal(made(X), X * k)
    (tmp_path / "model.mlir").write_text(SHORT)
    target = "x86-64" if host.get_host().triple.startswith("x86_64") else "host"
    narrow = sr.compile(tmp_path / "model.mlir", target=target)
    np.testing.assert_array_equal(through_pickle(narrow)(X), narrow(X))


def test_copies_share_constants_and_no_memory(tmp_path: Path):
    module = as_compiled(sr.compile(large(tmp_path)))
    made = copy.deepcopy(module)
    # Of the same bytes, and not equal ones.
    assert made._constants is module._constants  # pyright: ignore[reportPrivateUsage]
    both = copy.deepcopy([module, module])
    assert both[0] is both[1]


def test_a_source_that_changed_is_refused(tmp_path: Path):
    path = on_disk(tmp_path)
    module = sr.compile(path, options=sr.Options(cache=False))
    onnx.save(parsed(ONNX.replace("Sigmoid", "Tanh")), path)
    with pytest.raises(
        sr.CompileError, match="got one that was changed since; compile"
    ):
        pickle.dumps(module)
    path.unlink()
    with pytest.raises(sr.CompileError, match="got no such file; compile the model ag"):
        pickle.dumps(module)
    sidecar = stored(tmp_path)
    module = sr.compile(sidecar)
    write(tmp_path / "model.safetensors", {"w": np.ones((3, 3), np.float32)})
    with pytest.raises(sr.CompileError, match="got one that was changed since"):
        pickle.dumps(module)


def test_a_model_that_the_cache_lost_is_told_of(tmp_path: Path, cache: Path):
    module = sr.compile(large(tmp_path))
    (kept,) = cache.glob("*.model")
    data = bytearray(kept.read_bytes())
    data[-1] ^= 1
    kept.write_bytes(data)
    with pytest.raises(sr.CompileError, match="got other bytes; compile it again"):
        pickle.dumps(module)
    kept.unlink()
    with pytest.raises(sr.CompileError, match=r"in the cache, .* compile it again"):
        pickle.dumps(module)
    np.testing.assert_array_equal(sr.compile(large(tmp_path))(X), module(X))


def test_a_file_is_read_again_where_the_cache_lost_it(tmp_path: Path, cache: Path):
    path = on_disk(tmp_path)
    module = sr.compile(path)
    first = pickle.dumps(module)
    (kept,) = cache.glob("*.model")
    kept.unlink()
    for made in (through_pickle(module), pickle.loads(first)):
        np.testing.assert_array_equal(made(X), module(X))
    for _ in range(100):
        made = copy.copy(made)
    path.unlink()
    np.testing.assert_array_equal(through_pickle(made)(X), module(X))


def test_a_model_that_changes_later_is_pickled_as_it_was():
    proto = parsed(ONNX)
    module = sr.compile(proto)
    proto.graph.node[1].op_type = "Tanh"
    np.testing.assert_array_equal(through_pickle(module)(X), module(X))


def test_what_is_bound_at_the_first_call_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "model.onnx"
    onnx.save(parsed(AXES), path)
    options = sr.Options(bind="first-call")
    for source in (parsed(AXES), parsed(AXES).SerializeToString(), path):
        module = sr.compile(source, options=options)
        expected = module(X, [1])
        data = pickle.dumps(module)
        for made in (copy.deepcopy(module), pickle.loads(data)):
            assert isinstance(made, FirstCallModule)
            assert made.modules() == ()
            assert made.bound_names == ("k",)
            np.testing.assert_array_equal(made(X, [1]), expected)
    path.unlink()
    move(tmp_path / "other", monkeypatch)
    np.testing.assert_array_equal(pickle.loads(data)(X, [1]), expected)
    with pytest.raises(sr.CompileError, match=r"got .*o such file.*; put its"):
        pickle.dumps(module)
    with pytest.raises(pickle.UnpicklingError, match="changed since"):
        pickle.loads(data.replace(b"conflict", b"c0nflict"))


def arguments_of(module: Any) -> list[Any]:
    """What a pickle has for `restore`."""
    function, arguments = module.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    assert function is restore
    return [*arguments]


@pytest.mark.parametrize("at", range(4))
def test_a_damaged_pickle_is_refused(at: int, tmp_path: Path):
    arguments = arguments_of(sr.compile(large(tmp_path)))
    match arguments[at]:
        case bytes(data):
            other: Any = data[:-1] + bytes([data[-1] ^ 1])
        case str(text):
            other = text.replace(text[-5], "?")
        case weights:
            other = {name: array + 1 for name, array in weights.items()}
    arguments[at] = other
    with pytest.raises(pickle.UnpicklingError, match="as it was written"):
        restore(*arguments)


def test_another_form_of_pickle_is_refused(monkeypatch: pytest.MonkeyPatch):
    arguments = arguments_of(sr.compile(SHORT))
    monkeypatch.setattr("static_runtime.compiler.recipe._FORMAT", 2)
    with pytest.raises(pickle.UnpicklingError, match=r"expected .* of form 2, got 1"):
        restore(*arguments)


def files(tmp_path: Path, module: Any) -> list[Path]:
    """The files of a module and its input, and one for the output."""
    (tmp_path / "module.pickle").write_bytes(pickle.dumps(module))
    np.save(tmp_path / "x.npy", X)
    return [tmp_path / each for each in ("module.pickle", "x.npy", "y.npy")]


def test_a_new_process_runs_no_pass(tmp_path: Path, runs_host: None):
    path = on_disk(tmp_path)
    module = sr.compile(path)
    paths, expected = files(tmp_path, module), module(X)
    path.unlink()
    seconds, *lines = run_apart(LOAD, *paths)
    assert lines == ["True 0", "[]", "('x',) ('y',)"]
    np.testing.assert_array_equal(np.load(paths[-1]), expected)
    print(f"read and called for the first time in {float(seconds):.2f} s")


@pytest.mark.full(beside="runtime/test_cache.py::test_processes_share_a_folder")
def test_two_processes_at_once_compile_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs_host: None
):
    module = sr.compile(large(tmp_path))
    paths, expected = files(tmp_path, module), module(X)
    folder = move(tmp_path / "other", monkeypatch)
    outputs = [tmp_path / f"{number}.npy" for number in range(2)]
    command = [sys.executable, "-W", "error", "-c", LOAD, *map(str, paths[:2])]
    workers = [
        subprocess.Popen([*command, str(each)], stdout=subprocess.PIPE, text=True)
        for each in outputs
    ]
    found = [each.communicate()[0].splitlines()[1].split()[0] for each in workers]
    assert sorted(found) == ["False", "True"]
    for each in outputs:
        np.testing.assert_array_equal(np.load(each), expected)
    assert not [*folder.glob("*.lock")]


@pytest.mark.full(beside="test_neither_source_nor_cache_is_needed")
def test_another_processor_compiles_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs_host: None
):
    other = HOSTS["no-avx"]
    if lacking := missing(other):
        pytest.skip(f"this machine cannot run code for it: no {', '.join(lacking)}")
    module = sr.compile(on_disk(tmp_path))
    paths = files(tmp_path, module)
    monkeypatch.setenv(VARIABLE, "no-avx")
    monkeypatch.setenv("PYTHONPATH", str(HOOK))
    is_other = host.get_host() != other
    _, line, *_ = run_apart(LOAD, *paths)
    assert (line.split()[0] == "False") == is_other
    np.testing.assert_allclose(np.load(paths[-1]), module(X), rtol=1e-6)
    _, line, *_ = run_apart(LOAD, *paths)
    assert line == "True 0"


@pytest.mark.full(beside="test_a_new_process_runs_no_pass")
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_pool_of_processes_calls_a_module(method: str, runs_host: None):
    module = sr.compile(SHORT)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, context) as pool:
        for each in pool.map(module, [X, X + 1]):
            assert each.shape == X.shape
        np.testing.assert_array_equal(pool.submit(module, X).result(), module(X))
    with context.Pool(1) as workers:
        np.testing.assert_array_equal(workers.apply(module, (X,)), module(X))


def test_a_folder_that_takes_no_files_keeps_nothing_from_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module = sr.compile(large(tmp_path))
    data, expected = pickle.dumps(module), module(X)
    (tmp_path / "file").write_text("")
    move(tmp_path / "file", monkeypatch)
    with pytest.warns(RuntimeWarning, match="expected a folder to keep results in"):
        made = pickle.loads(data)
    assert not made.report.warm
    np.testing.assert_array_equal(made(X), expected)
    with pytest.warns(RuntimeWarning, match="expected a folder to keep results in"):
        np.testing.assert_array_equal(through_pickle(made)(X), expected)


def test_a_module_of_a_trace_is_made_again_without_it():
    with sr.trace():
        module = sr.compile(SHORT)
        made = through_pickle(module)
        expected = made(X)
    outside = through_pickle(module)
    assert outside.report.passes
    np.testing.assert_array_equal(outside(X), expected)
