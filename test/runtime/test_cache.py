"""The cache gives back what was put, or nothing, and never an error of the system."""

import os
import subprocess
import sys
import time
import warnings
from hashlib import sha256
from pathlib import Path

import pytest

from static_runtime.runtime.cache import PUTS, Cache, default_folder

A, B, C, D = (sha256(name.encode()).hexdigest() for name in "abcd")


def write(cache: Cache, key: str, data: bytes) -> None:
    """Creates a file for a key."""
    with cache.create(key, ".so") as file:
        file.write(data)


def content(cache: Cache, key: str) -> bytes:
    """What is in a file for a key."""
    file = cache.open(key, ".so")
    assert file is not None
    with file:
        return file.readall()


def test_gives_back_what_was_put(tmp_path: Path):
    cache = Cache(tmp_path / "deep" / "folder")
    assert cache.writable
    assert cache.get(A) is None
    for data in (b"", b"x", bytes(range(256)) * 1000):
        cache.put(A, data)
        assert cache.get(A) == data
        assert Cache(cache.folder).get(A) == data
    assert cache.get(B) is None


@pytest.mark.parametrize("length", [16, 40, 64])
def test_takes_a_hash_for_a_key(tmp_path: Path, length: int):
    cache = Cache(tmp_path)
    cache.put(A[:length], b"data")
    assert cache.get(A[:length]) == b"data"
    write(cache, A[:length], b"code")
    assert (tmp_path / f"{A[:length]}.so").read_bytes() == b"code"


@pytest.mark.parametrize(
    "key", ["", A[:15], A + "0", "../" + A, A[:20] + "/" + A[:20], "G" * 16, A + "\n"]
)
def test_refuses_another_key(tmp_path: Path, key: str):
    cache = Cache(tmp_path)
    message = "expected a key of 16 to 64 hexadecimal digits, got"
    for use in (
        lambda: cache.get(key),
        lambda: cache.put(key, b""),
        lambda: write(cache, key, b""),
        lambda: cache.open(key, ".so"),
    ):
        with pytest.raises(ValueError, match=message):
            use()


@pytest.mark.parametrize("suffix", ["", "so", "./x", ".", "..so", "/x", ".SO", ".s\n"])
def test_refuses_another_suffix(tmp_path: Path, suffix: str):
    with pytest.raises(ValueError, match=r"expected a suffix such as \.so, got"):
        Cache(tmp_path).open(A, suffix)


@pytest.mark.parametrize("length", [16, 64])
def test_no_entry_is_taken_for_another(tmp_path: Path, length: int):
    cache = Cache(tmp_path)
    first, second = A[:length], B[:length]
    for move in (os.rename, os.link):
        cache.put(first, b"one")
        move(tmp_path / first, tmp_path / second)
        assert cache.get(second) is None
        assert not (tmp_path / second).exists()
    # Nor is the end of a key taken for the beginning of its bytes.
    cache.put(A[:16], A[16:].encode())
    (tmp_path / A[:16]).rename(tmp_path / A)
    assert cache.get(A) is None


@pytest.mark.parametrize("data", [b"", b"some data"])
def test_what_is_damaged_is_absent_and_removed(tmp_path: Path, data: bytes):
    cache = Cache(tmp_path)
    cache.put(A, data)
    path = tmp_path / A
    stored = path.read_bytes()
    damaged = [stored[:end] for end in range(len(stored))]
    damaged += [stored + b"\0"]
    damaged += [
        stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :]
        for at in range(len(stored))
    ]
    for content in damaged:
        path.write_bytes(content)
        assert cache.get(A) is None
        assert not path.exists()
    cache.put(A, data)
    assert cache.get(A) == data


