"""
Random models whose sizes are hostile, each compiled and called in this process.

    python hostile_sizes.py first last

For each seed one line is written: what became of it. A model is an op, or a few, that
computes addresses from sizes, in ONNX or in textual IR; its sizes are small, zero,
negative or huge, as numbers, as symbols or as what symbols multiply to, in the model
and in the arrays of a call. All must be refused with an error of ours, or give what
numpy gives. Who runs this sees a crash by the end of the process, and a hang by its
last line.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import warnings
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided
from onnx import (
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

Array = npt.NDArray[Any]

MEMORY = 3 << 30
"""Bytes of addresses that the process may use: more is refused by the system."""

SMALL = (0, 1, 1, 2, 3, 4, 5)
HUGE = (2**31 - 1, 2**31, 2**32 + 1, 2**40, 2**53 + 1, 2**59, 2**61, 2**62, 2**63 - 1)
NEGATIVE = (-1, -2, -5, -(2**31), -(2**40), -(2**62), -(2**63))
NAMES = (
    *("n", "n", "n", "m", "m", "k", "", "?", "-1", "0", "7", "n+1", "2*n", "n // 2"),
    *("18446744073709551620", "18446744073709551616", "n * 4611686018427387904"),
    *("n - n", "n*n*n*n*n*n*n*n", "n // 0", "min(n, -1)", "(" * 90, "z" * 300, "²"),
    *("n - 4", "max", "floordiv(n", "n\nm", "9" * 100, "1e3", "0x10", "a b", "n*m"),
)
SHAPES = (
    *((2, 3), (4,), (0, 3), (3, 0), (5, 1), (1, 1), (4, 4), (3, 2, 4), (1, 0, 2)),
    *((2**40, 0), (0, 2**40), (2**59, 0), (2**31, 0, 2), (0, 2**31), (2**60, 0)),
)


class Source(random.Random):
    """Draws sizes."""

    def number(self) -> int:
        """A number that is mostly small."""
        kinds = (SMALL, SMALL, SMALL, HUGE, NEGATIVE)
        return self.choice(self.choice(kinds))

    def numbers(self, count: int) -> list[int]:
        """A number of them; one is hostile at most, every other time."""
        if self.random() < 0.5:
            return [self.number() for _ in range(count)]
        found = [self.choice(SMALL) for _ in range(count)]
        if found:
            found[self.randrange(count)] = self.number()
        return found

    def dims(self) -> list[int | str]:
        """The dimensions of an input, of four axes at most."""
        return [
            self.choice(NAMES) if self.random() < 0.6 else self.number()
            for _ in range(self.choice((1, 2, 2, 3, 4)))
        ]


class Model:
    """An ONNX model of one op, or a few that compute its sizes."""

    def __init__(self, source: Source):
        self.source = source
        self.dims = source.dims()
        self.nodes: list[NodeProto] = []
        self.inputs = [
            helper.make_tensor_value_info("x", source.choice((1, 7, 9)), self.dims)
        ]
        self.stored: list[TensorProto] = []
        self.given: dict[str, Array] = {}
        """The values of inputs beside x."""
        self.count = 0

    def name(self) -> str:
        """A name that is free."""
        self.count += 1
        return f"v{self.count}"

    def numbers(self, values: Sequence[int] | int, dtype: Any = np.int64) -> str:
        """Numbers as a constant, as an input, or multiplied with a size of x."""
        name, array = self.name(), np.array(values).astype(dtype)
        kind = self.source.random()
        if kind < 0.15 and dtype == np.int64:
            self.inputs.append(helper.make_tensor_value_info(name, 7, array.shape))
            self.given[name] = array
            return name
        self.stored.append(numpy_helper.from_array(array, name))
        if kind < 0.4 and dtype == np.int64:
            op = self.source.choice(("Mul", "Add", "Sub", "Div", "Max", "Min"))
            return self.node(op, [name, self.size()])
        return name

    def size(self) -> str:
        """A size of x, or how many elements it has."""
        if self.source.random() < 0.3:
            return self.node("Size", ["x"])
        shape, place = self.node("Shape", ["x"]), self.name()
        axis = np.array([self.source.randrange(len(self.dims))])
        self.stored.append(numpy_helper.from_array(axis, place))
        return self.node("Gather", [shape, place], axis=0)

    def node(self, op: str, inputs: Sequence[str], **attributes: Any) -> str:
        """The only result of a node."""
        made = self.name()
        self.nodes.append(helper.make_node(op, inputs, [made], **attributes))
        return made

    def proto(self, result: str) -> ModelProto:
        """The model with this result."""
        outputs = [ValueInfoProto(name=result)]
        graph = helper.make_graph(self.nodes, "g", self.inputs, outputs, self.stored)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9
        )


def slice_(m: Model, s: Source) -> str:
    rank = len(m.dims)
    axes = s.sample(range(rank), s.randint(1, rank))
    starts, ends, steps = (m.numbers(s.numbers(len(axes))) for _ in range(3))
    places = m.name()
    m.stored.append(numpy_helper.from_array(np.array(axes), places))
    return m.node("Slice", ["x", starts, ends, places, *s.choice(([], [steps]))])


def reshape(m: Model, s: Source) -> str:
    count = s.choice((1, 2, 3, 4, 66))
    return m.node("Reshape", ["x", m.numbers(s.numbers(count))])


def unsqueeze(m: Model, s: Source) -> str:
    first = s.choice((0, 0, 60))
    return m.node("Unsqueeze", ["x", m.numbers([*range(first + s.number() % 9)])])


def by_shape(op: str) -> Callable[[Model, Source], str]:
    def build(m: Model, s: Source) -> str:
        return m.node(op, ["x", m.numbers(s.numbers(len(m.dims)))])

    return build


def constant_of_shape(m: Model, s: Source) -> str:
    return m.node("ConstantOfShape", [m.numbers(s.numbers(s.randint(0, 4)))])


def range_(m: Model, s: Source) -> str:
    kind = s.choice((np.int64, np.float32))
    ends = [m.numbers(s.number(), kind) for _ in range(3)]
    return m.node("Range", ends)


def pad(m: Model, s: Source) -> str:
    mode = s.choice(("constant", "edge", "reflect", "wrap"))
    return m.node("Pad", ["x", m.numbers(s.numbers(2 * len(m.dims)))], mode=mode)


def resize(m: Model, s: Source) -> str:
    if s.random() < 0.5:
        return m.node("Resize", ["x", "", "", m.numbers(s.numbers(len(m.dims)))])
    scales = m.numbers(s.numbers(len(m.dims)), np.float32)
    return m.node("Resize", ["x", "", scales])


def window(m: Model, s: Source) -> str:
    rank = max(len(m.dims) - 2, 1)
    attributes: dict[str, Any] = {
        "kernel_shape": [s.choice((1, 2, 3, s.number())) for _ in range(rank)],
        "strides": s.numbers(rank),
        "dilations": s.numbers(rank),
        "pads": s.numbers(2 * rank),
    }
    for name in s.sample([*sorted(attributes)[::2], "pads"], s.randint(0, 2)):
        attributes.pop(name, None)
    op = s.choice(("MaxPool", "AveragePool", "Conv", "ConvTranspose"))
    if op in ("MaxPool", "AveragePool"):
        attributes.setdefault("kernel_shape", [2] * rank)
        return m.node(op, ["x"], **attributes, ceil_mode=s.randint(0, 1))
    attributes.pop("kernel_shape", None)
    weights = m.name()
    shape = [s.choice((1, 2, 3)) for _ in range(rank + 2)]
    m.stored.append(numpy_helper.from_array(np.ones(shape, np.float32), weights))
    return m.node(op, ["x", weights], **attributes)


def gather(m: Model, s: Source) -> str:
    axis, rank = s.randrange(len(m.dims)), len(m.dims)
    op = s.choice(("Gather", "GatherElements", "GatherND"))
    shape = {"Gather": [2], "GatherElements": [1] * rank, "GatherND": [1, 1]}[op]
    values = np.reshape(s.numbers(int(np.prod(shape))), shape)
    where = {} if op == "GatherND" else {"axis": axis}
    return m.node(op, ["x", m.numbers(values.tolist())], **where)


def cut(m: Model, s: Source) -> str:
    op = s.choice(("TopK", "Split", "OneHot", "EyeLike", "Trilu", "Concat", "Flatten"))
    if op == "TopK":
        extra = m.name()
        made = helper.make_node(op, ["x", m.numbers(s.numbers(1))], [m.name(), extra])
        m.nodes.append(made)
        return made.output[0]
    if op == "Split":
        count = s.randint(1, 3)
        names = [m.name() for _ in range(count)]
        m.nodes.append(helper.make_node(op, ["x", m.numbers(s.numbers(count))], names))
        return names[-1]
    if op == "OneHot":
        depth = m.numbers(s.number())
        return m.node(op, [m.numbers([0, 1]), depth, m.numbers([2, 3])])
    if op == "Trilu":
        return m.node(op, ["x", m.numbers(s.number())])
    if op == "EyeLike":
        return m.node(op, ["x"], k=s.number())
    if op == "Concat":
        return m.node(op, ["x", m.node("Relu", ["x"])], axis=s.number() % 4)
    return m.node(op, ["x"], axis=s.choice((0, 1, -1)))


def of_sizes(m: Model, s: Source) -> str:
    """Numbers computed from sizes, which are data and wrap as numpy's do."""
    return m.node("Add", [m.size(), m.size()])


