"""
Functions that are compositions of several graph ops, each written once.

Front ends and the `decompose` of ops build them. Each takes and returns values, and
inserts its ops at the implicit builder's insertion point.
"""

from __future__ import annotations

from . import (
    activation,
    bounds,
    coupling,
    distinct,
    integer_product,
    joining,
    matrices,
    normalization,
    open_kernel,
    padding,
    pooling,
    product,
    quantization,
    rounding,
    sampling,
    special,
)
from .convolution import convolved, convolved_back
from .counting import counted, progression, true_indices, truths
from .extreme import reversed_order
from .grouped_product import grouped_product
from .length import length, raised, root
from .logarithm import logs_of_sums
from .number import Number, convert, number, number_like, plus, quantity, times
from .open_window import OpenWindow
from .parts import Cut, at_index, cut, flipped, joined, part, stacked
from .pooling import Window
from .power import near_power
from .product import with_bias
from .resizing import resized_bytes
from .searching import sorted_places
from .shaping import (
    along,
    expanded,
    filled,
    must_be,
    per_channel,
    permuted,
    repeated,
    reshaped,
    retyped,
    shape_of,
)

__all__ = [
    "activation",
    "bounds",
    "coupling",
    "integer_product",
    "joining",
    "distinct",
    "matrices",
    "normalization",
    "open_kernel",
    "padding",
    "pooling",
    "product",
    "quantization",
    "rounding",
    "sampling",
    "special",
    "Cut",
    "Number",
    "OpenWindow",
    "Window",
    "along",
    "convert",
    "convolved",
    "convolved_back",
    "counted",
    "cut",
    "expanded",
    "filled",
    "flipped",
    "grouped_product",
    "joined",
    "length",
    "logs_of_sums",
    "must_be",
    "near_power",
    "number",
    "number_like",
    "part",
    "per_channel",
    "permuted",
    "plus",
    "progression",
    "quantity",
    "raised",
    "repeated",
    "reshaped",
    "resized_bytes",
    "retyped",
    "reversed_order",
    "root",
    "shape_of",
    "sorted_places",
    "stacked",
    "at_index",
    "times",
    "true_indices",
    "truths",
    "with_bias",
]
