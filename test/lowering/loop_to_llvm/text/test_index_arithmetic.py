"""Sums and products of i64: numbers come last, and nothing twice in a block."""

import pytest

from static_runtime.lowering.loop_to_llvm.text.index_arithmetic import IndexWriter


def made() -> IndexWriter:
    return IndexWriter({})


def test_numbers_come_last():
    w = made()
    product = w.mul("%i", "64")
    place = w.add(w.add(w.mul(w.add("%i", "2"), "64"), "%j"), "1")
    assert w.split_constant(place) == (w.add(product, "%j"), 2 * 64 + 1)
    assert w.lines[-1].endswith(", 129")


def test_elements_of_a_tile_have_one_address_and_different_numbers():
    w = made()
    places = [
        w.add(w.mul(w.add("%i", str(row)), "64"), w.add("%j", str(column)))
        for row in range(3)
        for column in (0, 16)
    ]
    assert len({w.split_constant(each)[0] for each in places}) == 1
    assert [w.split_constant(each)[1] for each in places] == [0, 16, 64, 80, 128, 144]


def test_nothing_is_written_twice_in_a_block():
    w = made()
    assert w.add("%i", "%j") == w.add("%i", "%j")
    assert w.positive("%n") == w.positive("%n")
    assert len(w.lines) == len(w.entry) == 1


def test_a_block_does_not_use_what_another_computed():
    w = made()
    before = w.add("%i", "%j")
    w.forget()
    assert w.add("%i", "%j") != before


@pytest.mark.parametrize(("a", "b"), [("2", "3"), ("-2", "3"), ("0", "7")])
def test_numbers_are_computed(a: str, b: str):
    w = made()
    assert w.add(a, b) == str(int(a) + int(b))
    assert w.mul(a, b) == str(int(a) * int(b))
    assert w.minus(a, b) == str(int(a) - int(b))
    assert not w.lines


def test_what_does_nothing_is_not_written():
    w = made()
    assert w.add("%i", "0") == w.mul("1", "%i") == "%i"
    assert w.mul("%i", "0") == w.minus("%i", "%i") == "0"
    assert w.minus(w.add("%i", "5"), "5") == "%i"


def test_a_number_has_64_bits():
    w = made()
    far = w.mul(w.add("%i", "3"), str(1 << 62))
    assert w.split_constant(far)[1] == 3 * (1 << 62) - (1 << 64)
