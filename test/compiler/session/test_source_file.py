"""A model is compiled from the bytes that its key is of, whatever becomes of them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.session import source_file
from static_runtime.compiler.session.errors import ModelFileError
from static_runtime.compiler.session.source_file import (
    MAX_FILE_BYTES,
    SourceFile,
    digest_of,
)
from static_runtime.runtime.files.regular_file import PIECE

from ...workers import run_apart
from ..replaced_files import MOMENTS, TEXT, WAYS, X, answer, change_at, pairs, weight


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a model; the cache of the test is beside it."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


@pytest.mark.sampled(every=8)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["text", "sidecar", "model", "external"])
def test_no_model_gets_the_answer_of_another(
    kind: str, way: str, moment: str, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    pair = pairs(folder)[kind]
    for name, data in pair.rest.items():
        (folder / name).write_bytes(data)
    first, second = pair.contents
    changed, model = folder / pair.changed, folder / pair.model
    changed.write_bytes(first)
    change_at(moment, lambda: WAYS[way](changed, second), monkeypatch)
    # While it is compiled the file has the one content and then the other.
    assert answer(model) in pair.answers
    for content, expected in ((second, 1), (first, 0), (second, 1)):
        WAYS[way](changed, content)
        for _ in range(2):
            assert answer(model) == pair.answers[expected]


@pytest.mark.parametrize("moment", ["read", "compiled", "kept"])
def test_weights_in_memory_may_change_too(moment: str, monkeypatch: pytest.MonkeyPatch):
    # As the weights of a PyTorch module may, whose key is a hash of what was read.
    array = weight(1)

    class Model:
        """A model that another front end reads."""

    def read(ctx: SrContext) -> ModuleOp:
        ctx.weights.put("w", array)
        return read_mlir(TEXT.replace("NAME", "add"), ctx)

    def front_end(*_: object) -> Callable[[SrContext], ModuleOp]:
        return read

    def compiled() -> float:
        (result,) = {*sr.compile(Model())(X).tolist()}
        return result

    monkeypatch.setattr(Compilation, "front_end", front_end)
    change_at(moment, lambda: array.fill(2), monkeypatch)
    compiled()
    for value in (1, 2, 1):
        array.fill(value)
        assert compiled() == value
    assert sr.compile(Model()).report.warm


def test_a_file_that_is_replaced_by_a_known_one_is_not_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    pair = pairs(folder)["model"]
    first, second = pair.contents
    model = folder / pair.model
    model.write_bytes(second)
    sr.compile(model)
    model.write_bytes(first)
    change_at("looked for", lambda: WAYS["replaced"](model, second), monkeypatch)
    assert sr.compile(model).report.warm


@pytest.mark.parametrize("kind", ["sidecar", "model", "external"])
def test_a_file_that_is_written_to_as_it_is_read_is_refused(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    pair = pairs(folder)[kind]
    for name, data in pair.rest.items():
        (folder / name).write_bytes(data)
    changed = folder / pair.changed
    changed.write_bytes(pair.contents[0])
    preadv, target = os.preadv, changed.stat().st_ino

    def change(descriptor: int, buffers: list[memoryview], at: int) -> int:
        # After the first of its bytes were read.
        (buffer,) = buffers
        count = preadv(descriptor, [buffer[:100]], at)
        if os.fstat(descriptor).st_ino == target:
            WAYS["overwritten"](changed, pair.contents[1])
        return count

    monkeypatch.setattr(os, "preadv", change)
    compilation = Compilation(folder / pair.model, options=sr.Options(cache=False))
    with pytest.raises(ModelFileError, match="expected a file that stays as it is"):
        compilation.run()


def test_nothing_has_a_key_where_nothing_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> str:
        raise AssertionError("expected no key")

    pair = pairs(folder)["model"]
    (folder / pair.model).write_bytes(pair.contents[0])
    monkeypatch.setattr(Compilation, "key_of", refuse)
    module = sr.compile(folder / pair.model, options=sr.Options(cache=False))
    assert not module.report.warm


@pytest.mark.parametrize("size", [0, 1, PIECE, 2 * PIECE + 3])
def test_the_digest_of_a_file_is_that_of_its_bytes(
    size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(source_file, "CHUNK", PIECE // 2)
    path = folder / "m.onnx"
    path.write_bytes(data := np.random.default_rng(1).bytes(size))
    source = SourceFile.read(path)
    assert source.data.tobytes() == data
    assert source.folder == folder
    chunks = [data[at : at + PIECE // 2] for at in range(0, size, PIECE // 2)]
    digests = [sha256(chunk).digest() for chunk in chunks]
    for threads in (1, 3, 100):
        expected = sha256(b"".join(digests)).hexdigest()
        assert source.digest(threads) == digest_of(path, threads) == expected


def test_a_file_is_hashed_where_there_are_no_threads(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(source_file, "CHUNK", 10)
    (folder / "m.onnx").write_bytes(bytes(100))
    expected = digest_of(folder / "m.onnx")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert digest_of(folder / "m.onnx", 4) == expected


COMPILE = """
import sys
import static_runtime as sr

for path in sys.argv[1:]:
    try:
        sr.compile(path)
    except (sr.CompileError, OSError) as error:
        print(path, str(error).splitlines()[0], sep="|")
"""


def test_no_model_is_waited_for(folder: Path):
    os.mkfifo(folder / "pipe.onnx")
    (folder / "folder.mlir").mkdir()
    (folder / "zero.mlir").symlink_to("/dev/zero")
    # A file that is empty by its size, and that who reads on waits for.
    (folder / "log.mlir").symlink_to("/proc/kmsg")
    with (folder / "sparse.onnx").open("wb") as file:
        file.truncate(2**40)
    lines = run_apart(COMPILE, *folder.iterdir())
    told = {Path(path).name: each for path, each in (li.split("|") for li in lines)}
    assert told.pop("log.mlir")
    most = f"at most {MAX_FILE_BYTES} bytes"
    long = f"{most}, got {2**40}; store its weights in a file beside it"
    for name, message in {
        "folder.mlir": "expected a model, got a folder",
        "pipe.onnx": "expected a model, got a pipe",
        "sparse.onnx": f"expected a model of {long}",
        "zero.mlir": "expected a model, got a device",
    }.items():
        assert told.pop(name) == f"{folder / name}: {message}"
    assert not told


def test_a_file_that_is_too_long_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(source_file, "MAX_FILE_BYTES", 10)
    (folder / "m.onnx").write_bytes(bytes(11))
    for read in (SourceFile.read, digest_of):
        with pytest.raises(ModelFileError, match="at most 10 bytes, got 11; store its"):
            read(folder / "m.onnx")
