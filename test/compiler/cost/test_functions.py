import re

from static_runtime.compiler.cost.functions import CONSTANTS
from static_runtime.lowering.loop_to_llvm.math import FUNCTIONS, define


def test_numbers_are_those_that_are_written():
    def written(name: str) -> int:
        text = define(name, "f32", 2, fma=True)
        return len(set(re.findall(r"splat \([^)]*\)", text)))

    assert {name: written(name) for name in FUNCTIONS} == {**CONSTANTS}
