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

from static_runtime.compiler.compile import SUFFIX, Compilation
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

IMPORT = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
import static_runtime as sr
# All that is imported when first needed, which the other user may not read.
first = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {"
sr.compile(first + "return %x : tensor<2xf32> }", options=sr.Options(cache=False))
"""

BECOME = """
user = int(sys.argv.pop(1))
os.setgroups([])
os.setgid(user)
os.setuid(user)
os.umask(0)
"""
"""A process of root becomes one of another user."""

COMPILE = """
os.environ["STATIC_RUNTIME_CACHE"] = sys.argv[2]
module = sr.compile(open(sys.argv[1]).read())
print(module(np.full(4, 3, np.float32)).tolist(), module.report.warm)
"""

ATTACK = """
from pathlib import Path
cache, own = map(Path, sys.argv[1:])
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


def as_user(user: int, code: str, *arguments: Path, first: str = "") -> str:
    """What code prints that a user runs, after root has run what comes first."""
    text = f"import os, sys\n{first}{BECOME}{code}"
    done = subprocess.run(
        [sys.executable, "-c", text, str(user), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


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


@pytest.mark.parametrize("made", MADE)
def test_another_user_changes_no_answer(open_folder: Path, made: str):
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
    assert as_user(VICTIM, COMPILE, good, cache, first=IMPORT).startswith(expected)
    compilation = Compilation(text("exp"))
    compilation.cache = Cache(own / "evil")
    compilation.run()
    (artifact,) = (own / "evil").glob(f"*{SUFFIX}")
    (own / "evil.sr").write_bytes(artifact.read_bytes())
    (own / "names").write_text("\n".join(each.name for each in cache.iterdir()))
    as_user(ATTACKER, ATTACK, cache, own)
    assert as_user(VICTIM, COMPILE, good, cache, first=IMPORT).startswith(expected)
