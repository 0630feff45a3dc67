"""An interruption while LLVM has a module is an exception, and frees nothing twice."""

import subprocess
import sys

import pytest

PROGRAM = """
import gc
from unittest.mock import patch

from llvmlite import binding

from static_runtime.lowering import llvm_to_object
from static_runtime.lowering.llvm_to_object import linked

TEXT = "define i32 @f() { ret i32 1 }"
MACHINE = llvm_to_object.Machine("x86_64-unknown-linux-gnu", "x86-64", "")

def interrupt(*_):
    raise KeyboardInterrupt

def compiled():
    llvm_to_object.compile_text(TEXT, MACHINE)

def linked_text():
    linked.linked_object([TEXT], ["f"], MACHINE, None)

for name in ("__enter__", "verify"):
    with patch.object(binding.ModuleRef, name, interrupt):
        for _ in range(20):
            try:
                {call}()
            except KeyboardInterrupt:
                gc.collect()
{call}()
print("alive")
"""


@pytest.mark.parametrize("call", ["compiled", "linked_text"])
def test_an_interruption_frees_a_module_once(call: str):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{call}", call)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
