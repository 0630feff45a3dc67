"""Arguments become arrays of the declared dtype and shape, or an error says why not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from static_runtime.runtime.abi import DTYPE_NAMES, bits_of
from static_runtime.runtime.call.arguments import (
    Array,
    bind_symbols,
    match_inputs,
    to_array,
)
from static_runtime.runtime.program.program import Check, Program, TensorInfo

from ..arrangements import Tensor, arrangements, same

A, B = TensorInfo("a", "float32", (2,)), TensorInfo("b", "float32", (2,))

PROGRAM = Program(
    name="main",
    inputs=(
        TensorInfo("x", "float32", ("n", 3)),
        TensorInfo("y", "float32", ("2 * n - m", "m")),
    ),
    outputs=(),
    symbols=("n", "m"),
    ranges={"n": (1, 100)},
    checks=(Check("n - m", "graph.slice at s: expected a slice inside x"),),
    slots=(),
    planner="naive",
    bytes=0,
    lower_bound=0,
    calls=(),
    call_outs=(),
)


def info(dtype: str, *shape: int) -> TensorInfo:
    """An input `x` of a dtype."""
    return TensorInfo("x", dtype, shape)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((1, 2), {}), ((1,), {"b": 2}), ((), {"a": 1, "b": 2}), ((), {"b": 2, "a": 1})],
)
def test_inputs_come_in_their_order(arguments: tuple[int, ...], named: dict[str, int]):
    assert match_inputs((A, B), arguments, named) == [1, 2]


STORED = (
    "; what the model stores, such as an initializer of ONNX or a buffer, is a "
    "constant, and is left out"
)


@pytest.mark.parametrize(
    ("arguments", "named", "got"),
    [
        ((), {}, "got none for a, b"),
        ((1,), {}, "got none for b"),
        ((), {"b": 1}, "got none for a"),
        ((1, 2, 3), {}, "got 3"),
        ((1, 2), {"c": 3}, f"got an input called c{STORED}"),
        ((1, 2), {"c": 3, "d": 4}, f"got an input called c, d{STORED}"),
        ((1, 2), {"a": 3}, "got a twice"),
        ((1,), {"a": 3, "b": 4}, "got a twice"),
    ],
)
def test_refuses_another_set_of_inputs(
    arguments: tuple[int, ...], named: dict[str, int], got: str
):
    with pytest.raises(TypeError, match=rf"^expected 2 inputs \(a, b\), {got}$"):
        match_inputs((A, B), arguments, named)


NUMPY = [each for each in DTYPE_NAMES if bits_of(each) is None]
"""The dtypes that numpy has."""

SAFE = [
    (given, declared)
    for given in NUMPY
    for declared in NUMPY
    if np.can_cast(given, declared)
]


@pytest.mark.parametrize(("given", "declared"), SAFE)
def test_takes_a_dtype_that_casts_safely(given: str, declared: str):
    array = np.array([[0, 1], [1, 0]], given)
    result = to_array(array, info(declared, 2, 2))
    assert result.dtype == np.dtype(declared)
    np.testing.assert_array_equal(result, array)


def test_the_casts_that_are_safe():
    assert {("int32", "int64"), ("float32", "float64"), ("bool", "float32")} <= {*SAFE}
    assert {("int8", "float32"), ("bool", "int32"), ("uint8", "int32")} <= {*SAFE}
    assert ("int64", "int32") not in SAFE
    assert ("int32", "float32") not in SAFE


@pytest.mark.parametrize(
    ("given", "declared"),
    [
        *(("float64", "float32"), ("int64", "int32"), ("int32", "float32")),
        *(("int64", "float32"), ("uint64", "int64"), ("float32", "int64")),
        *(("int8", "bool"), ("float32", "bool"), ("complex64", "float32")),
        *(("M8[s]", "int64"), ("m8[s]", "int64"), ("U3", "float32"), ("S3", "bool")),
        *(("O", "float32"), ("O", "bool"), ("V4", "float32")),
    ],
)
def test_refuses_a_dtype_that_loses_something(given: str, declared: str):
    array = np.zeros((2,), given)
    with pytest.raises(TypeError) as error:
        to_array(array, info(declared, 2))
    assert str(error.value) == (
        f"input x: expected {declared}, got {array.dtype}; convert it with "
        f".astype('{declared}') if that is meant"
    )


@pytest.mark.parametrize("dtype", ["float32", "int64", "float64", "int32"])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrangements_do_not_matter(dtype: str):
    array = np.array([[1, 2, 3], [4, 5, 6]], dtype)
    for each in arrangements(array).values():
        result = to_array(each, info(dtype, 2, 3))
        same(result, array)
        assert result.flags.aligned


def test_copies_nothing_without_need():
    array = np.ones((2, 3), np.float32)
    fixed = array[1:]
    fixed.flags.writeable = False
    for each in (array, fixed, array.view(np.memmap)):
        assert np.shares_memory(to_array(each, info("float32")), array)


LISTS: list[tuple[Any, str, Any]] = [
    (3, "float32", 3),
    (2.5, "float32", 2.5),
    (True, "bool", True),
    (-7, "int32", -7),
    ([1, 2.5], "float32", [1, 2.5]),
    ([[1, 2], [3, 4]], "int64", [[1, 2], [3, 4]]),
    ((1, (2)), "float64", [1, 2]),
    ([True, 2], "int32", [1, 2]),
    (range(3), "int32", [0, 1, 2]),
    ([np.float64(0.1), np.int8(3)], "float32", [0.1, 3]),
    ([np.array([1.0, 2.0])], "float32", [[1, 2]]),
    ([], "int64", []),
    ([[], []], "bool", [[], []]),
    ([np.inf, -np.inf], "float32", [np.inf, -np.inf]),
    ([2**31 - 1, -(2**31)], "int32", [2**31 - 1, -(2**31)]),
    (2**63 - 1, "int64", 2**63 - 1),
]


@pytest.mark.parametrize(("value", "dtype", "expected"), LISTS)
def test_lists_and_numbers_take_the_declared_dtype(
    value: Any, dtype: str, expected: Any
):
    result = to_array(value, info(dtype))
    assert type(result) is np.ndarray
    assert result.flags.c_contiguous
    assert result.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(result, np.array(expected, dtype))


def test_not_a_number_stays_that():
    assert np.isnan(to_array([float("nan")], info("float32"))).all()


@pytest.mark.parametrize(
    ("value", "dtype", "got"),
    [
        ([0, 2**31], "int32", "2147483648"),
        ([0, -(2**31) - 1], "int32", "-2147483649"),
        (2**40, "int32", "1099511627776"),
        ([2**63], "int64", "9223372036854775808"),
        ([[1.0], [-1e39]], "float32", "-1e+39"),
        (1e300, "float32", "1e+300"),
    ],
)
def test_refuses_numbers_that_the_dtype_cannot_hold(value: Any, dtype: str, got: str):
    with pytest.raises(ValueError, match=r"^input x: expected numbers that ") as error:
        to_array(value, info(dtype))
    assert str(error.value).endswith(f"that {dtype} can hold, got {got}")


@pytest.mark.parametrize(
    ("value", "dtype", "got"),
    [
        (None, "float32", "NoneType of object"),
        ("abc", "float32", "str of <U3"),
        (b"abc", "float32", r"bytes of \|S3"),
        ([1, "a"], "float32", "list of <U21"),
        ([None], "int32", "list of object"),
        ({"a": 1}, "int32", "dict of object"),
        (object(), "bool", "object of object"),
        (1j, "float32", "complex of complex128"),
        (1.5, "int32", "float of float64"),
        ([1.0], "int64", "list of float64"),
        ([0, 1], "bool", "list of int64"),
        (0.0, "bool", "float of float64"),
        (2**70, "int64", "int of object"),
    ],
)
def test_refuses_what_holds_no_such_numbers(value: Any, dtype: str, got: str):
    message = f"^input x: expected an array of {dtype}, got {got}$"
    with pytest.raises(TypeError, match=message):
        to_array(value, info(dtype))


def test_refuses_rows_of_different_lengths():
    with pytest.raises(ValueError, match=r"^input x: expected rows of one length, got"):
        to_array([[1], [2, 3]], info("float32"))


class Tracked(Tensor):
    """A tensor that lends its memory only once it is detached."""

    def __dlpack__(self, **options: Any) -> Any:
        """Refuses, as PyTorch does for a tensor that needs its gradient."""
        raise BufferError("requires grad")

    def detach(self) -> Tensor:
        """The tensor without its gradient."""
        return Tensor(self.array)


@pytest.mark.parametrize("kind", [Tensor, Tracked])
@pytest.mark.parametrize("dtype", NUMPY)
def test_takes_tensors_through_dlpack(kind: type[Tensor], dtype: str):
    array = np.array([[0, 1], [1, 0]], dtype)
    result = to_array(kind(array), info(dtype, 2, 2))
    assert np.shares_memory(result, array)
    np.testing.assert_array_equal(result, array)
    turned = to_array(kind(array[:, ::-1]), info(dtype, 2, 2))
    np.testing.assert_array_equal(turned, array[:, ::-1])


def test_tensors_through_dlpack_follow_the_rules_of_arrays():
    tensor = Tensor(np.zeros(2, np.int8))
    assert to_array(tensor, info("int32", 2)).dtype == np.int32
    with pytest.raises(TypeError, match="expected float32, got float64; convert it"):
        to_array(Tensor(np.zeros(2)), info("float32", 2))


@pytest.mark.parametrize("error", [BufferError("gpu"), RuntimeError("gpu")])
def test_says_why_a_tensor_lends_no_memory(error: Exception):
    tensor = Tensor(np.zeros(2), error)
    message = "^input x: expected a tensor of float32 on the CPU, got Tensor: gpu$"
    with pytest.raises(TypeError, match=message):
        to_array(tensor, info("float32", 2))


def arrays(*shapes: tuple[int, ...]) -> list[Array]:
    """Arrays of these shapes."""
    return [np.zeros(shape, np.float32) for shape in shapes]


def test_symbols_are_what_shapes_say():
    assert bind_symbols(PROGRAM, arrays((4, 3), (6, 2))) == {"n": 4, "m": 2}
    assert bind_symbols(PROGRAM, arrays((1, 3), (2, 0))) == {"n": 1, "m": 0}


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((4,), (6, 2)), r"input x: expected shape (n, 3), got (4,)"),
        (((4, 3, 1), (6, 2)), r"input x: expected shape (n, 3), got (4, 3, 1)"),
        (((4, 2), (6, 2)), r"input x: expected shape (n, 3) with n = 4, got (4, 2)"),
        (
            ((4, 3), (5, 2)),
            "input y: expected shape (2 * n - m, m) with n = 4, m = 2, got (5, 2)",
        ),
        (((4, 3), ()), "input y: expected shape (2 * n - m, m) with n = 4, got ()"),
    ],
)
def test_says_which_shape_is_wrong(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], message: str
):
    with pytest.raises(ValueError, match="expected") as error:
        bind_symbols(PROGRAM, arrays(*shapes))
    assert str(error.value) == message


def test_a_shape_prints_as_python_does():
    one = replace(PROGRAM, inputs=(TensorInfo("x", "float32", (3,)),))
    with pytest.raises(ValueError, match=r"expected shape \(3,\), got \(4,\)$"):
        bind_symbols(one, arrays((4,)))
