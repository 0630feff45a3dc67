"""What another user has, or could have, written is never taken from a cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime import cache as cache_module
from static_runtime.runtime.cache import Cache, default_folder

A, B = (sha256(name.encode()).hexdigest() for name in "ab")

OTHER = 65534
"""The number of a user who is nobody here."""

MODEL = """
func.func @model(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %1 = graph.add %x, %0 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """Files are made with this umask."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The modes of a folder and of all that is in it, by name."""
    found = [folder, *folder.rglob("*")]
    return {
        str(each.relative_to(folder)): each.stat().st_mode & 0o777 for each in found
    }


def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path, umask: int):
    cache = Cache(tmp_path / "home" / "cache" / "folder")
    cache.put(A, b"data")
    with cache.create(A, ".so") as file:
        file.write(b"code")
    assert modes(tmp_path / "home") == {
        **dict.fromkeys([".", "cache", "cache/folder"], 0o700),
        **dict.fromkeys([f"cache/folder/{A}", f"cache/folder/{A}.so"], 0o600),
    }
    assert cache.get(A) == b"data"


def test_a_compiled_model_is_private_whatever_the_umask(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    sr.compile(MODEL)
    found = modes(tmp_path / "cache")
    assert len(found) > 2
    assert found.pop(".") == 0o700
    assert {*found.values()} == {0o600}
    assert sr.compile(MODEL).report.warm


def stored(folder: Path) -> Cache:
    """A cache with bytes and a file."""
    cache = Cache(folder)
    cache.put(A, b"data")
    with cache.create(A, ".so") as file:
        file.write(b"code")
    return cache


def is_found(cache: Cache) -> tuple[bool, bool]:
    """Whether the bytes are found, and the file."""
    file = cache.open(A, ".so")
    if file is not None:
        file.close()
    return cache.get(A) is not None, file is not None


@pytest.mark.parametrize(
    "name", [".", A, f"{A}.so"], ids=["the folder", "bytes", "a file"]
)
@pytest.mark.parametrize(
    ("user", "mode", "safe"),
    [
        (None, 0o600, True),
        (None, 0o644, True),
        (0, 0o644, True),
        (OTHER, 0o600, False),
        (OTHER, 0o444, False),
        (None, 0o620, False),
        (None, 0o602, False),
        (None, 0o666, False),
        (0, 0o666, False),
    ],
)
def test_asks_whose_each_file_is_that_was_opened(
    name: str,
    user: int | None,
    mode: int,
    safe: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    cache = stored(tmp_path / "cache")
    assert is_found(cache) == (True, True)
    inode, fstat = (cache.folder / name).stat().st_ino, os.fstat

    def changed(descriptor: int) -> os.stat_result:
        status = fstat(descriptor)
        if status.st_ino != inode:
            return status
        parts = list(status)
        parts[0] = status.st_mode & ~0o777 | mode
        parts[4] = os.geteuid() if user is None else user
        return os.stat_result(parts)

    monkeypatch.setattr(os, "fstat", changed)
    expected = {".": (safe, safe), A: (safe, True), f"{A}.so": (True, safe)}
    assert is_found(cache) == expected[name]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_replaced(tmp_path: Path, mode: int):
    cache = stored(tmp_path / "cache")
    for name in (A, f"{A}.so"):
        (cache.folder / name).chmod(mode)
    assert is_found(cache) == (False, False)
    stored(tmp_path / "cache")
    assert is_found(cache) == (True, True)
    assert {each.stat().st_mode & 0o777 for each in cache.folder.iterdir()} == {0o600}


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "device"])
def test_what_is_no_file_of_its_own_is_not_read(tmp_path: Path, kind: str):
    cache = stored(tmp_path / "cache")
    for name in (A, f"{A}.so"):
        path = cache.folder / name
        path.rename(tmp_path / name)
        match kind:
            case "link":
                path.symlink_to(tmp_path / name)
            case "pipe":
                os.mkfifo(path)
            case "folder":
                path.mkdir()
            case _:
                path.symlink_to("/dev/zero")
    assert is_found(cache) == (False, False)


