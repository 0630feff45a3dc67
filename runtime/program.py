"""`Program`: all that is known of a compiled model but its code and its constants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias, TypeVar, cast

from .layout import DTYPE_NAMES, ContextLayout, RowLayout
from .planning import PLANNERS, Plan
from .size import Size, Symbols, evaluate, symbols_in

T = TypeVar("T")

Reach: TypeAlias = tuple[tuple[int, tuple[str, ...]], ...]
"""A sum of products: each is a factor, and the symbols that it is multiplied with."""

LIMIT = 2**62
"""The bound of all that is computed from sizes, so that 64 bits hold it."""


@dataclass(frozen=True)
class TensorInfo:
    """The name, dtype and shape of an input, an output, or a value of a fallback op."""

    name: str
    dtype: str
    shape: tuple[Size, ...]

    def sizes(self, symbols: Symbols) -> tuple[int, ...]:
        """The shape in a call in which the symbols have these values."""
        return tuple(evaluate(each, symbols) for each in self.shape)

    def __str__(self) -> str:
        shape = ", ".join(map(str, self.shape))
        return f"{self.dtype}[{shape}]"


@dataclass(frozen=True)
class Slot:
    """Memory of an activation: its size, the steps it lives in, its offset if known."""

    bytes: Size
    first: int
    last: int
    offset: int
    source: str = ""
    """The op that computes it."""


@dataclass(frozen=True)
class CallOut:
    """A fallback op: its text, and its operands and results."""

    op: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]


@dataclass(frozen=True)
class Check:
    """A quantity that must not be negative, and what is expected of sizes."""

    quantity: str
    message: str
    shown: tuple[str, ...] = ()
    """The sizes whose values the message shows."""

    def error(self, symbols: Symbols) -> ValueError | None:
        """What is wrong with these symbols, if anything."""
        if evaluate(self.quantity, symbols) >= 0:
            return None
        values = " and ".join(str(evaluate(each, symbols)) for each in self.shown)
        got = f"{values} with {named(symbols)}" if values else named(symbols)
        return ValueError(f"{self.message}, got {got}")


@dataclass(frozen=True)
class Program:
    """Inputs, outputs, symbols and their ranges, memory, and the names of the calls."""

    name: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    symbols: tuple[str, ...]
    ranges: Mapping[str, tuple[int, int]]
    checks: tuple[Check, ...]
    slots: tuple[Slot, ...]
    planner: str
    bytes: int
    """Bytes of the block of activations; 0 while that depends on symbols."""
    lower_bound: int
    calls: tuple[str, ...]
    call_outs: tuple[CallOut, ...]
    defined: tuple[str, ...] = ()
    """The symbols that a run defines itself."""
    is_shared: bool = False
    """Whether threads may share the work of a kernel."""
    room: tuple[Size, ...] = ()
    """The most elements that each output can have, where a run defines symbols."""
    orders: tuple[tuple[int, ...], ...] = ()
    """Orders of the slots, from the bottom up, in one of which they are planned."""
    donations: tuple[tuple[int, int], ...] = ()
    """Pairs of an input and an output that a call may give the same memory for."""
    reach: Reach = ()
    """A bound of all that is computed from sizes, where a size of zero is one."""

    @property
    def layout(self) -> ContextLayout:
        """The fields of a context."""
        return ContextLayout(len(self.inputs), len(self.outputs), len(self.defined))

    @property
    def row_layout(self) -> RowLayout:
        """The fields of a plan row."""
        return RowLayout(len(self.symbols), len(self.slots))

    @property
    def is_planned(self) -> bool:
        """Whether every slot has its offset already."""
        return all(slot.offset >= 0 for slot in self.slots)

    @property
    def plan(self) -> Plan:
        """The plan of a program that `is_planned`."""
        offsets = tuple(slot.offset for slot in self.slots)
        return Plan(offsets, self.bytes, self.lower_bound)

    def check_reach(self, symbols: Symbols) -> None:
        """
        Raises `ValueError` for symbols with which a run could compute a number of 2**62
        or more: of bytes or elements, or on the way to one.
        """
        total = 0
        for factor, names in self.reach:
            for name in names:
                factor *= max(symbols[name], 1)
            total += factor
        if total >= LIMIT:
            raise ValueError(
                "expected sizes whose products stay below 2**62 bytes, got some of up "
                f"to 2**{total.bit_length()} with {named(symbols)}"
            )

    def to_json(self) -> str:
        """The program as text."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Program:
        """The program that a text holds; raises `ValueError` when it holds none."""
        try:
            data = json.loads(text)
        except RecursionError as error:
            raise ValueError("expected a program, got JSON nested too deep") from error
        return _read(data)


def named(symbols: Symbols) -> str:
    """The values of symbols, as a message lists them."""
    return ", ".join(f"{name} = {value}" for name, value in symbols.items())


