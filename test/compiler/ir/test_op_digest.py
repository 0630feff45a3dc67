"""The digest of an op covers what its functions and its classes hold."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.ir.op_digest import digest_of_op
from static_runtime.compiler.ir.registry import forget_op

from ...custom_ops import Unary, loops, model, numbers


def in_closure(value: Any) -> Any:
    class Made(Unary):
        name = "test.held"

        @staticmethod
        def scaled(x: Any) -> Any:
            return x * value

        KERNELS: ClassVar = (sr.PythonKernel(scaled),)

    return Made


def in_inner_closure(value: Any) -> Any:
    def inner(x: Any) -> Any:
        return x * value

    return in_closure(inner)


def in_default(value: Any) -> Any:
    def scaled(x: Any, by: Any = value) -> Any:
        return x * by

    return in_closure(scaled)


def in_named_default(value: Any) -> Any:
    def scaled(x: Any, *, by: Any = value) -> Any:
        return x * by

    return in_closure(scaled)


def in_class(value: Any) -> Any:
    class Made(Unary):
        name = "test.held"
        TIMES: ClassVar = value
        KERNELS: ClassVar = (sr.NestKernel(loops),)

    return Made


def in_property(value: Any) -> Any:
    class Made(Unary):
        name = "test.held"
        KERNELS: ClassVar = (sr.NestKernel(loops),)

        @property
        def times(self) -> Any:
            return value

    return Made


PLACES = (
    *(in_closure, in_inner_closure, in_default, in_named_default),
    *(in_class, in_property),
)


@pytest.mark.parametrize("make", PLACES)
def test_what_an_op_holds_is_in_its_digest(make: Callable[[Any], Any]):
    values: list[Any] = [2, 5, 2.0, "2", b"2", None, True, (2,), (2, 5), [2]]
    values += [frozenset({2}), {"a": 2}, np.float32(2), np.float64(2), np.negative]
    values += [np.array([2, 5]), np.array([2, 6]), np.array([[2, 5]]), object()]
    found = [digest_of_op(make(each)) for each in values]
    assert len({*found}) == len(found)
    assert [digest_of_op(make(each)) for each in values] == found


def test_another_closure_is_another_op():
    forget_op("test.held")
    text, x = model("test.held"), numbers(3, 4)
    first = sr.register_op(in_closure(2))
    two = sr.compile(text)(x)
    assert sr.register_op(in_closure(2)) is first
    with pytest.raises(ValueError, match=r"expected one op test\.held, got another"):
        sr.register_op(in_closure(5))
    forget_op("test.held")
    sr.register_op(in_closure(5))
    np.testing.assert_array_equal(sr.compile(text)(x), two / 2 * 5)


def test_a_class_of_another_name_is_another_op():
    forget_op("test.held")
    sr.register_op(in_class(2))

    class Other(Unary):
        name = "test.held"
        TIMES: ClassVar = 2
        KERNELS: ClassVar = (sr.NestKernel(loops),)

    with pytest.raises(ValueError, match=r"expected one op test\.held, got another"):
        sr.register_op(Other)


OTHER = """
import numpy as np
import static_runtime as sr
from custom_ops import Unary
from static_runtime.compiler.ir.op_digest import digest_of_op

for value in (2, frozenset("abc"), np.ones(2), object()):
    class Made(Unary):
        name = "test.held"
        KERNELS = (sr.PythonKernel(lambda x, by=value: x * by),)
    print(digest_of_op(Made))
"""


@pytest.mark.full(
    beside="compiler/ir/test_registry.py::test_an_entry_point_is_loaded_when_an_op_is_looked_for"
)
def test_only_what_has_a_lasting_text_is_shared_between_processes():
    first, second = (
        subprocess.run(
            [sys.executable, "-c", OTHER],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        ).stdout.split()
        for _ in range(2)
    )
    is_same = [a == b for a, b in zip(first, second, strict=True)]
    assert is_same == [True, True, True, False]
