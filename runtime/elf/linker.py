"""
Link objects into this process: lay out sections, resolve symbols, relocate, protect.

An image is code, stubs, constants and the global offset table (GOT), in this order,
with the pages of code apart from the others. It is laid out and relocated as bytes, for
the address that its memory has; then these are copied once.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import aarch64, x86_64
from .executable_memory import Memory, rounded
from .object_file import ObjectError, ObjectFile, Symbol, read_object
from .outside import address_of
from .relocation_kind import Place, RelocationKind

_KINDS = {"x86_64": x86_64.KINDS, "aarch64": aarch64.KINDS}
_STUBS = {"x86_64": x86_64.stub, "aarch64": aarch64.stub}
_STUB, _ENTRY = 16, 8
"""Bytes of a stub, and of an entry of the GOT."""

_TABLE = "_GLOBAL_OFFSET_TABLE_"


@dataclass(frozen=True)
class Image:
    """Code in memory, which is given back with it."""

    memory: Memory
    addresses: Mapping[str, int]
    """Of the functions that were asked for."""

    def __getitem__(self, name: str) -> int:
        """The address of a function that was asked for."""
        return self.addresses[name]


def link_image(
    objects: Sequence[bytes], exported: Sequence[str], given: Mapping[str, int]
) -> Image:
    """
    Objects as code that runs here, and the addresses of the functions `exported`;
    `given` has symbols that are outside, and where. Raises `ObjectError`.
    """
    layout = Layout([read_object(each) for each in objects], platform.machine())
    memory = Memory(layout.size)
    addresses = layout.exported(memory.address, exported)
    memory.fill(layout.bytes_at(memory.address, given), layout.code_size)
    return Image(memory, addresses)


class Layout:
    """Where each part of an image is, from its start on."""

    def __init__(self, files: Sequence[ObjectFile], machine: str) -> None:
        """The layout of objects; all must be for one machine."""
        self.files, self.machine = files, machine
        for each in files:
            if each.machine != machine:
                raise ObjectError(f"expected code for {machine}, got {each.machine}")
        self.defined = self._definitions()
        self.stubs: dict[str, int] = {}
        """The numbers of stubs, by the names of functions outside."""
        self.entries: dict[object, int] = {}
        """The numbers of entries of the GOT, by `_key`."""
        self._count()
        self.starts: dict[tuple[int, int], int] = {}
        """Where sections begin, by the numbers of object and section."""
        end = self._place(0, is_code=True)
        self.first_stub = _aligned(end, _STUB)
        self.code_size = rounded(self.first_stub + _STUB * len(self.stubs))
        end = self._place(self.code_size, is_code=False)
        self.table = _aligned(end, _STUB)
        self.size = max(rounded(self.table + _ENTRY * len(self.entries)), rounded(1))

    def bytes_at(self, start: int, given: Mapping[str, int]) -> bytearray:
        """The image for an address, with symbols outside that are `given`."""
        image = bytearray(self.size)
        for (at, number), first in self.starts.items():
            data = self.files[at].sections[number].data
            image[first : first + len(data)] = data
        for name, number in self.stubs.items():
            first = self.first_stub + number * _STUB
            image[first : first + _STUB] = _STUBS[self.machine](_outside(name, given))
        for key, number in self.entries.items():
            first = self.table + number * _ENTRY
            address = self._address_by(key, start, given)
            image[first : first + _ENTRY] = address.to_bytes(_ENTRY, "little")
        for at, file in enumerate(self.files):
            self._relocate(image, start, at, file, given)
        return image

    def exported(self, start: int, names: Sequence[str]) -> dict[str, int]:
        """The addresses of functions by name."""
        if missing := [name for name in names if name not in self.defined]:
            raise ObjectError(f"expected the function {missing[0]}, got none")
        return {name: start + self._offset(*self.defined[name]) for name in names}

    def _definitions(self) -> dict[str, tuple[int, Symbol]]:
        """The object that defines each global symbol, and the symbol."""
        found: dict[str, tuple[int, Symbol]] = {}
        for at, file in enumerate(self.files):
            for each in file.symbols:
                if each.is_local or each.section is None:
                    continue
                _, other = found.get(each.name, (at, None))
                if other is None or (other.is_weak and not each.is_weak):
                    found[each.name] = at, each
                elif not each.is_weak and not other.is_weak:
                    raise ObjectError(f"expected one {each.name}, got two")
        return found

    def _count(self) -> None:
        """Finds the stubs and the entries that relocations need."""
        for at, file in enumerate(self.files):
            for section in file.sections.values():
                for row in section.relocations:
                    kind = self._kind(row.kind, section.name)
                    if row.offset + kind.size > len(section.data):
                        raise ObjectError(
                            f"expected {kind.name} in {section.name} of "
                            f"{len(section.data)} bytes, got byte {row.offset}"
                        )
                    symbol = file.symbols[row.symbol]
                    if kind.needs_entry:
                        key = self._key(at, row.symbol, symbol)
                        self.entries.setdefault(key, len(self.entries))
                    elif kind.is_call and self._is_outside(symbol):
                        self.stubs.setdefault(symbol.name, len(self.stubs))

    def _kind(self, number: int, section: str) -> RelocationKind:
        """The kind of a relocation; raises `ObjectError` for one that is not known."""
        kind = _KINDS[self.machine].get(number)
        if kind is None:
            known = ", ".join(each.name for each in _KINDS[self.machine].values())
            raise ObjectError(
                f"{section}: expected a relocation of {known}, got number {number}"
            )
        return kind

    def _place(self, end: int, is_code: bool) -> int:
        """Gives the sections of code, or the others, their places; the end of them."""
        for at, file in enumerate(self.files):
            for number, section in file.sections.items():
                if section.is_code == is_code:
                    start = _aligned(end, section.alignment)
                    self.starts[at, number] = start
                    end = start + len(section.data)
        return end

    def _is_outside(self, symbol: Symbol) -> bool:
        """Whether no object defines a symbol."""
        return symbol.section is None and symbol.name not in self.defined

    def _key(self, at: int, number: int, symbol: Symbol) -> object:
        """What a symbol is known by in the whole image."""
        return (at, number) if symbol.is_local else symbol.name

    def _offset(self, at: int, symbol: Symbol) -> int:
        """Where a symbol is that an object defines."""
        assert symbol.section is not None, "it is defined"
        return self.starts[at, symbol.section] + symbol.value

    def _address(
        self, at: int, symbol: Symbol, start: int, given: Mapping[str, int]
    ) -> int:
        """The address of a symbol that an object names."""
        if symbol.is_local and symbol.section is not None:
            return start + self._offset(at, symbol)
        return self._address_by(symbol.name, start, given)

    def _address_by(self, key: object, start: int, given: Mapping[str, int]) -> int:
        """The address of what has a key."""
        match key:
            case str() if key in self.defined:
                return start + self._offset(*self.defined[key])
            case str():
                return start + self.table if key == _TABLE else _outside(key, given)
            case (int(at), int(number)):
                symbol = self.files[at].symbols[number]
                return self._address(at, symbol, start, given)
            case _:
                raise AssertionError("keys are names, or numbers of local symbols")

    def _relocate(
        self,
        image: bytearray,
        start: int,
        at: int,
        file: ObjectFile,
        given: Mapping[str, int],
    ) -> None:
        """Writes the fields of an object."""
        kinds, table = _KINDS[self.machine], start + self.table
        for number, section in file.sections.items():
            first = self.starts[at, number]
            for row in section.relocations:
                kind, symbol = kinds[row.kind], file.symbols[row.symbol]
                entry = address = 0
                if kind.needs_entry:
                    key = self._key(at, row.symbol, symbol)
                    entry = table + _ENTRY * self.entries[key]
                elif kind.is_call and symbol.name in self.stubs:
                    address = start + self.first_stub
                    address += _STUB * self.stubs[symbol.name]
                else:
                    address = self._address(at, symbol, start, given)
                field = first + row.offset
                place = Place(start + field, address, entry, table, row.addend)
                try:
                    kind.write(image, field, kind.value(place))
                except ObjectError as error:
                    raise ObjectError(
                        f"{section.name} of {symbol.name}: {kind.name}: {error}"
                    ) from None


def _aligned(offset: int, alignment: int) -> int:
    """The next multiple of an alignment."""
    return -(-offset // alignment) * alignment


def _outside(name: str, given: Mapping[str, int]) -> int:
    """The address of a symbol that no object defines."""
    return given[name] if name in given else address_of(name)
