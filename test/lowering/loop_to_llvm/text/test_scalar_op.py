"""Integers are divided in vectors as one by one, whatever they are."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

from ....as_host import skip_unless_runs

RANDOM = np.random.default_rng(46)


def edges(type: str) -> list[int]:
    """Integers near zero and near the ends of a type, and powers of two beside them."""
    ends = np.iinfo(type)
    powers = [2**n + d for n in range(ends.bits) for d in (-1, 0, 1)]
    found = {*powers, *(-each for each in powers), *range(-9, 10)}
    found |= {ends.min, ends.min + 1, ends.max - 1, ends.max}
    return sorted(each for each in found if ends.min <= each <= ends.max)


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize(
    ("type", "name"),
    [("int32", "i32"), ("int8", "si8"), ("uint16", "ui16"), ("uint32", "ui32")],
)
def test_quotients_and_rests_of_vectors_are_exact(type: str, name: str, target: str):
    skip_unless_runs(target)
    some = edges(type)
    ends = np.iinfo(type)
    more = RANDOM.integers(ends.min, ends.max, 3, endpoint=True).tolist()
    a = np.array([*some, *more], type)
    # Products, and what is beside them, have the quotients that are nearly whole.
    b, c = (each.ravel() for each in np.meshgrid(a, a))
    x = np.concatenate([b, b * c, b * c - 1, b * c + 1])
    y = np.concatenate([c, c, c, c])
    shape = f"tensor<{len(x)}x{name}>"
    text = "\n".join(
        f"  %{at} = graph.{op} %x, %y : {shape}, {shape} -> {shape}"
        for at, op in enumerate(("div", "rem"))
    )
    names = 'graph.input_names = ["x", "y"], graph.output_names = ["a", "b"]'
    module = sr.compile(
        f"func.func @main(%x: {shape}, %y: {shape}) -> ({shape}, {shape}) "
        f"attributes {{{names}}} {{\n{text}\n"
        f"  func.return %0, %1 : {shape}, {shape}\n}}",
        target=target,
    )
    quotients, rests = module(x, y)
    wide, by = x.astype(object), y.astype(object)
    for at in range(len(x)):
        n, d = int(wide[at]), int(by[at])
        wanted = 0 if d == 0 else abs(n) // abs(d) * (1 if (n < 0) == (d < 0) else -1)
        rest = 0 if d == 0 else n - wanted * d
        assert quotients[at] == np.array(wanted).astype(type), (n, d)
        assert rests[at] == rest, (n, d)
