"""What a text says is a node of ONNX is refused with a sentence if it is none."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

import static_runtime as sr
from static_runtime.compiler.frontends.onnx.run_node import run_by_reference

from . import acme

TWICE = f"{acme.__name__}:Twice"


def node() -> str:
    """A model of one node of our domain, as text."""
    x, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"
    )
    made = helper.make_node("Twice", ["x"], ["y"], domain="acme")
    model = helper.make_model(
        helper.make_graph([made], "g", [x], [y]),
        opset_imports=[helper.make_opsetid("acme", 1)],
        ir_version=10,
    )
    return b64encode(model.SerializeToString()).decode()


def test_a_node_is_run_by_its_class():
    (found,) = run_by_reference(node(), [TWICE])([np.ones(2, np.float32)], [])
    np.testing.assert_array_equal(found, [2, 2])


@pytest.mark.parametrize("text", ["{", "AAAA"])
def test_what_is_no_node_is_refused(text: str):
    with pytest.raises(sr.CompileError, match="expected a node that is a model of"):
        run_by_reference(text, [])


def test_a_node_without_its_class_is_refused():
    with pytest.raises(sr.CompileError, match="expected a node that is a model of"):
        run_by_reference(node(), [])


@pytest.mark.parametrize("name", ["os:system", f"{Path.__module__}:Path"])
def test_only_classes_of_onnx_run_nodes(name: str):
    with pytest.raises(sr.CompileError, match="to be a subclass of"):
        run_by_reference(node(), [name])


def test_names_that_are_no_class():
    with pytest.raises(sr.CompileError, match="expected a class such as"):
        run_by_reference(node(), ["os"])
    with pytest.raises(ImportError, match="expected a class Nobody in the module"):
        run_by_reference(node(), [f"{acme.__name__}:Nobody"])
