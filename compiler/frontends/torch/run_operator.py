"""Call an operator of PyTorch with the arguments that a program keeps of the call."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, cast

from ....dialects import Array
from ....dialects.graph.frameworks import Run
from ...session import CompileError
from ..foreign import imported


def run_by_torch(node: str, requires: Sequence[str]) -> Run:
    """
    What calls an operator; the modules required are those that define it.

    Raises `ImportError` where one is missing, `CompileError` for what is no call.
    """
    torch: Any = imported("torch", "operators that we have no op for")
    call = _read(node)
    operator = _find(torch, call["operator"], requires)

    def run(arrays: Sequence[Array], numbers: Sequence[int]) -> Sequence[Array]:
        tensors: list[Any] = [torch.from_numpy(each) for each in arrays]

        def item(at: int) -> Any:
            return tensors[at].item()

        read: dict[str, Callable[[Any], Any]] = {
            "tensor": tensors.__getitem__,
            "item": item,
            "size": numbers.__getitem__,
            "torch": partial(getattr, torch),
            "device": torch.device,
        }

        def argument(value: Any) -> Any:
            if isinstance(value, list):
                return [*map(argument, cast("list[Any]", value))]
            if isinstance(value, dict):
                ((kind, what),) = cast("dict[str, Any]", value).items()
                return read[kind](what)
            return value

        try:
            named = {name: argument(each) for name, each in call["kwargs"].items()}
            plain = [*map(argument, call["args"])]
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            raise _no_call(f"arguments that cannot be read: {error}") from error
        with torch.no_grad():
            result = operator(*plain, **named)
        is_one: bool = isinstance(result, torch.Tensor)
        results: Any = [result] if is_one else result
        try:
            kept = [results[at].detach() for at in call["results"]]
        except (LookupError, TypeError, AttributeError) as error:
            raise _no_call(f"results that it has not: {error}") from error
        return [each.cpu().numpy() for each in kept]

    return run


def _read(node: str) -> dict[str, Any]:
    """The call that a node is; raises `CompileError` if it is none."""
    try:
        call: Any = json.loads(node)
    except (ValueError, RecursionError) as error:
        raise _no_call(str(error)) from error
    parts = {"operator": str, "args": list, "kwargs": dict, "results": list}
    if not isinstance(call, dict):
        raise _no_call(type(call).__name__)
    found = cast("dict[str, Any]", call)
    for name, kind in parts.items():
        if not isinstance(found.get(name), kind):
            raise _no_call(f"one whose {name} is no {kind.__name__}")
    return found


def _no_call(got: str) -> CompileError:
    """The error for a node that is no call."""
    return CompileError(f"expected a node that is a call of PyTorch, got {got}")


def _find(torch: Any, name: str, modules: Sequence[str]) -> Any:
    """
    The operator of a name; raises `ImportError` where nothing defines it, and
    `CompileError` for another attribute of `torch.ops`, such as a function that loads
    a library.
    """
    for module in (None, *modules):
        if module is not None:
            imported(module, f"the operator {name}")
        try:
            found = reduce(getattr, name.split("."), torch.ops)
        except (AttributeError, RuntimeError):
            continue
        if not isinstance(found, torch._ops.OpOverload):
            raise CompileError(
                "expected an operator of PyTorch such as aten.add.Tensor, got "
                f"{name}, which is {type(found).__name__}"
            )
        return found
    raise ImportError(
        f"expected an operator {name} of PyTorch, got none; import the module that "
        "defines it before the model runs"
    )
