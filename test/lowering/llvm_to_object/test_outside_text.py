"""Texts of users become internal to a kernel's module, or are refused."""

import pytest
from llvmlite import binding
from xdsl.utils.exceptions import VerifyException

from static_runtime.lowering.llvm_to_object.outside_text import internal_text

GOOD = """
target triple = "x86_64-unknown-linux-gnu"
@table = global [2 x i32] [i32 1, i32 2]
declare float @expf(float)
define float @one(float %x) {
  %y = call float @expf(float %x)
  ret float %y
}
define void @f(ptr %x, ptr %y, i64 %n, float %a) {
  %v = call float @one(float %a)
  store float %v, ptr %y
  ret void
}
"""
TYPES = ["ptr", "ptr", "i64", "float"]


def test_what_a_text_defines_is_internal():
    text = internal_text(GOOD, "f", TYPES)
    module = binding.parse_assembly(text)
    internal = [each.name for each in module.functions if "internal" in str(each)]
    assert internal == ["one", "f"]
    assert "target triple" not in text
    assert internal_text(text, "f", TYPES) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("define nonsense", "expected LLVM IR, got an error: .*expected type"),
        ("", "expected LLVM IR that defines @f, got none"),
        (GOOD.replace("@f(", "@g("), "expected LLVM IR that defines @f, got one, g"),
        (
            GOOD.replace("i64 %n", "i32 %n"),
            r"expected @f to be void \(ptr, ptr, i64, float\), "
            r"got void \(ptr, ptr, i32, float\)",
        ),
        (
            GOOD.replace("expf", "system"),
            "expected LLVM IR that calls its own functions, intrinsics and C's "
            "mathematical functions, got @system",
        ),
        (
            GOOD.replace("global [2 x i32] [i32 1, i32 2]", "external global i32"),
            "mathematical functions, got @table",
        ),
    ],
)
def test_another_text_is_refused(text: str, message: str):
    with pytest.raises(VerifyException, match=message):
        internal_text(text, "f", TYPES)
