"""
Nothing of what exporters write to compute shapes is left of a model of fixed sizes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.transforms.dead_code_elimination import DeadCodeElimination

from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.pipeline import pipeline
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.dim import DimOp
from static_runtime.dialects.graph.storage.stored import StoredOp
from static_runtime.dialects.shape import dtype, tensor_type

from .stored import STORED

onnx = pytest.importorskip("onnx")

from static_runtime.compiler.frontends.onnx import read_onnx  # noqa: E402

TRAINED = Path(__file__).parent / "trained"

MODELS = {
    # With chains of Shape, Gather, Unsqueeze and Concat before each Reshape.
    "version-RFB-320": TRAINED / "version-RFB-320.onnx",
    "version-slim-320": TRAINED / "version-slim-320.onnx",
    **{name: each.fixed for name, each in STORED.items() if each.fixed is not None},
}


@cache
def simplified(path: Path) -> list[GraphOp]:
    """The ops of a model after the passes that simplify it."""
    ctx = context()
    module = read_onnx(path, ctx)
    for each in pipeline(Options(), "x86-64-v3"):
        each.apply(ctx, module)
        if isinstance(each, DeadCodeElimination):
            break
    return [op for op in module.walk() if isinstance(op, GraphOp)]


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", MODELS)
def test_no_shape_is_computed(name: str):
    ops = [op for op in simplified(MODELS[name]) if op.operands]
    assert ops
    whole_numbers = [
        op
        for op in ops
        for result in op.results
        if isinstance(result.type, TensorType)
        and dtype(tensor_type(result)).kind == "i"
    ]
    assert not whole_numbers
    assert not [op for op in ops if isinstance(op, DimOp)]


def test_the_models_do_compute_shapes():
    nodes = onnx.load(MODELS["version-RFB-320"]).graph.node
    assert {"Shape", "Gather", "Unsqueeze"} <= {each.op_type for each in nodes}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", MODELS)
def test_no_weight_is_computed(name: str):
    ops = [op for op in simplified(MODELS[name]) if op.operands]
    owners = [[each.owner for each in op.operands] for op in ops]
    stored = (StoredOp, ConstantOp)
    assert not [each for each in owners if all(isinstance(o, stored) for o in each)]
