"""lit: run every .mlir file under test/ as the commands on its RUN lines."""

import os
import sys
from pathlib import Path

import lit.formats

config.name = "static-runtime"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir"]
# %t names a file under build/, so that no test writes beside the sources.
config.test_exec_root = str(Path(__file__).parent / "build" / "lit")
config.substitutions.append((r"\bFileCheck\b", "filecheck"))

# sr-opt, sr-run and filecheck are those of the environment that runs lit.
here = Path(sys.executable).parent
config.environment["PATH"] = os.pathsep.join([str(here), os.environ["PATH"]])