def reduced(m: Model, s: Source) -> str:
    op = s.choice(("ReduceSum", "ReduceMax", "Softmax", "CumSum", "Transpose"))
    if op == "CumSum":
        return m.node(op, ["x", m.numbers(s.choice((0, -1)))])
    return m.node(op, ["x"])


def loop(m: Model, s: Source) -> str:
    """A loop over a number of trips that stacks what it computes."""
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["c"], ["c2"]),
            helper.make_node("Identity", ["i"], ["o"]),
        ],
        "body",
        [info("i", 7, []), info("c", 9, [])],
        [info("c2", 9, []), info("o", 7, [])],
    )
    trips = m.numbers(s.number())
    return m.node("Loop", [trips, ""], body=body)


BUILDERS: tuple[Callable[[Model, Source], str], ...] = (
    *(slice_, slice_, reshape, reshape, unsqueeze, constant_of_shape, range_, pad),
    *(by_shape("Expand"), by_shape("Tile"), resize, window, window, gather, cut),
    *(of_sizes, reduced, loop),
)


def arrays(model: Model, source: Source) -> list[Array]:
    """Arguments for a call, which may fit the model or not."""
    rank = len(model.dims)
    known = [each for each in SHAPES if len(each) == rank] or [(2,) * rank]
    shape: list[int] = list(source.choice(known))
    values = {name: source.choice(shape) for name in ("n", "m", "k")}
    for place, size in enumerate(model.dims):
        if source.random() < 0.1:
            continue
        if isinstance(size, str):
            shape[place] = values.get(size, shape[place])
        elif 0 <= size < 9:
            shape[place] = size
    dtype = {1: np.float32, 7: np.int64, 9: np.bool_}[
        model.inputs[0].type.tensor_type.elem_type
    ]
    x: Array
    try:
        if prod(shape) > 9999 or source.random() < 0.1:
            x = as_strided(np.ones((), dtype), shape, [0] * rank)
        else:
            x = (np.arange(prod(shape)) % 7).astype(dtype).reshape(shape)
    except ValueError:
        # No array is that large, even without elements.
        x = np.ones([2] * rank, dtype)
    return [x, *model.given.values()]


