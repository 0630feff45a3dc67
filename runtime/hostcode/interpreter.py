"""
The interpreter of bytecode (`abi/bytecode.py`): `sr_interpret`.

    i32 sr_interpret(context, code, registers, kernels)

runs a program that is data over the kernels of a library, or plans the memory of a
call; it returns the status with which that ends. `sr_absent` is there in place of a
kernel that a library does not have.
"""

from __future__ import annotations

from ..abi import CONTEXT, NOT_SELECTED, PAUSED, START, WIDTH, ContextLayout, Opcode
from .builder import Builder
from .function import ADDRESS, INT32, Function, Signature, Value

INTERPRET = Signature("sr_interpret", (ADDRESS,) * 4, INT32)
_ABSENT = Signature("sr_absent", (ADDRESS, ADDRESS), INT32)
_KERNEL = Signature("", (ADDRESS, ADDRESS), INT32)

BINARY = {
    Opcode.ADD: "add",
    Opcode.SUBTRACT: "sub",
    Opcode.MULTIPLY: "mul",
    Opcode.DIVIDE: "floordiv",
    Opcode.MINIMUM: "min",
    Opcode.MAXIMUM: "max",
    Opcode.AND: "and",
    Opcode.EQUAL: "eq",
    Opcode.LESS: "lt",
    Opcode.ADD_CAPPED: "add_capped",
    Opcode.MULTIPLY_CAPPED: "mul_capped",
}
"""The ops of two registers."""


def interpreting() -> list[Function]:
    """The interpreter, and what is called in place of absent kernels."""
    b = Builder(_ABSENT, "nounwind")
    b.leave(NOT_SELECTED)
    return [_interpret(), b.function]


def _interpret() -> Function:
    b = Builder(INTERPRET, "nounwind")
    context, code, registers, kernels = b.parameters
    b.store(b.number_of(context), registers, CONTEXT)
    begin = b.load(registers, START)
    b.store(0, registers, START)
    with b.forever(at=begin) as step:
        place = b.at(code, step.at, 8 * WIDTH)
        op, first, second, third = (b.load(place, at) for at in range(WIDTH))
        into, left, right = (b.at(registers, each) for each in (first, second, third))
        following = b.add(step.at, 1)
        with b.switch(op, at=following) as switch:

            def register() -> Value:
                return b.load(left, type=ADDRESS)

            with switch.case(Opcode.CONSTANT):
                b.store(second, into)
            with switch.case(Opcode.MOVE):
                b.store(b.load(left), into)
            with switch.case(Opcode.MOVE_IF):
                with b.when(b.ne(b.load(right), 0)):
                    b.store(b.load(left), into)
            with switch.case(Opcode.LOAD):
                memory = b.offset(register(), third)
                b.store(b.load(memory, is_volatile=True), into)
            with switch.case(Opcode.LOAD_BYTE):
                b.store(b.load(b.offset(register(), third), width=1), into)
            with switch.case(Opcode.LOAD_HALF):
                b.store(b.load(b.offset(register(), third), width=4), into)
            with switch.case(Opcode.STORE):
                b.store(b.load(into), b.offset(register(), third))
            for opcode, name in BINARY.items():
                with switch.case(opcode):
                    made = b.binary(name, b.load(left), b.load(right))
                    b.store(b.select(made, 1, 0) if _is_bit(name) else made, into)
            with switch.case(Opcode.JUMP_IF_ZERO):
                switch.at = b.select(b.eq(b.load(into), 0), second, following)
            with switch.case(Opcode.JUMP):
                switch.at = second
            with switch.case(Opcode.POLL):
                fuel = b.sub(b.load(context, ContextLayout.FUEL), b.load(into))
                b.store(fuel, context, ContextLayout.FUEL)
                b.leave_if(b.lt(fuel, 0), PAUSED, [(following, registers, START)])
            with switch.case(Opcode.CALL):
                kernel = b.load(b.at(kernels, first), type=ADDRESS)
                status = b.call_address(kernel, _KERNEL, left, context)
                noted = (third, context, ContextLayout.FAILED)
                b.leave_if(b.ne(status, 0), status, [noted])
            with switch.case(Opcode.RETURN):
                b.leave(first)
        step.at = switch.at
    return b.function


def _is_bit(name: str) -> bool:
    """Whether the result of an op is a bit."""
    return name in ("eq", "lt")
