"""The artifacts that a cache keeps by key."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from hashlib import sha256
from io import FileIO
from typing import TYPE_CHECKING

from ..runtime import Cache
from ..runtime.library import Artifact, ArtifactError, load, save
from .session import OPS_NOTE, SPELLED_NOTE

if TYPE_CHECKING:
    from .ir import WeightStore

SUFFIX = ".sr"
"""How the name of an artifact ends."""


def key_of(*parts: str) -> str:
    """A hash of parts, each of them apart from the next."""
    result = sha256()
    for part in parts:
        data = part.encode(errors="surrogatepass")  # of a name that is no text
        result.update(len(data).to_bytes(8, "little"))
        result.update(data)
    return result.hexdigest()


def find_artifact(cache: Cache | None, key: str | None) -> Artifact | None:
    """The artifact with a key, if there is one."""
    if cache is None or key is None:
        return None
    file = cache.open(key, SUFFIX)
    if file is None:
        return None
    with file:
        try:
            found = load(file, key)
        except ArtifactError:
            # What is broken counts as absent: it is compiled and written again.
            return None
    if OPS_NOTE in found.notes or SPELLED_NOTE in found.notes:
        from .ir import are_as_noted

        # So does what was compiled with ops that users have changed since.
        return found if are_as_noted(found.notes) else None
    return found


def keep_artifact(
    cache: Cache | None, key: str | None, artifact: Artifact, weights: WeightStore
) -> FileIO | None:
    """
    Writes the artifact of a model with these weights; it, open for reading, or None
    where it cannot be kept.
    """
    if cache is None or key is None or not cache.writable:
        return None
    try:
        with ExitStack() as stack:
            with cache.create(key, SUFFIX) as file:
                save(file, artifact, key)
                if not weights.is_as_hashed():
                    raise OSError(errno.EBUSY, "weights that others write to")
                file.flush()
                # Whoever else keeps something may find that this is too large.
                kept = stack.enter_context(FileIO(os.dup(file.fileno())))
            stack.pop_all()
            return kept
    except OSError as error:
        # A full disk does not keep a model from running, nor do weights that were
        # changed meanwhile: but then this is not what its key says.
        if error.errno != errno.EBUSY:
            cache.warn_of(error)
        return None
