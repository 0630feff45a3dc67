"""
Write the C function that tells the weights of a model from others: `i32 name_check`.

It compares a sum of their words, each times an odd number of its own. So one word that
differs always shows, and several do unless by chance. A run with other weights would
read where they say, such as from rows that a table does not have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ....runtime import WORD

OTHER_WEIGHTS = -2
"""What the function returns for weights that are not those of the model."""

_FACTOR = 0x9E3779B97F4A7C15
"""What the number of a word is multiplied by, for its own odd number."""

_TEXT = """\
define i32 @{name}_check(ptr %constants) nounwind {{
entry:
  br label %head
head:
  %at = phi i64 [0, %entry], [%next, %word]
  %sum = phi i64 [0, %entry], [%sum.next, %word]
  %more = icmp ult i64 %at, {count}
  br i1 %more, label %word, label %done
word:
  %address = getelementptr inbounds i64, ptr %constants, i64 %at
  %value = load i64, ptr %address, align {word}
  %scaled = mul i64 %at, {factor}
  %odd = or i64 %scaled, 1
  %term = mul i64 %value, %odd
  %sum.next = add i64 %sum, %term
  %next = add nuw nsw i64 %at, 1
  br label %head
done:
  %same = icmp eq i64 %sum, {expected}
  %status = select i1 %same, i32 0, i32 {other}
  ret i32 %status
}}
"""


def sum_of_words(pieces: Iterable[npt.NDArray[np.uint8]]) -> tuple[int, int]:
    """The words of weights, which are whole in each piece, and their sum."""
    count, total = 0, 0
    for piece in pieces:
        words = piece.view(np.uint64)
        numbers = np.arange(count, count + words.size, dtype=np.uint64)
        odd: npt.NDArray[Any] = numbers * np.uint64(_FACTOR) | np.uint64(1)
        total += int(np.sum(words * odd, dtype=np.uint64))
        count += words.size
    return count, total % 2**64


def write_bundle_check(name: str, pieces: Iterable[npt.NDArray[np.uint8]]) -> str:
    """The module of the function `name_check` for the weights in these pieces."""
    count, expected = sum_of_words(pieces)
    return _TEXT.format(
        name=name,
        count=count,
        expected=_signed(expected),
        factor=_signed(_FACTOR),
        word=WORD,
        other=OTHER_WEIGHTS,
    )


def _signed(number: int) -> int:
    """A word as LLVM reads one."""
    return number - 2**64 if number >= 2**63 else number
