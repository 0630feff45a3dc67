"""
Which test files are read, which machine is the host that they see, and what a run of
them takes from its surroundings.
"""

import gc
import os
import signal
import sys
from collections.abc import Generator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from .hosts import HOSTS
from .sampling import mark_what_is_left_out

OBJECTS = pytest.StashKey[Path]()
"""Where the objects are that a run shares."""

KEPT_OBJECTS = pytest.StashKey[Any]()
"""Those objects."""

MARK = "pytestmark = pytest.mark.torch"

FOREIGN = (
    *("PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHON_CPU_COUNT", "PYTHON_COLORS"),
    *("FORCE_COLOR", "COLUMNS", "SR_DEBUG", "PYTHONDONTWRITEBYTECODE"),
)
"""Variables that change what this process, or one that a test starts, does or says."""

EACH_TIME = (
    *("hostile", "lowering/llvm_to_object", "lowering/test_llvm_to_object.py"),
    *("runtime/machine/test_fork.py", "runtime/call/test_module_memory.py"),
    "runtime/call/test_module_threads.py",
)
"""
Where LLVM compiles a text each time that a test asks for it: what LLVM makes of it, the
memory that this takes, and threads that are in LLVM are the matter of these tests. All
others have a text compiled once in a run, for all workers.
"""


def pytest_configure(config: pytest.Config) -> None:
    """
    Gives the run a cache of its own, which its workers share, and no settings; and puts
    the described machine in its place, before a test is read.
    """
    for name in FOREIGN:
        os.environ.pop(name, None)
    # Each process that a test starts would compile the house anew.
    sys.dont_write_bytecode = False
    # A shell has its background jobs ignore the key that interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        folder = TemporaryDirectory(
            prefix="static_runtime-", ignore_cleanup_errors=True
        )
        config.add_cleanup(folder.cleanup)
        os.environ["STATIC_RUNTIME_CACHE"] = folder.name
    config.stash[OBJECTS] = Path(os.environ["STATIC_RUNTIME_CACHE"]) / "objects"
    if name := config.getoption("--host"):
        from .as_host import put_in_place

        put_in_place(name)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--host`, the name of a described machine."""
    parser.addoption(
        "--host",
        choices=[*HOSTS],
        help="run as if on a machine of test/hosts.py; what cannot run is skipped",
    )


@pytest.fixture(autouse=True, scope="module")
def one_object_for_a_text(request: pytest.FixtureRequest) -> Generator[None]:
    """
    Takes an object that a test has compiled before for what LLVM makes of its text,
    also where a test has no cache: then its passes run, and LLVM does not again.
    """
    if is_below(request.path, EACH_TIME):
        yield
        return
    from static_runtime.lowering import llvm_to_object
    from static_runtime.runtime import Cache

    compile_text = llvm_to_object.compile_text
    folder = request.config.stash[OBJECTS]
    # One for all files, as each looks at the whole folder when it is first given one.
    objects = request.config.stash.setdefault(KEPT_OBJECTS, Cache(folder))

    def compile_once(text: str, machine: llvm_to_object.Machine) -> bytes:
        key = sha256(f"{machine.key}\n{text}".encode()).hexdigest()
        code = objects.get(key)
        if code is None:
            code = compile_text(text, machine)
            objects.put(key, code)
        return code

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llvm_to_object, "compile_text", compile_once)
        yield


def is_below(path: Path, places: Sequence[str]) -> bool:
    """Whether a file of tests is one of these, or in one of these folders."""
    own = path.relative_to(Path(__file__).parent)
    return any(own.is_relative_to(each) for each in places)


@pytest.fixture(scope="module")
def few_objects() -> None:
    """
    Has Python's collector leave alone what tests of other files keep, for a file whose
    tests call it again and again.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def runs_host() -> None:
    """Skips a test that runs code in a thread or a process where it cannot run here."""
    from .as_host import skip_unless_host_runs

    skip_unless_host_runs()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Has Python's collector rest meanwhile: what is collected stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as `full` what the samples of products leave out (`sampling.py`)."""
    mark_what_is_left_out(items)


def pytest_collection_finish() -> None:
    """
    Has Python's collector leave alone what is there before the first test, and stays:
    modules and cases are most of all objects, and it would visit them each time. It
    looks less often, too: what a compile makes is in use until it ends.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Says that the host is described."""
    return f"host: {name}" if (name := config.getoption("--host")) else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """
    Leaves a file unread that is marked `torch` as a whole, unless `-m` selects that.

    So it may import PyTorch at its head, where `make test` has none; and where there is
    one, nobody waits for the import.
    """
    if collection_path.suffix != ".py" or "not torch" not in str(
        config.getoption("-m")
    ):
        return None
    # At the head of a line: what only speaks of the mark has it within one.
    lines = collection_path.read_text().splitlines()
    return any(line.startswith(MARK) for line in lines) or None
