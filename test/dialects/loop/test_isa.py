"""What the table of instruction sets says, and which sets a machine has."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import bf16, f32

from static_runtime.dialects.element_type import si8, ui8
from static_runtime.dialects.loop.isa import (
    AMX,
    AMX_INT8,
    AVX512_BF16,
    AVX512_VNNI,
    AVX_VNNI,
    ISAS,
    NEON_DOTPROD,
    NEON_I8MM,
    PORTABLE_INT8,
    VNNI_WORD_BITS,
    X86_PAIRS,
    Isa,
    isa_of_all,
    isas_of,
)
from static_runtime.dialects.loop.target import TargetAttr


def test_a_word_holds_the_elements_of_a_group_of_k():
    for each in ISAS.values():
        assert each.k_group * each.bytes * 8 == VNNI_WORD_BITS


@pytest.mark.parametrize("isa", [each for each in ISAS.values() if each.tiles])
def test_tiles_of_an_instruction_hold_its_k(isa: Isa):
    assert isa.tiles is not None
    assert isa.tiles.row_bytes == isa.k * isa.bytes
    # The rows of a tile of B are words of as many k.
    assert isa.tiles.rows * isa.k_group == isa.k


def test_a_machine_has_the_preferred_set_of_an_element():
    both = {"avx512bf16", "amx-bf16"}
    assert isas_of(both, 512) == [AMX.name]
    assert isas_of({"avx512bf16"}, 512) == [AVX512_BF16.name]
    # AMX alone is not used: factors are rounded by AVX512-BF16.
    assert isas_of({"amx-bf16"}, 512) == isas_of(both, 256) == []


def test_sets_of_bytes_are_those_of_all_that_a_machine_has():
    vnni = {"avx512vl", "avx512vnni", "avxvnni"}
    assert isas_of({"avxvnni"}, 256) == [AVX_VNNI.name]
    assert isas_of(vnni, 256) == isas_of(vnni, 512) == [AVX512_VNNI.name]
    assert isas_of(vnni | {"amx-int8"}, 512) == [AMX_INT8.name]
    assert isas_of({"dotprod"}, 128) == [NEON_DOTPROD.name]
    assert isas_of({"dotprod", "i8mm"}, 128) == [NEON_I8MM.name]
    assert isas_of({"avx2"}, 256) == [X86_PAIRS.name]
    assert isas_of({"avx2", "avxvnni"}, 256) == [AVX_VNNI.name]
    assert isas_of(set(), 512) == []


def test_pairs_that_may_saturate_are_for_what_is_known_to_fit():
    target = TargetAttr.of("x86-64-v3", 256, 16, True, isas=[X86_PAIRS.name])
    assert target.isa(si8) is PORTABLE_INT8
    assert target.isa(si8, fits=True) is X86_PAIRS


def test_every_machine_multiplies_bytes():
    assert isa_of_all(si8) is isa_of_all(ui8) is PORTABLE_INT8
    assert isa_of_all(bf16) is isa_of_all(f32) is None
    assert TargetAttr.of("x86-64", 128, 16, False).isa(si8) is PORTABLE_INT8


def test_sets_that_stand_in_for_others_are_only_named():
    features = {each for isa in ISAS.values() for each in isa.features or ()}
    named = {each.name for each in ISAS.values() if each.features is None}
    assert {"portable", "portable_amx", "portable_vnni"} < named
    assert not named & {*isas_of(features, 512)}
