"""Intrinsics are declared as they are called, once."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from static_runtime.lowering.loop_to_llvm.math import declarations

MODULE = """
define <4 x float> @f(<4 x float> %x, ptr %p, <4 x i1> %m, float %s) {
  %a = call <4 x float> @llvm.fma.v4f32(
      <4 x float> %x, <4 x float> splat (float 0x3FF0000000000000), <4 x float> %x)
  %b = tail call nnan contract <4 x float> @llvm.fma.v4f32(
      <4 x float> %a, <4 x float> %a, <4 x float> %a)
  %c = call <4 x float> @llvm.masked.load.v4f32.p0(
      ptr align 4 %p, <4 x i1> %m,
      <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>)
  %d = call { <4 x i32>, <4 x i1> } @llvm.sadd.with.overflow.v4i32(
      <4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x i32> zeroinitializer)
  %e = call float @llvm.vector.reduce.fadd.v4f32(float -0.0, <4 x float> %c)
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 64) ]
  %g = call i64 @llvm.readcyclecounter()
  %h = call float @other(float %s)
  ret <4 x float> %b
}
declare float @other(float)
declare void @llvm.assume(i1)
"""


def test_each_intrinsic_is_declared_once():
    assert declarations(MODULE).splitlines() == [
        "declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)",
        "declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)",
        "declare { <4 x i32>, <4 x i1> } @llvm.sadd.with.overflow.v4i32"
        "(<4 x i32>, <4 x i32>)",
        "declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
        "declare i64 @llvm.readcyclecounter()",
    ]


def test_llvm_takes_what_is_declared():
    llvm.parse_assembly(MODULE + declarations(MODULE)).verify()


def test_a_module_without_calls_needs_nothing():
    assert declarations("define void @f() {\n  ret void\n}\n") == ""


def test_two_signatures_of_one_name_are_an_error():
    text = (
        "  %a = call float @llvm.sqrt.f32(float %x)\n"
        "  %b = call double @llvm.sqrt.f32(double %y)\n"
    )
    with pytest.raises(ValueError, match=r"expected every call of llvm\.sqrt\.f32"):
        declarations(text)
