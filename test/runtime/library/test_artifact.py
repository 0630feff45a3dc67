"""An artifact comes back as it was written, and a damaged one never comes back."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.artifact_cache import SUFFIX
from static_runtime.compiler.building import make_module
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.session.report import CompileReport
from static_runtime.runtime.cache import default_folder
from static_runtime.runtime.files.regular_file import open_regular
from static_runtime.runtime.files.safetensors import read, write
from static_runtime.runtime.library import artifact as artifact_module
from static_runtime.runtime.library.artifact import (
    Artifact,
    ArtifactError,
    load,
    save,
    written_constants,
)
from static_runtime.runtime.program.constant_block import PIECE, ConstantBlock

from ...workers import run_apart

MODEL = """
func.func @model(%x: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> {
  %0 = graph.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %1 = graph.cumsum %x {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  %2 = graph.add %1, %0 : tensor<?x3xf32, ["n"]>, tensor<3xf32>
    -> tensor<?x3xf32, ["n"]>
  return %2 : tensor<?x3xf32, ["n"]>
}
"""
PLANNED = """
func.func @model(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.exp %x : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = graph.matmul %0, %x : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
"""
KEY = Compilation(MODEL).key_of_file() or ""
X = np.ones((2, 3), np.float32)
Y = np.array([[2, 3, 5], [3, 4, 6]], np.float32)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The artifact of the model, in a cache of its own."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    sr.compile(MODEL)
    (found,) = default_folder().glob(f"*{SUFFIX}")
    return found


def load_file(path: Path) -> Artifact:
    """The artifact in a file of the cache, or another one for the same key."""
    with open_regular(path) as file:
        return load(file, KEY)


def save_file(path: Path, artifact: Artifact) -> None:
    """Writes an artifact to a file."""
    with path.open("wb") as file:
        save(file, artifact, KEY)


def run(artifact: Artifact) -> Any:
    """What the model of an artifact computes."""
    return make_module(artifact, CompileReport(0.0, True))(X)


def test_comes_back_as_it_was_written(path: Path, tmp_path: Path):
    first = load_file(path)
    assert first.objects
    assert first.block.view(np.float32)[:3].tolist() == [1, 2, 4]
    noted = replace(first, notes={"a": [1, "b"]})
    save_file(tmp_path / "again", noted)
    second = load_file(tmp_path / "again")
    assert second.program == first.program
    assert list(second.objects) == list(first.objects)
    assert second.notes == {"a": [1, "b"]}
    np.testing.assert_array_equal(second.block, first.block)
    np.testing.assert_array_equal(run(second), Y)


def test_constants_are_aligned_and_cannot_be_changed(path: Path):
    constants = load_file(path).block
    assert constants.ctypes.data % 64 == 0
    assert not constants.flags.writeable


def test_a_module_outlives_the_file(path: Path):
    module = make_module(load_file(path), CompileReport(0.0, True))
    path.unlink()
    np.testing.assert_array_equal(module(X), Y)


def refused(path: Path, data: bytes) -> None:
    """Writes a file, which is then no artifact."""
    path.write_bytes(data)
    with pytest.raises(ArtifactError, match=f"expected an artifact for {KEY}, got"):
        load_file(path)


def test_refuses_a_file_that_is_cut_short(path: Path):
    data = path.read_bytes()
    random_ends = random.Random(1).sample(range(len(data)), 100)
    for end in (0, 1, 7, 8, 9, 63, 64, 65, len(data) - 1, *random_ends):
        refused(path, data[:end])
    refused(path, data + b"\0")


def test_refuses_a_file_in_which_any_byte_was_changed(path: Path):
    data = path.read_bytes()
    header = 8 + int.from_bytes(data[:8], "little")
    rng = random.Random(2)
    places = [*range(8), *rng.sample(range(8, header), 120)]
    places += rng.sample(range(header, len(data)), 80)
    for at in places:
        changed = data[at] ^ (1 << rng.randrange(8))
        refused(path, data[:at] + bytes([changed]) + data[at + 1 :])


def test_refuses_bytes_at_random(path: Path):
    rng = random.Random(3)
    for length in (8, 100, 10_000):
        refused(path, rng.randbytes(length))


def test_refuses_a_file_without_its_parts(path: Path):
    arrays, texts = read(path)
    arrays = {name: array.copy() for name, array in arrays.items()}
    for name in texts:
        write(path, arrays, {key: text for key, text in texts.items() if key != name})
        refused(path, path.read_bytes())
    for name in arrays:
        write(path, {key: each for key, each in arrays.items() if key != name}, texts)
        refused(path, path.read_bytes())
    write(path, arrays | {"object.x": np.zeros(1, np.uint8)}, texts)
    refused(path, path.read_bytes())


def test_refuses_what_is_no_file(tmp_path: Path):
    (tmp_path / "empty").touch()
    with pytest.raises(ArtifactError, match="expected an artifact for"):
        load_file(tmp_path / "empty")


def test_a_program_of_another_kind_is_refused_with_a_right_digest(path: Path):
    artifact = load_file(path)

    class Other:
        """A program whose text is none."""

        def __init__(self, text: str):
            self.text = text

        def to_json(self) -> str:
            """The text."""
            return self.text

    fields = json.loads(artifact.program.to_json())
    for text in ("", "null", "[" * 100_000, json.dumps(fields | {"bytes": "x"})):
        other: Any = Other(text)
        save_file(path, Artifact(other, artifact.objects, artifact.constants, {}))
        with pytest.raises(ArtifactError, match="expected an artifact for"):
            load_file(path)


def test_slots_outside_of_the_block_are_refused_with_a_right_digest(path: Path):
    artifact = load_file(path)
    program = sr.compile(PLANNED).program
    save_file(path, replace(artifact, program=program))
    assert load_file(path).program == program
    slot, *slots = program.slots
    assert program.is_planned
    assert isinstance(slot.bytes, int)
    for other in (
        replace(program, bytes=program.bytes - 64),
        replace(program, slots=(replace(slot, offset=program.bytes), *slots)),
        replace(program, slots=(replace(slot, bytes=2**62), *slots)),
    ):
        save_file(path, replace(artifact, program=other))
        with pytest.raises(ArtifactError, match="expected slots within"):
            load_file(path)


def test_an_artifact_of_another_key_is_not_loaded(path: Path):
    other = MODEL.replace("[1.0, 2.0, 4.0]", "[5.0, 5.0, 5.0]")
    assert not sr.compile(other).report.warm
    (second,) = {*path.parent.glob(f"*{SUFFIX}")} - {path}
    second.replace(path)
    with pytest.raises(ArtifactError, match="got one that was made for"):
        load_file(path)
    module = sr.compile(MODEL)
    assert not module.report.warm
    np.testing.assert_array_equal(module(X), Y)


TRUNCATED = """
import os, sys
from pathlib import Path
import numpy as np
import static_runtime as sr
from static_runtime.runtime.files.safetensors import write

folder = Path(sys.argv[1])
os.environ["STATIC_RUNTIME_CACHE"] = str(folder / "cache")
write(folder / "w", {"w": np.ones((1000, 1000), np.float32)})
(folder / "m.mlir").write_text('''
builtin.module attributes {graph.weights = "w"} {
  func.func @f(%x: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
    %0 = graph.weight "w" : tensor<1000x1000xf32>
    %1 = graph.matmul %x, %0 : tensor<1x1000xf32>, tensor<1000x1000xf32>
      -> tensor<1x1000xf32>
    return %1 : tensor<1x1000xf32>
  }
}
''')
x = np.ones((1, 1000), np.float32)
models = [sr.compile(folder / "m.mlir") for _ in range(2)]
for path in (folder / "cache").iterdir():
    os.truncate(path, 0)
os.truncate(folder / "w", 0)
for model in models:
    print(model.report.warm, {*model(x).ravel().tolist()})
"""


@pytest.mark.full(beside="test_a_module_outlives_the_file")
@pytest.mark.usefixtures("runs_host")
def test_a_module_does_not_need_its_files(tmp_path: Path):
    # Who reads a mapped file that was cut short is ended by a signal.
    lines = run_apart(TRUNCATED, tmp_path)
    assert lines == ["False {1000.0}", "True {1000.0}"]


FULL = (
    TRUNCATED[: TRUNCATED.index("models =")]
    + """
import resource, warnings
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True, action="always") as caught:
    model = sr.compile(folder / "m.mlir")
print(["File too large" in str(each.message) for each in caught])
print({*model(x).ravel().tolist()})
print(sum(each.suffix in (".sr", ".tmp") for each in (folder / "cache").iterdir()))
"""
)


@pytest.mark.usefixtures("runs_host")
def test_a_full_disk_leaves_no_half_of_an_artifact(tmp_path: Path):
    # A limit on the size of files stands for the end of the disk.
    assert run_apart(FULL, tmp_path) == ["[True]", "{1000.0}", "0"]


@pytest.mark.parametrize("copied", [0, 2**30])
def test_constants_are_the_same_mapped_or_copied(
    large: Path, copied: int, monkeypatch: pytest.MonkeyPatch
):
    expected = load_file(large).block.tobytes()
    monkeypatch.setattr(artifact_module, "COPIED", copied)
    constants = load_file(large).block
    assert constants.tobytes() == expected
    assert constants.ctypes.data % 64 == 0
    with pytest.raises(ValueError, match="WRITEABLE"):
        constants.flags.writeable = True
    # A mapped file that is removed, or replaced, is there as long as it is needed.
    large.write_bytes(b"") if copied else large.unlink()
    assert constants.tobytes() == expected


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_artifact_in_the_cache_is_written_again(path: Path, damage: str):
    whole = path.read_bytes()
    assert sr.compile(MODEL).report.warm
    half = len(whole) // 2
    flipped = whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :]
    path.write_bytes({"cut": whole[:half], "flipped": flipped, "empty": b""}[damage])
    module = sr.compile(MODEL)
    assert not module.report.warm
    np.testing.assert_array_equal(module(X), Y)
    assert path.read_bytes() == whole
    assert sr.compile(MODEL).report.warm


@pytest.fixture
def large(path: Path, tmp_path: Path) -> Path:
    """An artifact with several pieces of constants, and some of one."""
    block = np.random.default_rng(1).random(3 * PIECE // 8 + 200).view(np.uint8)
    artifact = load_file(path)
    save_file(
        tmp_path / "large", Artifact(artifact.program, artifact.objects, block, {})
    )
    return tmp_path / "large"


SECTOR = 4096


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("damage", ["hole", "swapped", "moved", "flipped", "word"])
def test_refuses_constants_that_a_disk_has_damaged(large: Path, damage: str):
    data = large.read_bytes()
    end = len(data) - 3 * SECTOR
    rng = random.Random(4)
    for at in rng.sample(range(SECTOR, end // SECTOR * SECTOR, SECTOR), 40):
        first, second = data[at : at + SECTOR], data[at + SECTOR : at + 2 * SECTOR]
        flip = bytearray(first)
        flip[rng.randrange(SECTOR)] ^= 1 << rng.randrange(8)
        become = {
            "hole": bytes(SECTOR) + second,
            "swapped": second + first,
            "moved": first + first,
            "flipped": bytes(flip) + second,
            "word": rng.randbytes(8) + first[8:] + second,
        }[damage]
        refused(large, data[:at] + become + data[at + 2 * SECTOR :])


def test_a_block_is_written_as_it_would_be_in_memory(large: Path, tmp_path: Path):
    artifact = load_file(large)
    block = ConstantBlock(((0, artifact.block),))
    save_file(
        tmp_path / "again", Artifact(artifact.program, artifact.objects, block, {})
    )
    assert (tmp_path / "again").read_bytes() == large.read_bytes()


def test_a_model_that_was_just_compiled_runs_on_what_was_written(path: Path):
    path.unlink()
    module = sr.compile(MODEL)
    assert not module.report.warm
    with open_regular(path) as file:
        constants = written_constants(file)
    assert not constants.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        constants[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        constants.flags.writeable = True
    path.unlink()
    np.testing.assert_array_equal(module(X), Y)
    np.testing.assert_array_equal(constants.view(np.float32)[:3], [1, 2, 4])
