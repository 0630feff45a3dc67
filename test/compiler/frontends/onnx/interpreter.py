"""Runs what the front end reads, op by op, each by its reference in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx import ModelProto, parser
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.ir.signature import structure_of
from static_runtime.compiler.session.given import Given
from static_runtime.dialects.shape import sizes, tensor_type
from static_runtime.runtime.call.texts import numbered
from static_runtime.runtime.program.program import TensorInfo

from ..interpret import Array, interpret, main, names, ranges


@dataclass(frozen=True)
class Graph:
    """The one function of a module that was read, and the weights that it names."""

    module: ModuleOp
    ctx: SrContext

    @property
    def function(self) -> FuncOp:
        """The function."""
        return main(self.module)

    @property
    def ops(self) -> list[Operation]:
        """The ops, but for the end."""
        return list(self.function.body.block.ops)[:-1]

    def names(self, what: str) -> list[str]:
        """The names of the inputs or of the outputs."""
        return names(self.module, what)

    @property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """The range of every symbol."""
        return ranges(self.module)

    def shapes(self) -> list[tuple[str, ...]]:
        """The dimensions of the outputs, as text."""
        end = self.function.body.block.last_op
        assert isinstance(end, ReturnOp)
        return [tuple(map(str, sizes(tensor_type(each)))) for each in end.arguments]

    def run(self, *inputs: Array) -> list[Array]:
        """What the function computes of any inputs, of the types that it says."""
        return interpret(self.module, self.ctx.weights, self._numbers(inputs))

    def _numbers(self, inputs: Sequence[Array]) -> list[Array]:
        """The inputs, with numbers for those that are texts."""
        given, results = self.names("input"), self.function.function_type.outputs
        known = structure_of(self.function, {*given}, len(results))
        if known is None:
            return [*inputs]
        return numbered(known, [TensorInfo(e, "", ()) for e in given], inputs)


def read(source: Path | bytes | ModelProto, given: Given = Given()) -> Graph:
    """What the front end makes of a model."""
    ctx = SrContext()
    module = read_onnx(source, ctx, given)
    module.verify()
    return Graph(module, ctx)


def model(body: str, opset: int = 18) -> ModelProto:
    """The model of a graph in ONNX's own text: `g (float[2] x) => (float y) {...}`."""
    head = f'<ir_version: 10, opset_import: ["" : {opset}]>'
    return parser.parse_model(f"{head}\n{body}")


def slice_of(size: int, start: int, end: int, step: int) -> slice:
    """
    The slice of an axis that ONNX means, in numpy's words: with a negative step a start
    before the first element is that element.
    """
    if step < 0 and start < -size:
        start = 0 if size else -1
    return slice(start, end, step)
