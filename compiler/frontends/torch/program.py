"""Read an exported program into a function of the graph dialect, node by node."""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import count
from typing import Any, TypeAlias

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    OutputKind,
)
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    StringAttr,
    TensorType,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ....dialects.graph import GraphOp
from ....dialects.graph.compose import shape_of
from ....runtime.program import CONSTANT, Tree
from ...ir import INPUT_NAMES, OUTPUT_NAMES, SYMBOLS, SrContext
from ...session import Cause, CompileError, UnsupportedOp
from ..foreign import drop_requirements
from ..results import tell_apart
from ..unsupported import Foreign, Training, Unsupported
from . import composites
from .arguments import (
    NUMBERS,
    Missing,
    Value,
    arguments_of,
    number_of,
    operand,
    resolve,
)
from .call import Call
from .complex_numbers import of_pairs
from .computed import computed, is_computed
from .custom import build_custom, find_custom, unknown
from .data_dependent import ITEMS, read_item
from .float_sizes import FloatSizes
from .foreign import foreign_call
from .guards import ASSERTIONS, is_about_memory, require
from .outputs import output_leaf, output_names, output_value
from .pairs import given
from .parameters import KINDS, Parameters
from .readers import READERS
from .result import checked
from .rounded import rounded_once
from .sizes import Expression, sizes_of_inputs
from .source import location, place
from .states import States, is_changed, is_mutation
from .structure import structure_of

Reading: TypeAlias = Callable[["ProgramReader", fx.Node], Any]
"""How a node is read: builds its ops, and returns its value."""


