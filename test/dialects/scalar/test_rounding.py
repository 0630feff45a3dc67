"""The order of elements tells where combining two of them rounds."""

import pytest
from xdsl.dialects.builtin import bf16, f32, f64, i1, i64
from xdsl.ir import Attribute

from static_runtime.dialects.scalar import rounds


@pytest.mark.parametrize("type", [bf16, f32, f64])
def test_sums_and_products_of_floats_round(type: Attribute):
    found = [each for each in ("add", "mul", "max", "min") if rounds(each, type)]
    assert found == ["add", "mul"]


@pytest.mark.parametrize("type", [i1, i64])
def test_integers_are_exact(type: Attribute):
    assert not any(rounds(combine, type) for combine in ("add", "mul", "max", "min"))
