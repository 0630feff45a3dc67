"""How much a message shows of text that others wrote."""

from __future__ import annotations

from collections.abc import Iterable


def shortened(text: str, most: int = 80) -> str:
    """The beginning and the end of a text, with `most` characters together."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 3]}...{text[len(text) - tail :]}"


def listed(names: Iterable[str]) -> str:
    """Names one after the other, each and all of them shortened."""
    return shortened(", ".join(map(shortened, names)), 800)