def refusal(error: BaseException, where: str) -> str:
    """What became of a case that was refused: nothing, or what is wrong with that."""
    allowed = (sr.CompileError, ValueError, TypeError, IndexError, MemoryError)
    text = str(error)
    # Of an output that compiled code makes, numpy itself says how large it would be.
    told = "expected" in text or text.startswith("Unable to allocate")
    if isinstance(error, allowed) and told and len(text) < 2000:
        return "refused"
    return f"BARE at {where}: {type(error).__name__}: {text[:300]}"


def reference(model: ModelProto, inputs: Sequence[Array]) -> Array | None:
    """What onnx's own evaluator gives, None when it gives nothing."""
    names = [each.name for each in model.graph.input]
    try:
        with np.errstate(all="ignore"):
            (found,) = ReferenceEvaluator(model).run(
                None, dict(zip(names, inputs, strict=True))
            )
    except Exception:
        # It is not what is tested.
        return None
    return np.asarray(found)


def run_onnx(source: Source) -> str:
    """What becomes of one model of ONNX."""
    model = Model(source)
    proto = model.proto(source.choice(BUILDERS)(model, source))
    try:
        module = sr.compile(proto, options=sr.Options(cache=False))
    except BaseException as error:
        return refusal(error, "compile")
    verdict = "refused"
    for _ in range(4):
        inputs = arrays(model, source)
        try:
            result, again = module(*inputs), module(*inputs)
        except BaseException as error:
            verdict = refusal(error, "call")
            if verdict != "refused":
                return f"{verdict} {[each.shape for each in inputs]}"
            continue
        expected = reference(proto, inputs)
        if expected is None:
            verdict = "answered"
        elif expected.shape != result.shape or not (
            # Without elements, copies of another type may have more than numpy allows.
            not result.size
            or (
                np.allclose(expected, result, 1e-3, 1e-3, equal_nan=True)
                and np.array_equal(result, again, equal_nan=result.dtype.kind == "f")
            )
        ):
            return f"DIFFERS {inputs[0].shape}: {expected!r} and {result!r}"[:600]
        else:
            verdict = "equal"
    return verdict


def main(first: int, last: int) -> None:
    """Writes a line for each seed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for seed in range(first, last):
        print(json.dumps([seed, "begun"]), flush=True)
        print(json.dumps([seed, run_onnx(Source(seed))]), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
