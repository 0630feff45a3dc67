"""One file for each instruction set, and what each writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import bf16, f32, i32

from static_runtime.dialects.loop.isa import AMX, ISAS, PORTABLE
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.lowering.loop_to_llvm.isa import instructions_of, known
from static_runtime.lowering.loop_to_llvm.text.function import FunctionWriter
from static_runtime.lowering.loop_to_llvm.text.types import Value

FOLDER = Path(__file__).parents[4] / "lowering" / "loop_to_llvm" / "isa"


def target(*isas: str, fma: bool = True) -> TargetAttr:
    """A machine with vectors of 512 bits and these instruction sets."""
    return TargetAttr.of("x86-64", 512, 32, fma, isas=isas)


def test_every_set_has_a_file_of_its_name_that_writes_it():
    assert known().keys() == ISAS.keys()
    for name, each in known().items():
        assert each.__module__.endswith(f".isa.{name}")
    others = {path.stem for path in FOLDER.glob("*.py")} - ISAS.keys()
    assert others == {"__init__", "instructions"}


def test_the_set_is_that_of_the_element():
    assert instructions_of(target("amx"), bf16).isa is AMX
    assert instructions_of(target("amx"), f32).isa is PORTABLE
    assert instructions_of(target(), bf16).isa is PORTABLE


@pytest.mark.parametrize(
    ("name", "lanes", "expected"),
    [
        ("avx512_bf16", 16, ["dpbf16ps.512"]),
        ("avx512_bf16", 4, ["dpbf16ps.128"]),
        # One accumulator is no vector.
        ("avx512_bf16", 1, ["shl i32", "shl i32", "fma", "and i32", "and i32", "fma"]),
        ("amx", 16, ["shl", "shl", "fma", "and", "and", "fma"]),
        ("portable", 8, ["shl", "shl", "fma", "and", "and", "fma"]),
    ],
)
def test_products_of_words(name: str, lanes: int, expected: list[str]):
    w = FunctionWriter({})
    a, b = (Value(each, i32, lanes) for each in ("%a", "%b"))
    instructions = instructions_of(target(name), bf16)
    result = instructions.multiply(w, a, b, Value("%sum", f32, lanes))
    assert (result.type, result.lanes) == (f32, lanes)
    written = [each for each in w.lines if " bitcast " not in each]
    for line, each in zip(written, expected, strict=True):
        assert each in line


def test_products_are_added_unfused_where_the_target_has_no_fma():
    w = FunctionWriter({})
    a, b = (Value(each, i32, 4) for each in ("%a", "%b"))
    instructions = instructions_of(target("portable", fma=False), bf16)
    instructions.multiply(w, a, b, Value("%sum", f32, 4))
    text = "\n".join(w.lines)
    assert text.count("fmul") == text.count("fadd") == 2
    assert "fma" not in text


@pytest.mark.parametrize(("name", "has"), [("avx512_bf16", 1), ("portable", 0)])
def test_vectors_are_narrowed_by_an_instruction_where_there_is_one(name: str, has: int):
    for lanes, expected in ((16, has), (8, has), (1, 0)):
        w = FunctionWriter({})
        value = instructions_of(target(name), bf16).narrow(w, Value("%x", f32, lanes))
        assert (value.type, value.lanes) == (bf16, lanes)
        assert "\n".join(w.lines).count("cvtneps2bf16") == expected


def test_tiles_are_configured_once_and_released_before_each_return():
    w = FunctionWriter({})
    instructions = instructions_of(target("amx"), bf16)
    for _ in range(2):
        instructions.tiles(w).multiply(0, 4, 6)
    w.do("ret void")
    text = w.text("define void @f()")
    assert text.count("ldtilecfg") == text.count("tilerelease") == 1
    assert text.count("tdpbf16ps(i8 0, i8 4, i8 6)") == 2


def test_a_set_without_tile_registers_has_none():
    instructions = instructions_of(target("avx512_bf16"), bf16)
    with pytest.raises(NotImplementedError, match="tile registers, got avx512_bf16"):
        instructions.tiles(FunctionWriter({}))
