"""What is traced, and what PyTorch writes, has names that are known."""

from __future__ import annotations

import pytest

from static_runtime.compiler.selective.known_names import DTYPES, FEATURES
from static_runtime.dialects.element_type import ELEMENT_TYPES


def test_every_dtype_of_ours_is_known():
    assert {each.scalar_type for each in ELEMENT_TYPES.values()} <= {*DTYPES}


@pytest.mark.parametrize("names", [DTYPES, FEATURES])
def test_names_are_there_once(names: tuple[str, ...]):
    assert len({*names}) == len(names)