def _read(value: Any) -> Program:
    """The program in values of JSON; raises `ValueError` where something is wrong."""
    data = _record(Program, value)
    planner = _text(data["planner"])
    if planner not in PLANNERS:
        raise _unexpected(f"a planner of {', '.join(PLANNERS)}", planner)
    ranges = _object(data["ranges"])
    program = Program(
        name=_text(data["name"]),
        inputs=_list(_tensor, data["inputs"]),
        outputs=_list(_tensor, data["outputs"]),
        symbols=_list(_text, data["symbols"]),
        defined=_list(_text, data["defined"]),
        room=_list(_size, data["room"]),
        donations=_list(lambda each: _pair(_number, each), data["donations"]),
        reach=_list(_term, data["reach"]),
        is_shared=_flag(data["is_shared"]),
        ranges={name: _pair(_number, each) for name, each in ranges.items()},
        checks=_list(_check, data["checks"]),
        slots=_list(_slot, data["slots"]),
        planner=planner,
        bytes=_number(data["bytes"]),
        lower_bound=_number(data["lower_bound"]),
        orders=_list(lambda each: _list(_number, each), data["orders"]),
        calls=_list(_text, data["calls"]),
        call_outs=_list(_call_out, data["call_outs"]),
    )
    check_symbols(program)
    slots = list(range(len(program.slots)))
    for order in program.orders:
        if sorted(order) != slots:
            raise _unexpected(f"orders of {len(slots)} slots", order)
    for input, output in program.donations:
        if input >= len(program.inputs) or output >= len(program.outputs):
            raise _unexpected("a donation of an input to an output", (input, output))
    return program


def check_symbols(program: Program) -> None:
    """
    Raises `ValueError` unless every symbol is a dimension of an input, and no other is
    used.
    """
    bare = {size for each in program.inputs for size in each.shape}
    if unbound := [name for name in program.symbols if name not in bare]:
        raise ValueError(f"expected an input of size {', '.join(unbound)}, got none")
    known = {*program.symbols}
    _check_sizes(known, [size for each in program.inputs for size in each.shape])
    _check_sizes(known, [slot.bytes for slot in program.slots])
    _check_sizes(known, [each.quantity for each in program.checks])
    _check_sizes(known, [size for each in program.checks for size in each.shown])
    _check_sizes(known, program.room)
    _check_sizes(known, [name for _, names in program.reach for name in names])
    tensors = list(program.outputs)
    for op in program.call_outs:
        tensors += (*op.inputs, *op.outputs)
    sizes = [size for each in tensors for size in each.shape]
    _check_sizes(known | {*program.defined}, sizes)
    if program.defined and len(program.room) != len(program.outputs):
        raise _unexpected("room for each output", program.room)


def _check_sizes(known: Set[str], sizes: Iterable[Size]) -> None:
    """No size may use other symbols."""
    for size in sizes:
        if unknown := symbols_in(size) - known:
            names = ", ".join(sorted(unknown))
            raise ValueError(f"expected no other symbols, got {names} in {size}")


def _unexpected(what: str, value: Any) -> ValueError:
    return ValueError(f"expected {what}, got {str(value)[:80]}")


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _unexpected("an object", value)
    return cast("dict[str, Any]", value)


def _record(kind: type[Any], value: Any) -> dict[str, Any]:
    """The values of the fields of a dataclass."""
    names = [each.name for each in fields(kind)]
    data = _object(value)
    if sorted(data) != sorted(names):
        raise _unexpected(f"a {kind.__name__} of {', '.join(names)}", value)
    return data


def _list(read: Callable[[Any], T], value: Any) -> tuple[T, ...]:
    if not isinstance(value, list):
        raise _unexpected("a list", value)
    return tuple(map(read, cast("list[Any]", value)))


def _pair(read: Callable[[Any], T], value: Any) -> tuple[T, T]:
    match _list(read, value):
        case (first, second):
            return first, second
        case _:
            raise _unexpected("a pair", value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _unexpected("a text", value)
    return value


def _number(value: Any, least: int = 0) -> int:
    # `True` is an integer to Python, but not to JSON.
    if type(value) is not int or not least <= value < 2**63:
        raise _unexpected(f"an integer from {least} below 2**63", value)
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _unexpected("true or false", value)
    return value


def _size(value: Any) -> Size:
    if isinstance(value, str):
        symbols_in(value)
        return value
    return _number(value)


def _term(value: Any) -> tuple[int, tuple[str, ...]]:
    if not isinstance(value, list) or len(cast("list[Any]", value)) != 2:
        raise _unexpected("a factor and symbols", value)
    factor, names = cast("list[Any]", value)
    return _number(factor), _list(_text, names)


def _tensor(value: Any) -> TensorInfo:
    data = _record(TensorInfo, value)
    dtype = _text(data["dtype"])
    if dtype not in DTYPE_NAMES:
        raise _unexpected(f"a dtype of {', '.join(DTYPE_NAMES)}", dtype)
    return TensorInfo(_text(data["name"]), dtype, _list(_size, data["shape"]))


def _check(value: Any) -> Check:
    data = _record(Check, value)
    texts = _text(data["quantity"]), _text(data["message"])
    return Check(*texts, _list(_text, data["shown"]))


def _slot(value: Any) -> Slot:
    data = _record(Slot, value)
    first = _number(data["first"])
    last = _number(data["last"], first)
    # An offset that is not known yet is -1.
    size, offset = _size(data["bytes"]), _number(data["offset"], -1)
    return Slot(size, first, last, offset, _text(data["source"]))


def _call_out(value: Any) -> CallOut:
    data = _record(CallOut, value)
    return CallOut(
        _text(data["op"]),
        _list(_tensor, data["inputs"]),
        _list(_tensor, data["outputs"]),
    )
