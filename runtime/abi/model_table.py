"""
What the entry of models as data reads of a model: a table of words.

After its head come rows of two words: of each input and each output the field of the
state that has the descriptor of its dtype, and its rank; then of each symbol the input
and the axis that its value is read from.
"""

from __future__ import annotations


class ModelTable:
    """The numbers of the words of the head."""

    CODE = 0
    """The address of the bytecode."""
    KERNELS = 1
    """The address of the addresses of the kernels."""
    CONTEXT = 2
    """The words of a context; the registers of the bytecode follow them."""
    ROW = 3
    """
    The words of a plan row, after which `LONG` and `SIZES` are counted. A model without
    symbols has one such row, too.
    """
    INPUTS = 4
    OUTPUTS = 5
    SYMBOLS = 6
    HEAD = 7

    ARRAYS = 256
    """The most inputs and outputs, and the most symbols, of a model that it takes."""

    LONG = 0
    """Of the words after a plan row: whether other threads run Python meanwhile."""
    SIZES = 1
    """The first of the sizes of all inputs and outputs, axis by axis."""
