"""
Write a kernel as an LLVM function: its loops, loads and stores, and scalar arithmetic.

In a loop with lanes, every value that depends on the index becomes a vector: loads and
stores that move by one element are vector loads and stores, others are made element by
element. The bodies left over at the end are written once more with one lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ....dialects.dims import Dim
from ....dialects.loop.ops.check_index import CheckIndexOp
from ....dialects.loop.ops.clamp_index import ClampIndexOp
from ....dialects.loop.ops.for_loop import ForOp, YieldOp
from ....dialects.loop.ops.kernel import KernelOp
from ....dialects.loop.ops.memory import LoadOp, StoreOp, element_type
from ....dialects.loop.ops.position import ExtentOp, PositionOp
from ....dialects.loop.ops.prefetch import PrefetchOp
from ....dialects.loop.ops.tile import TileOp
from ....dialects.loop.subscript import Panel, Subscript
from ....dialects.loop.target import TargetAttr
from ..contraction.panels import write_panels
from ..contraction.prefetch import LINE
from ..contraction.tile import write_tile
from ..math import FUNCTIONS, Element, define
from ..text.function import FunctionWriter, is_number
from ..text.reduction import combine, combine_lanes, identity
from ..text.scalar_op import write_scalar_op
from ..text.types import Value, byte_count, memory_text, type_text
from .check_index import write_check, write_clamp
from .empty_loops import leave_if_idle, skipping_sizes

SHORT = 16
"""Steps of an innermost loop that LLVM had better unroll."""


def is_short(size: Dim) -> bool:
    """Whether a loop has few steps, as many in every call."""
    return isinstance(size, int) and size <= SHORT


def write_kernel(
    kernel: KernelOp, target: TargetAttr, name: str
) -> tuple[str, tuple[Dim, ...]]:
    """
    The text of the LLVM function `name` that is the kernel, and of what it calls; and
    the dimensions that it computes from its symbols.
    """
    writer = KernelWriter(kernel, target)
    text = writer.write(name)
    return text, tuple(writer.w.sizes)


class KernelWriter:
    """Writes the ops of one kernel, one after the other."""

    def __init__(self, kernel: KernelOp, target: TargetAttr):
        self.kernel = kernel
        self.target = target
        self.fma = bool(target.fma.data)
        self.symbols = [each.data for each in kernel.symbols]
        self.w = FunctionWriter({each: f"%symbol.{each}" for each in self.symbols})
        self.values: dict[SSAValue, Value] = {}
        self.functions: dict[tuple[str, Element, int], None] = {}
        self.side_by_side: SSAValue | None = None
        """The index of the loop whose bodies run side by side, while within it."""
        self.lanes = 1
        self.before = 0
        """How many elements of a step come before those of the body."""

    def write(self, name: str) -> str:
        """The text of the kernel under this name."""
        block = self.kernel.body.block
        parameters: list[str] = []
        for number, argument in enumerate(block.args):
            self.values[argument] = Value(f"%p{number}", argument.type)
            parameters.append(f"ptr noalias nocapture noundef %p{number}")
        parameters += [f"i64 %symbol.{each}" for each in self.symbols]
        if self.kernel.work is not None:
            parameters += ["i64 %part", "i64 %parts"]
        fails = self.kernel.may_fail
        if fails:
            parameters.append("ptr noalias nocapture noundef %error")
        done = "ret i32 0" if fails else "ret void"
        checks = [each for each in block.ops if isinstance(each, CheckIndexOp)]
        self.write_ops(checks)
        leave_if_idle(self.w, self.kernel, done)
        self.write_ops(each for each in block.ops if each not in checks)
        self.w.do(done)
        result = "i32" if fails else "void"
        head = f"define {result} {name}({', '.join(parameters)})"
        tiles = [each for each in self.kernel.walk() if isinstance(each, TileOp)]
        unrolled = any(
            each.schedule is not None and not is_short(each.sizes[-1]) for each in tiles
        )
        body = self.w.text(head, 'nounwind "unrolled" ' if unrolled else "nounwind ")
        functions = [
            define(name, element, lanes, self.fma)
            for name, element, lanes in self.functions
        ]
        return "\n".join([body, *functions])

    def need(self, name: str, element: Element, lanes: int) -> None:
        """Notes that a math function is called."""
        self.functions[name, element, lanes] = None

    def write_ops(self, ops: Iterable[Operation]) -> None:
        """Writes ops in their order."""
        for op in ops:
            self.write_op(op)

    def write_op(self, op: Operation) -> None:
        """Writes one op."""
        match op:
            case ForOp():
                self.write_for(op)
            case TileOp():
                write = write_tile if op.schedule is None else write_panels
                write(self, op)
            case StoreOp():
                self.store(op)
            case PrefetchOp():
                self.prefetch(op)
            case CheckIndexOp():
                write_check(self.w, op, self.values[op.indices].text, self.target)
            case YieldOp():
                return
            case _:
                self.values[op.results[0]] = self.evaluate(op)

    def evaluate(self, op: Operation) -> Value:
        """Writes an op that has a value; the value."""
        match op:
            case LoadOp():
                return self.load(op)
            case PositionOp():
                return self.position(op)
            case ExtentOp():
                return Value(self.w.size(op.value), i64)
            case ClampIndexOp():
                return write_clamp(self.w, op, self.values[op.value])
            case _:
                operands = [self.values[each] for each in op.operands]
                return write_scalar_op(self.w, op, operands, self.fma, self.need)

    def write_for(self, op: ForOp) -> None:
        """Writes a loop, in vectors where it has lanes."""
        if any(isinstance(each, TileOp) and op in each.over for each in op.walk()):
            # The tile inside writes the loop, where it suits its blocks.
            return self.write_ops(op.body.block.ops)
        initial = [self.w.splat(self.values[v], self.lanes) for v in op.initial]
        start, stop = self.range(op)
        if op.width == 1 or self.lanes > 1:
            totals = self.write_bodies(op, start, stop, initial)
        else:
            totals = self.write_vectors(op, start, stop, initial)
        self.values.update(zip(op.totals, totals, strict=True))

    def range(self, op: ForOp) -> tuple[str, str]:
        """The first index of a loop and the one after the last, for this thread."""
        stop = self.w.size(op.size)
        for size in skipping_sizes(op):
            zero = self.w.entered(f"icmp eq i64 {self.w.size(size)}, 0")
            stop = self.w.entered(f"select i1 {zero}, i64 0, i64 {stop}")
        if op.split is None:
            return "0", stop
        return self.w.share(stop, op.width * max(op.counts))

    def write_bodies(
        self, op: ForOp, start: str, stop: str, initial: Sequence[Value], count: int = 1
    ) -> list[Value]:
        """
        Writes a loop of `count` bodies a step, each in as many lanes as there are now.

        `initial` is what each of them starts from, one after the other.
        """
        step = self.lanes if op.index is self.side_by_side else 1
        index, *inner = op.body.block.args

        def body(at: str, carried: list[Value]) -> list[Value]:
            results: list[Value] = []
            for number in range(count):
                self.before = number * step
                here = self.w.add(at, str(self.before))
                self.values[index] = Value(here, index.type)
                mine = carried[number * len(inner) : (number + 1) * len(inner)]
                self.values.update(zip(inner, mine, strict=True))
                self.write_ops(op.body.block.ops)
                results += [
                    self.w.splat(self.values[each], self.lanes)
                    for each in op.end.values
                ]
            return results

        return self.w.loop(start, stop, count * step, initial, body)

    def write_vectors(
        self, op: ForOp, start: str, stop: str, initial: Sequence[Value]
    ) -> list[Value]:
        """
        Writes a loop in vectors, several at a time and then one, and then the bodies
        that are left over one by one.
        """
        by = "" if op.combine is None else op.combine.data
        done, totals = start, list[Value]()
        for vectors in op.counts:
            whole = self.whole(start, stop, vectors * op.width, op.size)
            if whole == done:
                continue
            # Vectors in one keep the long bodies of math functions abreast.
            count = 1 if has_functions(op) else vectors
            lanes = op.width * vectors // count
            # What came in is combined once, not in every lane.
            first = [self.w.splat(identity(each.type, by), lanes) for each in initial]
            self.side_by_side, self.lanes = op.index, lanes
            before = totals or first * count
            found = self.write_bodies(op, done, whole, before, count)
            self.side_by_side, self.lanes = None, 1
            totals = [
                combine_lanes(self.w, each, by, op.width)
                for each in self.combined(found, len(initial), by)
            ]
            done = whole
        totals = [
            combine(self.w, before, combine_lanes(self.w, each, by), by)
            for before, each in zip(initial, totals, strict=bool(totals))
        ] or list(initial)
        return self.write_bodies(op, done, stop, totals)

    def combined(self, values: list[Value], width: int, by: str) -> list[Value]:
        """The totals of several bodies, so many each, combined to those of one."""
        while len(values) > width:
            half = len(values) // 2
            pairs = zip(values[:half], values[half:], strict=True)
            values = [combine(self.w, a, b, by) for a, b in pairs]
        return values

    def whole(self, start: str, stop: str, unit: int, size: Dim) -> str:
        """
        Where the whole units of a range end, which begins at one if at all.

        Threads share the indices below `size` in whole units, so that a range has
        nothing else when that has not.
        """
        if is_multiple(size, unit):
            return stop
        if is_number(stop):
            return str(int(stop) // unit * unit)
        end = self.w.emit(f"and i64 {stop}, {-unit}")
        if is_number(start):
            return end
        return self.w.emit(f"call i64 @llvm.smax.i64(i64 {start}, i64 {end})")

    def place(self, at: Subscript) -> tuple[str, Dim, list[tuple[Value, Dim]]]:
        """
        A subscript in parts: what is the same in every lane, and what is not.

        The place in the first lane, how far it moves from lane to lane, and indices
        that differ from lane to lane without a pattern, with their strides.
        """
        place, step = self.w.size(at.offset), 0
        scattered: list[tuple[Value, Dim]] = []
        for index, stride in at.terms:
            value = self.values[index]
            if value.lanes > 1:
                scattered.append((value, stride))
                continue
            if index is self.side_by_side and self.lanes > 1:
                step = step + stride
            place = self.w.add(place, self.w.mul(value.text, self.w.size(stride)))
        if at.pair is not None:
            place = self.w.add(place, self.panel_place(at.pair))
        if at.panel is not None:
            # Lanes are whole parts of a panel.
            place = self.w.add(place, self.panel_place(at.panel))
            if at.panel.index is self.side_by_side and self.lanes > 1:
                step = step + at.panel.step
        return place, step, scattered

    def panel_place(self, panel: Panel) -> str:
        """Where an index in panels is, from the start of the first."""
        w, index = self.w, self.values[panel.index].text
        number = w.div(index, panel.width)
        inside = w.add(index, w.mul(number, str(-panel.width)))
        inside = w.mul(inside, w.size(panel.step))
        return w.add(w.mul(number, w.size(panel.stride)), inside)

    def address(self, buffer: SSAValue, place: str) -> str:
        """The address of an element."""
        base, type = self.values[buffer].text, memory_text(element_type(buffer))
        if place == "0":
            return base
        return self.w.emit(f"getelementptr inbounds {type}, ptr {base}, i64 {place}")

    def lane_places(
        self, place: str, step: Dim, scattered: Sequence[tuple[Value, Dim]]
    ) -> list[str]:
        """The place in each lane."""
        places: list[str] = []
        for lane in range(self.lanes):
            here = self.w.add(place, self.w.mul(str(lane), self.w.size(step)))
            for value, stride in scattered:
                index = self.w.emit(f"extractelement {value.typed}, i64 {lane}")
                here = self.w.add(here, self.w.mul(index, self.w.size(stride)))
            places.append(here)
        return places

    def load(self, op: LoadOp) -> Value:
        """Writes a load: of one element, of a vector, or lane by lane."""
        place, step, scattered = self.place(op.at)
        type = op.result.type
        if not scattered and step == 0:
            return self.read(self.address(op.buffer, place), type, 1)
        if not scattered and step == 1:
            return self.read(self.address(op.buffer, place), type, self.lanes)
        vector = type_text(type, self.lanes)
        result = "poison"
        for lane, at in enumerate(self.lane_places(place, step, scattered)):
            one = self.read(self.address(op.buffer, at), type, 1)
            result = self.w.emit(
                f"insertelement {vector} {result}, {one.typed}, i64 {lane}"
            )
        return Value(result, type, self.lanes)

    def read(self, address: str, type: Attribute, lanes: int) -> Value:
        """Writes a load from an address."""
        memory = memory_text(type, lanes)
        text = self.w.emit(f"load {memory}, ptr {address}, align {byte_count(type)}")
        if type == i1:
            zero = "0" if lanes == 1 else "zeroinitializer"
            text = self.w.emit(f"icmp ne {memory} {text}, {zero}")
        return Value(text, type, lanes)

    def store(self, op: StoreOp) -> None:
        """Writes a store: of one element, of a vector, or lane by lane."""
        place, step, scattered = self.place(op.at)
        value = self.values[op.value]
        if not scattered and step == 0:
            assert value.lanes == 1, "lanes store to places of their own"
            return self.put(value, self.address(op.buffer, place))
        value = self.w.splat(value, self.lanes)
        if not scattered and step == 1:
            return self.put(value, self.address(op.buffer, place))
        for lane, at in enumerate(self.lane_places(place, step, scattered)):
            one = self.w.value(f"extractelement {value.typed}, i64 {lane}", value.type)
            self.put(one, self.address(op.buffer, at))

    def put(self, value: Value, address: str) -> None:
        """Writes a store to an address."""
        memory, text = memory_text(value.type, value.lanes), value.text
        if value.type == i1:
            text = self.w.emit(f"zext {value.typed} to {memory}")
        size = byte_count(value.type)
        self.w.do(f"store {memory} {text}, ptr {address}, align {size}")

    def prefetch(self, op: PrefetchOp) -> None:
        """Writes a request for each line that begins in a vector of a step."""
        place, step, scattered = self.place(op.at)
        if self.lanes == 1 or scattered or step != 1:
            return
        type = element_type(op.buffer)
        base, width = self.values[op.buffer].text, LINE // byte_count(type)
        for first in range(-self.before % width, self.lanes, width):
            at = self.w.add(place, str(first))
            line = f"getelementptr {memory_text(type)}, ptr {base}, i64 {at}"
            arguments = f"ptr {self.w.emit(line)}, i32 0, i32 3, i32 1"
            self.w.do(f"call void @llvm.prefetch.p0({arguments})")

    def position(self, op: PositionOp) -> Value:
        """Writes the value of a subscript."""
        place, step, scattered = self.place(op.at)
        if not scattered and step == 0:
            return Value(place, i64)
        result, vector = "poison", type_text(i64, self.lanes)
        for lane, at in enumerate(self.lane_places(place, step, scattered)):
            result = self.w.emit(
                f"insertelement {vector} {result}, i64 {at}, i64 {lane}"
            )
        return Value(result, i64, self.lanes)


def is_multiple(size: Dim, unit: int) -> bool:
    """Whether a dimension is a number of whole units, whatever its symbols are."""
    factors = [size] if isinstance(size, int) else [each for _, each in size.terms]
    return all(each % unit == 0 for each in factors)


def has_functions(op: ForOp) -> bool:
    """Whether a body calls functions that are written here."""
    ops = op.body.block.ops
    return any(each.name.removeprefix("math.") in FUNCTIONS for each in ops)
