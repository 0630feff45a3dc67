"""What a user can do about a model that is refused: a sentence for each cause."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Literal, NamedTuple, TypeAlias

Framework: TypeAlias = Literal["onnx", "torch"]
"""In whose words a user is told what to do."""

_MAX_REMEDY_NAMES = 8
"""Names that a remedy lists."""


class Cause(Enum):
    """Why a part of a model is refused."""

    OP = "ops"
    FOREIGN = "foreign ops"
    GRAPHS = "ops that take graphs"
    UNREGISTERED = "ops of other domains"
    PROCESSOR = "ops for one processor"
    ELEMENT = "element types"
    SHAPE = "shapes"
    TRAINING = "training"
    RANDOM = "numbers at random"
    SIZE = "sizes that vary"
    VALUE = "values that only a run knows"
    BOUND = "sizes that only a run knows"


class _Remedy(NamedTuple):
    """What helps, in the words of each framework."""

    onnx: str
    torch: str


def how_to_register(name: str) -> str:
    """What to do about an op that nobody has registered."""
    return (
        f"register {name} with static_runtime.register_op, or install the package "
        "whose entry point in static_runtime.ops does so (docs/custom_ops.md)"
    )


_REGISTER = how_to_register("each of them")

_SEED = (
    "compile with Options(seed=0), by which each call draws the same numbers, or "
    'Options(seed="input"), by which each call is given a seed'
)

_REMEDIES: dict[Cause, _Remedy] = {
    Cause.OP: _Remedy(
        "express each of them by ops that docs/ops.md lists (a function of the model "
        "may do so), end the model before them and compute them outside of it, or "
        'compile with Options(fallback="foreign"), by which ONNX runs them in '
        "Python where the types of their results are known",
        "compute the same by operators that docs/ops.md lists, return what they are "
        "computed from and do the rest outside of the module, or compile with "
        'Options(fallback="foreign"), by which PyTorch runs them',
    ),
    Cause.FOREIGN: _Remedy(
        "let value_info of the model declare the types of their results, by names of "
        "its inputs' sizes, and give Options(foreign_ops=...) a class for each op of a "
        "domain of your own (docs/coverage.md)",
        "return dense tensors of sizes that follow from those of the inputs, and "
        "change no operand (docs/coverage.md)",
    ),
    Cause.GRAPHS: _Remedy(
        "express each of them by ops without graphs, or end the model before them and "
        "compute them outside of it",
        "compute the same by operators on tensors alone, or by torch.cond, while_loop "
        "or scan, or return what they are computed from and do the rest outside of the "
        "module; PyTorch runs none of them by itself",
    ),
    Cause.UNREGISTERED: _Remedy(
        f'{_REGISTER}, with SPELLINGS = ("onnx.<domain>.<op>",), or compile with '
        'Options(fallback="foreign"), and with foreign_ops, which run in Python',
        f'{_REGISTER}, with SPELLINGS = ("<namespace>.<op>.<overload>",), or compile '
        'with Options(fallback="foreign"), by which PyTorch runs them',
    ),
    Cause.PROCESSOR: _Remedy(
        "save the model again by ONNX Runtime with graph_optimization_level = "
        "ORT_ENABLE_EXTENDED, which keeps channels as they are, or compile the model "
        "that it was made of",
        "leave out what is of one processor",
    ),
    Cause.ELEMENT: _Remedy(
        "cast them outside of the model to a type that it may have",
        "convert them outside of the module, as by .to(torch.int64)",
    ),
    Cause.SHAPE: _Remedy(
        "give each input a shape, in which a size may be a name, as "
        "FloatTensorType([None, 6]) of skl2onnx does, or input.type.tensor_type.shape "
        "of the model",
        "give the exporter tensors, each with a shape",
    ),
    Cause.TRAINING: _Remedy(
        "export the model for inference, as from PyTorch in eval mode",
        "export the model in eval mode, and leave training=True out; a tensor that it "
        "changes it may take as an input, and return the new one",
    ),
    Cause.RANDOM: _Remedy(
        f"{_SEED}, or give each node an attribute seed",
        f"{_SEED}, or give the module its numbers at random as an input",
    ),
    Cause.SIZE: _Remedy(
        "give the inputs a number for {names}, as onnxruntime.tools."
        "make_dynamic_shape_fixed does",
        "leave {names} out of dynamic_shapes, so that torch.export takes a number",
    ),
    Cause.VALUE: _Remedy(
        'compile with constants={{{values}}}, or Options(bind="first-call"), which '
        "compiles for each value that a call has",
        "make them attributes of the module, or Python numbers",
    ),
    Cause.BOUND: _Remedy(
        "compile with Options(bounds={{{bounds}}}), or whatever is the most",
        "torch._check({first} >= 0) and torch._check({first} <= 4096) of the number "
        "in the model, or Options(bounds={{{bounds}}}), or whatever is the most",
    ),
}
"""What helps against each cause; the names are those of sizes or of inputs."""


def advice(
    causes: Iterable[tuple[Cause, Iterable[str]]], framework: Framework
) -> list[str]:
    """A line for each cause, with all the names that it is told of."""
    found: dict[Cause, dict[str, None]] = {}
    for cause, names in causes:
        found.setdefault(cause, {}).update(dict.fromkeys(names))
    lines: list[str] = []
    for cause, names in found.items():
        shown = [repr(each) for each in names][:_MAX_REMEDY_NAMES]
        text = getattr(_REMEDIES[cause], framework).format(
            names=", ".join(shown),
            first=next(iter(names), ""),
            values=", ".join(f"{each}: ..." for each in shown),
            bounds=", ".join(f"{each}: 4096" for each in shown),
        )
        lines.append(f"{cause.value}: {text}")
    return lines
