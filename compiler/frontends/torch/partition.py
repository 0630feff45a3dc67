"""A part of a graph of `torch.compile`, and the function that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from torch import SymInt, Tensor, fx
from torch.export.graph_signature import (
    InputKind,
    InputSpec,
    SymIntArgument,
    TensorArgument,
)
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from ....runtime.program import Tree
from ...ir import SrContext
from ...session import CompileError, Given, UnsupportedModelError, UnsupportedOp
from ..unsupported import Unsupported
from .arguments import Value, number_of, resolve
from .operator_names import operator_names
from .outputs import output_value
from .pairs import has_complex
from .program import ProgramReader
from .sizes import Expression, sizes_in


@dataclass(frozen=True)
class Partition:
    """A graph of ATen operators that were traced with fake tensors."""

    module: fx.GraphModule
    held: Mapping[str, Tensor]
    """The tensors of those inputs, by name, that are constants."""


class PartitionReader(ProgramReader):
    """
    Reads a graph of `torch.compile`.

    Sizes that torch hands over as numbers are read off the shapes of tensors. What it
    assumed of sizes torch checks before each call.
    """

    def __init__(
        self,
        graph: fx.Graph,
        ctx: SrContext,
        held: Mapping[str, Tensor],
        bounds: Mapping[str, int],
    ):
        """A reader at the beginning of `graph`."""
        inputs = graph.find_nodes(op="placeholder")
        program: Any = SimpleNamespace(
            graph=graph,
            graph_signature=SimpleNamespace(
                input_specs=[_spec(each, held) for each in inputs]
            ),
            range_constraints=_ranges(inputs),
            constants={},
            state_dict=held,
        )
        super().__init__(program, ctx, {}, bounds)
        self.refused: set[fx.Node] = set()
        """The nodes that are unsupported, or that need what is."""

    def readable(self) -> set[fx.Node]:
        """The calls of operators that can be read."""
        with ImplicitBuilder(self.block):
            for node, spec in self.placeholders():
                self.attempt("input", node, lambda: self.input(node, spec))
            for node in self.program.graph.nodes:
                if node.op == "get_attr" and isinstance(node.meta.get("val"), Tensor):
                    self.attempt("get_attr", node, lambda: self.constant(node))
                elif node.op == "call_function":
                    self.read_node(node)
        known = self.values.keys() - self.refused
        return {each for each in known if each.op == "call_function"}

    def attempt(self, op: str, node: fx.Node, build: Callable[[], Value]) -> None:
        """Notes the value of a node, or that it is refused."""
        try:
            super().attempt(op, node, build)
        except CompileError as error:
            self.found.append(UnsupportedOp(op, node.name, str(error)))
            self.stand_in(node)
        if node not in self.values:
            self.refused.add(node)

    def stand_in(self, node: fx.Node) -> None:
        """Gives a refused node dummy values, so that later nodes can be read."""
        self.refused.add(node)
        super().stand_in(node)

    def input(self, node: fx.Node, spec: InputSpec) -> Value:
        """The value of an input; a number is a size."""
        if isinstance(spec.arg, SymIntArgument):
            return number_of(node.meta["val"], self.sizes)
        return super().input(node, spec)

    def own(self, op: str, node: fx.Node) -> Any:
        """Builds the call of an operator; PyTorch passes on complex tensors itself."""
        if has_complex(node):
            raise Unsupported("complex numbers, which parts of a graph do not pass on")
        return super().own(op, node)

    def constant(self, node: fx.Node) -> Value:
        """A tensor that the graph itself holds, as an argument of its function."""
        type = self.sizes.type(node.meta["val"])
        return self.block.insert_arg(type, len(self.block.args))

    def structure(self, leaves: Sequence[Tree]) -> Mapping[str, Attribute]:
        """Nothing: a part of a graph takes and returns tensors one by one."""
        return {}

    def outputs(self) -> tuple[list[str], list[SSAValue], list[Tree]]:
        """The names and the values of the outputs."""
        (end,) = self.program.graph.find_nodes(op="output")
        nodes = [end.args[0]] if isinstance(end.args[0], fx.Node) else end.args[0]
        if self.found:
            return [], [], []
        values = [output_value(resolve(each, self.values)) for each in nodes]
        return [each.name for each in nodes], values, []


def read_partition(
    partition: Partition, ctx: SrContext, given: Given = Given()
) -> ModuleOp:
    """The function `main` that computes a partition; raises `CompileError`."""
    if ctx.operators is not None:
        ctx.operators |= operator_names(partition.module)
    graph = partition.module.graph
    reader = PartitionReader(graph, ctx, partition.held, given.bounds)
    function = reader.read()
    if reader.found:
        raise UnsupportedModelError(reader.found, "a graph", framework="torch")
    return ModuleOp([function])


def _spec(node: fx.Node, held: Mapping[str, Tensor]) -> InputSpec:
    """What an input of a graph is."""
    if node.name in held:
        return InputSpec(InputKind.PARAMETER, TensorArgument(node.name), node.name)
    is_tensor = isinstance(node.meta.get("val"), Tensor)
    kind = TensorArgument if is_tensor else SymIntArgument
    return InputSpec(InputKind.USER_INPUT, kind(node.name), None)


def _ranges(inputs: Any) -> Mapping[Expression, Any]:
    """The ranges of the symbols among the sizes of inputs."""
    for node in inputs:
        value = node.meta.get("val")
        for size in sizes_in(value) if isinstance(value, Tensor) else [value]:
            if isinstance(size, SymInt):
                return size.node.shape_env.var_to_range
    return {}
