"""
Return the values that quantised products would read as further results.

Before:

    func.func @main(%x : tensor<4x64xf32>, %w : …) -> tensor<4x8xf32> {
      %0 = graph.relu %x : tensor<4x64xf32> -> tensor<4x64xf32>
      %1 = graph.matmul %0, %w : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
      func.return %1

After:

    func.func @main(%x : …, %w : …) -> (tensor<4x8xf32>, tensor<4x64xf32>) {
      …
      func.return %1, %0

A run of the module computes what it did, and tells what a profile counts. The results
are called `observed:` and the name of the value. What the results of the model were a
tree of is forgotten: who asks for values takes them flat. Inputs of texts stay such.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from ....runtime.program import STRUCTURE, Structure, read_structure
from ...ir import OUTPUT_NAMES, weights_of
from ..defined_functions import defined_functions
from ..quantizable import quantizable

OBSERVED = "observed:"
"""How the name of a result begins that is a value."""


@dataclass(frozen=True)
class ObserveValues(ModulePass):
    """Makes results of the values that products read."""

    name = "observe-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = quantizable(op, weights_of(ctx))
        for function in defined_functions(op):
            block = function.body.block
            own = {
                name: value
                for name, value in found.values.items()
                if value.owner is block or value.owner.parent is block
            }
            end = block.last_op
            assert isinstance(end, func.ReturnOp), "a function ends with its results"
            named = function.attributes.get(OUTPUT_NAMES)
            names = [f"out{at}" for at in range(len(end.operands))]
            if isa(named, ArrayAttr[StringAttr]):
                names = [each.data for each in named]
            names += [f"{OBSERVED}{name}" for name in own]
            end.operands = [*end.operands, *own.values()]
            outputs = len(function.function_type.outputs)
            function.update_function_type()
            function.attributes[OUTPUT_NAMES] = ArrayAttr(map(StringAttr, names))
            known = function.attributes.pop(STRUCTURE, None)
            if isinstance(known, StringAttr):
                function.attributes |= _of_texts(read_structure(known.data, outputs))


def _of_texts(known: Structure) -> dict[str, StringAttr]:
    """The structure of a function that takes texts, without that of its results."""
    if not known.inputs_of_texts:
        return {}
    return {STRUCTURE: StringAttr(json.dumps(asdict(replace(known, outputs=None))))}
