"""A model as data that was changed is an error when it is loaded, and never runs."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from static_runtime.compiler.library.data_model import make_data_model
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.files.regular_file import open_regular
from static_runtime.runtime.library.artifact import Artifact, ArtifactError, load, save
from static_runtime.runtime.library.data_model import IS_DATA, DataModel
from static_runtime.runtime.library.model_image import Head

from ...compiler.tracing.models import BRANCH

KEY = "runtime 1"

NOTES: list[tuple[str, object]] = [
    (IS_DATA, -1),
    (IS_DATA, "many"),
    (IS_DATA, 3),
    ("kernels", None),
    ("kernels", []),
    ("arguments", [1]),
    ("arguments", [2**40, 2**40]),
    ("uses", []),
    ("uses", [{}]),
    ("calls", ["one"]),
    ("calls", [10**6]),
    ("needs", {"operators": 3}),
]
"""Notes of a model, and what they cannot be."""


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    """A model as data."""
    return make_data_model(BRANCH, Options()).artifact


def read(path: Path) -> DataModel:
    """The model in a file."""
    with open_regular(path) as file:
        return DataModel.of(load(file, KEY))


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.soak)])
def test_a_changed_file_is_refused(artifact: Artifact, tmp_path: Path, count: int):
    file, path = BytesIO(), tmp_path / "model.sr"
    save(file, artifact, KEY)
    data = file.getvalue()
    path.write_bytes(data)
    known = read(path)
    random = np.random.default_rng(count)
    for _ in range(count):
        changed = bytearray(data)
        match int(random.integers(3)):
            case 0:
                at = int(random.integers(len(data)))
                changed[at] ^= int(random.integers(1, 256))
            case 1:
                del changed[int(random.integers(len(data))) :]
            case _:
                at, size = (int(random.integers(len(data))) for _ in range(2))
                changed[at : at + size % 64] = random.bytes(size % 64)
        path.write_bytes(changed)
        try:
            found = read(path)
        except (ArtifactError, ValueError):
            continue
        # Spaces at the end of the header mean nothing.
        assert found.code.tobytes() == known.code.tobytes()
        assert (found.kernels, found.uses) == (known.kernels, known.uses)


@pytest.mark.parametrize(("name", "value"), NOTES)
def test_notes_that_do_not_fit_are_refused(
    artifact: Artifact, name: str, value: object
):
    notes = cast(dict[str, Any], json.loads(json.dumps(artifact.notes)))
    notes[name] = value
    with pytest.raises(ValueError, match="expected"):
        DataModel.of(replace(artifact, notes=notes))
    del notes[name]
    with pytest.raises(ValueError, match="expected a model as data"):
        DataModel.of(replace(artifact, notes=notes))


@pytest.mark.parametrize(
    "place",
    [*range(Head.CONSTANTS, Head.REFUSALS), *range(Head.CONTEXT, Head.SYMBOL_TABLE)],
)
def test_a_head_that_is_of_another_program_is_refused(artifact: Artifact, place: int):
    words = np.frombuffer(artifact.objects[0], np.int64)
    for value in (-1, words[place] - 1, words[place] + 1, 2**62):
        changed = words.copy()
        changed[place] = value
        if place in (Head.REGISTERS, Head.PLAN_REGISTERS) and value == words[place] + 1:
            continue  # one that nothing uses
        with pytest.raises(ValueError, match="expected"):
            DataModel.of(replace(artifact, objects=[changed.tobytes()]))


def test_constants_of_another_size_are_refused(artifact: Artifact):
    more = np.zeros(artifact.constants.nbytes + 64, np.uint8)
    with pytest.raises(ValueError, match="in the head of an image, got 0 at CONSTANTS"):
        DataModel.of(replace(artifact, constants=more))


def test_code_that_does_not_fit_is_refused(artifact: Artifact):
    (code,) = artifact.objects
    words = np.frombuffer(code, np.int64).copy()
    random = np.random.default_rng(5)
    # Tables and texts are for C alone.
    end = words[Head.PLAN_CODE] + words[Head.PLAN_WORDS]
    places = [*range(len(Head)), *range(words[Head.CODE], end)]
    refused = 0
    for _ in range(300):
        changed = words.copy()
        changed[random.choice(places)] = random.integers(-(2**40), 2**40)
        try:
            DataModel.of(replace(artifact, objects=[changed.tobytes()]))
        except ValueError:
            refused += 1
    # What is left are numbers that stand for themselves.
    assert refused > 150
    with pytest.raises(ValueError, match="expected a model as data"):
        DataModel.of(replace(artifact, objects=[]))
    with pytest.raises(ValueError, match="expected"):
        DataModel.of(replace(artifact, objects=[code[:-8]]))
