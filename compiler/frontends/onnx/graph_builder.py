"""
The graph of an ONNX model, built node by node.

Each node is built by the handler of its op in the table, or else by the nodes of its
definition in ONNX or in the model. A node with known inputs only is built in a separate
block and evaluated, so that the graph has only what must be computed at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TypeAlias

from onnx import FunctionProto, GraphProto, NodeProto
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from ....dialects import sizes, tensor_type
from ....dialects.graph import GraphOp
from ...session import CompileError, UnsupportedOp
from ..results import tell_apart
from ..unsupported import NeedsValue, Unsupported
from .ancestors import arguments_of
from .call_graph import MOST_NODES, MOST_REGIONS, Key, key_of
from .emit import Emitter, locate
from .functions import Body, model_body, onnx_body
from .known import FEW, Known, evaluate
from .messages import clipped, error_at, label
from .model_file import ONNX
from .node import Handler, Node, Results, Value
from .node_order import in_order
from .scope import Entry, Lost, Scope
from .signature import signature
from .symbols import Symbols
from .table import HANDLERS
from .tensor import TensorReader

_MOST_ELEMENTS = 1 << 48
"""The most elements of a tensor; a shape with more is an error."""

_TYPES_ONLY = {"CastLike": (1,)}
"""The inputs of ops that contribute their type only."""

DEEPEST = 100
"""
The deepest nesting of calls and graphs; each level takes some frames of Python's stack.
"""


class GraphBuilder:
    """Builds the ops of a model at the end of a block."""

    def __init__(
        self,
        block: Block,
        emit: Emitter,
        symbols: Symbols,
        tensors: TensorReader,
        functions: Mapping[Key, FunctionProto],
        regions: Mapping[str, RegionHandler],
    ):
        """
        A builder into `block` for a model with these functions; `regions` has the
        handlers of nodes with regions.
        """
        self.block = block
        self.emit = emit
        self.symbols = symbols
        self.tensors = tensors
        self.functions = functions
        self.regions = regions
        self.inputs: list[str] = []
        """The names of the arguments of the function."""
        self.copies = 0
        """The number of nodes built from functions and graphs, with repetition."""
        self.trips = 0
        """The number of trips of unrolled loops."""
        self.unsupported: list[UnsupportedOp] = []
        self.reported: set[UnsupportedOp] = set()
        """The reports of lost values that have been made."""

    def add_weights(self, graph: GraphProto, scope: Scope) -> None:
        """Adds the initializers of `graph`."""
        for tensor in graph.initializer:
            name = tensor.name
            if name in scope.entries:
                raise CompileError(f"expected a new name, got {name!r} again")
            entry: Entry
            try:
                array = self.tensors.read(tensor)
                entry = replace(Known.of(array), name=name, is_weight=True)
            except Unsupported as reason:
                entry = Lost(reason.report("initializer", name))
            scope.entries[name] = entry
        for sparse in graph.sparse_initializer:
            name = sparse.values.name
            report = UnsupportedOp("initializer", name, "a sparse tensor")
            scope.entries[name] = Lost(report)

    def add_nodes(self, scope: Scope) -> None:
        """Adds the nodes of `scope`, each after those whose results it uses."""
        for number, node in in_order(scope):
            name = label(node, number)
            if scope.caller:
                is_named = node.name and not scope.refuses_whole
                name = clipped(f"{scope.caller}/{name}") if is_named else scope.caller
            entries = [self.entry(each, node, name, scope) for each in node.input]
            results: Sequence[Entry] = [Lost() for _ in node.output]
            values = [each for each in entries if not isinstance(each, Lost)]
            if len(values) == len(entries):
                try:
                    results = self._results(node, name, values, scope)
                except Unsupported as reason:
                    op = ".".join(filter(None, (node.domain, node.op_type)))
                    if scope.refuses_whole:
                        why = f": {reason}" if str(reason) else ""
                        reason.args = (f"made of {op}{why}",)
                        raise
                    inputs, of_run = self._inputs_of(reason), self.symbols.defined
                    report = reason.report(clipped(op), name, inputs, of_run)
                    self.unsupported.append(report)
            self._bind(node, name, results, scope)

    def _inputs_of(self, reason: Unsupported) -> tuple[str, ...]:
        """The inputs of the model that would have to be known, if that would do."""
        if not isinstance(reason, NeedsValue):
            return ()
        return tuple(self.inputs[each.index] for each in arguments_of(reason.values))

    def tensor(self, entry: Entry) -> SSAValue | None:
        """The value in the graph of an entry; None for a lost value."""
        match entry:
            case Known():
                return self.emit(entry)
            case SSAValue():
                return entry
            case _:
                self._report(entry)
                return None

    def _report(self, entry: Entry) -> None:
        """Reports a lost value, once."""
        if not isinstance(entry, Lost) or entry.report is None:
            return
        if entry.report not in self.reported:
            self.reported.add(entry.report)
            self.unsupported.append(entry.report)

    def entry(self, name: str, node: NodeProto, at: str, scope: Scope) -> Entry:
        """The entry of the input `name` of `node`."""
        if name and name not in scope:
            raise error_at(
                at,
                node.op_type,
                "expected an input that the model computes, got no value called "
                f"{clipped(name)!r}",
            )
        entry = scope.find(name) if name else None
        self._report(entry)
        return entry

    def _bind(
        self, node: NodeProto, name: str, results: Sequence[Entry], scope: Scope
    ) -> None:
        """Binds the results of `node` to their names."""
        for output, result in zip(node.output, results, strict=False):
            if not output:
                continue
            if output in scope.entries:
                raise error_at(
                    name, node.op_type, f"expected a new name, got {output!r} again"
                )
            if isinstance(result, Known) and not result.name:
                result = replace(result, name=output)
            scope.entries[output] = result

    def _results(
        self, node: NodeProto, name: str, values: Sequence[Value | None], scope: Scope
    ) -> Sequence[Entry]:
        """The results of `node`."""
        if (function := self.functions.get(key_of(node))) is not None:
            body = model_body(function, node, name)
            return self._call(body, node, name, values, scope)
        if node.domain not in ONNX:
            raise Unsupported
        if (form := signature(node.op_type, scope.opset)) is None:
            raise Unsupported(f"no op of opset {scope.opset}")
        seen = Node(node, name, form, values, self.emit, self.symbols, self.tensors)
        if len(node.output) > form.most_outputs:
            raise seen.error(
                f"expected {form.most_outputs} results at most, got {len(node.output)}"
            )
        if node.op_type in self.regions:
            results = self.regions[node.op_type](self, seen, scope)
        elif node.op_type in HANDLERS:
            results = self._build(HANDLERS[node.op_type], seen)
        else:
            results = self._expand(seen, scope)
        for place in range(len(results), len(node.output)):
            if seen.gives(place):
                raise Unsupported(f"its result {form.outputs[place]}")
        return results

    def _build(self, handler: Handler, node: Node) -> list[Value]:
        """Builds a node by `handler`."""
        try:
            if (results := self._evaluate(handler, node)) is not None:
                return results
            last = self.block.last_op
            with ImplicitBuilder(self.block):
                results = _listed(handler(node))
        except VerifyException as error:
            raise node.error(str(error)) from error
        locate(self.block, last, node.name)
        if len(results) > 1:
            tell_apart(node.name, results, node.proto.output)
        for each in results:
            type = each.type
            count = prod(s for s in sizes(tensor_type(type)) if isinstance(s, int))
            if count > _MOST_ELEMENTS:
                raise node.error(f"expected a result that fits into memory, got {type}")
        return results

    def _evaluate(self, handler: Handler, node: Node) -> list[Value] | None:
        """
        The results of a node with small known inputs, evaluated; None when that fails.
        """
        unread = _TYPES_ONLY.get(node.proto.op_type, ())
        inputs = [
            each
            for place, each in enumerate(node.values)
            if each is not None and place not in unread
        ]
        known = [each for each in inputs if isinstance(each, Known)]
        if len(known) < len(inputs) or any(each.array.size > FEW for each in known):
            return None
        apart = Block()
        values: dict[SSAValue, Known] = {}

        def argument(known: Known) -> SSAValue:
            built = apart.insert_arg(known.type, len(apart.args))
            values[built] = known
            return built

        with ImplicitBuilder(apart):
            results = _listed(handler(node.emitted_by(argument)))
        for op in apart.ops:
            assert isinstance(op, GraphOp), "handlers build ops of the graph"
            found = evaluate(op, [values[each] for each in op.operands])
            if found is None:
                return None
            values.update(zip(op.results, found, strict=True))
        return [each if isinstance(each, Known) else values[each] for each in results]

    def _expand(self, node: Node, scope: Scope) -> Sequence[Entry]:
        """The results of a node, built from its definition in ONNX."""
        types = [
            None if value is None else node.type(place)
            for place, value in enumerate(node.values)
        ]
        body = onnx_body(node.proto, node.signature, scope.opset, types)
        if body is None:
            raise Unsupported
        return self._call(body, node.proto, node.name, node.values, scope, whole=True)

    def _call(
        self,
        body: Body,
        node: NodeProto,
        name: str,
        values: Sequence[Value | None],
        scope: Scope,
        whole: bool = False,
    ) -> Sequence[Entry]:
        """The results of `body` applied to these values."""
        if len(values) > len(body.inputs):
            raise error_at(
                name,
                node.op_type,
                f"expected {len(body.inputs)} inputs at most, got {len(values)}",
            )
        if len(node.output) > len(body.outputs):
            raise error_at(
                name,
                node.op_type,
                f"expected {len(body.outputs)} results at most, got {len(node.output)}",
            )
        given = [*values, *(None for _ in body.inputs[len(values) :])]
        inner = Scope(
            body.opset,
            body.nodes,
            dict(zip(body.inputs, given, strict=True)),
            caller=name,
            depth=scope.depth + 1,
            regions=scope.regions,
            refuses_whole=whole or scope.refuses_whole,
        )
        return self.inside(inner, node, name, body.outputs)

    def inside(
        self, scope: Scope, node: NodeProto, name: str, outputs: Sequence[str]
    ) -> Sequence[Entry]:
        """Adds the nodes of `scope`; returns the values called `outputs`."""
        self.check_depth(scope, node, name)
        self.add_nodes(scope)
        asked = [
            each if place < len(node.output) and node.output[place] else ""
            for place, each in enumerate(outputs)
        ]
        return [self.entry(each, node, name, scope) for each in asked]

    def check_depth(self, scope: Scope, node: NodeProto, name: str) -> None:
        """Raises `CompileError` for nodes that are nested too deeply, or too many."""
        problem = ""
        self.copies += len(scope.nodes)
        if scope.depth > DEEPEST:
            problem = f"expected functions and graphs at most {DEEPEST} deep"
        elif scope.regions > MOST_REGIONS:
            problem = f"expected graphs at most {MOST_REGIONS} deep"
        elif self.copies > MOST_NODES:
            problem = f"expected at most {MOST_NODES} nodes in functions and loops"
        if problem:
            raise error_at(name, node.op_type, problem)


RegionHandler: TypeAlias = Callable[[GraphBuilder, Node, Scope], Sequence[Entry]]
"""Builds a node with regions."""


def _listed(results: Results) -> list[Value]:
    """The results of a handler as a list."""
    several = results if isinstance(results, Sequence) else [results]
    return [each if isinstance(each, Known) else SSAValue.get(each) for each in several]
