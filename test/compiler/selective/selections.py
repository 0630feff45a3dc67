"""Selections at random, by a seed."""

from __future__ import annotations

from random import Random

from static_runtime.runtime.library.selection import Operator, Selection

NAMES = (
    *("aten::add.Tensor", "aten::add", "aten::len.t", "onnx::Conv", "graph::relu"),
    *("com.microsoft::Gelu", "yes", "null", "1", "- a", "a: b", "é", "[", "#", "~"),
)
"""Names of operators and kernels; YAML must quote some."""

DTYPES = ("Float", "Bool", "Byte", "BFloat16", "Float8_e4m3fn", "QInt8")

FEATURES = ("threads", "fallback", "isa:x86-64-v3", "isa:aarch64")

KEYS = ("v1/6;0,1|7;", "v1/", "v1/11;0", "v1/6;1,0|6;0", "default")


def some(random: Random, names: tuple[str, ...]) -> frozenset[str]:
    """Some of the names, often none."""
    return frozenset(random.sample(names, random.choice((0, 1, 2, len(names)))))


def notes(random: Random) -> frozenset[str] | None:
    """Notes, often none."""
    return some(random, ("a.onnx", "b.onnx")) if random.random() < 0.3 else None


def operator(random: Random) -> Operator:
    """An operator."""
    training, root, overloads = (random.random() < 0.5 for _ in range(3))
    return Operator(training, root, overloads, notes(random))


def selection(random: Random) -> Selection:
    """A selection."""
    return Selection(
        include_all_non_op_selectives=random.random() < 0.2,
        include_all_operators=random.random() < 0.2,
        debug_info=notes(random),
        build_features=some(random, FEATURES),
        operators={each: operator(random) for each in some(random, NAMES)},
        kernel_metadata={each: some(random, DTYPES) for each in some(random, NAMES)},
        et_kernel_metadata={each: some(random, KEYS) for each in some(random, NAMES)},
        custom_classes=some(random, NAMES),
    )
