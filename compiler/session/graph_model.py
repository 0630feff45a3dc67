"""`GraphModel`: a model as its front end made it: textual IR, and weights by name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...runtime.files import Array


@dataclass(frozen=True)
class GraphModel:
    """What any process compiles to the same bits, with no framework and no file."""

    text: str
    """The module of the graph dialect, with the locations that messages name."""

    weights: Mapping[str, Array]

    digest: str
    """That of text and weights, as they were when it was made."""

    @property
    def nbytes(self) -> int:
        """The bytes of text and weights."""
        return len(self.text) + sum(each.nbytes for each in self.weights.values())

    @property
    def is_whole(self) -> bool:
        """Whether text and weights have the digest that was noted."""
        return digest_of_model(self.text, digest_of_arrays(self.weights)) == self.digest


def digest_of_model(text: str, weights: str) -> str:
    """The digest of a model, of its text and the digest of its weights."""
    return hashlib.sha256(
        f"{weights}\n{text}".encode(errors="surrogatepass")
    ).hexdigest()


def digest_of_arrays(arrays: Mapping[str, Array]) -> str:
    """A hash of arrays: names, dtypes, shapes and bytes."""
    result = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        result.update(f"{name} {array.dtype} {array.shape}\n".encode())
        result.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return result.hexdigest()
