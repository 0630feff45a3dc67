"""
Lower what a run finds out of indices: whether they are 0, 1, 2, ….

A call that may be skipped looks at its indices just before it, up to the first that is
out of order, if sizes let it be skipped at all. What it finds is a bit in a field of
the context (`ContextLayout.order`), for functions that come later and for statistics.
Other calls by the same indices take what was found before them.

The memory of an input that the caller wants an output in is overwritten: where the run
has that, for a call by these indices, they do not count as in order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from xdsl.dialects.builtin import i64

from ...dialects.loop import CallOp, element_type
from ...runtime.hostcode import Builder, Value
from .addresses import AddressBuilder

_POSITIVE = {4: 1 << 31, 8: (1 << 63) - 1}
"""The integers of some bytes that are not negative, however they are read."""


class Orders:
    """What is known of the order of indices, by number, where calls are lowered."""

    def __init__(self) -> None:
        """Nothing, at the begin of a run."""
        self.is_begun = False
        self.ready: set[int] = set()
        """What the context has."""

    def begin(self, a: AddressBuilder) -> None:
        """Begins a function; the first of a run forgets what the last run found."""
        if not a.layout.orders:
            return
        if not self.is_begun:
            a.b.store(0, a.context, a.layout.order)
            self.is_begun = True
        elif self.ready:
            word = a.b.load(a.context, a.layout.order)
            for number in sorted(self.ready):
                a.orders[number] = a.b.ne(a.b.binary("and", word, 1 << number), 0)

    @contextmanager
    def inside(self, a: AddressBuilder) -> Generator[None]:
        """Lowers calls that may not run: what they find is unknown after them."""
        ready, orders = {*self.ready}, {**a.orders}
        yield
        self.ready, a.orders = ready, orders

    def find(self, a: AddressBuilder, op: CallOp, number: int) -> None:
        """Finds out what a call needs to know, which has the skip of a number."""
        for way, skip in enumerate([*a.ways.values()][number], 1):
            order = skip.order.data
            if not skip.is_on_data or order in a.orders:
                continue
            indices, b = op.buffers[skip.indices.data], a.b
            width = 8 if element_type(indices) == i64 else 4
            address, count = a.address(indices), a.sizes.size(skip.count)
            is_asked = b.both(a.may_take(number, way), *_kept_inputs(a, order))
            with b.when(is_asked, found=False) as asked:
                asked.found = _in_order(b, address, count, width)
            found = b.load(a.context, a.layout.order)
            others = b.binary("and", found, ~(1 << order))
            bit = b.select(asked.found, 1 << order, 0)
            b.store(b.add(others, bit), a.context, a.layout.order)
            a.orders[order] = asked.found
            self.ready.add(order)


def _kept_inputs(a: AddressBuilder, order: int) -> Iterator[Value]:
    """Whether inputs that slots may be, by indices of an order, are no outputs."""
    inputs: set[int] = set()
    slots = {each.slot.data for each in a.program.skips if each.order.data == order}
    # What a slot may be has its skips before.
    for each in reversed([*a.program.skips]):
        if each.slot.data in slots:
            known = {"activations": slots, "inputs": inputs}
            known.get(each.region.data, set[int]()).add(each.number.data)
    for each in a.program.donations:
        if each.input.data in inputs:
            own = a.memory("inputs", each.input.data)
            made = a.memory("outputs", each.output.data)
            yield a.b.ne(*map(a.b.number_of, (own, made)))


def _in_order(b: Builder, indices: Value, count: Value, width: int) -> Value:
    """Whether integers of some bytes are 0, 1, 2, …."""
    fits = b.le(count, _POSITIVE[width])
    goes = b.both(b.lt(0, count), fits)
    with b.repeat(goes=goes, at=0, found=fits) as each:
        here = b.load(b.at(indices, each.at, width), width=width)
        each.found = b.eq(here, each.at)
        each.at = b.add(each.at, 1)
        each.goes = b.both(each.found, b.lt(each.at, count))
    return each.found
