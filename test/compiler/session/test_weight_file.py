"""Weights beside a model are files in its folder, and read as far as it says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.session.errors import ModelFileError
from static_runtime.compiler.session.weight_file import WeightFile, is_as_noted
from static_runtime.runtime.files.regular_file import OutsideError
from static_runtime.runtime.files.safetensors import write

from ...workers import run_apart
from ..replaced_files import SIZE, X, answer, onnx_model, pairs


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a model; the cache of the test is beside it."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


COMPILE = """
import sys
import static_runtime as sr

for path in sys.argv[1:]:
    try:
        print(sr.compile(path).report.warm)
    except sr.CompileError as error:
        print(error)
"""


def become_pipe(path: Path) -> None:
    """Makes a pipe."""
    os.mkfifo(path)


def become_device(path: Path) -> None:
    """Makes a link to a device without an end."""
    path.symlink_to("/dev/zero")


def become_log(path: Path) -> None:
    """Makes a link to a file that is waited for."""
    path.symlink_to("/proc/kmsg")


def become_sparse(path: Path) -> None:
    """Makes a file with more zeros than can be read in a year."""
    with path.open("wb") as file:
        file.truncate(2**43)


BECOME: dict[Callable[[Path], None], tuple[str, str]] = {
    become_pipe: ("a pipe", "a pipe"),
    become_device: ("in the model's folder", "in the folder of the model"),
    become_log: ("in the model's folder", "in the folder of the model"),
    Path.mkdir: ("a folder", "a folder"),
    Path.touch: ("bytes 0 to 8192", "at least 8 bytes, got 0"),
    # As much as the model says is read: zeros, as good as other weights.
    become_sparse: ("False", "expected a header"),
}
"""What becomes of a file of weights, and what is said: of ONNX's, and of a sidecar."""


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", ["external", "sidecar"])
def test_a_warm_start_waits_for_nothing(kind: str, folder: Path):
    pair = pairs(folder)[kind]
    models: list[Path] = []
    for become in BECOME:
        inside = folder / become.__name__
        inside.mkdir()
        for name, data in pair.rest.items():
            (inside / name).write_bytes(data)
        (inside / "w").write_bytes(pair.contents[0])
        models.append(inside / pair.model)
        assert answer(models[-1]) == pair.answers[0]
        (inside / "w").unlink()
        become(inside / "w")
    lines = run_apart(COMPILE, *models)
    expected = [each[kind == "sidecar"] for each in BECOME.values()]
    for line, message in zip(lines, expected, strict=True):
        assert message in line


def test_what_is_not_a_weight_is_not_read(folder: Path):
    # What was added after the weights is no part of the model.
    (folder / "m.onnx").write_bytes(onnx_model("Add", 0, True))
    (folder / "w").write_bytes(np.full(SIZE, 3, np.float32).tobytes())
    assert answer(folder / "m.onnx") == 3
    with (folder / "w").open("ab") as file:
        file.truncate(2**43)
    assert sr.compile(folder / "m.onnx").report.warm


@pytest.mark.parametrize("kind", ["external", "sidecar"])
def test_a_link_to_the_same_weights_elsewhere_is_not_followed(kind: str, folder: Path):
    pair = pairs(folder)[kind]
    for name, data in pair.rest.items():
        (folder / name).write_bytes(data)
    (folder / "w").write_bytes(pair.contents[0])
    assert answer(folder / pair.model) == pair.answers[0]
    (folder / "w").rename(folder.parent / "w")
    (folder / "w").symlink_to(folder.parent / "w")
    with pytest.raises(ModelFileError, match=r"folder"):
        sr.compile(folder / pair.model)
    # Within the folder they are.
    (folder / "w").unlink()
    (folder / "sub").mkdir()
    shutil.move(folder.parent / "w", folder / "sub" / "w")
    (folder / "w").symlink_to("sub/w")
    assert sr.compile(folder / pair.model).report.warm


@pytest.mark.parametrize("kind", ["external", "sidecar"])
def test_weights_are_beside_the_path_that_was_given(kind: str, folder: Path):
    pair = pairs(folder)[kind]
    other = folder.parent / "other"
    other.mkdir()
    for name, data in pair.rest.items():
        (other / name).write_bytes(data)
    (folder / "w").write_bytes(pair.contents[1])
    (folder / pair.model).symlink_to(other / pair.model)
    for warm in (False, True):
        module = sr.compile(folder / pair.model)
        assert module.report.warm == warm
        np.testing.assert_array_equal(module(X), X + pair.answers[1])


def test_each_part_is_read_once(folder: Path):
    (folder / "w").write_bytes(bytes(range(100)))
    source = WeightFile(folder, "w")
    with source.open() as file:
        first = source.read(file, 10, 20)
        assert source.read(file, 10, 20) is first
        last = source.read(file, 90, 10)
    assert first.tobytes() == bytes(range(10, 30))
    assert source.note == {
        "parts": [(10, 20), (90, 10)],
        "sha256": sha256(first.tobytes() + last.tobytes()).hexdigest(),
    }
    assert is_as_noted(folder, "w", source.note)
    for at, same in ((9, True), (10, False), (29, False), (30, True), (99, False)):
        data = bytearray(range(100))
        data[at] ^= 1
        (folder / "w").write_bytes(data)
        assert is_as_noted(folder, "w", source.note) == same
    (folder / "w").write_bytes(bytes(range(99)))
    assert not is_as_noted(folder, "w", source.note)
    (folder / "w").unlink()
    assert not is_as_noted(folder, "w", source.note)
    assert not is_as_noted(folder, "\0", source.note)
    assert not is_as_noted(folder, "../w", source.note)


def test_a_small_file_is_not_read_many_times(folder: Path):
    # A model of little could say that it has more weights than there is memory.
    (folder / "w").write_bytes(bytes(100))
    source = WeightFile(folder, "w")
    with source.open() as file:
        source.read(file, 0, 100)
        source.read(file, 0, 99)
        with pytest.raises(ModelFileError, match="share none of its 100 bytes"):
            source.read(file, 1, 99)


def test_a_file_is_one_file_for_all_its_tensors(folder: Path):
    (folder / "w").write_bytes(bytes(100))
    source = WeightFile(folder, "w")
    with source.open() as file:
        source.read(file, 0, 10)
    (folder / "w").rename(folder / "old")
    (folder / "w").write_bytes(bytes(100))
    with pytest.raises(ModelFileError, match="expected a file that stays as it is"):
        source.open()


def test_a_sidecar_is_noted_as_a_whole(folder: Path):
    write(folder / "w", {"a": np.arange(5.0), "b": np.ones(3, np.bool_)}, {"x": "y"})
    source = WeightFile(folder, "w")
    with source.open() as file:
        arrays = source.read_safetensors(file)
    np.testing.assert_array_equal(arrays["a"], np.arange(5.0))
    data = (folder / "w").read_bytes()
    assert source.note == {
        "parts": [(0, len(data))],
        "sha256": sha256(data).hexdigest(),
    }
    with pytest.raises(OutsideError):
        WeightFile(folder / "sub", "../w").open()
