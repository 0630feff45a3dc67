"""One file for each instruction set, and what each writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import bf16, f32, i32
from xdsl.ir import Attribute

from static_runtime.dialects.element_type import si8, ui8
from static_runtime.dialects.loop.isa import (
    AMX,
    AVX_VNNI,
    ISAS,
    PORTABLE,
    PORTABLE_INT8,
    VNNI_WORD_BITS,
)
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.lowering.loop_to_llvm.isa import (
    instruction_writers,
    instructions_of,
)
from static_runtime.lowering.loop_to_llvm.text.function import FunctionWriter
from static_runtime.lowering.loop_to_llvm.text.types import Value

FOLDER = Path(__file__).parents[4] / "lowering" / "loop_to_llvm" / "isa"


def target(*isas: str, fma: bool = True) -> TargetAttr:
    """A machine with vectors of 512 bits and these instruction sets."""
    return TargetAttr.of("x86-64", 512, 32, fma, isas=isas)


def test_every_set_has_a_file_of_its_name_that_writes_it():
    assert instruction_writers().keys() == ISAS.keys()
    for name, each in instruction_writers().items():
        assert each.__module__.endswith(f".isa.{name}")
    others = {path.stem for path in FOLDER.glob("*.py")} - ISAS.keys()
    assert others == {"__init__", "instructions"}


def test_the_set_is_that_of_the_element():
    assert instructions_of(target("amx"), bf16, bf16).isa is AMX
    assert instructions_of(target("amx"), f32, f32).isa is PORTABLE
    assert instructions_of(target(), bf16, bf16).isa is PORTABLE
    assert instructions_of(target("amx"), ui8, si8).isa is PORTABLE_INT8
    assert instructions_of(target("amx", "avx_vnni"), ui8, si8).isa is AVX_VNNI


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
    instructions = instructions_of(target(name), bf16, bf16)
    result = instructions.multiply(w, a, b, Value("%sum", f32, lanes))
    assert (result.type, result.lanes) == (f32, lanes)
    written = [each for each in w.lines if " bitcast " not in each]
    for line, each in zip(written, expected, strict=True):
        assert each in line


def test_products_are_added_unfused_where_the_target_has_no_fma():
    w = FunctionWriter({})
    a, b = (Value(each, i32, 4) for each in ("%a", "%b"))
    instructions = instructions_of(target("portable", fma=False), bf16, bf16)
    instructions.multiply(w, a, b, Value("%sum", f32, 4))
    text = "\n".join(w.lines)
    assert text.count("fmul") == text.count("fadd") == 2
    assert "fma" not in text


@pytest.mark.parametrize(("name", "has"), [("avx512_bf16", 1), ("portable", 0)])
def test_vectors_are_narrowed_by_an_instruction_where_there_is_one(name: str, has: int):
    for lanes, count in ((16, 1), (8, 1), (4, 1), (1, 1), (12, 1), (32, 2), (33, 4)):
        w = FunctionWriter({})
        value = instructions_of(target(name), bf16, bf16).narrow(
            w, Value("%x", f32, lanes)
        )
        assert (value.type, value.lanes) == (bf16, lanes)
        assert "\n".join(w.lines).count("cvtneps2bf16") == has * count


def test_tiles_are_configured_once_and_released_before_each_return():
    w = FunctionWriter({})
    instructions = instructions_of(target("amx"), bf16, bf16)
    for _ in range(2):
        tiles = instructions.tiles(w)
        tiles.configure()
        tiles.multiply(0, 4, 6)
    w.do("ret void")
    text = w.text("define void @f()")
    assert text.count("ldtilecfg") == text.count("tilerelease") == 1
    assert text.count("tdpbf16ps(i8 0, i8 4, i8 6)") == 2


def test_tiles_of_few_words_have_fewer_bytes_of_a_and_rows_of_b():
    w = FunctionWriter({})
    instructions_of(target("amx_int8"), si8, ui8).tiles(w).configure(8)
    slots = {
        name: at for name, at in re.findall(r"(%\S+) = .* i64 (\d+)$", w.text(""), re.M)
    }
    stored = re.findall(r"store i64 (\d+), ptr (%\S+),", w.text(""))
    words = {int(slots[slot]): int(word) for word, slot in stored}
    table = b"".join(words[each].to_bytes(8, "little") for each in range(8))
    assert table[0] == 1
    assert table[16:32:2] == bytes([64] * 4 + [32] * 2 + [64] * 2)
    assert table[48:56] == bytes([16] * 6 + [8] * 2)
    assert sum(map(bool, table)) == 1 + 8 + 8


def test_a_function_has_tiles_of_one_size():
    w = FunctionWriter({})
    tiles = instructions_of(target("amx_int8"), si8, ui8).tiles(w)
    tiles.configure(8)
    with pytest.raises(AssertionError, match="tiles of one size"):
        tiles.configure()


def test_a_set_without_tile_registers_has_none():
    instructions = instructions_of(target("avx512_bf16"), bf16, bf16)
    with pytest.raises(NotImplementedError, match="tile registers, got avx512_bf16"):
        instructions.tiles(FunctionWriter({}))


SIGNS = [(ui8, si8), (si8, si8), (ui8, ui8), (si8, ui8)]


def written(name: str, a: Attribute, b: Attribute, lanes: int) -> list[str]:
    """What a set writes for the product of words of A and of B."""
    w = FunctionWriter({})
    instructions = instructions_of(target(name), a, b)
    words, others = (Value(each, i32, lanes) for each in ("%a", "%b"))
    result = instructions.multiply(w, words, others, Value("%sum", i32, lanes))
    assert (result.type, result.lanes) == (i32, lanes)
    return w.lines


@pytest.mark.parametrize("name", ["avx512_vnni", "avx_vnni"])
@pytest.mark.parametrize(("a", "b"), SIGNS)
def test_unsigned_bytes_are_the_first_factor_of_a_product(
    name: str, a: Attribute, b: Attribute
):
    # A of the kind of B is moved, and then of the other kind.
    first, second, line = written(name, a, b, 8)
    unsigned, signed = ("%a", "%b") if b == si8 else ("%b", "%a")
    assert f"bitcast <8 x i32> {unsigned} to" in first
    assert f"bitcast <8 x i32> {signed} to" in second
    words = [each.split(" = ")[0].strip() for each in (first, second)]
    assert f"vpdpbusd.256(<8 x i32> %sum, <32 x i8> {words[0]}, <32 x i8>" in line
    assert line.endswith(f"{words[1]})")


@pytest.mark.parametrize(
    ("name", "lanes", "has"),
    [
        *(("avx512_vnni", each, True) for each in (4, 8, 16)),
        *(("avx_vnni", each, each < 16) for each in (4, 8, 16)),
        ("avx512_vnni", 2, False),
        ("avx512_vnni", 1, False),
    ],
)
def test_bytes_are_multiplied_one_by_one_where_there_is_no_vector(
    name: str, lanes: int, has: bool
):
    text = "\n".join(written(name, ui8, si8, lanes))
    assert ("vpdpbusd" in text) == has
    assert text.count(" mul nsw ") == (0 if has else 4)


def test_sums_never_saturate():
    saturating = ("vpdpbusds", "vpdpwssd", "pmaddubs", "sat")
    # Pairs that are not known to fit are not added in 16 bits.
    sets = "avx512_vnni avx_vnni neon_i8mm portable_int8 amx_int8 x86_pairs".split()
    for name in sets:
        for a, b in SIGNS:
            text = "\n".join(written(name, a, b, 8))
            assert not any(each in text for each in saturating)


@pytest.mark.parametrize("lanes", [4, 8, 16, 2])
def test_pairs_that_fit_are_added_in_16_bits(lanes: int):
    w = FunctionWriter({})
    instructions = instructions_of(target("x86_pairs"), ui8, si8, fits=True)
    words, others = (Value(each, i32, lanes) for each in ("%a", "%b"))
    instructions.multiply(w, words, others, Value("%sum", i32, lanes))
    text = "\n".join(w.lines)
    assert ("pmadd" in text) == (lanes != 2)
    assert text.count(" mul nsw ") == (4 if lanes == 2 else 0)
    assert instructions.take_a(w, words, 0) is instructions.take_b(w, words, 0) is words


@pytest.mark.parametrize(("a", "b"), SIGNS)
def test_dot_products_of_arm_are_of_bytes_of_one_kind(a: Attribute, b: Attribute):
    dot = "sdot" if b == si8 else "udot"
    assert f".{dot}.v4i32.v16i8" in written("neon_dotprod", a, b, 4)[-1]
    moves = instructions_of(target("neon_dotprod"), a, b).zeros
    assert (moves is not None) == (a != b)
    # With I8MM of two kinds as well: the first is unsigned.
    first, _, line = written("neon_i8mm", a, b, 4)
    assert f".{dot if a == b else 'usdot'}.v4i32.v16i8" in line
    assert f" {'%b' if (a, b) == (si8, ui8) else '%a'} to" in first
    assert instructions_of(target("neon_i8mm"), a, b).zeros is None
    assert "mul nsw" in "\n".join(written("neon_i8mm", a, b, 2))


@pytest.mark.parametrize(("a", "b"), SIGNS)
def test_moved_factors_are_those_of_one_kind(a: Attribute, b: Attribute):
    w, words = FunctionWriter({}), Value("%words", i32, 4)
    instructions = instructions_of(target("avx512_vnni"), a, b)
    taken = instructions.take_a(w, words, 0)
    zeros = instructions.zeros
    assert (zeros is not None) == (a == b) == (taken is not words)
    assert instructions.take_b(w, words, 0) is words
    if zeros is not None:
        assert int(zeros.text) % (1 << VNNI_WORD_BITS) == 0x80808080
        assert f"xor <4 x i32> %words, splat (i32 {zeros.text})" in w.lines[0]


@pytest.mark.parametrize(("a", "b"), SIGNS)
def test_a_product_of_tiles_says_which_factor_is_signed(a: Attribute, b: Attribute):
    w = FunctionWriter({})
    instructions_of(target("amx_int8"), a, b).tiles(w).multiply(0, 4, 6)
    signs = "".join("s" if each == si8 else "u" for each in (a, b))
    assert f"@llvm.x86.tdpb{signs}d(i8 0, i8 4, i8 6)" in w.lines[-1]


@pytest.mark.parametrize(
    ("element", "expected"),
    [(si8, (["shl", "ashr"], ["ashr"])), (ui8, (["and"], ["lshr"]))],
)
def test_bytes_are_widened_to_pairs_by_shifts(
    element: Attribute, expected: tuple[list[str], ...]
):
    instructions = instructions_of(target(), element, element)
    for part, ops in enumerate(expected):
        w = FunctionWriter({})
        instructions.take_a(w, Value("%words", i32, 8), part)
        first, *rest, last = w.lines
        assert "to <16 x i16>" in first
        assert "to <8 x i32>" in last
        for line, op in zip(rest, ops, strict=True):
            assert f" {op} <16 x i16>" in line


def test_only_factors_of_f32_are_narrowed():
    instructions = instructions_of(target(), si8, si8)
    with pytest.raises(NotImplementedError, match="factors of f32, got portable_int8"):
        instructions.narrow(FunctionWriter({}), Value("%x", f32))