def age(path: Path, seconds: float) -> None:
    """Makes a file look as if it had last been used `seconds` ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_what_was_used_least_recently_goes_first(tmp_path: Path):
    cache = Cache(tmp_path, limit=1000)
    for seconds, key in ((40, A), (30, B), (20, C)):
        cache.put(key, bytes(300))
        age(tmp_path / key, seconds)
    assert cache.get(A) == bytes(300)
    cache.put(D, bytes(300))
    assert [key for key in (A, B, C, D) if cache.get(key)] == [A, C, D]


def test_a_file_is_an_entry_like_bytes(tmp_path: Path):
    cache = Cache(tmp_path, limit=1000)
    for seconds, key in ((40, A), (30, B)):
        write(cache, key, bytes(400))
        age(tmp_path / f"{key}.so", seconds)
    assert content(cache, A) == bytes(400)
    write(cache, C, bytes(400))
    assert {path.name for path in tmp_path.iterdir()} == {A + ".so", C + ".so"}
    assert cache.open(B, ".so") is None
    assert cache.open(A, ".o") is None


def test_a_file_that_is_gone_is_no_error(tmp_path: Path):
    cache = Cache(tmp_path)
    write(cache, A, b"code")
    (tmp_path / f"{A}.so").unlink()
    assert cache.open(A, ".so") is None


def test_an_entry_larger_than_the_limit_drives_nothing_out(tmp_path: Path):
    cache = Cache(tmp_path, limit=1000)
    cache.put(A, bytes(500))
    cache.put(B, bytes(1001))
    assert cache.get(A)
    assert cache.get(B) is None


def test_removes_only_what_is_its_own(tmp_path: Path):
    foreign = [tmp_path / name for name in ("notes.txt", ".hidden", A + ".so.OLD")]
    for path in foreign:
        path.write_bytes(bytes(5000))
        age(path, 10**6)
    abandoned, current = (tmp_path / f".{digit * 16}.tmp" for digit in "01")
    for path, seconds in ((abandoned, 10**4), (current, 10)):
        path.write_bytes(bytes(5000))
        age(path, seconds)
    cache = Cache(tmp_path, limit=1000)
    cache.put(A, bytes(900))
    cache.put(B, bytes(900))
    assert {*tmp_path.iterdir()} == {*foreign, current, tmp_path / B}


def test_looks_at_the_folder_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    looks = 0
    scandir = os.scandir

    def count(folder: int):
        nonlocal looks
        looks += 1
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", count)
    cache = Cache(tmp_path)
    for number in range(3 * PUTS):
        cache.put(f"{number:016x}", b"data")
    assert looks == 3


def test_others_cannot_write_to_the_folder(tmp_path: Path):
    cache = Cache(tmp_path / "cache")
    assert cache.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path):
    Cache(tmp_path).put(A, b"data")
    write(Cache(tmp_path), A, b"code")
    tmp_path.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=r"with mode 777 \(make it 700\)"):
        cache = Cache(tmp_path)
    assert not cache.writable
    assert cache.get(A) is None
    assert cache.open(A, ".so") is None
    cache.put(B, b"data")
    assert {path.name for path in tmp_path.iterdir()} == {A, A + ".so"}
    tmp_path.chmod(0o700)
    assert Cache(tmp_path).get(A) == b"data"


def test_a_folder_that_cannot_be_is_not_used(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.warns(RuntimeWarning, match="expected a folder to keep results in"):
        cache = Cache(tmp_path / "file" / "cache")
    assert not cache.writable
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put(A, b"data")
        assert cache.get(A) is None
        with pytest.raises(OSError, match="Not a directory"):
            write(cache, A, b"code")
        assert cache.open(A, ".so") is None


FULL = """
import resource, sys, warnings
from pathlib import Path
from static_runtime.runtime.cache import Cache

cache = Cache(Path(sys.argv[1]))
cache.put("a" * 16, bytes(100))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for key in "bcde":
        cache.put(key * 16, bytes(2000))
assert len(caught) == 1 and "File too large" in str(caught[0].message), caught
assert not cache.writable
assert cache.get("a" * 16) == bytes(100)
"""


def test_a_full_folder_is_read_and_written_no_more(tmp_path: Path):
    # A limit on the size of files stands for the end of the disk.
    subprocess.run([sys.executable, "-c", FULL, tmp_path / "cache"], check=True)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["a" * 16]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any folder")
def test_a_folder_for_reading_is_read(tmp_path: Path):
    Cache(tmp_path).put(A, b"data")
    tmp_path.chmod(0o500)
    cache = Cache(tmp_path)
    assert cache.get(A) == b"data"
    assert not cache.writable
    with pytest.warns(RuntimeWarning, match="Permission denied"):
        cache.put(B, b"data")


def test_a_folder_that_was_removed_is_made_again(tmp_path: Path):
    cache = Cache(tmp_path / "cache")
    cache.folder.rmdir()
    assert cache.get(A) is None
    cache.put(A, b"data")
    assert cache.get(A) == b"data"


STRESS = """
import random, sys
from pathlib import Path
from static_runtime.runtime.cache import Cache

cache = Cache(Path(sys.argv[1]), limit=20_000)
rng = random.Random(int(sys.argv[2]))
hits = 0
for _ in range(400):
    key = f"{rng.randrange(32):016x}"
    byte = key[-1].encode()
    if rng.random() < 0.5:
        cache.put(key, byte * rng.randrange(1, 5000))
    elif (data := cache.get(key)) is not None:
        assert data and data == byte * len(data), (key, data)
        hits += 1
assert cache.writable
print(hits)
"""


def test_processes_share_a_folder(tmp_path: Path):
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-W",
                "error",
                "-c",
                STRESS,
                tmp_path / "cache",
                str(seed),
            ],
            stdout=subprocess.PIPE,
        )
        for seed in range(2)
    ]
    hits = [int(process.communicate()[0] or -1) for process in processes]
    assert [process.returncode for process in processes] == [0] * 2
    assert min(hits) > 20
    left = [path.stat().st_size for path in (tmp_path / "cache").iterdir()]
    # Each process may add a sixteenth of the limit, and one entry, before it looks.
    assert sum(left) <= 20_000 + 2 * (20_000 // 16 + 5_032)


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", "/chosen")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert default_folder() == Path("/chosen")
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", "")
    assert default_folder() == Path("/xdg/static-runtime")
    monkeypatch.delenv("STATIC_RUNTIME_CACHE")
    monkeypatch.setenv("HOME", "/home/someone")
    for no_folder in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", no_folder)
        assert default_folder() == Path("/home/someone/.cache/static-runtime")
