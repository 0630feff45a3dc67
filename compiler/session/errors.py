"""The errors that users see: what was expected, what was found, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from ...runtime.files import shortened
from ...runtime.program import TensorInfo
from .remedies import Cause, Framework, advice

_MAX_NODE_NAMES = 8
"""Names of nodes that a message lists for one op, before it only counts."""

_MAX_MESSAGE_LENGTH = 4096
"""Characters of a message, at most."""

_LONG_WORD = re.compile(r"\S{400,}")
"""What may be a name of the model that a message shows as it is."""

MOST_OF_NAME = 200
"""Characters of a name in messages, at most; a name contains its callers' names."""


class CompileError(ValueError):
    """
    A model or an option that cannot be compiled; the message is all that a user needs.

    A bug of ours is never this: it is an `AssertionError` or whatever Python raised.
    """

    def __init__(self, message: str = ""):
        # Whatever it shows of a model, nobody reads more.
        brief = _LONG_WORD.sub(lambda word: shortened(word[0], MOST_OF_NAME), message)
        super().__init__(shortened(brief, _MAX_MESSAGE_LENGTH))


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

    cause: Cause = Cause.OP
    """The kind of the reason, which decides what a user is told to do."""

    names: tuple[str, ...] = ()
    """The sizes that are the reason."""


class UnsupportedModelError(CompileError):
    """
    A model with ops that the compiler does not know; names all of them at once.

    `ops` is everything that was found, in the order of the model. The message has one
    line for each op and reason, with the names of the nodes, and a line for each thing
    that a user can do. `inputs` and `outputs` are those of the model, where it tells
    them.
    """

    def __init__(
        self,
        ops: Iterable[UnsupportedOp],
        model: str = "the model",
        inputs: Iterable[TensorInfo] = (),
        outputs: Iterable[str] = (),
        framework: Framework = "onnx",
    ):
        self.ops = tuple(ops)
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        groups: dict[tuple[str, str], list[str]] = {}
        for each in self.ops:
            groups.setdefault((each.op, each.reason), []).append(each.node)
        lines = [_line(*group, nodes) for group, nodes in groups.items()]
        tensors = {each.name for each in self.inputs if len(each.shape) > 1}
        causes = [each for op in self.ops for each in _causes(op, tensors)]
        lines += advice(causes, framework)
        count = f"{len(self.ops)} other node{'s' * (len(self.ops) != 1)}"
        super().__init__(
            f"expected ops that the compiler knows, got {count} in "
            + "\n".join([f"{shortened(model, MOST_OF_NAME)}:", *lines])
        )

    @property
    def needed(self) -> frozenset[str]:
        """The inputs whose values would do for all ops; empty where they would not."""
        if any(not each.inputs for each in self.ops):
            return frozenset()
        return frozenset(name for each in self.ops for name in each.inputs)


def _line(op: str, reason: str, nodes: list[str]) -> str:
    """What a message says of the nodes that have one op, for one reason."""
    named = [node for node in nodes if node][:_MAX_NODE_NAMES]
    names = [repr(shortened(node, MOST_OF_NAME)) for node in named]
    rest = len(nodes) - len(names)
    if rest:
        names.append(f"{rest} more" if names else f"{rest} without a name")
    why = f" ({reason})" if reason else ""
    return f"  {shortened(op)}{shortened(why, MOST_OF_NAME)}: {', '.join(names)}"


def _causes(
    op: UnsupportedOp, tensors: Set[str]
) -> list[tuple[Cause, tuple[str, ...]]]:
    """What may be done something about, with names; `tensors` are not pinned."""
    found: list[tuple[Cause, tuple[str, ...]]] = []
    if op.names or op.cause not in (Cause.SIZE, Cause.VALUE, Cause.BOUND):
        found.append((op.cause, op.names))
    if op.inputs and tensors.isdisjoint(op.inputs):
        found.append((Cause.VALUE, op.inputs))
    return found or [(Cause.OP, ())]


class ModelFileError(CompileError):
    """
    A file that holds no whole model: cut short, of another format, a sidecar missing.

    The message begins with the path of the file.
    """
