"""What is read computes the same when it is compiled."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

from .cases import CASES, check_close
from .interpreter import Array, read


@pytest.mark.parametrize("name", CASES)
def test_computes_what_the_references_do(name: str):
    case = CASES[name]
    graph, module = read(case.model), sr.compile(case.model)
    for sizes in case.sizes:
        inputs = list(case.inputs(sizes).values())
        results: Array | tuple[Array, ...] = module(*inputs)
        several = (results,) if isinstance(results, np.ndarray) else results
        check_close(several, graph.run(*inputs))
