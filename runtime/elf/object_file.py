"""
Read a relocatable ELF object: its code, constants, symbols and relocations.

Every offset and index is checked against what it points into, so that a broken file is
an `ObjectError`. What is read: objects of 64 bits in little-endian order for x86-64 and
AArch64, whose sections in memory are code or constants. Data that is written, storage
of threads, and common symbols do not occur in compiled models and are refused. Unwind
tables are left out: nothing is thrown through compiled code.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple


class ObjectError(RuntimeError):
    """A file that is no object of this linker's, or not a whole one."""


_MACHINES = {62: "x86_64", 183: "aarch64"}
"""The machines whose objects are read, by their number in the file."""

_HEADER = struct.Struct("<4sBBB9xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")

_PROGBITS, _SYMTAB, _STRTAB, _RELA, _REL = 1, 2, 3, 4, 9
_WRITE, _ALLOC, _EXECUTE, _THREADS = 0x1, 0x2, 0x4, 0x400
_LOCAL, _GLOBAL, _WEAK = 0, 1, 2
_NO_TYPE, _FILE = 0, 4
_TYPES = range(_NO_TYPE, _FILE + 1)
"""No type, an object, a function, a section, a file."""

_RESERVED = 0xFF00
"""From here on the number of a section is none, but says what a symbol is."""

_MAX_NAME_BYTES = 4096
"""Bytes of a name, at most."""

_MAX_READS = 4
"""
How many times as much as a file has may be read of it: names are read more than once,
and in a broken file a thousand sections may be the same bytes.
"""

_MOST_ALIGNED = 4096
"""The largest alignment of a section: a page."""


class Relocation(NamedTuple):
    """A field of a section that depends on the address of a symbol."""

    offset: int
    kind: int
    symbol: int
    addend: int


class Symbol(NamedTuple):
    """A name, and where it is: `section` is None for one that is elsewhere."""

    name: str
    section: int | None
    value: int
    is_local: bool
    is_weak: bool


@dataclass(frozen=True)
class Section:
    """Code or constants."""

    name: str
    data: memoryview
    alignment: int
    is_code: bool
    relocations: tuple[Relocation, ...]


@dataclass(frozen=True)
class ObjectFile:
    """What an object has of use to a linker."""

    machine: str
    sections: dict[int, Section]
    """By their numbers in the file."""

    symbols: tuple[Symbol, ...]


