"""Objects of a class are called by a function at an address, else as ever."""

import ctypes
import gc
import sys
import weakref
from typing import Any

import pytest

from static_runtime.runtime.machine.vectorcall import call_by, callable_class, works

pytestmark = pytest.mark.skipif(
    hasattr(sys, "gettotalrefcount"), reason="a debug build has no such classes"
)

FUNCTION = ctypes.PYFUNCTYPE(
    ctypes.py_object,
    ctypes.py_object,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
)


class Plain:
    """A class that is called through Python."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, *arguments: Any, **named: Any) -> tuple[Any, ...]:
        return ("python", *arguments, named)


@FUNCTION
def fast(self: Any, arguments: int, flags: int, names: int | None) -> Any:
    """Says whom it was called for, and how many arguments there were."""
    return self.name, flags & (2 ** (8 * ctypes.sizeof(ctypes.c_size_t) - 1) - 1), names


ADDRESS = ctypes.cast(fast, ctypes.c_void_p).value


def made(name: str) -> Any:
    """An object of the class that is made of `Plain`."""
    return callable_class(Plain)(name)


def test_without_a_function_calls_go_through_python():
    one = made("one")
    assert one(1, 2, x=3) == ("python", 1, 2, {"x": 3})
    assert type(one) is callable_class(Plain)
    assert type(one).__name__ == "Plain"
    assert type(one).__module__ == __name__
    assert isinstance(one, Plain)


def test_a_function_takes_the_arguments():
    assert ADDRESS is not None
    one, other = made("one"), made("other")
    call_by(one, Plain, ADDRESS)
    assert one() == ("one", 0, None)
    assert one(1, 2) == ("one", 2, None)
    assert one(*range(9)) == ("one", 9, None)
    results: list[Any] = list(map(one, (1,), (2,), (3,)))
    assert results == [("one", 3, None)]
    assert one(1, x=2)[1] == 1
    assert other(1) == ("python", 1, {})
    assert one.__call__(1) == ("python", 1, {})


def test_objects_have_fields_and_are_freed():
    one = made("one")
    assert ADDRESS is not None
    call_by(one, Plain, ADDRESS)
    one.more = one
    assert one.more() == ("one", 0, None)
    dead = weakref.ref(one)
    kind: type[Any] = callable_class(Plain)
    gc.collect()
    before = sys.getrefcount(kind)
    del one
    gc.collect()
    assert dead() is None
    assert sys.getrefcount(kind) == before - 1


@pytest.mark.parametrize("name", ["__dict__", "__weakref__", "name"])
def test_the_word_is_none_of_the_fields(name: str):
    one = made("one")
    before = getattr(one, name)
    assert ADDRESS is not None
    call_by(one, Plain, ADDRESS)
    assert getattr(one, name) == before


def test_this_python_calls_an_object_by_its_address():
    assert works()


def test_an_object_of_another_class_is_not_written_to():
    with pytest.raises(AssertionError):
        call_by(Plain("plain"), Plain, 0)
