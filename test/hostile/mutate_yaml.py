"""Mutants of YAML: lines moved, indented or doubled, and words put in their places."""

from __future__ import annotations

from random import Random

from .mutate import NAMES, mutate_bytes

WORDS = (
    *("&a", "*a", "<<: *a", "!!str", "!!python/name:os.system", "!!binary", "---"),
    *("...", "%YAML 1.1", "? ", "- ", "- - - ", ": ", "{", "}", "[", "]", "|", ">-"),
    *("'", '"', "\\", '"\\U7fffffff"', '"\\ud800"', "#", "\t", "null", "true", "1e9"),
    *("v1/", "v1/6;0,1|7;", "2001-01-01", "0o17", "1:2:3", ".nan", "[" * 3000),
    *("operators:", "kernel_metadata:", "et_kernel_metadata:", "custom_classes:"),
)
"""What means something in YAML, or in a selection."""


def mutate_yaml(random: Random, data: bytes, other: bytes) -> bytes:
    """`data` with a few of its lines or bytes changed."""
    lines = data.decode().split("\n")
    others = other.decode().split("\n")
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(lines))
        match random.randrange(8):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, random.choice(others))
            case 2:
                lines.insert(random.randrange(len(lines)), lines[at])
            case 3:
                lines[at] = " " * random.randrange(9) + lines[at].lstrip()
            case 4:
                lines[at] += random.choice(WORDS)
            case 5:
                place = random.randrange(len(lines[at]) + 1)
                word = random.choice((*WORDS, *NAMES))
                lines[at] = lines[at][:place] + word + lines[at][place:]
            case 6:
                key, colon, _ = lines[at].partition(":")
                lines[at] = key + colon + " " + random.choice((*WORDS, *NAMES))
            case _:
                lines.insert(at, random.choice(WORDS))
        if not lines:
            return b""
    changed = "\n".join(lines).encode(errors="surrogatepass")
    return mutate_bytes(random, changed, other) if random.random() < 0.2 else changed
