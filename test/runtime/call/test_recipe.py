"""A module that no compiler made is neither pickled nor copied, and says so."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.call.recipe import Reduced

MODEL = """
func.func @model(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


@pytest.mark.parametrize("make", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_module_without_a_recipe_is_refused(make: Callable[[Any], Any]):
    module = sr.compile(MODEL, options=sr.Options(cache=False))
    module.recipe = None
    with pytest.raises(TypeError, match=r"expected a module that static_runtime\.comp"):
        make(module)


def test_a_recipe_is_asked():
    module = sr.compile(MODEL, options=sr.Options(cache=False))

    class Recipe:
        """Answers with other things."""

        def reduced(self) -> Reduced:
            """Text in the place of a module."""
            return str, ("text",)

        def again(self, constants: Any) -> Any:
            """The constants in the place of a module."""
            return constants

    module.recipe = Recipe()
    assert pickle.loads(pickle.dumps(module)) == "text"
    constants: Any = copy.copy(module)
    assert isinstance(constants, np.ndarray)
    assert copy.deepcopy(module) is constants
