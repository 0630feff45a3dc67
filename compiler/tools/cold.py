"""
Compile a model in a process of its own, which tells what that took, and its memory.

    python -m static_runtime.compiler.tools.cold model.onnx folder host "{}"

The peak of a process that has done nothing else is that of the compilation; and what
this process has imported and cached already does not make it look faster.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...runtime import Cache
from ..compile import Compilation
from ..session import CompileReport, Options

_STATUS = Path("/proc/self/status")
"""Where Linux tells of a process."""


def compile_apart(
    model: Any, target: str, options: Options, folder: Path
) -> tuple[CompileReport, int]:
    """What compiling the file `model` took, kept in `folder`, and its peak in bytes."""
    command = [sys.executable, "-m", __name__, str(model), str(folder)]
    command += [target, json.dumps(asdict(options))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"expected a model to compile twice, got {done.stderr}")
    found = json.loads(done.stdout)
    peak = found.pop("peak")
    passes = tuple((name, seconds) for name, seconds in found.pop("passes"))
    return CompileReport(**found, passes=passes), peak


def _peak_bytes() -> int:
    """The most memory that this process has had, in bytes."""
    # What `getrusage` says counts that of the process which started this one.
    if _STATUS.exists() and (
        line := re.search(r"VmHWM:\s*(\d+) kB", _STATUS.read_text())
    ):
        return int(line[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main(args: Sequence[str] | None = None) -> None:
    """Compiles what the arguments say, and prints it as JSON."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("folder", type=Path)
    parser.add_argument("target")
    parser.add_argument("options", help="the fields of `Options`, as JSON")
    given = parser.parse_args(args)
    options = Options(**json.loads(given.options))
    compilation = Compilation(given.model, target=given.target, options=options)
    compilation.cache = Cache(given.folder)
    report = compilation.run().report
    print(json.dumps({**asdict(report), "peak": _peak_bytes()}))


if __name__ == "__main__":
    main()