class _Header(NamedTuple):
    """An entry of the table of sections."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


@lru_cache(maxsize=8)
def read_object(data: bytes) -> ObjectFile:
    """
    The object in `data`; raises `ObjectError` where it is not as it should be. Objects
    that are part of every program are read once.
    """
    return _Reader(memoryview(data)).read()


class _Reader:
    """What reads one file."""

    def __init__(self, data: memoryview) -> None:
        """Reads the table of sections."""
        self.data = data
        self.left = _MAX_READS * len(data)
        fields = _HEADER.unpack(self.part(0, _HEADER.size, "a header"))
        magic, bits, order, _, kind, machine = fields[:6]
        at, entry_size, count, names = fields[9], *fields[14:17]
        if magic != b"\x7fELF" or (bits, order) != (2, 1):
            got = f"{magic!r}, {bits}, {order}"
            raise ObjectError(
                f"expected an ELF object of 64 bits, little-endian, got {got}"
            )
        if kind != 1:
            raise ObjectError(f"expected a relocatable object, of type 1, got {kind}")
        if machine not in _MACHINES:
            raise ObjectError(f"expected x86-64 (62) or AArch64 (183), got {machine}")
        if entry_size != _SECTION.size:
            raise ObjectError(f"expected section headers of 64 bytes, got {entry_size}")
        self.machine = _MACHINES[machine]
        table = self.part(at, count * _SECTION.size, "section headers")
        self.headers = [_Header(*each) for each in _SECTION.iter_unpack(table)]
        self.section_names = self.strings(names)

    def part(self, start: int, size: int, what: str) -> memoryview:
        """Bytes of the file."""
        if start + size > len(self.data):
            raise ObjectError(
                f"expected {what} of {size} bytes at {start} in a file of "
                f"{len(self.data)}, got its end"
            )
        self.left -= size
        if self.left < 0:
            raise ObjectError(f"expected {what} of its own, got one of several others")
        return self.data[start : start + size]

    def header(self, number: int, kind: int) -> _Header:
        """The header of a section that must be of a kind."""
        if number >= len(self.headers) or self.headers[number].kind != kind:
            raise ObjectError(f"expected a section {number} of type {kind}, got none")
        return self.headers[number]

    def strings(self, number: int) -> bytes:
        """The bytes of a table of names."""
        header = self.header(number, _STRTAB)
        return bytes(self.part(header.offset, header.size, "a table of names"))

    def name(self, strings: bytes, at: int) -> str:
        """The name that begins at an offset of a table."""
        end = strings.find(b"\0", at, at + _MAX_NAME_BYTES)
        if end < 0:
            raise ObjectError(f"expected a name at {at} that ends, got none")
        try:
            return strings[at:end].decode("ascii")
        except UnicodeDecodeError:
            raise ObjectError(
                f"expected a name in ASCII, got {strings[at:end]!r}"
            ) from None

    def read(self) -> ObjectFile:
        """The whole object."""
        tables = [n for n, each in enumerate(self.headers) if each.kind == _SYMTAB]
        if len(tables) != 1:
            raise ObjectError(f"expected one table of symbols, got {len(tables)}")
        parts = {
            number: part
            for number, header in enumerate(self.headers)
            if (part := self.contents(header)) is not None
        }
        symbols = self.symbols(tables[0], parts)
        relocations = self.relocations(tables[0], parts, len(symbols))
        sections = {
            number: Section(name, data, alignment, is_code, relocations.get(number, ()))
            for number, (name, data, alignment, is_code) in parts.items()
        }
        return ObjectFile(self.machine, sections, symbols)

    def contents(self, header: _Header) -> tuple[str, memoryview, int, bool] | None:
        """Name, bytes, alignment of a section in memory, and whether it is code."""
        name = self.name(self.section_names, header.name)
        if not header.flags & _ALLOC or name == ".eh_frame":
            return None
        if header.kind != _PROGBITS or header.flags & (_WRITE | _THREADS):
            raise ObjectError(
                f"expected sections of code and constants, got {name} of type "
                f"{header.kind} with flags {header.flags:#x}"
            )
        alignment = max(header.alignment, 1)
        if alignment > _MOST_ALIGNED or alignment & (alignment - 1):
            raise ObjectError(
                f"{name}: expected an alignment of 1, 2, 4, ... {_MOST_ALIGNED}, got "
                f"{alignment}"
            )
        data = self.part(header.offset, header.size, name)
        return name, data, alignment, bool(header.flags & _EXECUTE)

    def symbols(
        self, number: int, parts: dict[int, tuple[str, memoryview, int, bool]]
    ) -> tuple[Symbol, ...]:
        """The table of symbols."""
        header = self.header(number, _SYMTAB)
        strings = self.strings(header.link)
        table = self.part(header.offset, header.size, "a table of symbols")
        if header.size % _SYMBOL.size:
            raise ObjectError(f"expected symbols of 24 bytes, got {header.size} bytes")
        found: list[Symbol] = []
        for at, info, _, section, value, _ in _SYMBOL.iter_unpack(table):
            name = self.name(strings, at)
            binding, kind = info >> 4, info & 15
            if kind not in _TYPES or binding not in (_LOCAL, _GLOBAL, _WEAK):
                raise ObjectError(
                    f"expected a function or a constant, got {name} of type {kind} "
                    f"with binding {binding}"
                )
            # What is in a section that is left out has no address: who needs it is
            # told that it is not defined.
            home = None if kind == _FILE or section not in parts else section
            if section >= _RESERVED and kind != _FILE:
                raise ObjectError(f"expected {name} in a section, got {section:#x}")
            if home is not None and value > len(parts[home][1]):
                raise ObjectError(
                    f"expected {name} in {parts[home][0]} of {len(parts[home][1])} "
                    f"bytes, got byte {value}"
                )
            found.append(Symbol(name, home, value, binding == _LOCAL, binding == _WEAK))
        return tuple(found)

    def relocations(
        self,
        table: int,
        parts: dict[int, tuple[str, memoryview, int, bool]],
        symbols: int,
    ) -> dict[int, tuple[Relocation, ...]]:
        """The relocations of each section, by its number."""
        found: dict[int, tuple[Relocation, ...]] = {}
        for header in self.headers:
            if header.info not in parts or header.kind not in (_RELA, _REL):
                continue
            if header.kind == _REL or header.link != table or header.info in found:
                raise ObjectError(
                    "expected one table of relocations with addends for "
                    f"{parts[header.info][0]}, got another"
                )
            data = self.part(header.offset, header.size, "a table of relocations")
            if header.size % _RELOCATION.size:
                raise ObjectError(
                    f"expected relocations of 24 bytes, got {header.size} bytes"
                )
            rows = tuple(
                Relocation(offset, kind, symbol, addend)
                for offset, kind, symbol, addend in _RELOCATION.iter_unpack(data)
            )
            for each in rows:
                if each.symbol >= symbols:
                    raise ObjectError(
                        f"expected one of {symbols} symbols, got number {each.symbol}"
                    )
            found[header.info] = rows
        return found
