"""Read a profile from YAML, which may be hostile: a fault is an error with its line."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..selective import Fields, Items, Node, Scalar, SelectionError, read_nodes
from ..session import CompileError, ProfileText, text_of_profile
from .histogram import HALF, LEAST_EXPONENT, MOST_EXPONENT, Counts, Histogram
from .profile import Profile
from .settings import Settings
from .write import VERSION

_KEYS = (
    *("version", "model", "schema", "calibration", "weight_bits", "keep"),
    *("products", "values"),
)
"""The keys of a file, which has each of them."""

_VALUE_KEYS = ("elements", "least", "greatest", "exponent", "first", "counts")
"""The keys of a value."""

_WHOLE = re.compile(r"-?[0-9]{1,18}")
"""A whole number that 64 bits hold."""

_COUNTS = re.compile(r"(?:[0-9]{1,18}(?:,[0-9]{1,18})*)?")
"""The counts of bins."""

_MOST_ELEMENTS = 2**53
"""The most elements of a value: sums of a thousand fit into 64 bits."""


def read_profile(path: str | Path) -> Profile:
    """The profile in a file; raises `CompileError`, also where there is no file."""
    found = text_of_profile(Path(path))
    assert found is not None, "a path has a profile, or an error"
    return parse_profile(found)


@lru_cache(maxsize=2)
def parse_profile(source: ProfileText) -> Profile:
    """The profile of an option; `CompileError` with the line for whatever is none."""
    name, data = source.name, source.text.encode()
    if not data.strip():
        raise CompileError(f"{name}: expected a profile, got nothing")
    try:
        node = read_nodes(data, name, len(data))
    except SelectionError as error:
        raise CompileError(str(error)) from error
    return _Reader(name).profile(node)


class _Reader:
    """What each key of a file holds."""

    def __init__(self, name: str):
        self.name = name

    def profile(self, node: Node) -> Profile:
        """The profile that a document is."""
        found = self.fields(node, _KEYS, "a profile")
        form = self.whole(found["version"], "version")
        if form != VERSION:
            raise self.error(
                found["version"],
                f"expected a profile of form {VERSION}, got {form}, of another version",
            )
        schema = self.text(found["schema"], "schema")
        way = self.text(found["calibration"], "calibration")
        keep = self.names(found["keep"], "keep")
        bits = self.whole(found["weight_bits"], "weight_bits")
        values = found["values"]
        if not isinstance(values, Fields):
            raise self.error(values, "expected a mapping of values")
        made = Profile(
            model=self.text(found["model"], "model"),
            values={k: self.histogram(each, k) for k, each in values.nodes.items()},
            products=self.names(found["products"], "products"),
        )
        try:
            return made.with_settings(Settings(schema, way, keep, bits))
        except CompileError as error:
            raise CompileError(f"{self.name}: {error}") from error

    def histogram(self, node: Node, name: str) -> Histogram:
        """What was seen of a value."""
        found = self.fields(node, _VALUE_KEYS, repr(name))
        elements, exponent, first = (
            self.whole(found[key], key) for key in ("elements", "exponent", "first")
        )
        least, greatest = (self.number(found[key]) for key in ("least", "greatest"))
        counts = self.counts(found["counts"], first)
        most = 2.0**exponent if LEAST_EXPONENT <= exponent <= MOST_EXPONENT else -1.0
        is_whole = 0 <= elements < _MOST_ELEMENTS and sum(counts.tolist()) == elements
        if not is_whole or not -most <= least <= greatest <= most:
            raise self.error(
                node,
                f"expected counts of {name!r:.80} that add up to its elements, in a "
                "range within its exponent, got others",
            )
        return Histogram(elements, least, greatest, exponent, counts)

    def counts(self, node: Node, first: int) -> Counts:
        """The counts of all bins; a file has them from the first that is not zero."""
        text = self.text(node, "counts")
        if not _COUNTS.fullmatch(text):
            raise self.error(node, f"expected counts such as 3,0,4, got {text!r:.60}")
        given = [int(each) for each in text.split(",")] if text else []
        if not 0 <= first <= 2 * HALF - len(given):
            raise self.error(
                node,
                f"expected at most {2 * HALF} counts, got {len(given)} from {first} on",
            )
        counts = np.zeros(2 * HALF, np.int64)
        counts[first : first + len(given)] = given
        return counts

    def fields(self, node: Node, keys: tuple[str, ...], what: str) -> dict[str, Node]:
        """A mapping with these keys and no others."""
        if not isinstance(node, Fields):
            raise self.error(node, f"expected a mapping for {what:.80}, got none")
        for key, line in node.lines.items():
            if key not in keys:
                raise CompileError(
                    f"{self.name}:{line}: expected keys {', '.join(keys)}, got "
                    f"{key!r:.80}"
                )
        if missing := [key for key in keys if key not in node.nodes]:
            raise self.error(
                node, f"expected {', '.join(missing)} of {what:.80}, got none"
            )
        return node.nodes

    def names(self, node: Node, what: str) -> tuple[str, ...]:
        """A list of names."""
        if not isinstance(node, Items):
            raise self.error(node, f"expected a list of names for {what}, got none")
        return tuple(self.text(each, what) for each in node.nodes)

    def text(self, node: Node, what: str) -> str:
        """A text."""
        if not isinstance(node, Scalar):
            raise self.error(node, f"expected a text for {what}, got a list or mapping")
        return node.text

    def whole(self, node: Node, what: str) -> int:
        """A whole number."""
        text = self.text(node, what)
        if not _WHOLE.fullmatch(text):
            raise self.error(
                node, f"expected a whole number for {what}, got {text!r:.60}"
            )
        return int(text)

    def number(self, node: Node) -> float:
        """A finite number."""
        text = self.text(node, "a number")
        try:
            found = float(text)
        except ValueError:
            found = float("nan")
        if not np.isfinite(found):
            raise self.error(node, f"expected a finite number, got {text!r:.60}")
        return found

    def error(self, node: Node, message: str) -> CompileError:
        """The error of a node."""
        return CompileError(f"{self.name}:{node.line}: {message}")
