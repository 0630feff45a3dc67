"""The wheel: what is in it, and that it works where no checkout is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from configparser import ConfigParser
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import static_runtime as sr

ROOT = Path(__file__).parent.parent
ROOMS = ("compiler", "dialects", "lowering", "runtime")
MADE = shutil.ignore_patterns(
    ".git", ".venv*", ".*_cache", "__pycache__", "build", "dist", "*.egg-info"
)
DIGITS = ROOT / "examples" / "digits"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a copy of the checkout, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    # A copy: what an earlier build left beside the sources would be in the wheel too.
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=MADE)
    # As pip has it built, which takes twice as long.
    code = "from setuptools.build_meta import build_wheel; build_wheel('..')"
    command = [sys.executable, "-c", code]
    source = folder / "source"
    made = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """A folder of packages with the wheel in it."""
    folder = wheel.parent / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def metadata(wheel: Path) -> Message:
    """What the wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def run(site: Path, *arguments: str) -> str:
    """
    What a Python prints that has the wheel and its dependencies.

    Without `site`, no .pth file is read, and so no import hook of an editable install.
    """
    libraries = dict.fromkeys(map(sysconfig.get_path, ("purelib", "platlib")))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(site), *libraries]),
        "STATIC_RUNTIME_CACHE": str(site.parent / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-S", *arguments],
        cwd=site.parent,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_holds_the_rooms_and_nothing_else(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    sources = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    expected = {
        "static_runtime/__init__.py",
        "static_runtime/py.typed",
        "static_runtime/compiler/library/sr.h",
        *(f"static_runtime/{path.relative_to(ROOT).as_posix()}" for path in sources),
    }
    assert {each for each in names if ".dist-info/" not in each} == expected
    notes = {each.split(".dist-info/")[1] for each in names if ".dist-info/" in each}
    assert notes >= {"licenses/LICENSE", "licenses/NOTICE", "entry_points.txt"}


def test_says_its_version_and_licence(wheel: Path):
    told = metadata(wheel)
    assert told["Version"] == sr.__version__
    assert told["License-Expression"] == "Apache-2.0"
    assert told["Requires-Python"] == ">=3.11"


def test_the_change_log_knows_the_version():
    text = (ROOT / "CHANGELOG.md").read_text()
    newest, *_ = re.findall(r"^## \[([\d.]+)\]", text, re.MULTILINE)
    assert newest == sr.__version__


HELPS = """
import sys
from importlib import import_module

for target in sys.argv[1:]:
    name, module, function = target.split()
    sys.argv = [name, "--help"]
    try:
        getattr(import_module(module), function)()
    except SystemExit as ended:
        assert not ended.code
"""


@pytest.mark.full(beside="test_holds_the_rooms_and_nothing_else")
def test_its_commands_are_there(site: Path):
    (entry_points,) = site.glob("*.dist-info/entry_points.txt")
    parser = ConfigParser()
    parser.read(entry_points)
    commands = dict(parser["console_scripts"])
    assert set(commands) == {
        *("sr-build", "sr-opt", "sr-quantize", "sr-run", "sr-size"),
        *("sr-trace", "sr-yaml"),
    }
    targets = [f"{key} {value.replace(':', ' ')}" for key, value in commands.items()]
    printed = run(site, "-c", HELPS, *targets)
    assert re.findall(r"^usage: ([\w-]+)", printed, re.MULTILINE) == [*commands]


COMPILES = """
import sys
import numpy as np
import static_runtime as sr

path, arrays = sys.argv[1:]
with np.load(arrays) as test:
    model = sr.compile(path)
    difference = np.abs(model(test["images"]) - test["logits"]).max()
print(sr.__file__, difference, sep="\\n")
"""


@pytest.mark.full(beside="test_holds_the_rooms_and_nothing_else")
def test_compiles_and_runs_a_model_without_a_checkout(site: Path):
    files = [str(DIGITS / each) for each in ("digits.onnx", "digits_test.npz")]
    file, difference = run(site, "-c", COMPILES, *files).splitlines()
    assert Path(file) == site / "static_runtime" / "__init__.py"
    assert float(difference) < 1e-4
