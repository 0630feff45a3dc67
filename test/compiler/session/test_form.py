"""The form of what a call gives is how many arrays it has, and their shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from static_runtime.compiler.session.form import Form
from static_runtime.compiler.session.given import Given

FORMS: list[tuple[Any, Form]] = [
    (None, Form(None)),
    (np.zeros((2, 3)), Form(((2, 3),))),
    ([], Form((), True)),
    ([np.zeros(2), np.zeros(())], Form(((2,), ()), True)),
]


@pytest.mark.parametrize(("given", "form"), FORMS, ids=lambda each: str(each))
def test_a_form_is_of_arrays_in_a_list_of_one_array_or_of_nothing(
    given: Any, form: Form
):
    assert Form.of(given) == form


def test_forms_and_lists_are_parts_of_the_key_of_what_is_compiled():
    ones, twos = [np.ones(2), np.ones(3)], [np.ones(2), np.full(3, 2.0)]
    values = [*(form for _, form in FORMS), ones, twos, np.ones(2)]
    keys = [[*Given().with_constants({"x": each}).key_parts()] for each in values]
    assert len({*map(tuple, keys)}) == len(values)
