"""
The backend of `torch.compile`.

    torch.compile(model, backend="static_runtime")

Graphs are split by PyTorch's own partitioner: what the front end reads is compiled, the
rest is run by torch. Where gradients may be asked for, all is run by torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, fx
from torch._dynamo.backends.common import aot_autograd

from ...session import ALIAS, CompileError, Options, check_names, check_planners
from .coverage import Coverage, Graph, Part, measure
from .export import decompositions, quiet, split_table, whole
from .kept_layers import kept_layers
from .splitting import Readable, computes, split
from .subgraph import Subgraph

_MIN_SIZE = 4
"""
The least number of operators that are compiled together, as in PyTorch's own
`_fuse_to_static_module`: a call of fewer costs more than it saves.
"""

_functorch: Any = import_module("functorch.compile")
_guards: Any = import_module("torch._guards")


class Backend:
    """A backend of `torch.compile`, with the coverage of what it was given."""

    def __init__(self, options: Options = Options(), *, min_size: int = _MIN_SIZE):
        """A backend that compiles partitions of at least `min_size` operators."""
        if min_size < 1:
            raise CompileError(f"expected a min_size of 1 or more, got {min_size}")
        self.options = options
        self.min_size = min_size
        self._graphs: list[Graph] = []

    def __call__(
        self,
        module: fx.GraphModule,
        example_inputs: Sequence[Any],
        *,
        options: Mapping[str, Any] | None = None,
    ) -> Callable[..., Any]:
        """
        A function that runs a graph; `options` is that of `torch.compile`: `min_size`,
        and names of `static_runtime.Options`.
        """
        chosen, min_size = self._chosen(options or {})
        tensors = [each for each in example_inputs if isinstance(each, Tensor)]
        if torch.is_grad_enabled() and any(each.requires_grad for each in tensors):
            # Decomposed operators would have other gradients in their last bits.
            self._graphs.append(Graph(needs_gradients=True))
            return module.forward

        def compiler(graph: fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
            return _functorch.make_boxed_func(self._compile(graph, chosen, min_size))

        kept, table = split_table(decompositions())
        functional = aot_autograd(
            fw_compiler=compiler, inference_compiler=compiler, decompositions=table
        )
        with quiet(), kept_layers(), whole(kept):
            return functional(module, example_inputs)

    def coverage(self) -> Coverage:
        """How much of the graphs so far is compiled."""
        return Coverage(tuple(self._graphs))

    def _chosen(self, options: Mapping[str, Any]) -> tuple[Options, int]:
        """The options of a compile; raises `CompileError` for a name that is none."""
        own = {name: value for name, value in options.items() if name != "min_size"}
        try:
            check_names(own)
        except TypeError as error:
            raise CompileError(f"{error}; or min_size") from error
        if ALIAS in own:
            check_planners(own.get("planner", own[ALIAS]), own[ALIAS])
            own["planner"] = own.pop(ALIAS)
        made = replace(self.options, **own)
        for name in ("grow", "strict", "bind", "fallback"):
            if (got := getattr(made, name)) != (usual := getattr(Options(), name)):
                raise CompileError(
                    f"expected {name}={usual!r} in torch.compile, got {got!r}; what is "
                    "not compiled stays with PyTorch there"
                )
        return made, options.get("min_size", self.min_size)

    def _compile(
        self, module: fx.GraphModule, options: Options, min_size: int
    ) -> Callable[..., Any]:
        """The function of a functional graph of ATen operators."""
        support = Readable(module.graph, options.bounds)
        nodes, flops = measure(module.graph.nodes)
        graph = Graph(nodes, flops, reasons=support.reasons)
        weights = _weights(module.graph)
        fused, names = split(module, support, min_size)
        for name in names:
            part: Any = getattr(fused, name)
            (call,) = fused.graph.find_nodes(op="call_module", target=name)
            same = [i for i, each in enumerate(call.args) if each.name in weights]
            noted = Part(*measure(part.graph.nodes))
            graph.parts.append(noted)
            setattr(fused, name, Subgraph(part, same, options, noted))
        left = (each for each in fused.graph.nodes if computes(each))
        graph.left.update(str(each.target) for each in left)
        self._graphs.append(graph)
        return fused.forward


def _weights(graph: fx.Graph) -> set[str]:
    """
    The names of the inputs of a graph that stay the same, but for those that the graph
    changes, and of the tensors that it holds.
    """
    found = [*graph.find_nodes(op="get_attr")]
    context = _guards.TracingContext.try_get()
    meta: Any = None if context is None else context.fw_metadata
    inputs = graph.find_nodes(op="placeholder")
    if meta is not None and len(inputs) >= len(meta.input_info):
        changed = [
            each.mutates_data or each.mutates_metadata for each in meta.input_info
        ]
        still: list[int] = meta.static_input_indices
        found += [inputs[place] for place in still if not changed[place]]
    return {each.name for each in found if isinstance(each.meta.get("val"), Tensor)}


backend = Backend()
"""The backend that `torch.compile(model, backend="static_runtime")` takes."""


def coverage() -> Coverage:
    """How much is compiled of the graphs that `backend` was given."""
    return backend.coverage()
