"""What a text says is a call of PyTorch is refused with a sentence if it is none."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.frontends.torch.run_operator import run_by_torch

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

CALL: dict[str, Any] = {
    "operator": "aten.neg.default",
    "args": [{"tensor": 0}],
    "kwargs": {},
    "results": [0],
}


def run(**changed: Any) -> Any:
    """The result of the call of an array, with some parts changed."""
    node = json.dumps({**CALL, **changed})
    (found,) = run_by_torch(node, [])([np.ones(2, np.float32)], [])
    return found


def test_an_operator_is_called():
    np.testing.assert_array_equal(run(), [-1, -1])


@pytest.mark.parametrize(
    "name", ["load_library", "import_module", "aten.neg", "aten.__class__"]
)
def test_only_operators_are_called(name: str):
    with pytest.raises(sr.CompileError, match=rf"expected an operator .* got {name}"):
        run(operator=name)


def test_an_operator_that_nobody_defines():
    with pytest.raises(ImportError, match=r"expected an operator acme\.no\.one"):
        run(operator="acme.no.one")


@pytest.mark.parametrize(
    "changed",
    [
        {"operator": 3},
        {"args": 3},
        {"args": [{"tensor": 7}]},
        {"args": [{"tensor": 0, "size": 0}]},
        {"kwargs": {"x": {"other": 0}}},
        {"results": [3]},
        {"results": ["a"]},
    ],
)
def test_what_is_no_call_is_refused(changed: Any):
    with pytest.raises(sr.CompileError, match="expected a node that is a call of"):
        run(**changed)


@pytest.mark.parametrize("node", ["{", "[]", "{}"])
def test_text_that_is_no_call_is_refused(node: str):
    with pytest.raises(sr.CompileError, match="expected a node that is a call of"):
        run_by_torch(node, [])
