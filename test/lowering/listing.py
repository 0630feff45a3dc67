"""What tests of assembly look for."""

import re


def loops(text: str) -> list[str]:
    """The loops of one block in assembly: from a label to the jump back to it."""
    found: list[str] = []
    for block in re.split(r"^(?=\.LBB\w+:)", text, flags=re.MULTILINE):
        label = re.escape(block.split(":")[0])
        loop = re.match(rf"(?s).*?\bj\w+\s+{label}$", block, re.MULTILINE)
        found += [] if loop is None else [loop[0]]
    return found