class ProgramReader:
    """Reads the nodes of a program; holds their values and the unsupported ones."""

    def __init__(
        self,
        program: ExportedProgram,
        ctx: SrContext,
        regions: Mapping[str, Reading],
        bounds: Mapping[str, int],
    ):
        """
        A reader at the beginning of `program`; `regions` has the readers of operators
        that take graphs, and `bounds` the most that the user says that sizes are.
        """
        self.program = program
        self.regions = regions
        self.readings: Mapping[fx.Node, Reading] = {}
        """How nodes are read that are not read by the names of their operators."""
        self.weights = ctx.weights
        self.parameters = Parameters(program, ctx.weights)
        self.found: list[UnsupportedOp] = []
        self.values: dict[fx.Node, Value] = {}
        self.block = Block()
        self.states = States(program)
        inputs = [
            (each.name, each.meta["val"])
            for each, spec in self.placeholders()
            if self.states.is_given(spec)
        ]
        self.input_names = [name for name, _ in inputs]
        self.sizes = sizes_of_inputs(inputs, program.range_constraints)
        self.sizes.most = bounds
        self.sizes.of_run = FloatSizes(self.sizes, self.block)
        self.draws = False  # numbers at random, by a seed of the model
        self.calls_torch = False
        """Whether PyTorch runs what cannot be read."""

    def placeholders(self) -> list[tuple[fx.Node, InputSpec]]:
        """The inputs of the program's graph with their specifications, states last."""
        nodes = self.program.graph.find_nodes(op="placeholder")
        specs = self.program.graph_signature.input_specs
        pairs = zip(nodes, specs, strict=True)
        return sorted(pairs, key=lambda pair: self.states.is_state(pair[1]))

    def assume(self, conditions: Iterable[tuple[Expression, str]]) -> None:
        """Builds the checks of conditions on sizes of inputs, each with its place."""
        with ImplicitBuilder(self.block):
            for expression, where in conditions:
                try:
                    require(expression, self.sizes, where)
                except Unsupported as why:
                    self.found.append(why.report("torch.export", where))

    def read(self) -> func.FuncOp:
        """The function of the program; raises `UnsupportedModelError`."""
        with ImplicitBuilder(self.block):
            for node, spec in self.placeholders():
                self.attempt(words(spec.kind), node, lambda: self.input(node, spec))
            for node in self.program.graph.nodes:
                if node.op not in ("placeholder", "output"):
                    self.read_node(node)
            names, results, leaves = self.outputs()
            func.ReturnOp(*results)
        types = [each.type for each in results]
        inputs = list(self.block.arg_types)
        function = func.FuncOp("main", (inputs, types), Region(self.block))
        function.attributes |= {
            INPUT_NAMES: ArrayAttr(map(StringAttr, self.input_names)),
            OUTPUT_NAMES: ArrayAttr(map(StringAttr, names)),
            SYMBOLS: self.sizes.attribute(),
        }
        if not self.found:
            function.attributes |= self.structure(leaves)
        return function

    def structure(self, leaves: Sequence[Tree]) -> Mapping[str, Attribute]:
        """What says in which containers inputs and outputs are."""
        return structure_of(self.program, leaves, self.input_names)

    def attempt(self, op: str, node: fx.Node, build: Callable[[], Value]) -> None:
        """Notes the value of a node, or the reason why it is unsupported."""
        before = self.block.last_op
        try:
            value = build()
            built = self.block.first_op if before is None else before.next_op
            while built is not None:
                self.finish(built, node)
                built = built.next_op
        except Missing:
            return
        except Unsupported as why:
            report = why.report(op, place(node), of_run=self.sizes.defined)
            self.found.append(report)
            self.stand_in(node)
            return
        except VerifyException as error:
            raise CompileError(f"torch node {place(node)} ({op}): {error}") from error
        self.values[node] = value
        if isinstance(value, list | tuple):
            tell_apart(node.name, value, map(str, count()))
        if isinstance(value, SSAValue) and value.name_hint is None:
            value.name_hint = node.name

    def finish(self, op: Operation, node: fx.Node) -> None:
        """Sets the location of an op, and adds its requirements on sizes."""
        op.location = location(node)
        if isinstance(op, GraphOp):
            for each in op.all_requirements():
                self.sizes.require(each.value)
            for value in op.results:
                if isinstance(value.type, TensorType):
                    for size in shape_of(value):
                        self.sizes.require(size)

    def stand_in(self, node: fx.Node) -> None:
        """Gives an unsupported node dummy values, so that later nodes can be read."""
        foreseen = node.meta.get("val")
        several = isa(foreseen, list[Any] | tuple[Any, ...])
        tensors: list[Any] = list(foreseen) if several else [foreseen]
        if all(isinstance(each, torch.Tensor) for each in tensors):
            try:
                types = [self.sizes.type(each) for each in tensors]
            except Unsupported:
                return
            values = UnrealizedConversionCastOp.get([], types).results
            self.values[node] = values if several else values[0]

    def input(self, node: fx.Node, spec: InputSpec) -> Value:
        """The argument of the function, or the stored tensor, of an input."""
        if self.states.is_given(spec):
            foreseen = node.meta["val"]
            return given(self.block, self.sizes.part_type(foreseen), foreseen)
        if spec.kind in KINDS:
            return self.parameters.read(spec) if node.users else None
        if isinstance(spec.arg, ConstantArgument):
            return spec.arg.value
        if spec.kind is InputKind.TOKEN:
            return None
        raise Unsupported("an input that is no tensor")

    def read_node(self, node: fx.Node) -> None:
        """Builds a node; returns its value."""
        op = str(node.target) if node.op == "call_function" else node.op
        foreseen = node.meta.get("val")
        if node.op == "get_attr":
            return  # a graph that is an argument of an operator
        if node in self.readings:
            self.attempt(op, node, lambda: self.readings[node](self, node))
        elif op in ITEMS:
            self.attempt(op, node, lambda: self.item(node))
        elif op in self.regions:
            self.attempt(op, node, lambda: self.regions[op](self, node))
        elif isinstance(foreseen, NUMBERS):
            self.values[node] = number_of(foreseen, self.sizes)
        elif op in ASSERTIONS:
            self.attempt(op, node, lambda: self.assertion(node))
        elif node.target is operator.getitem:
            self.attempt(op, node, lambda: self.element(node))
        elif node.users or is_mutation(node):
            self.attempt(op, node, lambda: self.call(op, node))

    def call(self, op: str, node: fx.Node) -> Value:
        """Builds the call of an operator; returns its results."""
        if is_mutation(node):
            raise Training("it changes its operands")
        last = self.block.last_op
        try:
            result = self.own(op, node)
            return checked(result, node.meta["val"], self.sizes, op)
        except Unsupported as why:
            if not self.calls_torch:
                raise
            drop_requirements(self.block, last)
            return self.foreign(node, why)

    def own(self, op: str, node: fx.Node) -> Any:
        """Builds the call of an operator by our op, or one that is registered."""
        readers = READERS if op in READERS else composites.READERS
        if op in readers:
            arguments = arguments_of(node, self.values)
            call = Call(node, self.sizes, self.weights, self.block, draws=self.draws)
            return rounded_once(op, of_pairs(op, readers[op]))(call, *arguments)
        if is_computed(node):
            return computed(node, self.weights)
        if (known := find_custom(node.target)) is None:
            raise unknown(node.target)
        return build_custom(known, node, arguments_of(node, self.values))

    def foreign(self, node: fx.Node, why: Unsupported) -> Value:
        """Builds the call of an operator by PyTorch, as none of ours was built."""
        is_lacking = why.cause in (Cause.OP, Cause.UNREGISTERED)
        try:
            return foreign_call(node, self.values, self.sizes)
        except Foreign as refusal:
            raise refusal if is_lacking else why from refusal

    def item(self, node: fx.Node) -> Value:
        """The number that a tensor of one element holds."""
        x = resolve(node.args[0], self.values)
        return read_item(self.sizes, node, x, self.weights)

    def inside(self) -> ProgramReader:
        """A reader of a nested graph, which builds at the same place."""
        inner = copy(self)
        inner.values = {}
        return inner

    @contextmanager
    def building(self, block: Block) -> Generator[None]:
        """Redirects this reader to another block while the context is open."""
        before, self.block = self.block, block
        try:
            yield
        finally:
            self.block = before

    def element(self, node: fx.Node) -> Value:
        """One of several results."""
        several, index = (resolve(each, self.values) for each in node.args)
        if several[index] is None:
            raise Unsupported(f"result {index} of {node.args[0]}")
        return several[index]

    def assertion(self, node: fx.Node) -> None:
        """Proves an assertion, or builds its check at run time."""
        condition = node.args[0]
        if isinstance(condition, fx.Node) and not is_about_memory(condition):
            foreseen = condition.meta["val"]
            if isinstance(foreseen, torch.SymBool):
                expression = foreseen.node.expr
                if self.found and expression.free_symbols - self.sizes.known:
                    raise Missing  # of a size that an unsupported node would define
                if expression not in self.sizes.mistaken:
                    require(expression, self.sizes)

    def outputs(self) -> tuple[list[str], list[SSAValue], list[Tree]]:
        """
        The names and the values of the outputs, and all leaves: those that are the same
        in all runs are no outputs. States come last.
        """
        (end,) = self.program.graph.find_nodes(op="output")
        names = iter(output_names(self.program))
        kept: list[str] = []
        results: list[SSAValue] = []
        leaves: list[Tree] = []
        specs = self.program.graph_signature.output_specs
        pairs = zip(specs, end.args[0], strict=True)
        for each, argument in sorted(pairs, key=lambda pair: is_changed(pair[0])):
            if self.states.is_left_out(each):
                continue
            name = self.states.output_name(each)
            if name is None:
                if each.kind is not OutputKind.USER_OUTPUT:
                    why = Training("an output that only training has")
                    self.found.append(why.report(words(each.kind), each.target or ""))
                    continue
                name = next(names)
            try:
                value = operand(argument, self.values)
                leaf = output_leaf(each.arg, value, len(results))
                if leaf.kind != CONSTANT:
                    results.append(output_value(value))
                    kept.append(name)
                leaves.append(leaf)
            except Unsupported as why:
                self.found.append(why.report("output", name))
            except Missing:
                pass
        return kept, results, leaves


def words(kind: InputKind | OutputKind) -> str:
    """The kind of an input or an output in words: `user input`."""
    return kind.name.lower().replace("_", " ")
