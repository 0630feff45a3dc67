"""A file appears whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from static_runtime.runtime.files.atomic import TEMPORARY, atomic_file, followed

from ...workers import run_apart


def test_the_file_appears_when_it_is_complete(tmp_path: Path):
    path = tmp_path / "weights"
    path.write_bytes(b"old")
    with atomic_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
        (temporary,) = (other for other in tmp_path.iterdir() if other != path)
        assert TEMPORARY.fullmatch(temporary.name)
    assert path.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_left_of_a_failure(tmp_path: Path, error: type[BaseException]):
    path = tmp_path / "weights"
    path.write_bytes(b"old")

    def write_half() -> None:
        with atomic_file(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        write_half()
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_a_folder_that_is_absent_is_an_error_of_the_system(tmp_path: Path):
    path = tmp_path / "absent" / "weights"
    with pytest.raises(FileNotFoundError) as raised, atomic_file(path):
        pass
    assert raised.value.filename == str(path)


def test_the_file_has_the_mode_of_any_new_file(tmp_path: Path):
    (tmp_path / "plain").touch()
    with atomic_file(tmp_path / "weights"):
        pass
    modes = [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()]
    assert modes[0] == modes[1]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_a_file_in_an_open_folder_is_private(tmp_path: Path, umask: int):
    folder, before = os.open(tmp_path, os.O_RDONLY), os.umask(umask)
    try:
        with atomic_file(Path("weights"), folder) as file:
            file.write(b"new")
    finally:
        os.umask(before)
        os.close(folder)
    assert stat.S_IMODE((tmp_path / "weights").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]


def test_a_device_stays_one(tmp_path: Path):
    path = tmp_path / "null"
    path.symlink_to(os.devnull)
    with atomic_file(path) as file:
        file.write(b"data")
    assert path.is_char_device()
    assert [*tmp_path.iterdir()] == [path]


def test_links_are_followed_but_not_in_a_circle(tmp_path: Path):
    (tmp_path / "link").symlink_to("new")
    assert followed(tmp_path / "link") == tmp_path.resolve() / "new"
    for name, other in ("a", "b"), ("b", "a"):
        (tmp_path / name).symlink_to(other)
    with pytest.raises(OSError, match="Too many levels") as raised:
        followed(tmp_path / "a")
    assert raised.value.filename == str(tmp_path / "a")


FULL = """
import resource
import sys
from pathlib import Path
from static_runtime.runtime.files import atomic_file, error_line

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for size in (10, 10_000):
    try:
        with atomic_file(Path(sys.argv[1])) as file:
            file.write(bytes(size))
    except OSError as error:
        print(error_line(error))
"""


def test_what_has_no_room_is_told_with_its_name(tmp_path: Path):
    path = tmp_path / "weights"
    assert run_apart(FULL, path) == [f"{path}: File too large"]
    assert path.read_bytes() == bytes(10)
    assert [*tmp_path.iterdir()] == [path]
