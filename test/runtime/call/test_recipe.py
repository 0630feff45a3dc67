"""A module that no compiler made is neither pickled nor copied, and says so."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import static_runtime as sr
from static_runtime.runtime.call.recipe import Reduced

from ..texts import as_compiled

MODEL = """
func.func @model(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


@pytest.mark.parametrize("make", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_module_without_a_recipe_is_refused(make: Callable[[Any], Any]):
    module = as_compiled(sr.compile(MODEL, options=sr.Options(cache=False)))
    module.recipe = module.maker = None
    with pytest.raises(TypeError, match=r"expected a module that static_runtime\.comp"):
        make(module)


def test_recipe_and_maker_are_asked():
    module = as_compiled(sr.compile(MODEL, options=sr.Options(cache=False)))

    class Recipe:
        """Answers with other things."""

        def reduced(self) -> Reduced:
            """Text in the place of a module."""
            return str, ("text",)

    def maker(*given: Any) -> Any:
        """What it is given, in the place of a module."""
        return given

    module.recipe, module.maker = Recipe(), maker
    assert pickle.loads(pickle.dumps(module)) == "text"
    for made in (copy.copy(module), copy.deepcopy(module)):
        assert made == (module, None)
