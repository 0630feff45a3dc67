"""One holds a lock at a time, and nobody waits for who ended."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from static_runtime.runtime.cache import Cache
from static_runtime.runtime.files.file_lock import file_lock

NAME = "a.lock"
HOLD = """
import os, sys
from static_runtime.runtime.files.file_lock import file_lock
with file_lock(sys.argv[2], os.open(sys.argv[1], os.O_RDONLY)):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def opened(path: Path) -> Generator[int]:
    """An open folder."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield folder
    finally:
        os.close(folder)


def test_one_thread_is_in_a_block_at_a_time(tmp_path: Path):
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        with opened(tmp_path) as folder:
            for _ in range(50):
                with file_lock(NAME, folder):
                    inside += 1
                    most = max(most, inside)
                    os.sched_yield()
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert most == 1
    assert [*tmp_path.iterdir()] == []


def test_a_holder_that_is_ended_holds_nothing(tmp_path: Path):
    command = [sys.executable, "-c", HOLD, str(tmp_path), NAME]
    held = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with held, opened(tmp_path) as folder:
        assert held.stdout is not None
        assert held.stdout.readline() == "held\n"
        found = threading.Event()

        def wait() -> None:
            with file_lock(NAME, folder):
                found.set()

        thread = threading.Thread(target=wait)
        thread.start()
        assert not found.is_set()
        assert (tmp_path / NAME).exists()
        held.kill()
        thread.join()
        assert found.is_set()


def test_the_child_of_a_fork_holds_nothing(tmp_path: Path):
    with opened(tmp_path) as folder:
        reading, writing = os.pipe()
        with file_lock(NAME, folder):
            child = os.fork()
            if not child:
                # Stays until it is told to end, while the lock is free.
                os.close(writing)
                os.read(reading, 1)
                os._exit(0)
        with file_lock(NAME, folder):
            pass
        os.close(writing)
        os.close(reading)
        assert os.waitpid(child, 0)[1] == 0


def test_a_cache_that_takes_no_files_has_no_lock(tmp_path: Path):
    cache = Cache(tmp_path / "cache")
    key = "a" * 64
    with cache.lock(key):
        assert [each.name for each in cache.folder.iterdir()] == [f"{key}.lock"]
    assert [*cache.folder.iterdir()] == []
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="expected a folder to keep results in"):
        broken = Cache(tmp_path / "file")
    with broken.lock(key):
        pass
    cache.folder.rmdir()
    with cache.lock(key):
        assert not cache.folder.exists()
