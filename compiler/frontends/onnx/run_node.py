"""Run one node of ONNX, kept as a model of its own, by a reference of ONNX."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from functools import reduce
from importlib.util import find_spec
from typing import Any, cast

from ....dialects import Array
from ....dialects.graph.frameworks import Run
from ...session import CompileError
from ..foreign import imported


def run_by_reference(node: str, requires: Sequence[str]) -> Run:
    """
    What runs a node in Python, its op perhaps by one of the classes required.

    Raises `ImportError` where one is missing, `CompileError` for what is no node.
    """
    why = "nodes that have no op of ours"
    onnx: Any = imported("onnx", why)
    reference: Any = imported("onnx.reference", why)
    broken: Any = imported("google.protobuf.message", why)
    try:
        model = onnx.ModelProto.FromString(_decoded(node))
    except broken.DecodeError as error:
        raise _no_node(str(error)) from error
    classes = [*map(_class, requires)]
    try:
        evaluator = reference.ReferenceEvaluator(model, new_ops=classes)
    except (LookupError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise _no_node(str(error)) from error
    return _by(evaluator.run, evaluator.input_names)


def run_by_session(node: str, requires: Sequence[str]) -> Run:
    """What runs a node by ONNX Runtime."""
    model = _decoded(node)
    imported("onnxruntime", "nodes that only ONNX Runtime knows")
    if (session := session_of(model)) is None:
        raise ImportError("expected an ONNX Runtime that knows the node, got another")
    return _by(session.run, [each.name for each in session.get_inputs()])


def session_of(model: bytes) -> Any:
    """The session of a model; None where ONNX Runtime is missing or refuses it."""
    if find_spec("onnxruntime") is None:
        return None
    runtime: Any = imported("onnxruntime", "nodes that only ONNX Runtime knows")
    errors: Any = imported("onnxruntime.capi.onnxruntime_pybind11_state", "them")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return runtime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
    except (
        *(errors.Fail, errors.InvalidGraph, errors.NotImplemented),
        *(errors.InvalidProtobuf, errors.InvalidArgument),
    ):
        return None


def _by(run: Any, names: Sequence[str]) -> Run:
    """What runs a model of inputs that have these names."""

    def run_node(arrays: Sequence[Array], _: Sequence[int]) -> Sequence[Array]:
        return run(None, dict(zip(names, arrays, strict=True)))

    return run_node


def _decoded(node: str) -> bytes:
    """The bytes of a node; raises `CompileError` where its text has none."""
    try:
        return b64decode(node, validate=True)
    except ValueError as error:
        raise _no_node(str(error)) from error


def _no_node(got: str) -> CompileError:
    """The error for what is no node."""
    return CompileError(f"expected a node that is a model of ONNX, got {got}")


def _class(name: str) -> Any:
    """
    The class that a name such as `package.module:Class` means.

    Raises `ImportError` where there is none, and `CompileError` for what else is there.
    """
    module, _, path = name.partition(":")
    if not module or not path:
        raise CompileError(f"expected a class such as package.module:Class, got {name}")
    found = imported(module, f"nodes by its {path}")
    try:
        made: Any = reduce(getattr, path.split("."), found)
    except AttributeError as error:
        raise ImportError(
            f"expected a class {path} in the module {module}, got none", name=module
        ) from error
    base: Any = imported("onnx.reference.op_run", "nodes in Python")
    if not (isinstance(made, type) and issubclass(made, base.OpRun)):
        raise CompileError(
            f"expected {name} to be a subclass of onnx.reference.op_run.OpRun, got "
            f"{made!r}"
        )
    return cast("Any", made)