def test_a_folder_may_be_a_link_to_one_of_the_same_user(tmp_path: Path):
    stored(tmp_path / "disk")
    (tmp_path / "cache").symlink_to("disk")
    assert is_found(Cache(tmp_path / "cache")) == (True, True)


def test_a_folder_that_is_swapped_later_is_asked_again(tmp_path: Path):
    # As who may write to the folder above it can do.
    cache = stored(tmp_path / "cache")
    (tmp_path / "cache").rename(tmp_path / "away")
    stored(tmp_path / "evil").folder.chmod(0o777)
    (tmp_path / "cache").symlink_to("evil")
    assert is_found(cache) == (False, False)
    with pytest.warns(RuntimeWarning, match="others may write to, with mode 777"):
        cache.put(B, b"data")
    assert not (tmp_path / "evil" / B).exists()


ATTACK = f"""
import os, shutil, sys

os.setgroups([])
os.setresgid({OTHER}, {OTHER}, {OTHER})
os.setresuid({OTHER}, {OTHER}, {OTHER})
parent, name = sys.argv[1], sys.argv[2]
cache = os.path.join(parent, "cache")

def attempt(what, action):
    try:
        action()
    except OSError:
        return
    print(what)

attempt("list", lambda: os.listdir(cache))
attempt("write", lambda: open(os.path.join(cache, name), "r+b"))
attempt("read", lambda: open(os.path.join(cache, name), "rb"))
attempt("create", lambda: open(os.path.join(cache, name + "x"), "wb"))
attempt("unlink", lambda: os.unlink(os.path.join(cache, name)))
attempt("chmod", lambda: os.chmod(cache, 0o777))
# What the folder above lets anybody do:
attempt("rename", lambda: os.rename(cache, os.path.join(parent, "away")))
attempt("replace", lambda: shutil.copytree(os.path.join(parent, "evil"), cache))
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder in which anybody may write and rename."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_cannot_put_code_into_a_cache(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    other = MODEL.replace("1.0, 2.0, 4.0", "6.0, 6.0, 6.0")
    before = os.umask(0)
    try:
        monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(open_folder / "cache"))
        sr.compile(MODEL)
        (artifact,) = (open_folder / "cache").glob("*.sr")
        monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(open_folder / "evil"))
        sr.compile(other)
        for each in (open_folder / "evil").iterdir():
            each.chmod(0o644)
        (open_folder / "evil").chmod(0o755)
    finally:
        os.umask(before)
    (evil,) = (open_folder / "evil").glob("*.sr")
    evil.rename(evil.with_name(artifact.name))
    done = subprocess.run(
        [sys.executable, "-c", ATTACK, open_folder, artifact.name],
        capture_output=True,
        text=True,
        check=True,
    )
    # Nothing within the folder; but there is another folder now in its place.
    assert done.stdout.split() == ["rename", "replace"]
    assert (open_folder / "cache").stat().st_uid == OTHER
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(open_folder / "cache"))
    with pytest.warns(RuntimeWarning, match=f"one that belongs to user {OTHER}"):
        module = sr.compile(MODEL)
    assert not module.report.warm
    assert module(np.zeros(3, np.float32)).tolist() == [1, 2, 4]


def test_root_leaves_the_home_of_another_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("STATIC_RUNTIME_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert default_folder() == home / ".cache" / "static-runtime"
    if os.geteuid() == 0:
        os.chown(home, OTHER, OTHER)
    monkeypatch.setattr(cache_module.os, "geteuid", lambda: 0)
    expected = Path(tempfile.gettempdir()) / "static-runtime-0"
    assert default_folder() == expected
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    assert default_folder() == expected
    # What was chosen for this is used, if it is safe.
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(home))
    assert default_folder() == home
