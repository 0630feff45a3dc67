"""What compiled code knows of numpy is true, and a module works where it is not."""

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.lowering.loop_to_llvm import objects
from static_runtime.runtime import numpy_layout
from static_runtime.runtime.layout import DTYPE_NAMES, State
from static_runtime.runtime.numpy_layout import fill_state, is_as_expected, word_at

from .texts import PARTS, fresh

FIELDS = ("TYPE", "DATA", "RANK", "DIMS", "DTYPE", "FLAGS")


def test_numpy_is_as_expected():
    assert is_as_expected()


@pytest.mark.parametrize("name", FIELDS)
def test_compiled_code_looks_where_the_check_does(name: str):
    assert getattr(objects, name) == getattr(numpy_layout, name)


def test_compiled_code_wants_the_flags_that_the_check_does():
    wanted = numpy_layout.C_CONTIGUOUS | numpy_layout.ALIGNED
    assert wanted == objects.WANTED_FLAGS


@pytest.mark.parametrize("name", [*FIELDS, "C_CONTIGUOUS"])
def test_another_layout_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch):
    other = {"TYPE": 0, "DATA": 32, "RANK": 28, "DIMS": 40, "DTYPE": 48}
    other |= {"FLAGS": 24, "C_CONTIGUOUS": 0x2}
    monkeypatch.setattr(numpy_layout, name, other[name])
    assert not is_as_expected.__wrapped__()


def test_the_state_holds_the_objects_of_numpy():
    state = np.zeros(State.SIZE, np.uint64)
    fill_state(state)
    assert state[State.FREE] == 0
    assert state[State.ARRAY_TYPE] == id(np.ndarray)
    for at, name in enumerate(DTYPE_NAMES):
        assert state[State.DTYPES + at] == id(np.dtype(name))
        assert word_at(state[State.DTYPES :].ctypes.data + 8 * at) == id(np.dtype(name))


def test_a_module_works_with_a_numpy_of_another_layout(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(numpy_layout, "is_as_expected", lambda: False)
    module = fresh(PARTS)
    assert isinstance(module, sr.StaticModule)
    assert not module._code.state[State.ARRAY_TYPE]  # pyright: ignore[reportPrivateUsage]
    for batch in (2, 2, 0, 5):
        x = np.linspace(-1, 1, batch * 3, dtype=np.float32).reshape(batch, 3)
        negative, positive = module(x)
        np.testing.assert_array_equal(negative, -x)
        np.testing.assert_array_equal(positive, abs(x))
        out = np.empty_like(x), np.empty_like(x)
        assert module(x, out=out) is out
        np.testing.assert_array_equal(out[1], abs(x))
    with pytest.raises(ValueError, match="expected shape"):
        module(np.zeros((2, 4), np.float32))
