"""A library is read as it was written, or refused."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from static_runtime.runtime.library.kernel_library import (
    KernelLibrary,
    LibraryError,
    Stored,
    from_json,
    load_library,
    read_about,
    save_library,
    to_json,
)
from static_runtime.runtime.library.selection import Operator, Selection

SELECTION = Selection(
    build_features=frozenset({"threads", "isa:x86-64-v3"}),
    operators={"graph::add": Operator(False, True, False), "aten::exp": Operator()},
    kernel_metadata={"add": frozenset({"Float", "Double"}), "none": frozenset()},
    et_kernel_metadata={"graph::add": frozenset({"v1/6;0|6;0|6;0"})},
    custom_classes=frozenset({"torch.own"}),
)
ABOUT = {
    "add_1": Stored(12, 7, ("graph::add",), ("Float",)),
    "exp_2": Stored(256, 2, ("graph::exp", "graph::mul"), ("Double", "Float")),
}
OBJECTS = {"add_1": b"first object", "exp_2": bytes(range(256))}
LIBRARY = KernelLibrary("x86-64-v3", SELECTION, OBJECTS, ABOUT)


def written(folder: Path) -> tuple[Path, bytes]:
    """The library in a file, and its bytes."""
    file = BytesIO()
    save_library(file, LIBRARY, "runtime 1")
    path = folder / "kernels.x86-64-v3.srk"
    path.write_bytes(file.getvalue())
    return path, file.getvalue()


def test_reads_what_it_writes(tmp_path: Path):
    path, _ = written(tmp_path)
    assert load_library(path, "runtime 1", ["exp_2", "add_1", "exp_2"]) == LIBRARY
    one = load_library(path, "runtime 1", ["add_1", "other"])
    assert one.objects == {"add_1": b"first object"}
    assert read_about(path) == ("x86-64-v3", ABOUT)


@pytest.mark.parametrize("selection", [SELECTION, Selection(), Selection(True, True)])
def test_a_selection_as_json(selection: Selection):
    assert from_json(to_json(selection)) == selection


def test_another_runtime_is_refused(tmp_path: Path):
    path, _ = written(tmp_path)
    with pytest.raises(
        LibraryError, match=r"library of kernels, got one for runtime 1"
    ):
        load_library(path, "runtime 2", [])


def test_kernels_of_another_size_are_refused(tmp_path: Path):
    path, _ = written(tmp_path)
    about = {**ABOUT, "add_1": replace(ABOUT["add_1"], bytes=11)}
    with path.open("wb") as file:
        save_library(file, replace(LIBRARY, about=about), "runtime 1")
    with pytest.raises(LibraryError, match="got 11 bytes for a kernel add_1 of 12"):
        load_library(path, "runtime 1", ["add_1"])
    assert load_library(path, "runtime 1", ["exp_2"]).objects


def test_each_changed_byte_is_noticed(tmp_path: Path):
    path, data = written(tmp_path)
    random = np.random.default_rng(7)
    # All that is not the header's spaces, which mean nothing.
    places = [at for at, byte in enumerate(data) if byte != 0x20]
    for at in random.choice(places, 300, replace=False):
        changed = bytearray(data)
        changed[at] ^= int(random.integers(1, 256))
        path.write_bytes(changed)
        with pytest.raises(LibraryError):
            load_library(path, "runtime 1", LIBRARY.objects)
    for size in random.integers(0, len(data), 30):
        path.write_bytes(data[:size])
        with pytest.raises(LibraryError):
            load_library(path, "runtime 1", LIBRARY.objects)
