"""
The image of a model as data: all that a run needs but the constants, as words.

It is an array of 64-bit words, from which Python (`data_model.py`) and C
(`compiler/library/sr.h`) read the same bytecode. What is in it is found by the words of
its head; texts are UTF-8 that ends with a zero. In the file of a model it is the last
but a digest, so that its last words say where it begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..abi import Words
from ..plan import PlanCode, PlanLayout
from ..program import Program

MAGIC = int.from_bytes(b"sr.model", "little")
"""The first word of an image."""

FOOT = 2
"""
Words at the end: the sum of the constants and of all words before, and how many words
the image has.
"""


class Head(IntEnum):
    """The words of the head: counts, and where tables begin, in words from it."""

    MAGIC = 0
    VERSION = 1
    """What the kernels of a library must be of."""
    CONSTANTS = 2
    """The bytes of the constants, which are before the image."""
    SYMBOLS = 3
    """How many symbols there are; their table has a name, the least and the most."""
    INPUTS = 4
    OUTPUTS = 5
    DEFINED = 6
    """How many symbols a run defines."""
    KERNELS = 7
    CALLS = 8
    REFUSALS = 9
    """How many statuses a plan may have beside zero; their table has texts."""
    CONTEXT = 10
    """Fields of a context."""
    PLAN = 11
    """Fields of a plan."""
    ROW = 12
    """The field of a plan at which the row begins."""
    REGISTERS = 13
    PLAN_REGISTERS = 14
    SYMBOL_TABLE = 15
    TENSOR_TABLE = 16
    """Of each input and output its name, its dtype, the bytes of an element, rank."""
    KERNEL_TABLE = 17
    """Of each kernel its name, and how many arguments it takes."""
    CALL_TABLE = 18
    """
    Of each op that may end a run its source, what is said where its kernel is lacking
    though all was selected, and the first of its needs and how many.
    """
    REFUSAL_TABLE = 19
    ORDERS = 20
    """The orders of slots, as 32-bit words."""
    CODE = 21
    CODE_WORDS = 22
    PLAN_CODE = 23
    PLAN_WORDS = 24
    NEED_TABLE = 25
    """
    What calls need of a selection (`compiler/library/facts.py`): a number, two texts
    that each meet the need, and what is said where neither is selected.
    """


def counts_of(
    program: Program, plans: PlanLayout, constants: int, kernels: int
) -> dict[Head, int]:
    """The counts in the head of the image of a program, with bytes of constants."""
    return {
        Head.MAGIC: MAGIC,
        Head.CONSTANTS: constants,
        Head.SYMBOLS: len(program.symbols),
        Head.INPUTS: len(program.inputs),
        Head.OUTPUTS: len(program.outputs),
        Head.DEFINED: len(program.defined),
        Head.KERNELS: kernels,
        Head.CALLS: len(program.calls),
        Head.CONTEXT: program.layout.size,
        Head.PLAN: plans.size,
        Head.ROW: plans.first_row,
    }


@dataclass(frozen=True)
class ModelImage:
    """The code in an image."""

    code: Words
    registers: int
    plans: PlanCode

    @staticmethod
    def of(data: bytes, layout: PlanLayout, counts: Mapping[Head, int]) -> ModelImage:
        """
        The code in the bytes of an image whose head has these counts, of a program
        whose plans have this layout; raises `ValueError` for what is none.
        """
        words = np.frombuffer(data, "<i8").astype(np.int64)
        if words.size < len(Head) + FOOT or words[-1] != words.size:
            raise ValueError("expected the image of a model, got none")
        for place, count in counts.items():
            if words[place] != count:
                raise ValueError(
                    f"expected {count} in the head of an image, got {words[place]} at "
                    f"{place.name}"
                )
        plans = _slice(words, Head.PLAN_CODE, Head.PLAN_WORDS)
        return ModelImage(
            _slice(words, Head.CODE, Head.CODE_WORDS),
            int(words[Head.REGISTERS]),
            PlanCode(plans, int(words[Head.PLAN_REGISTERS]), layout),
        )


def _slice(words: Words, start: Head, count: Head) -> Words:
    """The words of a table."""
    begin, size = int(words[start]), int(words[count])
    if begin < 0 or size < 0 or begin + size > words.size:
        raise ValueError(f"expected words within {words.size}, got {size} at {begin}")
    return words[begin : begin + size]
