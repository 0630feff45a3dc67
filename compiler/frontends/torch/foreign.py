"""
Calls of operators of PyTorch that we have no reader for: PyTorch runs them.

An operator becomes a `graph.foreign`, with the types that it has in the exported
program. Its arguments are kept as JSON, in which operands and sizes have numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload
from xdsl.ir import SSAValue

from ....dialects import Dim, Polynomial, Tensor
from ....dialects.graph import ForeignOp
from ..foreign import TORCH
from ..unsupported import Foreign, Unsupported
from .arguments import Item, Value, resolve
from .sizes import Sizes

_OF_MEMORY = ("aten.as_strided", "aten.set_", "aten.resize")
"""How operators begin that depend on how their operands lie in memory."""

_definitions: Any = import_module("torch._library.custom_ops")


@dataclass
class _Arguments:
    """The arguments of a call as JSON values."""

    values: Mapping[fx.Node, Value]
    sizes: Sizes
    operands: list[SSAValue] = field(default_factory=list[SSAValue])
    numbers: list[Dim] = field(default_factory=list[Dim])

    def read(self, argument: Any) -> Any:
        """An argument; raises as `resolve` does."""
        value = argument
        if isinstance(value, SSAValue):
            return {"tensor": self.operand(argument)}
        match argument:
            case fx.Node():
                known = self.values.get(argument)
                if isinstance(known, Item):
                    return {"item": self.operand(known.tensor)}
                return self.read(resolve(argument, self.values))
            case None | bool() | int() | float() | str():
                return argument
            case torch.SymInt():
                return self.read(self.sizes.dim(argument))
            case Polynomial():
                self.numbers.append(argument)
                return {"size": len(self.numbers) - 1}
            case [*several]:
                return [self.read(each) for each in several]
            case torch.dtype() | torch.layout() | torch.memory_format():
                return {"torch": str(argument).removeprefix("torch.")}
            case torch.device():
                return {"device": "cpu"}
            case _:
                raise Foreign(f"an argument of type {type(argument).__name__}")

    def operand(self, value: SSAValue) -> int:
        """The number of an operand."""
        if value not in self.operands:
            self.operands.append(value)
        return self.operands.index(value)


def foreign_call(
    node: fx.Node, values: Mapping[fx.Node, Value], sizes: Sizes
) -> SSAValue | list[SSAValue | None]:
    """
    Builds the call of an operator that PyTorch runs; returns its results.

    Raises `Foreign` where that cannot be, and `Missing` for a lost argument.
    """
    operator = node.target
    if not isinstance(operator, OpOverload):
        raise Foreign("no operator of PyTorch by itself")
    name = str(operator)
    if name.startswith(_OF_MEMORY):
        raise Foreign("it depends on how its operand lies in memory")
    foreseen: Any = node.meta["val"]
    is_one = isinstance(foreseen, torch.Tensor)
    results: list[Any] = [foreseen] if is_one else list(foreseen)
    try:
        arguments = _Arguments(values, sizes)
        call: dict[str, Any] = {
            "args": [arguments.read(each) for each in node.args],
            "kwargs": {key: arguments.read(x) for key, x in node.kwargs.items()},
            "results": [at for at, x in enumerate(results) if x is not None],
        }
        types = [_type(each, sizes) for each in results if each is not None]
    except Foreign:
        raise
    except Unsupported as why:
        raise Foreign(str(why)) from why
    tags: Any = getattr(operator, "tags", ())
    if torch.Tag.nondeterministic_seeded in tags:
        call["node"] = node.name  # so that no two are the same
    what = TORCH, name, json.dumps({"operator": name, **call})
    op = ForeignOp.of(
        arguments.operands, *what, _modules_of(operator), types, arguments.numbers
    )
    if is_one:
        return op.results[0]
    made = iter(op.results)
    return [None if each is None else next(made) for each in results]


def _type(result: Any, sizes: Sizes) -> Tensor:
    """The type of a result."""
    if not isinstance(result, torch.Tensor):
        raise Foreign(f"a result that is no tensor, but {type(result).__name__}")
    return sizes.type(result)


def _modules_of(operator: OpOverload) -> list[str]:
    """The modules to import where an operator is not known: that which defines it."""
    definition = _definitions.OPDEFS.get(operator.name().partition(".")[0])
    module = getattr(getattr(definition, "_init_fn", None), "__module__", "__main__")
    return [] if module == "__main__" else [module]
