"""`Program`: all that is known of a compiled model but its code and its constants."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass
from typing import TypeVar

from ..abi import LIMIT, ContextLayout, RowLayout
from ..files import listed, shortened
from ..planning import BranchRow, Plan
from .growth import Growth
from .size import Size, Symbols, evaluate, symbols_in
from .structure import Structure

T = TypeVar("T")

GENERAL = (
    "expected sizes whose products stay below 2**62 bytes",
    "expected inputs and outputs without negative sizes",
)
"""What is expected of the sizes of every model, after the ranges of symbols."""


@dataclass(frozen=True)
class TensorInfo:
    """The name, dtype and shape of an input, an output, or a value of a fallback op."""

    name: str
    dtype: str
    shape: tuple[Size, ...]

    def sizes(self, symbols: Symbols) -> tuple[int, ...]:
        """The shape in a call in which the symbols have these values."""
        return tuple(evaluate(each, symbols) for each in self.shape)

    @property
    def shown(self) -> str:
        """The name as messages show it."""
        return shortened(self.name)

    def __str__(self) -> str:
        return f"{self.dtype}[{listed(map(str, self.shape))}]"


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
class Way:
    """
    What a slot is when of each of these lists of quantities one is zero: the memory
    `number` of a region, from the byte `offset` on. With an `order` of zero or more the
    indices of that number must be 0, 1, 2, … as well.
    """

    region: str
    number: int
    offset: Size
    when: tuple[tuple[Size, ...], ...]
    order: int = -1

    def holds_in(self, orders: int) -> bool:
        """Whether it is so where these bits say which indices are in order."""
        return self.order < 0 or bool(orders >> self.order & 1)


@dataclass(frozen=True)
class Skip:
    """A slot that may alias other memory, and what then is not run."""

    slot: int
    kernel: str
    source: str
    ways: tuple[Way, ...]


@dataclass(frozen=True)
class CallOut:
    """A fallback op: its text, and its operands and results."""

    op: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    source: str = ""
    """The op as messages name it, with its place in the model."""
    framework: str = ""
    """What runs it: a framework, or the numpy reference of our own op."""


@dataclass(frozen=True)
class Check:
    """A quantity that must not be negative, and what is expected of sizes."""

    quantity: str
    message: str
    shown: tuple[str, ...] = ()
    """The sizes whose values the message shows."""

    def error(self, symbols: Symbols) -> ValueError:
        """What is wrong with symbols for which the quantity is negative."""
        values = " and ".join(str(evaluate(each, symbols)) for each in self.shown)
        got = f"{values} with {named(symbols)}" if values else named(symbols)
        return ValueError(f"{shortened(self.message, 800)}, got {got}")


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
    """Whether threads may share the work of a kernel, or run branches."""
    capacities: tuple[Size, ...] = ()
    """The most elements that each output can have, where a run defines symbols."""
    orders: tuple[tuple[int, ...], ...] = ()
    """Orders of the slots, from the bottom up; a plan takes one of them."""
    branches: tuple[BranchRow, ...] = ()
    """The steps of what may run beside others, in which slots live at one time."""
    donations: tuple[tuple[int, int], ...] = ()
    """Pairs of an input and an output that a call may give the same memory for."""
    folded: int = 0
    """Ops that move elements and cost nothing, for all sizes."""
    skips: tuple[Skip, ...] = ()
    """In the order of the ops that compute the slots."""
    structure: Structure | None = None
    """What callers give and get, where these are no lists of arrays."""
    growth: Growth | None = None
    """How caches grow from call to call, where callers give no room for them."""

    @property
    def layout(self) -> ContextLayout:
        """The fields of a context."""
        orders = (way.order for skip in self.skips for way in skip.ways)
        return ContextLayout(
            len(self.inputs),
            len(self.outputs),
            len(self.defined),
            max(orders, default=-1) + 1,
        )

    @property
    def row_layout(self) -> RowLayout:
        """The fields of a plan row."""
        return RowLayout(len(self.symbols), len(self.slots), len(self.skips))

    @property
    def is_planned(self) -> bool:
        """Whether every slot has its offset already."""
        return all(slot.offset >= 0 for slot in self.slots)

    @property
    def plan(self) -> Plan:
        """The plan of a program that `is_planned`."""
        offsets = tuple(slot.offset for slot in self.slots)
        return Plan(offsets, self.bytes, self.lower_bound)

    @property
    def dtypes(self) -> frozenset[str]:
        """The names of the dtypes of inputs and outputs."""
        return frozenset(each.dtype for each in (*self.inputs, *self.outputs))

    def refusal(self, number: int, symbols: Symbols) -> ValueError:
        """
        What is wrong with symbols for which planning returned a number: their ranges
        are told first, then what is true of every model, then its checks.
        """
        kind = number - 1 - len(self.symbols)
        if kind < 0:
            name = self.symbols[number - 1]
            least, most = self.ranges.get(name, (0, LIMIT))
            return ValueError(
                f"expected {name} from {least} to {most}, got {symbols[name]}; compile "
                "the model with a range that includes it"
            )
        if kind < len(GENERAL):
            # What is too great for code may be so for a check, which says more.
            for check in self.checks:
                if evaluate(check.quantity, symbols) < 0:
                    return check.error(symbols)
            return ValueError(f"{GENERAL[kind]}, got {named(symbols)}")
        return self.checks[kind - len(GENERAL)].error(symbols)

    def to_json(self) -> str:
        """The program as text."""
        return json.dumps(asdict(self))


def named(symbols: Symbols) -> str:
    """The values of symbols, as a message lists them."""
    return listed(f"{name} = {value}" for name, value in symbols.items())


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
    _check_sizes(known, program.capacities)
    ways = [way for skip in program.skips for way in skip.ways]
    _check_sizes(known, [way.offset for way in ways])
    _check_sizes(known, [q for way in ways for each in way.when for q in each])
    tensors = list(program.outputs)
    for op in program.call_outs:
        tensors += (*op.inputs, *op.outputs)
    sizes = [size for each in tensors for size in each.shape]
    _check_sizes(known | {*program.defined}, sizes)
    if program.defined and len(program.capacities) != len(program.outputs):
        raise ValueError(
            f"expected a capacity for each output, got {program.capacities}"
        )


def _check_sizes(known: Set[str], sizes: Iterable[Size]) -> None:
    """No size may use other symbols."""
    for size in sizes:
        if unknown := symbols_in(size) - known:
            names = ", ".join(sorted(unknown))
            raise ValueError(f"expected no other symbols, got {names} in {size}")
