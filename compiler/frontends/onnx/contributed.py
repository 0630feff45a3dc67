"""
Ops that ONNX Runtime's quantiser and optimiser write: of the domain `com.microsoft`.

The package onnx does not describe these: `contributed_forms.py` has their signatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from onnx import NodeProto, helper

from ..unsupported import ForOneProcessor, Unregistered, Unsupported
from . import (
    contributed_attention,
    contributed_bits,
    contributed_crops,
    contributed_distances,
    contributed_experts,
    contributed_grouped_attention,
    contributed_layers,
    contributed_products,
    contributed_states,
    contributed_steps,
    contributed_twins,
    contributed_words,
    table,
)
from .contributed_forms import FORMS, Default, Kind
from .element import ANY_TYPE
from .model_file import ONNX
from .node import Handler, Node, Results
from .rounded import rounded_once
from .signature import Attribute, Parameter, Signature, signature

_DOMAIN = "com.microsoft"
_BLOCKED = "com.microsoft.nchwc"

_IN_ONNX = ("LayerNormalization", "SimplifiedLayerNormalization")
"""
Ops that ONNX Runtime has in the domain of ONNX, whatever its opset. ONNX itself has
`LayerNormalization` since opset 17, which an optimiser writes into older models too.
"""

_OPSETS = {**contributed_twins.SAME, "LayerNormalization": 17}
"""The opset whose form an op has, where ONNX has it too."""

_FLOATS_OF = "T"
"""The name of the type of floats of an op, which are of one width."""

_MANY = 1 << 20
"""The most inputs of an op that takes any number."""

HANDLERS: dict[str, Handler] = {
    **contributed_steps.HANDLERS,
    **contributed_products.HANDLERS,
    **contributed_bits.HANDLERS,
    **contributed_experts.HANDLERS,
    **contributed_states.HANDLERS,
    **contributed_distances.HANDLERS,
    **contributed_words.HANDLERS,
    **contributed_crops.HANDLERS,
    **contributed_layers.HANDLERS,
    **contributed_attention.HANDLERS,
    **contributed_grouped_attention.HANDLERS,
    **{name: table.HANDLERS[name] for name in contributed_twins.SAME},
    **contributed_twins.HANDLERS,
}


_ROUNDED_ONCE = {
    **contributed_experts.HANDLERS,
    **contributed_states.HANDLERS,
    **contributed_layers.HANDLERS,
    **contributed_attention.HANDLERS,
    **contributed_grouped_attention.HANDLERS,
}
"""Ops whose steps are of f32 where their floats have 16 bits: a square may not fit."""


def find_contributed(node: NodeProto) -> tuple[Signature, Handler] | None:
    """
    The signature and the handler of a node of the domain, or of an op that ONNX Runtime
    has beside those of ONNX, if it has such.
    """
    is_own = node.domain == _DOMAIN
    if node.op_type not in (HANDLERS if is_own else _IN_ONNX):
        return None
    handler = HANDLERS[node.op_type]
    if node.op_type in _ROUNDED_ONCE:
        handler = rounded_once(handler)

    def checked(seen: Node) -> Results:
        results = handler(seen)
        count = len(results) if isinstance(results, Sequence) else 1
        for place in range(count, seen.output_count):
            if seen.gives(place):
                raise Unsupported(f"its result {place}")
        return results

    return _signature_of(node.op_type), checked


@cache
def _signature_of(op: str) -> Signature:
    """The signature of an op of the domain."""
    if opset := _OPSETS.get(op):
        found = signature(op, opset)
        assert found is not None, f"ONNX has {op} in opset {opset}"
        least = found.least_inputs - contributed_twins.MAY_LACK.get(op, 0)
        inputs = [
            replace(each, is_optional=each.is_optional or place >= least)
            for place, each in enumerate(found.inputs)
        ]
        return replace(found, inputs=tuple(inputs), least_inputs=least)
    texts, attributes, outputs = FORMS[op]
    names = texts.split()
    inputs = tuple(
        Parameter(each.lstrip("?*"), ANY_TYPE, each[0] in "?*", _FLOATS_OF)
        for each in names
    )
    needed = [place for place, each in enumerate(inputs) if not each.is_optional]
    return Signature(
        1,
        inputs,
        needed[-1] + 1,
        _MANY if names[-1].startswith("*") else len(names),
        tuple(f"output {place}" for place in range(outputs)),
        outputs,
        {name: _attribute(name, each) for name, each in attributes.items()},
        (_FLOATS_OF,) * outputs,
    )


def lacking(domain: str, opset: int) -> Unsupported:
    """Why a node has no form here: what its domain has in a version, or is."""
    if domain == _BLOCKED:
        return ForOneProcessor("channels in blocks")
    return Unsupported(f"no op of opset {opset}") if domain in ONNX else Unregistered()


def _attribute(name: str, default: Default) -> Attribute:
    """An attribute with its default, or of its kind."""
    if isinstance(default, Kind):
        return Attribute(default.number, default.is_required, None)
    made = helper.make_attribute(name, default)
    return Attribute(made.type, False, made)
