"""A key has a dtype and an order of axes for every operand, scalars included."""

from __future__ import annotations

import pytest

from static_runtime.compiler.selective.kernel_key import is_kernel_key, kernel_key


def test_each_operand_has_a_dtype_of_its_own():
    operands = [(6, (0, 1)), (7, ()), (11, (1, 0))]
    assert kernel_key(operands) == "v1/6;0,1|7;|11;1,0"
    assert is_kernel_key(kernel_key(operands))
    assert kernel_key([]) == "v1/"


@pytest.mark.parametrize("text", ["v1/", "default", "v1/6;", "v1/6;0,1,2|27;0"])
def test_is_a_key(text: str):
    assert is_kernel_key(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "v1", "v2/6;0", "v1/6", "v1/6;0,", "v1/6;0|", "v1/Float;0", "v1/6;1"),
        *("v1/6;0,0", "v1/6;0\n", "v1/6;1,2", "v1/-6;0", "v1/6;" + "0," * 9000 + "0"),
    ],
)
def test_is_no_key(text: str):
    assert not is_kernel_key(text)
