"""
Another user, who may write all that permissions let him, changes no answer.

A user compiles with a umask of nothing, as carelessly as can be. Then another one, in a
process of his own, puts what he likes in place of what is in the cache: whatever the
first user runs afterwards is his own code.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from static_runtime.compiler.artifact_cache import SUFFIX
from static_runtime.compiler.compile import Compilation
from static_runtime.runtime.cache import Cache

pytestmark = [
    pytest.mark.usefixtures("runs_host"),
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0,
        reason="needs root, to be two users",
    ),
]

VICTIM, ATTACKER = 54321, 54322
"""Two users, who need no names."""

SERVE = """
import os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import static_runtime as sr
# All that is imported when first needed, which the other user may not read.
first = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {"
sr.compile(first + "return %x : tensor<2xf32> }", options=sr.Options(cache=False))
while request := sys.stdin.readline():
    user, code, arguments = eval(request)
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        os.umask(0)
        # What is raised ends the child, with a traceback and a status of 1.
        exec(code, {**globals(), "arguments": arguments})
        sys.stdout.flush()
        os._exit(0)
    print("ended", os.waitpid(child, 0)[1], flush=True)
"""
"""A process of root: each of its children becomes a user, and runs what it gets."""

COMPILE = """
os.environ["STATIC_RUNTIME_CACHE"] = arguments[1]
module = sr.compile(open(arguments[0]).read())
print(module(np.full(4, 3, np.float32)).tolist(), module.report.warm)
"""

ATTACK = """
from pathlib import Path
cache, own = map(Path, arguments)
done = []
def attempt(what, act):
    try:
        act()
    except OSError:
        pass
    else:
        done.append(what)
names = [each.name for each in cache.iterdir()] if os.access(cache, os.R_OK) else []
names = names or [line for line in (own / "names").read_text().splitlines()]
data = (own / "evil.sr").read_bytes()
for name in names:
    attempt("write", lambda: (cache / name).write_bytes(data))
    (own / name).write_bytes(data)
    attempt("replace", lambda: os.replace(own / name, cache / name))
    attempt("remove", lambda: (cache / name).unlink())
attempt("move", lambda: cache.rename(own / "moved"))
attempt("link", lambda: cache.symlink_to(own))
attempt("chmod", lambda: cache.chmod(0o777))
print(done)
"""


def text(op: str) -> str:
    """A model of one op."""
    return f"""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = graph.{op} %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""


class Users:
    """What users run, each in a process of its own, for which root imports all once."""

    def __init__(self) -> None:
        """Starts it; all is imported once."""
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, user: int, code: str, *arguments: Path) -> str:
        """What code prints that a user runs."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = user, code, [*map(str, arguments)]
        self.process.stdin.write(f"{request!r}\n")
        self.process.stdin.flush()
        lines: list[str] = []
        for line in self.process.stdout:
            if line.startswith("ended "):
                assert line == "ended 0\n", lines
                return "".join(lines).strip()
            lines.append(line)
        raise AssertionError(f"expected it to serve, got {self.process.wait()}")


@pytest.fixture(scope="module")
def users() -> Iterator[Users]:
    """Whoever asks."""
    made = Users()
    yield made
    made.process.communicate()
    assert not made.process.returncode


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may write to, and reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


MADE = {
    "by nobody yet": "",
    "by the first user, for all to read": f"{VICTIM} 755",
    "by the other user": f"{ATTACKER} 777",
}
"""Who has made the folder of the cache before anything is compiled, and its mode."""


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("made", MADE)
def test_another_user_changes_no_answer(open_folder: Path, users: Users, made: str):
    good = open_folder / "good.mlir"
    good.write_text(text("neg"))
    cache, own = open_folder / "cache", open_folder / "own"
    if MADE[made]:
        user, mode = MADE[made].split()
        cache.mkdir()
        cache.chmod(int(mode, 8))
        os.chown(cache, int(user), int(user))
    own.mkdir()
    own.chmod(0o777)
    expected = "[-3.0, -3.0, -3.0, -3.0]"
    assert users.run(VICTIM, COMPILE, good, cache).startswith(expected)
    compilation = Compilation(text("exp"))
    compilation.cache = Cache(own / "evil")
    compilation.run()
    (artifact,) = (own / "evil").glob(f"*{SUFFIX}")
    (own / "evil.sr").write_bytes(artifact.read_bytes())
    (own / "names").write_text("\n".join(each.name for each in cache.iterdir()))
    users.run(ATTACKER, ATTACK, cache, own)
    assert users.run(VICTIM, COMPILE, good, cache).startswith(expected)
