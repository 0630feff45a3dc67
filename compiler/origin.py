"""
`Origin`: what a model was read from, as far as keys and artifacts say it.

It says the same on any machine, and has no path. By it an artifact is found for a
module that was pickled, and a source is known to be the one that was compiled.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..runtime.files import reason
from .building import alone
from .kept_model import MAX_KEPT_BYTES
from .session import (
    CompileError,
    Given,
    GraphModel,
    ModelFileError,
    SourceFile,
    digest_of,
    digest_of_model,
    is_as_noted,
)

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from .ir import SrContext, WeightStore

_FILES, _PARTS, _GRAPH = "files", "parts", "graph"
"""The names of the notes of an artifact."""


@dataclass(frozen=True)
class Origin:
    """By what the artifact of a model is found, whatever the machine."""

    parts: tuple[str, ...]
    """What a key says of the model, and of the constants that are given with it."""

    files: dict[str, Any]
    """What was read of other files than the model's own."""

    @staticmethod
    def of(notes: Mapping[str, Any]) -> Origin:
        """The origin that an artifact notes."""
        return Origin(tuple(notes[_PARTS]), notes[_FILES])

    def has_its_files_in(self, folder: Path) -> bool:
        """Whether the other files are as they were, in the folder of the model."""
        return all(is_as_noted(folder, *each) for each in self.files.items())


def origin_note(
    parts: tuple[str, ...], files: Mapping[str, Any], graph: GraphModel | None
) -> dict[str, Any]:
    """What an artifact notes of its origin, and of the model that was kept of it."""
    plain = json.loads(json.dumps(files))
    return {_PARTS: parts, _FILES: plain, _GRAPH: graph and graph.digest}


def graph_of(notes: Mapping[str, Any]) -> str | None:
    """The digest of the model that was kept of what an artifact was made from."""
    return notes[_GRAPH]


def parts_of(source: Any, given: Given, threads: int) -> tuple[str, ...] | None:
    """What a key says of a source, if that need not be read for it."""
    match source:
        case Path():
            parts = "file", source.suffix, digest_of(source, threads)
        case SourceFile():
            parts = "file", source.path.suffix, source.digest(threads)
        case GraphModel():
            parts = "ir", source.digest
        case str():
            parts = "data", sha256(source.encode(errors="surrogatepass")).hexdigest()
        case bytes():
            parts = "data", sha256(source).hexdigest()
        case _:
            return None
    return *parts, *given.key_parts()


def is_long(source: Any) -> bool:
    """Whether a source takes memory that is not to be kept as long as its module."""
    return isinstance(source, str | bytes) and len(source) > MAX_KEPT_BYTES


def graph_model(module: ModuleOp, weights: WeightStore) -> GraphModel:
    """What a front end has made of a model."""
    from .ir import printed

    # With locations, which messages of the compiled model name.
    text = printed(module)
    digest = digest_of_model(text, weights.digest())
    return GraphModel(text, dict(weights.arrays), digest)


class Source(Protocol):
    """What reads the source of a model."""

    model: Any

    def source(self) -> Any:
        """What the front end reads."""
        ...

    def front_end(self, model: Any) -> Callable[[SrContext], ModuleOp]:
        """What reads the source into the graph dialect."""
        ...

    def parts_of(self, source: Any) -> tuple[str, ...] | None:
        """What a key says of a source."""
        ...


def read_again(made: Source, origin: Origin) -> GraphModel:
    """
    The model of an origin, as the front end makes it of its source.

    Raises `CompileError` for a source that is gone, or another one by now.
    """
    from .ir import context

    try:
        source, ctx = made.source(), context()
        with alone():
            module = made.front_end(source)(ctx)
    except (OSError, ModelFileError) as error:
        got = reason(error) if isinstance(error, OSError) else error
        raise _changed(made.model, got) from error
    plain = json.loads(json.dumps(ctx.weights.files))
    if Origin(made.parts_of(source) or (), plain) != origin:
        raise _changed(made.model, "one that was changed since")
    return graph_model(module, ctx.weights)


def portable(model: Any) -> Any:
    """An ONNX model as its bytes; raises `CompileError` where its files are gone."""
    if isinstance(model, Path):
        from .frontends.onnx import read_whole

        return read_whole(model)
    return model if isinstance(model, str | bytes) else model.SerializeToString()


def _changed(model: Any, got: object) -> CompileError:
    """The error of a source that is not what a module was compiled from."""
    return CompileError(
        f"{model}: expected the model that a module was compiled from, to pickle or to "
        f"copy the module, got {got}; compile the model again, or pickle its module "
        "while its files are as they were"
    )
