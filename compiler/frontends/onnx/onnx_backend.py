"""
ONNX's Backend API: a model or a node in, arrays out.

    from onnx.backend.test import BackendTest
    from static_runtime import onnx_backend

    tests = BackendTest(onnx_backend, __name__)

A value that an op needs when it is compiled is taken from the call, since ONNX's tests
of single nodes give such values as inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from onnx import IR_VERSION, ModelProto, NodeProto, ValueInfoProto, defs, helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from ....runtime.call import StaticModule
from ...compile import compile
from ...ir import context
from ...session import CompileError, Options, UnsupportedModelError
from .read import read

__all__ = [
    "StaticRuntimeBackend",
    "StaticRuntimeRep",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]

_OPTIONS = Options(bind="first-call")
"""How a model is compiled that comes without options."""


class StaticRuntimeRep(BackendRep):
    """A model that `prepare` compiled."""

    def __init__(self, module: StaticModule, names: Sequence[str]):
        """A module with the names of the outputs of its model."""
        self.module = module
        self._names = [*names]

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """
        The outputs of the model, by position and by name; `inputs` are in order, by
        name, or one array for the only input.
        """
        if isinstance(inputs, dict):
            results = self.module(**inputs)
        else:
            results = self.module(*_listed(inputs))
        # Several, or sequences, are a tuple.
        if type(results) is not tuple:
            results = (results,)
        several = cast("tuple[Any, ...]", results)
        return namedtupledict("Outputs", self._names)(*several)


class StaticRuntimeBackend(Backend):
    """Compiles models of ONNX, and runs them on the CPU."""

    @classmethod
    def is_compatible(
        cls, model: ModelProto, device: str = "CPU", **kwargs: Any
    ) -> bool:
        """Whether every node of a model is one that is compiled."""
        if not cls.supports_device(device):
            return False
        try:
            read(model, context())
        except UnsupportedModelError as error:
            return bool(error.needed)
        except CompileError:
            return False
        return True

    @classmethod
    def prepare(
        cls,
        model: ModelProto,
        device: str = "CPU",
        *,
        options: Options = _OPTIONS,
        target: str = "host",
        **kwargs: Any,
    ) -> StaticRuntimeRep:
        """
        The compiled model; `options` and `target` are those of `compile`.

        Raises what `onnx.checker` raises, and `CompileError` for a model that is not
        compiled, or for another device.
        """
        super().prepare(model, device)
        return cls._prepared(model, device, options, target)

    @classmethod
    def _prepared(
        cls, model: ModelProto, device: str, options: Options, target: str
    ) -> StaticRuntimeRep:
        """The compiled model, which ONNX has checked."""
        if not cls.supports_device(device):
            raise CompileError(f"expected the device CPU, got {device!r}")
        module = compile(model, target=target, options=options)
        return StaticRuntimeRep(module, [each.name for each in model.graph.output])

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] | None = None,
        *,
        options: Options = _OPTIONS,
        target: str = "host",
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """The results of a node; `inputs` are those that it names, in order."""
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        model = _model_of(node, inputs, kwargs.get("opset_version"))
        return cls._prepared(model, device, options, target).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether a device, such as `CPU` or `CUDA:1`, is the CPU."""
        name = device.partition(":")[0]
        return hasattr(DeviceType, name) and Device(device).type == DeviceType.CPU


def _listed(inputs: Any) -> list[Any]:
    """Several inputs, or the only one, as a list."""
    return [*inputs] if isinstance(inputs, list | tuple) else [inputs]


def _model_of(node: NodeProto, inputs: Any, opset: int | None) -> ModelProto:
    """The model of one node on arrays of these types."""
    names = [*dict.fromkeys(name for name in node.input if name)]
    arrays = _listed(inputs)
    if len(names) != len(arrays):
        raise CompileError(f"expected {len(names)} inputs, got {len(arrays)}")
    values: list[ValueInfoProto] = []
    for name, each in zip(names, arrays, strict=True):
        array = np.asarray(each)
        type = helper.np_dtype_to_tensor_dtype(array.dtype)
        values.append(helper.make_tensor_value_info(name, type, array.shape))
    # What the node gives is typed when it is read.
    results = [ValueInfoProto(name=name) for name in node.output if name]
    version = defs.onnx_opset_version() if opset is None else opset
    return helper.make_model(
        helper.make_graph([node], node.op_type, values, results),
        opset_imports=[helper.make_opsetid(node.domain, version)],
        ir_version=IR_VERSION,
    )


is_compatible = StaticRuntimeBackend.is_compatible
prepare = StaticRuntimeBackend.prepare
run_model = StaticRuntimeBackend.run_model
run_node = StaticRuntimeBackend.run_node
supports_device = StaticRuntimeBackend.supports_device
