"""What the table of instruction sets says, and which sets a machine has."""

from __future__ import annotations

import pytest

from static_runtime.dialects.loop.isa import (
    AMX,
    AVX512_BF16,
    ISAS,
    WORD,
    Isa,
    isas_of,
)


def test_a_word_holds_the_elements_of_a_group_of_k():
    for each in ISAS.values():
        assert each.k_group * each.bytes * 8 == WORD


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


def test_sets_that_stand_in_for_others_are_only_named():
    features = {each for isa in ISAS.values() for each in isa.features or ()}
    assert not {"portable", "portable_amx"} & {*isas_of(features, 512)}
