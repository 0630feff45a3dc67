"""The orders that are measured are right."""

from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from bench.orders import ORDERS


@pytest.mark.sampled(every=9)
@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_right(name: str, tmp_path: Path):
    case = ORDERS[name].case(name, tmp_path)
    got = sr.compile(case.model, options=sr.Options(cache=False))(*case.inputs())
    for found, wanted in zip(got, case.results(), strict=True):
        assert np.array_equal(found, wanted)
