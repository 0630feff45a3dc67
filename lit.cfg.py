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

# The commands sr-... and filecheck are those of the environment that runs lit.
here = Path(sys.executable).parent
config.environment["PATH"] = os.pathsep.join([str(here), os.environ["PATH"]])

# `%on=NAME` before a command, and `-D host=NAME` before all, run it as if on a machine
# of test/hosts.py.
hook = Path(__file__).parent / "test" / "described"
paths = os.pathsep.join(filter(None, [str(hook), os.environ.get("PYTHONPATH")]))
on = f"env PYTHONPATH={paths} STATIC_RUNTIME_TEST_HOST="
config.substitutions.append(("%on=", on))
if "host" not in lit_config.params:
    config.available_features.add("native-host")  # what is compiled for it runs here
else:
    config.environment["PYTHONPATH"] = paths
    config.environment["STATIC_RUNTIME_TEST_HOST"] = lit_config.params["host"]
