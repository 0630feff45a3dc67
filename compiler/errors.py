"""The errors that users see: what was expected, what was found, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..runtime import TensorInfo, shortened

_SHOWN = 8
"""Names of nodes that a message lists for one op, before it only counts."""

_LONGEST = 4096
"""Characters of a message, at most."""

_LONG_WORD = re.compile(r"\S{400,}")
"""What may be a name of the model that a message shows as it is."""

MOST_OF_NAME = 200
"""Characters of a name in messages, at most; a name contains its callers' names."""

ADVICE = (
    "express each of them by ops that docs/ops.md lists (in ONNX a function of the "
    "model may do so), or end the model before them and compute them outside of it"
)
"""What a user can do about ops that the compiler does not know."""


class CompileError(ValueError):
    """
    A model or an option that cannot be compiled; the message is all that a user needs.

    A bug of ours is never this: it is an `AssertionError` or whatever Python raised.
    """

    def __init__(self, message: str = ""):
        # Whatever it shows of a model, nobody reads more.
        brief = _LONG_WORD.sub(lambda word: shortened(word[0], MOST_OF_NAME), message)
        super().__init__(shortened(brief, _LONGEST))


@dataclass(frozen=True)
class UnsupportedOp:
    """One node of a model whose op the compiler does not know, or not in this form."""

    op: str
    """The op as the model spells it: `Loop`, `ai.onnx.ml.Scaler`, `aten.fft_fft`."""

    node: str = ""
    """The node's name in the model, or nothing when it has none."""

    reason: str = ""
    """What of the op is unsupported, or nothing when all of it is."""

    inputs: tuple[str, ...] = ()
    """The inputs of the model for whose values, if they were known, it would be."""


class UnsupportedModelError(CompileError):
    """
    A model with ops that the compiler does not know; names all of them at once.

    `ops` is everything that was found, in the order of the model. The message has one
    line for each op and reason, with the names of the nodes. `inputs` and `outputs`
    are those of the model, where it tells them.
    """

    def __init__(
        self,
        ops: Iterable[UnsupportedOp],
        model: str = "the model",
        inputs: Iterable[TensorInfo] = (),
        outputs: Iterable[str] = (),
    ):
        self.ops = tuple(ops)
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        groups: dict[tuple[str, str], list[str]] = {}
        for each in self.ops:
            groups.setdefault((each.op, each.reason), []).append(each.node)
        lines = "\n".join(_line(*group, nodes) for group, nodes in groups.items())
        super().__init__(
            f"expected ops that the compiler knows, got {len(self.ops)} other nodes in "
            f"{shortened(model, MOST_OF_NAME)}:\n{lines}\n{ADVICE}"
        )

    @property
    def needed(self) -> frozenset[str]:
        """The inputs whose values would do for all ops; empty where they would not."""
        if any(not each.inputs for each in self.ops):
            return frozenset()
        return frozenset(name for each in self.ops for name in each.inputs)


def _line(op: str, reason: str, nodes: list[str]) -> str:
    """What a message says of the nodes that have one op, for one reason."""
    named = [node for node in nodes if node][:_SHOWN]
    names = [repr(shortened(node, MOST_OF_NAME)) for node in named]
    rest = len(nodes) - len(names)
    if rest:
        names.append(f"{rest} more" if names else f"{rest} without a name")
    why = f" ({reason})" if reason else ""
    return f"  {shortened(op)}{shortened(why, MOST_OF_NAME)}: {', '.join(names)}"


class ModelFileError(CompileError):
    """
    A file that holds no whole model: cut short, of another format, a sidecar missing.

    The message begins with the path of the file.
    """
