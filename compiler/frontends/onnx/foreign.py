"""
Nodes of ONNX that have no op of ours, where the types of their results are known.

Such a node becomes a `graph.foreign` that holds it as a model of its own. Types are
inferred by ONNX, or by ONNX Runtime for its own ops, or else declared by the model.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from onnx import (
    FunctionProto,
    ModelProto,
    NodeProto,
    ValueInfoProto,
    defs,
    helper,
    version_converter,
)
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from ....dialects import ELEMENTS, tensor_type
from ....dialects.graph import ForeignOp
from ....dialects.graph.frameworks import as_arrays
from ...session import CompileError
from ..foreign import ONNX, ONNXRUNTIME
from ..known import Known
from ..unsupported import Foreign, Unsupported, WrongElement
from .foreign_types import types_of, value_info
from .model_file import ONNX as ONNX_DOMAINS
from .node import Value
from .random import HANDLERS as RANDOM
from .run_node import run_by_reference, run_by_session, session_of
from .scope import Scope
from .symbols import Symbols

_IR_VERSION = 10
"""The version of ONNX's format that a node is kept in."""

_RANDOM = frozenset(RANDOM)
"""ONNX's ops with other results at each call."""


@dataclass(frozen=True)
class ForeignCalls:
    """What makes foreign calls of the nodes of a model."""

    classes: tuple[str, ...]
    """The names of the user's implementations."""

    opsets: Mapping[str, int]
    """The version of each domain that the model imports."""

    functions: Sequence[FunctionProto]
    symbols: Symbols
    emit: Callable[[Known], SSAValue]
    numbers: Iterator[int] = field(default_factory=count)

    def __call__(
        self,
        node: NodeProto,
        values: Sequence[Value | None],
        scope: Scope,
        block: Block,
    ) -> list[Value | None]:
        """
        The results of a node, computed by a foreign op at the end of a block, or now
        where all is known; None for results without a name. Raises `Foreign`.
        """
        try:
            return self.results(node, values, scope, block)
        except Foreign:
            raise
        except Unsupported as why:
            raise Foreign(str(why)) from why

    def results(
        self,
        node: NodeProto,
        values: Sequence[Value | None],
        scope: Scope,
        block: Block,
    ) -> list[Value | None]:
        """What a call returns; raises `Unsupported`."""
        model, known = self.model(node, values, scope.opset)
        framework, model = self.framework(model, node)
        text = b64encode(model.SerializeToString()).decode()
        places = [place for place, name in enumerate(node.output) if name]
        given = [each for each in values if each is not None]
        found: Sequence[Value]
        if len(known) == len(given) and _is_computed_now(node):
            found = [*_computed(node, text, known, framework)]
        else:
            wanted = [node.output[place] for place in places]
            types = types_of(
                model, known, framework, wanted, scope.declared, self.symbols
            )
            classes = self.classes if framework == ONNX else ()
            what = framework, op_name(node), text, classes
            with ImplicitBuilder(block):
                operands = [
                    x if isinstance(x, SSAValue) else self.emit(x) for x in given
                ]
                found = ForeignOp.of(operands, *what, types).results
        results: list[Value | None] = [None for _ in node.output]
        for place, value in zip(places, found, strict=True):
            results[place] = value
        return results

    def model(
        self, node: NodeProto, values: Sequence[Value | None], opset: int
    ) -> tuple[ModelProto, Mapping[str, Known]]:
        """A model of just this node, and the inputs of it whose numbers are known."""
        if any(each.HasField("g") or each.graphs for each in node.attribute):
            raise Foreign("with graphs of its own")
        copy = NodeProto()
        copy.CopyFrom(node)
        if node.op_type in _RANDOM:
            copy.name = f"{next(self.numbers)}"  # so that no two are the same
        inputs: list[ValueInfoProto] = []
        known: dict[str, Known] = {}
        for place, value in enumerate(values):
            copy.input[place] = name = "" if value is None else f"x{place}"
            if value is None:
                continue
            type = value.type if isinstance(value, Known) else tensor_type(value)
            inputs.append(value_info(name, type))
            if isinstance(value, Known) and not value.is_symbolic:
                known[name] = value
        for place, output in enumerate(node.output):
            copy.output[place] = f"y{place}" if output else ""
        outputs = [ValueInfoProto(name=x) for x in copy.output if x]
        graph = helper.make_graph([copy], "node", inputs, outputs)
        opsets = {**self.opsets, "": opset}
        imports = [helper.make_opsetid(*each) for each in opsets.items()]
        model = helper.make_model(graph, opset_imports=imports, ir_version=_IR_VERSION)
        if any(
            (each.domain, each.name) == (node.domain, node.op_type)
            for each in self.functions
        ):
            model.functions.extend(self.functions)
        return model, known

    def framework(self, model: ModelProto, node: NodeProto) -> tuple[str, ModelProto]:
        """
        What can run a node, and the model of it that this runs, perhaps of a later
        version; raises `Unsupported` where nothing can.
        """
        why: Exception | None = None
        for each in _versions(model, node):
            try:
                data = each.SerializeToString()
                run_by_reference(b64encode(data).decode(), self.classes)
            except ImportError as error:
                raise CompileError(str(error)) from error
            except (RuntimeError, TypeError, ValueError) as error:
                why = why or error
            else:
                return ONNX, each
        if session_of(model.SerializeToString()) is not None:
            return ONNXRUNTIME, model
        domain = node.domain or "ai.onnx"
        raise Foreign(f"nothing here runs it of the domain {domain}") from why


def _versions(model: ModelProto, node: NodeProto) -> Iterator[ModelProto]:
    """
    A model of one node, and the same in later versions of ONNX's own op: the reference
    has not all of them.
    """
    yield model
    if node.domain not in ONNX_DOMAINS:
        return
    (opset,) = (each.version for each in model.opset_import if not each.domain)
    later = {
        each.since_version
        for each in defs.get_all_schemas_with_history()
        if (each.domain, each.name) == ("", node.op_type)
    }
    for version in sorted(each for each in later if each > opset):
        try:
            yield version_converter.convert_version(model, version)
        except (RuntimeError, ValueError):  # between these versions its meaning changed
            return


def op_name(node: NodeProto) -> str:
    """The op of a node with its domain, as messages name it."""
    return ".".join(filter(None, (node.domain, node.op_type)))


def _is_computed_now(node: NodeProto) -> bool:
    """Whether the results of a node with known inputs are the same in each run."""
    return node.domain in ONNX_DOMAINS and node.op_type not in _RANDOM


def _computed(
    node: NodeProto, text: str, known: Mapping[str, Known], framework: str
) -> Iterator[Known]:
    """The results of a node on known inputs."""
    arrays = [each.array for each in known.values()]
    load = run_by_reference if framework == ONNX else run_by_session
    try:
        run = load(text, ())
        results = as_arrays(run(arrays, ()))
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise Unsupported(f"its reference says: {error}") from error
    for array in results:
        if array.dtype not in ELEMENTS:
            raise WrongElement(str(array.dtype), map(str, ELEMENTS))
        yield replace(Known.of(array), is_weight=True)
