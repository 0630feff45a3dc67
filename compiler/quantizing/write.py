"""Write a profile as YAML, each histogram with a line of the counts of its bins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from .histogram import Histogram
from .settings import Settings

VERSION = 1
"""The number of the form of the file."""


def yaml_of(
    model: str,
    settings: Settings,
    products: Sequence[str],
    values: Mapping[str, Histogram],
) -> str:
    """The text of a profile; equal ones have equal texts. Names are quoted as JSON."""
    lines = [
        f"version: {VERSION}",
        f"model: {_quoted(model)}",
        f"schema: {settings.schema}",
        f"calibration: {settings.calibration}",
        f"weight_bits: {settings.weight_bits}",
        *_listed("keep", settings.keep),
        *_listed("products", products),
        "values:" if values else "values: {}",
    ]
    for name, seen in values.items():
        filled = np.flatnonzero(seen.counts)
        first, end = (filled[0], filled[-1] + 1) if filled.size else (0, 0)
        counts = ",".join(map(str, seen.counts[first:end].tolist()))
        lines += [
            f"  {_quoted(name)}:",
            f"    elements: {seen.elements}",
            f'    least: "{seen.least!r}"',
            f'    greatest: "{seen.greatest!r}"',
            f"    exponent: {seen.exponent}",
            f"    first: {first}",
            f'    counts: "{counts}"',
        ]
    return "\n".join([*lines, ""])


def _listed(key: str, names: Sequence[str]) -> list[str]:
    """A list of names."""
    if not names:
        return [f"{key}: []"]
    return [f"{key}:", *(f"  - {_quoted(each)}" for each in names)]


def _quoted(name: str) -> str:
    """A name as YAML reads it, whatever it has."""
    return json.dumps(name)
