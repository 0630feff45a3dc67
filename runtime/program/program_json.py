"""Read a `Program` from text, and refuse what is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, cast

from ..abi import DTYPE_NAMES, MOST_ORDERS
from ..files import shortened
from ..planning import PLANNERS, BranchRow, branches_of
from .growth import Cache, Growth, check_growth
from .program import CallOut, Check, Program, Skip, Slot, TensorInfo, Way, check_symbols
from .size import Size, symbols_in
from .structure import MOST_DEEP, Constant, Structure, Tree, check_structure

T = TypeVar("T")

_REGIONS = ("inputs", "constants", "activations", "outputs")
"""What a slot may be a part of."""


def read_program(text: str) -> Program:
    """The program that a text holds; raises `ValueError` when it holds none."""
    try:
        data = json.loads(text)
    except RecursionError as error:
        raise ValueError("expected a program, got JSON nested too deep") from error
    return _read(data)


def read_structure(text: str, outputs: int) -> Structure:
    """
    The structure that a text holds, for a model with this number of outputs that are
    arrays; raises `ValueError` when it holds none.
    """
    try:
        found = _structure(json.loads(text))
    except RecursionError as error:
        raise ValueError("expected a structure, got JSON nested too deep") from error
    if found is None:
        raise _unexpected("a structure", text)
    check_structure(found, outputs)
    return found


def read_growth(text: str, inputs: int, outputs: int) -> Growth:
    """
    The growth that a text holds, for a program with this number of inputs and outputs;
    raises `ValueError` when it holds none.
    """
    try:
        found = _growth(json.loads(text))
    except RecursionError as error:
        raise ValueError("expected a growth, got JSON nested too deep") from error
    if found is None:
        raise _unexpected("a growth", text)
    check_growth(found, inputs, outputs)
    return found


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
        capacities=_list(_size, data["capacities"]),
        folded=_number(data["folded"]),
        skips=_list(_skip, data["skips"]),
        donations=_list(lambda each: _pair(_number, each), data["donations"]),
        is_shared=_flag(data["is_shared"]),
        ranges={name: _pair(_number, each) for name, each in ranges.items()},
        checks=_list(_check, data["checks"]),
        slots=_list(_slot, data["slots"]),
        planner=planner,
        bytes=_number(data["bytes"]),
        lower_bound=_number(data["lower_bound"]),
        orders=_list(lambda each: _list(_number, each), data["orders"]),
        branches=_list(_branch, data["branches"]),
        calls=_list(_text, data["calls"]),
        call_outs=_list(_call_out, data["call_outs"]),
        structure=_structure(data["structure"]),
        growth=_growth(data["growth"]),
    )
    check_symbols(program)
    slots = list(range(len(program.slots)))
    for order in program.orders:
        if sorted(order) != slots:
            raise _unexpected(f"orders of {len(slots)} slots", order)
    for input, output in program.donations:
        if input >= len(program.inputs) or output >= len(program.outputs):
            raise _unexpected("a donation of an input to an output", (input, output))
    if program.growth is not None:
        check_growth(program.growth, len(program.inputs), len(program.outputs))
    if program.structure is not None:
        check_structure(program.structure, len(program.outputs))
    branches_of(program.branches)
    _check_plan(program)
    for skip in program.skips:
        used = [skip.slot]
        used += [each.number for each in skip.ways if each.region == "activations"]
        if max(used) >= len(slots):
            raise _unexpected(f"skips of {len(slots)} slots", skip)
    return program


def _check_plan(program: Program) -> None:
    """Raises `ValueError` where a slot whose place is known is not in the block."""
    for slot in program.slots if program.is_planned else ():
        if isinstance(slot.bytes, int) and slot.offset + slot.bytes > program.bytes:
            raise _unexpected(f"slots within {program.bytes} bytes", slot)


def _unexpected(what: str, value: Any) -> ValueError:
    return ValueError(f"expected {what}, got {shortened(str(value))}")


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


def _branch(value: Any) -> BranchRow:
    match _list(_number, value):
        case (begin, end, first, last):
            return begin, end, first, last
        case _:
            raise _unexpected("four steps of a branch", value)


def _way(value: Any) -> Way:
    data = _record(Way, value)
    when = _list(lambda each: _list(_size, each), data["when"])
    region, number = _text(data["region"]), _number(data["number"])
    if region not in _REGIONS:
        raise _unexpected(f"a region of {', '.join(_REGIONS)}", region)
    order = _number(data["order"], -1)
    if order >= MOST_ORDERS:
        raise _unexpected(f"an order below {MOST_ORDERS}", order)
    return Way(region, number, _size(data["offset"]), when, order)


def _skip(value: Any) -> Skip:
    data = _record(Skip, value)
    kernel, source = _text(data["kernel"]), _text(data["source"])
    return Skip(_number(data["slot"]), kernel, source, _list(_way, data["ways"]))


def _call_out(value: Any) -> CallOut:
    data = _record(CallOut, value)
    return CallOut(
        _text(data["op"]),
        _list(_tensor, data["inputs"]),
        _list(_tensor, data["outputs"]),
        _text(data["source"]),
        _text(data["framework"]),
    )


def _growth(value: Any) -> Growth | None:
    if value is None:
        return None
    data = _record(Growth, value)
    return Growth(
        sizes=_list(_text, data["sizes"]),
        capacity=_text(data["capacity"]),
        inputs=_list(lambda each: _list(_size, each), data["inputs"]),
        outputs=_list(lambda each: _list(_size, each), data["outputs"]),
        caches=_list(_cache, data["caches"]),
    )


def _cache(value: Any) -> Cache:
    data = _record(Cache, value)
    return Cache(*(_number(data[each]) for each in ("input", "output", "axis")))


def _structure(value: Any) -> Structure | None:
    if value is None:
        return None
    data = _record(Structure, value)
    trees = _whole_tree(data["inputs"]), _whole_tree(data["outputs"])
    return Structure(*trees, _list(_text, data["texts"]))


def _whole_tree(value: Any) -> Tree | None:
    return None if value is None else _tree(value)


def _tree(value: Any, depth: int = 0) -> Tree:
    if depth > MOST_DEEP:
        raise ValueError(f"expected at most {MOST_DEEP} nested containers, got more")
    data = _record(Tree, value)
    return Tree(
        _text(data["kind"]),
        _list(lambda each: _tree(each, depth + 1), data["parts"]),
        _list(_constant, data["keys"]),
        _text(data["name"]),
        _number(data["number"]),
        _constant(data["value"]),
    )


def _constant(value: Any) -> Constant:
    if not isinstance(value, bool | int | float | str | None):
        raise _unexpected("a number, a text, true, false or null", value)
    return value
