"""What a reader raises when the compiler has no way to say what a node computes."""

from __future__ import annotations


class Unsupported(Exception):
    """A node that has no form in the graph dialect; the message is the reason."""
