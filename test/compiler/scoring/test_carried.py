from __future__ import annotations

import pickle
from unittest.mock import patch

import numpy as np
import pytest

from static_runtime.compiler.scoring import carried
from static_runtime.compiler.scoring.carried import Carried

from ...runtime.texts import as_compiled
from .model import inputs_of, module_of


def test_a_process_unpickles_a_module_once():
    module = module_of()
    sent = pickle.dumps(Carried(module))
    made = [pickle.loads(sent).module() for _ in range(3)]
    assert made[0] is made[1] is made[2] is not module
    np.testing.assert_array_equal(made[0](*inputs_of())[0], module(*inputs_of())[0])


def test_a_process_keeps_few_modules():
    several = [Carried(module_of()) for _ in range(3)]
    for number, each in enumerate(several):
        setattr(each, "_digest", str(number))
    with patch.object(carried, "_MOST_MODULES", 2), patch.dict(carried._MODULES):  # pyright: ignore[reportPrivateUsage]
        carried._MODULES.clear()  # pyright: ignore[reportPrivateUsage]
        first = several[0].module()
        assert several[1].module() is not several[2].module()
        assert several[0].module() is not first


def test_refuses_a_module_without_a_compiler():
    module = as_compiled(module_of())
    module.recipe = None
    with pytest.raises(TypeError, match=r"expected a module that static_runtime.comp"):
        Carried(module)
