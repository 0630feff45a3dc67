"""What values options may have, and how they are kept."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.option_values import (
    names_of_classes,
    whole_bounds,
    whole_threads,
)


class Outer:
    """A class of this module."""

    class Inner:
        """A class within it."""


def test_classes_are_kept_as_names_that_other_processes_import():
    here = __name__
    assert names_of_classes([Outer, Outer.Inner, "a.b:C"]) == (
        *(f"{here}:Outer", f"{here}:Outer.Inner"),
        "a.b:C",
    )

    class Local:
        pass

    for given in (Local, [Local], "a.b:C", ["a.b"], [3]):
        with pytest.raises(CompileError, match="expected foreign_ops such as"):
            names_of_classes(given)


def test_bounds_are_copied_as_whole_numbers_of_python():
    given = {"n": np.int32(7)}
    kept = whole_bounds(given)
    given["n"] = np.int32(8)
    assert kept == {"n": 7}
    assert type(kept["n"]) is int


@pytest.mark.parametrize("bounds", [3, {"n": -1}, {"n": 2**62}, {"n": 1.5}, {1: 1}])
def test_other_bounds_are_refused(bounds: Mapping[str, Any]):
    with pytest.raises(CompileError, match="bound"):
        whole_bounds(bounds)


@pytest.mark.parametrize("threads", [0, -1, True, 1.0, "2"])
def test_what_is_no_number_of_threads_is_refused(threads: Any):
    with pytest.raises(CompileError, match=r"thread.* got"):
        whole_threads(threads)
    assert whole_threads(None) is None
    assert type(whole_threads(np.int64(2))) is int
