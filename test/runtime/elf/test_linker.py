"""Objects become code that runs; what cannot be linked is refused by its name."""

from __future__ import annotations

import ctypes
import struct

import pytest

from static_runtime.runtime.elf import ObjectError, link_image, read_object
from static_runtime.runtime.elf.linker import Layout

from .objects import CALLED, CALLER, HERE, MACHINES, Model, compiled

START = 0x7F12_3456_7000

MODELS: tuple[Model, ...] = ("large", "small")


@pytest.mark.skipif(HERE not in MACHINES, reason="code for other machines")
@pytest.mark.parametrize("model", MODELS)
def test_objects_call_each_other_and_the_c_library(model: Model):
    texts = [CALLER, CALLED]
    image = link_image([compiled(each, model=model) for each in texts], ["answer"], {})
    answer = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(image["answer"])
    ones = 0x0101010101010101
    expected = [2 * value + ones + letter for value, letter in ((10, 97), (30, 99))]
    assert [answer(0), answer(2)] == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_a_given_symbol_is_where_it_is_said_to_be(machine: str):
    text = "@s = external global i64\ndefine ptr @where() {\n  ret ptr @s\n}\n"
    layout = Layout([read_object(compiled(text, machine))], machine)
    image = layout.bytes_at(START, {"s": 0x1234567890})
    assert image.count(struct.pack("<Q", 0x1234567890)) == 1


def word(image: bytearray, at: int) -> int:
    """The instruction at an offset."""
    return int.from_bytes(image[at : at + 4], "little")


def signed(value: int, bits: int) -> int:
    """A signed number of `bits` bits."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def page_of(image: bytearray, at: int) -> int:
    """The page that `adrp` at an offset computes."""
    got = word(image, at)
    assert got & 0x9F000000 == 0x90000000, "it is adrp"
    pages = signed((got >> 5 & 0x7FFFF) << 2 | got >> 29 & 3, 21)
    return ((START + at) & ~0xFFF) + (pages << 12)


def test_instructions_of_aarch64_have_the_addresses_of_what_they_name():
    # Decoded by the manual of the architecture, as this machine may be another.
    objects = [read_object(compiled(each, "aarch64")) for each in (CALLER, CALLED)]
    layout = Layout(objects, "aarch64")
    image = layout.bytes_at(START, {"memset": 0x1111222233334444})
    twice = layout.exported(START, ["twice"])["twice"]
    tables = (10, 20, 30, 40)
    table = START + image.index(struct.pack("<4Q", *tables))
    letters = START + image.index(b"abc")
    jump = bytes.fromhex("5000005800021fd6") + struct.pack("<Q", 0x1111222233334444)
    stub = START + image.index(jump)
    addresses: set[int] = set()
    for at in range(0, layout.first_stub, 4):
        got = word(image, at)
        if got & 0xFC000000 == 0x94000000:  # bl
            addresses.add(START + at + 4 * signed(got & 0x3FFFFFF, 26))
        if got & 0x9F000000 == 0x90000000:
            register = got & 31
            after = next(
                word(image, next_at)
                for next_at in range(at + 4, layout.first_stub, 4)
                if word(image, next_at) >> 5 & 31 == register
            )
            assert after & 0xFFC00000 == 0x91000000, "it is add"
            addresses.add(page_of(image, at) + (after >> 10 & 0xFFF))
    assert addresses == {twice, stub, table, letters}


@pytest.mark.parametrize("machine", MACHINES)
def test_what_nobody_defines_is_refused(machine: str):
    layout = Layout([read_object(compiled(CALLER, machine))], machine)
    with pytest.raises(ObjectError, match=r"may call, got twice"):
        layout.bytes_at(START, {})


def test_a_function_of_another_library_is_not_looked_for():
    text = "declare i32 @system(ptr)\ndefine i32 @f(ptr %p) {\n"
    text += "  %r = call i32 @system(ptr %p)\n  ret i32 %r\n}\n"
    with pytest.raises(ObjectError, match="may call, got system"):
        link_image([compiled(text)], ["f"], {})


def test_two_of_a_name_are_refused_and_one_that_is_weak_gives_way():
    read = [read_object(compiled(CALLED))] * 2
    with pytest.raises(ObjectError, match="expected one twice, got two"):
        Layout(read, HERE)
    weak = CALLED.replace("define", "define weak").replace("%x, %x", "%x, 1")
    image = link_image([compiled(weak), compiled(CALLED)], ["twice"], {})
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(image["twice"])(21) == 42


def test_what_was_not_defined_is_not_exported():
    with pytest.raises(ObjectError, match="expected the function other, got none"):
        link_image([compiled(CALLED)], ["other"], {})


def test_code_for_another_machine_is_refused():
    (other,) = {*MACHINES} - {HERE}
    with pytest.raises(ObjectError, match=f"expected code for {HERE}, got {other}"):
        link_image([compiled(CALLED, other)], ["twice"], {})


@pytest.mark.parametrize("machine", MACHINES)
def test_a_relocation_that_is_not_known_is_refused_by_its_number(machine: str):
    data = bytearray(compiled(CALLER, machine))
    (row, *_) = [
        row
        for each in read_object(bytes(data)).sections.values()
        for row in each.relocations
    ]
    entry = struct.pack("<QIIq", *row)
    at = data.index(entry)
    data[at : at + len(entry)] = struct.pack(
        "<QIIq", row.offset, 999, row.symbol, row.addend
    )
    with pytest.raises(ObjectError, match="got number 999"):
        Layout([read_object(bytes(data))], machine)


def test_what_is_too_far_away_is_refused():
    text = "@s = external hidden global i64\ndefine ptr @w() {\n  ret ptr @s\n}\n"
    layout = Layout([read_object(compiled(text, "x86_64", "small"))], "x86_64")
    with pytest.raises(ObjectError, match="R_X86_64_PC32: expected a distance of 32"):
        layout.bytes_at(START, {"s": 1 << 20})
