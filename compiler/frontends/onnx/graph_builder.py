"""
The graph of an ONNX model, built node by node.

Each node is built by the handler of its op in the table, or else by the nodes of its
definition in ONNX or in the model. A node with known inputs only is built in a separate
block and evaluated, so that the graph has only what must be computed at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from onnx import FunctionProto, GraphProto, NodeProto
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...session import CompileError, UnsupportedOp
from ..foreign import drop_requirements
from ..known import Known
from ..results import tell_apart
from ..unsupported import Foreign, NeedsValue, Unsupported
from .ancestors import inputs_of
from .call_graph import MOST_NODES, MOST_REGIONS, Key, key_of
from .contributed import find_contributed, lacking
from .custom import find_custom, handler_of, signature_of
from .described import form_of, reader_name
from .emit import Emitter, locate
from .evaluated import check_sizes, evaluated
from .float_results import settled
from .foreign import ForeignCalls, op_name
from .forks import Forks
from .functions import Body, model_body, onnx_body, scope_of
from .messages import clipped, error_at, label
from .model_file import ONNX
from .node import Handler, Node, Value
from .node_order import in_order
from .rounded import rounded_once, without_casts
from .scope import Apart, Entry, Lost, Scope, Texts
from .signature import Signature
from .symbols import Symbols
from .table import HANDLERS
from .tensor import TensorReader

Given: TypeAlias = Sequence[Value | Apart | None]
"""The inputs of a node; None where one is left out."""

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
        foreign: ForeignCalls | None = None,
    ):
        """
        A builder into `block` for a model with these functions; `regions` has the
        handlers of nodes with regions, `foreign` builds what nothing else does.
        """
        self.block = self.entry_block = block
        self.emit = emit
        self.symbols = symbols
        self.tensors = tensors
        self.functions = functions
        self.regions = regions
        self.foreign = foreign
        self.draws = False
        """Whether the model has a seed for numbers at random."""
        self.inputs: list[str] = []
        """The names of the arguments of the function."""
        self.copies = 0
        """The number of nodes built from functions and graphs, with repetition."""
        self.trips = 0
        """The number of trips of unrolled loops."""
        self.versions: Mapping[str, int] = {}
        """The versions of the domains of ops that are not ONNX's own."""
        self.apart: Sequence[_ApartBuilder] = ()
        """What builds nodes about sequences and texts."""
        self.forks = Forks()
        """The branches to take where both would be too much."""
        self.unsupported: list[UnsupportedOp] = []
        self.reported: set[UnsupportedOp] = set()
        """The reports of lost values that have been made."""

    def add_weights(self, graph: GraphProto, scope: Scope) -> None:
        """Adds the initializers of `graph`, and the types that it declares."""
        values = (*graph.value_info, *graph.output)
        scope.declared = {each.name: each.type for each in values}
        for tensor in graph.initializer:
            name = tensor.name
            if name in scope.entries:
                raise CompileError(f"expected a new name, got {name!r} again")
            entry: Entry
            try:
                if (entry := Texts.of(tensor)) is None:
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
                results = self._attempt(node, name, values, scope) or results
            self._bind(node, name, results, scope)

    def _attempt(
        self, node: NodeProto, name: str, values: Given, scope: Scope
    ) -> Sequence[Entry] | None:
        """The results of `node`; None where it is reported as unsupported."""
        last, found = self.block.last_op, len(self.unsupported)
        results: Sequence[Entry] | None = None
        reason = Unsupported()
        try:
            results = self._results(node, name, values, scope)
            if len(self.unsupported) == found:
                return results
        except Unsupported as why:
            reason = why
            if scope.refuses_whole:
                text = f": {reason}" if str(reason) else ""
                reason.args = (f"made of {op_name(node)}{text}",)
                raise
        tensors = [each for each in values if not isinstance(each, Apart)]
        if self.foreign is not None and len(tensors) == len(values):
            try:
                made = self.foreign(node, tensors, scope, self.block)
            except Foreign as why:
                reason = why if reason.is_lacking else reason
            else:
                del self.unsupported[found:]
                locate(self.block, last, name)
                drop_requirements(self.block, last)
                return made
        if results is None:
            needed = reason.values if isinstance(reason, NeedsValue) else ()
            inputs = inputs_of(needed, self.entry_block, self.inputs)
            of_run, op = self.symbols.defined, clipped(op_name(node))
            report = reason.report(op, name, inputs, of_run)
            self.unsupported.append(report)
        return results

    def tensor(self, entry: Entry) -> SSAValue | None:
        """The value in the graph of an entry; None for a lost value."""
        match entry:
            case Known():
                return self.emit(entry)
            case SSAValue():
                return entry
            case Apart():
                raise Unsupported(entry.kind)
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
        self, node: NodeProto, name: str, given: Given, scope: Scope
    ) -> Sequence[Entry]:
        """The results of `node`."""
        for build in self.apart:
            if (made := build(self, node, name, given, scope)) is not None:
                return made
        return self.results(node, name, given, scope)

    def results(
        self, node: NodeProto, name: str, given: Given, scope: Scope
    ) -> Sequence[Entry]:
        """The results of a node about tensors alone."""
        values = [each for each in given if not isinstance(each, Apart)]
        is_own, op = node.domain in ONNX, reader_name(node)
        form = form_of(node, scope.opset, self.versions)
        if (not is_own or not form) and (known := find_custom(node, self.versions)):
            seen = self._seen(node, name, signature_of(known, node), values)
            return self._build(handler_of(known.op), seen)
        if (function := self.functions.get(key_of(node))) is not None:
            body = model_body(function, node, name)
            return self._call(body, node, name, values, scope)
        if form is None and (found := find_contributed(node)) is not None:
            return self._build(found[1], self._seen(node, name, found[0], values))
        if form is None:
            raise lacking(node.domain, scope.opset)
        seen = self._seen(node, name, form, values)
        if op in self.regions:
            results = self.regions[op](self, seen, scope)
        elif op in HANDLERS:
            results = self._build(rounded_once(HANDLERS[op]), seen)
        elif (known := find_custom(node, self.versions)) is not None:
            results = self._build(handler_of(known.op), seen)
        else:
            results = self._expand(seen, scope)
        for place in range(len(results), len(node.output)):
            if seen.gives(place):
                last = len(form.outputs) - 1
                raise Unsupported(f"its result {form.outputs[min(place, last)]}")
        return results

    def _seen(
        self,
        node: NodeProto,
        name: str,
        form: Signature,
        values: Sequence[Value | None],
    ) -> Node:
        """A node as handlers see it; raises `CompileError` for too many results."""
        seen = Node(node, name, form, values, self.emit, self.symbols, self.tensors)
        seen.draws, seen.forks = self.draws, self.forks
        if len(node.output) > form.most_outputs:
            raise seen.error(
                f"expected {form.most_outputs} results at most, got {len(node.output)}"
            )
        return seen

    def _build(self, handler: Handler, node: Node) -> list[Value]:
        """Builds a node by `handler`."""
        try:
            if (results := evaluated(handler, node)) is not None:
                return results
            last = self.block.last_op
            with ImplicitBuilder(self.block):
                results = without_casts(settled(node, handler(node)), self.block, last)
        except VerifyException as error:
            raise node.error(str(error)) from error
        locate(self.block, last, node.name)
        if len(results) > 1:
            tell_apart(node.name, results, node.proto.output)
        check_sizes(node, results)
        return results

    def _expand(self, node: Node, scope: Scope) -> Sequence[Entry]:
        """The results of a node, built from its definition in ONNX."""
        places = range(len(node.values))
        types = [node.type(each) if node.has(each) else None for each in places]
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
        inner = scope_of(body, node, name, values, scope)
        inner.refuses_whole = whole or scope.refuses_whole
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

_ApartBuilder: TypeAlias = Callable[
    [GraphBuilder, NodeProto, str, Given, Scope], Sequence[Entry] | None
]
"""Builds a node about what is no tensor; None for one about tensors alone."""
