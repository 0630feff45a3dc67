"""
Lower functions of the host level to MLIR: `func`, `arith`, `scf`, and `host` for what
these lack (`dialects/host`).

It shows what a program does besides kernels, and is what tests interpret. Integers,
addresses and statuses alike are i64.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin, IntegerAttr, ModuleOp, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from ..dialects.host import (
    AllocaOp,
    CallAddressOp,
    KernelOp,
    LeaveOp,
    LoadOp,
    StoreOp,
    TableOp,
    WordsOp,
)
from ..dialects.loop import ProgramOp
from ..runtime.abi import LIMIT
from ..runtime.hostcode import BIT, NULL, WORD, Function, Op, Signature, Value
from ..runtime.hostcode import Block as HostBlock
from .host_to_llvm import lower_program
from .program_to_host import lower_plan, lower_whole

_DIRECT: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
    "umin": arith.MinUIOp,
    "umax": arith.MaxUIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "shl": arith.ShLIOp,
    "lshr": arith.ShRUIOp,
    "offset": arith.AddiOp,
}
"""The ops of arith that take the same operands, and have a result of their type."""

_COMPARED = {
    **{each: each for each in ("eq", "ne", "ult", "ule")},
    **{"lt": "slt", "le": "sle"},
}
"""What arith calls comparisons."""

_CALLED = """
func.func private @add_capped(%a: i64, %b: i64) -> i64 {
  %limit = arith.constant LIMIT : i64
  %sum = arith.addi %a, %b : i64
  %capped = arith.minui %sum, %limit : i64
  func.return %capped : i64
}
func.func private @mul_capped(%a: i64, %b: i64) -> i64 {
  %limit = arith.constant LIMIT : i64
  %zero = arith.constant 0 : i64
  %low, %high = arith.mului_extended %a, %b : i64
  %least = arith.minui %low, %limit : i64
  %fits = arith.cmpi eq, %high, %zero : i64
  %capped = arith.select %fits, %least, %limit : i64
  func.return %capped : i64
}
func.func private @floordiv(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  %none = arith.cmpi eq, %b, %zero : i64
  %negates = arith.cmpi eq, %b, %minus : i64
  %replaced = arith.ori %none, %negates : i1
  %safe = arith.select %replaced, %one, %b : i64
  %quotient = arith.floordivsi %a, %safe : i64
  %negated = arith.subi %zero, %a : i64
  %signed = arith.select %negates, %negated, %quotient : i64
  %result = arith.select %none, %zero, %signed : i64
  func.return %result : i64
}
""".replace("LIMIT", str(LIMIT))
"""
The functions of two operands that are several ops of arith each: sums and products of
what is neither negative nor above the limit, which they do not exceed; and quotients
rounded down, zero where the divisor is zero.
"""


def module_to_mlir(module: ModuleOp) -> ModuleOp:
    """
    The function that runs the only program of a module, and the one that plans it
    where it has symbols; raises `VerifyException` where `lower_program` does.
    """
    reach = lower_program(module).reach
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    functions = [*lower_whole(program, is_polled=True).functions]
    if program.symbols:
        functions.append(lower_plan(program, reach, is_placed=True))
    return functions_to_mlir(functions)


def functions_to_mlir(functions: Iterable[Function]) -> ModuleOp:
    """
    Functions as a module, with declarations of what they call but do not define.
    Raises `VerifyException` for what only machine code can do.
    """
    made: dict[str, func.FuncOp] = {}
    called: dict[str, Signature] = {}
    for each in functions:
        lowering = _Lowering(each)
        made[each.signature.name] = lowering.lowered()
        called |= lowering.called
    parser = Parser(_context(), _CALLED)
    for op in [*parser.parse_module().ops]:
        assert isinstance(op, func.FuncOp), "the text has functions alone"
        if op.sym_name.data in called:
            op.detach()
            made[op.sym_name.data] = op
    for name, signature in called.items():
        if name not in made:
            made[name] = func.FuncOp.external(name, *_types(signature))
    return ModuleOp([*made.values()])


def _context() -> Context:
    """A context that reads functions of arith."""
    context = Context()
    for dialect in (arith.Arith, func.Func, Builtin):
        context.load_dialect(dialect)
    return context


def _types(signature: Signature) -> tuple[list[Attribute], Sequence[Attribute]]:
    """The types of parameters, and of results."""
    parameters = [_type(each) for each in signature.parameters]
    return parameters, [] if signature.result is None else [_type(signature.result)]


def _type(type: str | None) -> Attribute:
    """The type of a value."""
    return i1 if type == BIT else i64


class _Lowering:
    """Lowers one function."""

    def __init__(self, function: Function):
        self.function = function
        self.values: dict[Op, SSAValue] = {}
        self.results: dict[Op, Sequence[SSAValue]] = {}
        """What ops with blocks end with."""
        self.numbers: dict[tuple[bool, int], arith.ConstantOp] = {}
        self.called: dict[str, Signature] = {}
        self.block = Block()
        """Where ops are added."""

    def lowered(self) -> func.FuncOp:
        """The function."""
        signature, body = self.function.signature, self.function.body
        inputs, outputs = _types(signature)
        entry = self.block = Block(arg_types=inputs)
        for at, (op, value) in enumerate(
            zip(self.function.parameters, entry.args, strict=True)
        ):
            self.values[op] = value
            value.name_hint = f"p{at}"
        *ops, last = body.ops
        if last.name != "leave":
            raise _unknown(last)
        self.add_all(ops)
        self.add(func.ReturnOp(*map(self.of, last.operands)))
        # Numbers stand before all that uses them.
        first = entry.first_op
        assert first is not None, "there is a return"
        entry.insert_ops_before([*self.numbers.values()], first)
        visibility = "private" if self.function.linkage else None
        return func.FuncOp(signature.name, (inputs, outputs), Region(entry), visibility)

    def add(self, op: Operation) -> Operation:
        """Adds an op."""
        self.block.add_op(op)
        return op

    def of(self, value: Value) -> SSAValue:
        """A value; a number is a constant of the function."""
        if not isinstance(value, Op):
            key = isinstance(value, bool), int(value)
            if key not in self.numbers:
                type, text = (i1, str(value).lower()) if key[0] else (i64, f"c{value}")
                made = arith.ConstantOp(IntegerAttr(int(value), type))
                made.result.name_hint = text
                self.numbers[key] = made
            return self.numbers[key].result
        if value.name == "result":
            around = value.operands[0]
            assert isinstance(around, Op), "a result is of an op"
            number: int = value.data
            return self.results[around][number]
        if value is NULL:
            return self.of(0)
        return self.values[value]

    def add_all(self, ops: Iterable[Op]) -> None:
        """Adds ops of a block, in order."""
        for op in ops:
            values = [*map(self.of, op.operands)]
            if op.name == "number":
                (self.values[op],) = values
                continue
            made = self.add(self.op(op, values))
            if op.blocks:
                self.results[op] = made.results
            elif op.type is not None:
                self.values[op] = made.results[0]
                if op.name == "table":
                    made.results[0].name_hint = op.data

    def op(self, op: Op, values: Sequence[SSAValue]) -> Operation:
        """What an op is, of these operands."""
        if op.name in _DIRECT:
            return _DIRECT[op.name].create(
                operands=values, result_types=[values[0].type]
            )
        if op.name in _COMPARED:
            return arith.CmpiOp(values[0], values[1], _COMPARED[op.name])
        match op.name:
            case "add_capped" | "mul_capped" | "floordiv":
                return self.call(Signature(op.name, (WORD, WORD), WORD), values)
            case "select":
                return arith.SelectOp(*values)
            case "load":
                return LoadOp(values[0], *op.data)
            case "store":
                return StoreOp(values[0], values[1], *op.data)
            case "alloca":
                return AllocaOp(values[0], op.data)
            case "table" if op.data in self.function.tables:
                return TableOp(*self.function.tables[op.data])
            case "words":
                return WordsOp(values)
            case "word":
                return LoadOp(values[0], 8 * op.data, 8)
            case "call" | "call_words":
                return self.call(op.data, values)
            case "call_address":
                return CallAddressOp(values[0], values[1:])
            case "kernel":
                name, number = op.data
                return KernelOp(name, number, values[0], values[1:])
            case "leave" if values:
                return LeaveOp(values[0])
            case "if":
                return self.choice(op, values[0])
            case "loop":
                return self.counted(op, values)
            case "repeat":
                return self.repeated(op, values)
            case _:
                raise _unknown(op)

    def call(self, callee: Signature, values: Sequence[SSAValue]) -> Operation:
        """A call by name."""
        self.called[callee.name] = callee
        return func.CallOp(callee.name, values, _types(callee)[1])

    def region(self, block: HostBlock, made: Block) -> Region:
        """A block as a region whose arguments `made` has, up to a yield."""
        before, self.block = self.block, made
        self.add_all(block.ops)
        self.add(scf.YieldOp(*map(self.of, block.ends)))
        self.block = before
        return Region(made)

    def inside(self, op: Op, made: Block) -> Region:
        """The only block of an op, whose arguments `made` has."""
        (block,) = op.blocks
        self.values |= dict(zip(block.arguments, made.args, strict=True))
        return self.region(block, made)

    def choice(self, op: Op, bit: SSAValue) -> Operation:
        """Two blocks; one of them is taken."""
        first, second = op.blocks
        then = self.region(first, Block())
        end = then.block.last_op
        assert end is not None, "there is a yield"
        types = [each.type for each in end.operands]
        if not second.ops and not types:
            return scf.IfOp(bit, types, then)
        return scf.IfOp(bit, types, then, self.region(second, Block()))

    def counted(self, op: Op, values: Sequence[SSAValue]) -> Operation:
        """A counted loop."""
        start, stop, *carried = values
        body = Block(arg_types=[i64, *(each.type for each in carried)])
        return scf.ForOp(start, stop, self.of(op.data), carried, self.inside(op, body))

    def repeated(self, op: Op, values: Sequence[SSAValue]) -> Operation:
        """A loop that ends where its first value is not set."""
        types = [each.type for each in values]
        head, body = Block(arg_types=types), Block(arg_types=types)
        head.add_op(scf.ConditionOp(head.args[0], *head.args))
        return scf.WhileOp(values, types, Region(head), self.inside(op, body))


def _unknown(op: Op) -> VerifyException:
    """What is wrong with an op that only LLVM IR has."""
    return VerifyException(
        f"expected ops that do without the machine, got {op.name}; print LLVM IR "
        "(-t llvm)"
    )
