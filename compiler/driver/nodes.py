"""
Describe the calls of a program that is profiled: what each runs, and from which ops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from ...dialects import Dim, SizeError, dim, dtype, evaluate, minimum, product, sizes
from ...dialects.graph import TRACE, FusionOp, GraphOp, describe, kernel_name
from ...dialects.graph.storage import StoredOp
from ...dialects.loop import (
    CALLS,
    PROFILED,
    TRACED,
    CallOp,
    CallOutOp,
    ElementOp,
    KernelOp,
    ProgramOp,
    RepeatOp,
    ViewOp,
    byte_count,
    element_type,
    is_unlimited,
)
from ...runtime.call import COMPILED, way_of
from ..cost import bytes_touched, integer_operations_of, operations_of
from ..session import NODES
from .describe import plain, source

Origins = Mapping[Any, tuple[str, list[str]]]
"""What the ops of the graph are that become calls, by their numbers: kind and parts."""


def origins_of(module: ModuleOp) -> Origins:
    """The kind of each numbered op of the graph, and the ops that it was fused from."""
    return {
        op.attributes[TRACE]: (kernel_name(op), [*map(describe, _computed_ops(op))])
        for op in module.walk()
        if isinstance(op, GraphOp) and TRACE in op.attributes
    }


def _computed_ops(op: GraphOp) -> Iterator[Operation]:
    """The ops that one op computes: the parts of a fusion, or itself."""
    for each in op.ops if isinstance(op, FusionOp) else (op,):
        if not isinstance(each, StoredOp) and not each.has_trait(ConstantLike):
            yield each


def profiled(program: ProgramOp, origins: Origins) -> dict[str, Any]:
    """
    Lets the calls of a program note how long they took instead of that they ran, and
    describes each, as JSON values.
    """
    made: list[dict[str, Any]] = []
    calls = (op for op in program.walk() if isinstance(op, CALLS))
    for number, op in enumerate(calls):
        if isinstance(op, CallOp | CallOutOp):
            made.append({"call": number, **_node(op, program.kernels, origins)})
            op.attributes.pop(TRACED, None)
    program.attributes[PROFILED] = UnitAttr()
    return {NODES: made}


def _node(
    op: CallOp | CallOutOp, kernels: Mapping[str, KernelOp], origins: Origins
) -> dict[str, Any]:
    """What one call runs, and what it works on."""
    kind, parts = origins.get(op.attributes.get(TRACED), ("copy", []))
    node: dict[str, Any] = {"kind": kind, "source": source(op), "ops": parts}
    # A call writes to its last buffer.
    result = op.buffers[-1].owner if op.buffers else None
    if isinstance(result, ViewOp) and result.region.data == "activations":
        node["slot"] = result.number.value.data
    if isinstance(op, CallOutOp):
        framework = "" if op.framework is None else op.framework.data
        return {**node, "name": source(op), "way": way_of(framework)}
    kernel = kernels[op.kernel_name]
    names = [each.data for each in kernel.symbols]
    symbols = dict(zip(names, op.sizes, strict=True))
    works = {
        "operations": operations_of(kernel),
        "integer_operations": integer_operations_of(kernel),
    }
    return {
        **node,
        "name": op.kernel_name,
        "way": COMPILED,
        **{
            what: None if work is None else plain(evaluate(work, symbols))
            for what, work in works.items()
        },
        "bytes": _bytes(op.buffers, bytes_touched(kernel), symbols),
    }


def operations_in(program: ProgramOp) -> int | str:
    """
    The floating-point operations of all calls of kernels, in branches too, where they
    do not depend on data; none where their number is too long to be written.
    """
    known: dict[str, Dim | None] = {}
    total: Dim = 0
    try:
        for op in program.walk():
            if not isinstance(op, CallOp):
                continue
            kernel = program.kernels[op.kernel_name]
            if op.kernel_name not in known:
                known[op.kernel_name] = operations_of(kernel)
            if (work := known[op.kernel_name]) is None:
                continue
            names = [each.data for each in kernel.symbols]
            symbols = dict(zip(names, op.sizes, strict=True))
            total = total + evaluate(work, symbols) * _trips(op)
        return plain(total)
    except SizeError:
        return 0


def _trips(op: Operation) -> Dim:
    """How often an op runs in a call at most; loops without a limit count once."""
    trips: Dim = 1
    outer = op.parent_op()
    while outer is not None:
        if isinstance(outer, RepeatOp) and not is_unlimited(outer.limit):
            trips = trips * outer.limit
        outer = outer.parent_op()
    return trips


def _bytes(
    buffers: Sequence[SSAValue],
    touched: Sequence[Dim | None],
    symbols: Mapping[str, Dim],
) -> list[int | str] | None:
    """The bytes that a call touches of each buffer; None where a size is too long."""
    found: list[int | str] = []
    try:
        for buffer, bytes in zip(buffers, touched, strict=True):
            most = _size_of(buffer)
            if bytes is not None:
                most = minimum(most, evaluate(bytes, symbols))
            found.append(plain(most))
    except SizeError:
        return None
    return found


def _size_of(buffer: SSAValue) -> Dim:
    """The bytes of the memory that a call is given."""
    match buffer.owner:
        case ElementOp():
            return dim(buffer.owner.stride.data) * byte_count(element_type(buffer))
        case ViewOp():
            view, number = buffer.owner, buffer.owner.number.value.data
            program = view.parent_op()
            while not isinstance(program, ProgramOp):
                assert program is not None, "a view is in a program"
                program = program.parent_op()
            match view.region.data:
                case "activations":
                    return program.slots.data[number].size
                case "constants":
                    return program.constants.data[number].size.data
                case "inputs":
                    type = program.input_types[number]
                case _:
                    type = program.output_types[number]
            return product(sizes(type)) * dtype(type).itemsize
        case _:
            raise AssertionError("memory is a view, or a part of one")
