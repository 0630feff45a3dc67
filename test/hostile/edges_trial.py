"""
What becomes of a model at the edges: what others answer is answered, with the same.

ONNX Runtime is asked where it is installed, and the evaluator of ONNX where the two
differ; else the references of our own ops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
from onnx import ModelProto, TensorProto
from onnx.helper import tensor_dtype_to_np_dtype
from xdsl.dialects.builtin import ModuleOp

import static_runtime as sr
from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError
from static_runtime.compiler.session.options import Options
from static_runtime.dialects import dim, evaluate, symbols_of

from ..compiler.frontends.interpret import interpret
from .edges import parsed
from .others import OTHERS, DiedError, ask
from .outcome import (
    FINDINGS,
    MOST_ELEMENTS,
    Lowered,
    Outcome,
    Slow,
    near,
    refused,
    without_llvm,
)
from .results import Array, arrays_of

RUNS = (0, 1, 3, 34)
"""What all symbols of a model are, one run after the other."""

WAIVED = {
    "ArgMax": "expected elements to (compare|reduce)",
    "ArgMin": "expected elements to (compare|reduce)",
    "Compress": "^expected indices from 0|index_select .*: expected (an|no) index"
    "|expected [0-9]+ conditions at most",
    "GatherND": "^expected indices from 0 to -1|gather_nd .*: expected no index",
    "Hardmax": "expected elements to reduce",
    "LpPool": "expected sizes of zero or more|expected a window that fits",
    "Pad": "slice .*: expected a slice inside",
    "Resize": "expected sizes that are numbers|expected elements along axis",
}
"""
The refusals that stand though ONNX Runtime answers, by the ops that they are for. It
leaves out what Compress selects beyond the last, and takes any indices of GatherND
where all blocks are empty; numpy refuses both. It has a greatest of no elements, and
instead of its place a result of another shape, rounds towards zero how often a window
goes into less than it needs, pads take a row away where there is none, and it resizes
with filters to sizes that only the run knows, and nothing where another axis is empty.
"""

_INTEGERS = {TensorProto.INT32, TensorProto.INT64}

Answers = list[Array] | None
"""What a call gave, None when it was refused."""


def edge_outcome(data: bytes, is_sized: bool, in_full: bool) -> Outcome:
    """
    The outcome of a model; `is_sized` says that nothing but its sizes is at an edge, so
    that it must be read where others answer.
    """
    model, ctx = parsed(data), SrContext()
    asked = OTHERS if is_known_to_others(model) else ()
    others: list[Callable[..., list[Array]]] = [
        partial(ask, name, model.SerializeToString()) for name in asked
    ]
    refusal: Outcome | None = None
    run: Callable[..., Any] = sr.compile
    try:
        run = references = partial(interpreted, read_onnx(model, ctx), ctx)
        others = others or [references]
        with without_llvm(not in_full):
            run = sr.compile(model, options=Options(cache=False, threads=1))
    except Lowered:
        pass
    except CompileError as error:
        refusal = refused(error)
        is_known = is_sized and not isinstance(error, UnsupportedModelError)
        if refusal.what != "refused" or not is_known:
            return refusal
    found = dict[str, Outcome]()
    for value in RUNS if is_open(model) else RUNS[:1]:
        if (inputs := inputs_at(model, value)) is None:
            continue
        got = refusal or called(run, inputs)
        # Sizes that agree at zero alone, such as n + 1 and 1, are not read.
        is_alone = refusal is not None and value == 0 and is_open(model)
        if not is_alone and not is_waived(model, got, value):
            outcome = beside_others(got, others, inputs, value)
            found[outcome.what] = outcome
    order = (*FINDINGS, "others", "same", "refused")
    worst = [found[each] for each in order if each in found]
    return next(iter(worst), Outcome("answered"))


def is_known_to_others(model: ModelProto) -> bool:
    """
    Whether others compute what ONNX says: where a pool is as large as its input by
    `auto_pad`, ONNX Runtime counts its window without dilations, and the evaluator of
    ONNX puts it elsewhere. Of exponentials of integers ONNX Runtime adds up integers.
    """
    types = {each.type.tensor_type.elem_type for each in model.graph.input}
    return not any(
        (
            node.op_type.endswith("Pool")
            and {"auto_pad", "dilations"} <= {each.name for each in node.attribute}
        )
        or (node.op_type == "ReduceLogSumExp" and types & _INTEGERS)
        for node in model.graph.node
    )


def interpreted(
    module: ModuleOp, ctx: SrContext, inputs: Mapping[str, Array]
) -> list[Array]:
    """What a model gives, op by op."""
    return interpret(module, ctx.weights, [*inputs.values()])


def is_waived(model: ModelProto, got: list[Array] | Outcome, value: int) -> bool:
    """
    Whether a refusal stands though others answer, for an op of the model or for any.
    ONNX Runtime broadcasts 0 and 3, and concatenates what has no elements with any
    shape; numpy refuses both. It also reads any opset, and has a pool of less than its
    window, as it rounds towards zero.
    """
    if not isinstance(got, Outcome):
        return False
    known = ["expected one opset version", "expected a size .* along spatial axis"]
    ops = {each.op_type for each in model.graph.node}
    known += [text for op, text in WAIVED.items() if op in ops]
    if value == 0:
        known += ["expected equal sizes .*, or ", "concat .*: expected equal sizes"]
    return any(re.search(each, got.text) for each in known)


def called(
    call: Callable[..., Any], inputs: Mapping[str, Array]
) -> list[Array] | Outcome:
    """What a call gives, or its refusal; numpy refuses in words of its own."""
    try:
        if isinstance(call, partial):
            return cast("list[Array]", call(inputs))
        return [*arrays_of(call(**inputs))]
    except (IndexError, ValueError) as error:
        told = refused(error)
        return replace(told, what="refused") if isinstance(call, partial) else told


def beside_others(
    got: list[Array] | Outcome,
    others: Sequence[Callable[..., list[Array]]],
    inputs: Mapping[str, Array],
    value: int,
) -> Outcome:
    """The outcome of a call, beside what others answer; or how one of them died."""
    wanted, died = list[Answers](), ""
    for each in others:
        try:
            wanted.append(by_others(each, inputs))
        except DiedError as error:
            wanted.append(None)
            died = str(error)
    outcome = beside(got, wanted or [None], value)
    is_all = died and outcome.what not in FINDINGS
    return Outcome("others", died, f"at {value}") if is_all else outcome


def beside(
    got: list[Array] | Outcome, wanted: Sequence[Answers], value: int
) -> Outcome:
    """The outcome of a call, beside what others gave; the first of them decides."""
    first, *_ = wanted
    if isinstance(got, Outcome):
        if first is None or got.what != "refused":
            return got
        return Outcome("refuses", got.where, f"at {value}: {got.text}")
    if first is None:
        return Outcome("answered")
    if any(each is not None and alike(got, each) for each in wanted):
        return Outcome("same")
    text = " and ".join(f"{shown(each)}" for each in (got, first))
    return Outcome("differs", f"at {value}", text)


def alike(got: Sequence[Array], wanted: Sequence[Array]) -> bool:
    """
    Whether results are those of another; of no elements, ONNX Runtime has other shapes
    than ONNX says where it finds the place of an extreme, or rounds towards zero.
    """
    return all(
        a.dtype == b.dtype
        and (a.size + b.size == 0 or (a.shape == b.shape and near(a, b)))
        for a, b in zip(got, wanted, strict=True)
    )


def shown(results: Sequence[Array]) -> str:
    """The types and the first elements of results."""
    return "; ".join(f"{e.dtype}{e.shape} {e.ravel()[:6]}" for e in results)


def is_open(model: ModelProto) -> bool:
    """Whether a size of an input is not a number."""
    return any(
        not each.HasField("dim_value")
        for value in model.graph.input
        for each in value.type.tensor_type.shape.dim
    )


def inputs_at(model: ModelProto, value: int) -> dict[str, Array] | None:
    """Arrays where all symbols are some number, None where that is not possible."""
    random, found = np.random.default_rng(0), dict[str, Array]()
    stored = {each.name for each in model.graph.initializer}
    for each in model.graph.input:
        if each.name in stored:
            continue
        type = each.type.tensor_type
        if each.type.WhichOneof("value") != "tensor_type" or not type.HasField("shape"):
            return None
        if type.elem_type == TensorProto.STRING:
            return None  # a call looks texts up, and only then the graph begins
        shape = [size_at(size, value) for size in type.shape.dim]
        if np.prod(shape, dtype=float) > MOST_ELEMENTS:
            return None
        numbers = random.standard_normal(shape) * 3
        with np.errstate(all="ignore"):
            found[each.name] = np.asarray(numbers).astype(
                tensor_dtype_to_np_dtype(type.elem_type)
            )
    return found


def size_at(size: Any, value: int) -> int:
    """A size of an input where all symbols are some number."""
    if size.HasField("dim_value"):
        return max(size.dim_value, 0)
    try:
        known = dim(size.dim_param)
        return int(str(evaluate(known, dict.fromkeys(symbols_of(known), value))))
    except ValueError:
        return value


def by_others(
    ask: Callable[[Mapping[str, Array]], Sequence[Any]], inputs: Mapping[str, Array]
) -> Answers:
    """What another evaluator answers, which may fail in any way."""
    try:
        with np.errstate(all="ignore"):
            found = [np.asarray(each) for each in ask(inputs)]
    except DiedError:
        raise
    except (Exception, Slow):
        return None
    return found if all(each.dtype.kind in "biuf" for each in found) else None
