"""Nothing but a regular file is opened, nobody waits, and no byte is made up."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import numpy as np
import pytest

from static_runtime.runtime.files import regular_file
from static_runtime.runtime.files.regular_file import (
    PIECE,
    OutsideError,
    aligned_bytes,
    check_regular,
    fill,
    kind_of,
    open_inside,
    open_regular,
    pieces,
    read_bytes,
    reason,
    stamp,
)

from ...workers import run_apart

OPEN = """
import sys
from pathlib import Path
from static_runtime.runtime.files.regular_file import open_inside, open_regular, reason

folder = Path(sys.argv[1])
for name in sys.argv[2:]:
    for open in (
        lambda: open_regular(folder / name), lambda: open_inside(folder, name)
    ):
        try:
            open()
        except OSError as error:
            print(name, reason(error))
"""


def test_who_opens_something_else_does_not_wait(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "pipes").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        names = [
            "pipe",
            "pipes",
            "folder",
            "zero",
            "socket",
            "none",
            "none/none",
            "loop",
        ]
        lines = run_apart(OPEN, tmp_path, *names)
    assert lines == [
        *["pipe a pipe"] * 2,
        *["pipes a pipe"] * 2,
        *["folder a folder"] * 2,
        *["zero a device", "zero which is outside of it"],
        *["socket a socket"] * 2,
        *["none no such file"] * 2,
        *["none/none no such file"] * 2,
        *["loop Too many levels of symbolic links"] * 2,
    ]
    assert kind_of(tmp_path / "pipe") == "a pipe"
    assert kind_of(tmp_path / "none" / "none") == "no such file"


@pytest.mark.parametrize("name", ["pipe", "zero"])
def test_the_descriptor_decides_and_not_the_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Between the look at the name and its opening it becomes that of another file.
    path = tmp_path / "model"
    path.write_bytes(b"model")
    before = path.stat()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.replace(tmp_path / name, path)
    monkeypatch.setattr(os, "stat", lambda *_, **__: before)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    opened: list[int] = []
    system = os.open

    def record(*arguments: object, **named: object) -> int:
        opened.append(system(*arguments, **named))  # pyright: ignore[reportArgumentType]
        return opened[-1]

    monkeypatch.setattr(os, "open", record)
    with pytest.raises(OSError, match=r"a pipe|a device"):
        open_regular(path)
    # It was open, and is closed.
    (descriptor,) = opened
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


@pytest.mark.parametrize(
    "name",
    ["../secret", "link", "sub/../../secret", "sub/link", "out/secret", "/etc/passwd"],
)
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path):
    (tmp_path / "secret").write_bytes(b"secret")
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "sub" / "link").symlink_to("../../secret")
    (folder / "out").symlink_to(tmp_path)
    with pytest.raises(OutsideError):
        open_inside(folder, name)


@pytest.mark.parametrize("other", ["../secret", "beside"])
def test_a_file_of_several_names_may_be_outside(other: str, tmp_path: Path):
    (folder := tmp_path / "folder").mkdir()
    (folder / other).write_bytes(b"secret")
    os.link(folder / other, folder / "file")
    with pytest.raises(OutsideError, match=r"has 2 names \(hard links\); copy it"):
        open_inside(folder, "file")
    (folder / other).unlink()
    with open_inside(folder, "file") as file:
        assert file.readall() == b"secret"


def test_links_within_the_folder_are_followed(tmp_path: Path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "file").write_bytes(b"data")
    (folder / "link").symlink_to("sub/file")
    (folder / "subs").symlink_to("sub")
    (tmp_path / "other").symlink_to("folder")
    for root in (folder, tmp_path / "other"):
        for name in ("sub/file", "link", "subs/file", "sub/../link"):
            with open_inside(root, name) as file:
                assert file.readall() == b"data"


@pytest.mark.parametrize("place", ["sub/file", "sub"])
def test_a_link_that_appears_meanwhile_is_not_followed(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, secrets = tmp_path / "folder", tmp_path / "secrets"
    for each in (folder / "sub", secrets):
        each.mkdir(parents=True)
        (each / "file").write_bytes(each.name.encode())
    followed = regular_file.followed

    def followed_and_swapped(path: Path) -> Path:
        found = followed(path)
        if path.name == "file":
            target = secrets / "file" if place == "sub/file" else secrets
            (folder / place).rename(tmp_path / "away")
            (folder / place).symlink_to(target)
        return found

    monkeypatch.setattr(regular_file, "followed", followed_and_swapped)
    with pytest.raises(OSError, match=r"a link|Not a directory|Too many levels"):
        open_inside(folder, "sub/file")


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7])
def test_reads_what_is_there(size: int, tmp_path: Path):
    data = np.random.default_rng(size).bytes(size + 5)
    (tmp_path / "file").write_bytes(data)
    with open_regular(tmp_path / "file") as file:
        array = read_bytes(file, 5, size)
        assert array.tobytes() == data[5:]
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        parts = [piece.tobytes() for piece in pieces(file, 5, size)]
        assert b"".join(parts) == data[5:]
        assert max(map(len, parts), default=0) <= PIECE


def test_reads_in_as_many_steps_as_the_system_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    preadv = os.preadv

    def few(descriptor: int, buffers: list[memoryview], at: int) -> int:
        (buffer,) = buffers
        return preadv(descriptor, [buffer[:1000]], at)

    monkeypatch.setattr(os, "preadv", few)
    data = np.random.default_rng(0).bytes(2 * PIECE + 1)
    (tmp_path / "file").write_bytes(data)
    with open_regular(tmp_path / "file") as file:
        assert read_bytes(file, 0, len(data)).tobytes() == data
        assert [piece.size for piece in fill(file, 0, aligned_bytes(len(data)))] == [
            *[PIECE] * 2,
            1,
        ]


def test_a_file_that_is_cut_short_is_an_error(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(bytes(3 * PIECE))
    with open_regular(path) as file:
        before = stamp(file)
        parts = pieces(file, 0, 3 * PIECE)
        assert next(parts).size == PIECE
        os.truncate(path, PIECE + 10)
        with pytest.raises(OSError, match="cut short as it was read"):
            next(parts)
        assert stamp(file) != before


def test_more_than_there_is_memory_for_is_an_error():
    for size in (2**46, 2**62):
        with pytest.raises(OSError, match=f"{size} bytes, for which there is no"):
            aligned_bytes(size)


@pytest.mark.parametrize("alignment", [1, 64, 4096])
def test_memory_is_aligned(alignment: int):
    for size in (1, 100, PIECE + 1):
        array = aligned_bytes(size, alignment)
        assert array.size == size
        assert array.ctypes.data % alignment == 0


def test_errors_say_what_there_is(tmp_path: Path):
    with pytest.raises(IsADirectoryError) as caught:
        check_regular(tmp_path.stat(), tmp_path)
    assert reason(caught.value) == "a folder"
    assert reason(OSError(errno.EIO, "broken")) == "broken"
    assert reason(OSError("no number")) == "no number"
