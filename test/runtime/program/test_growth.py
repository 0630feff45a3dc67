"""What a text says of caches that grow is checked against its program."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from static_runtime.runtime.program import Cache, Growth, read_growth

GROWTH = Growth(
    sizes=("past",),
    capacity="capacity",
    inputs=(("past", 4), (1, 4)),
    outputs=(("past + 1", 4),),
    caches=(Cache(0, 0, 0),),
)


def test_a_growth_is_read_as_it_was_written():
    assert read_growth(GROWTH.to_json(), 3, 1) == GROWTH


@pytest.mark.parametrize(
    ("growth", "message"),
    [
        (replace(GROWTH, sizes=()), "expected 3 inputs"),
        (replace(GROWTH, inputs=GROWTH.inputs[:1]), "expected 3 inputs"),
        (replace(GROWTH, outputs=()), "expected 3 inputs and 1 outputs"),
        (replace(GROWTH, caches=(Cache(2, 0, 0),)), "expected an input that becomes"),
        (replace(GROWTH, caches=(Cache(0, 1, 0),)), "expected an input that becomes"),
        (replace(GROWTH, caches=(Cache(0, 0, 2),)), "expected an axis"),
        (replace(GROWTH, outputs=((4,),)), "expected an axis"),
        (replace(GROWTH, caches=(Cache(0, 0, 0),) * 2), "expected each input once"),
        (
            replace(GROWTH, caches=(Cache(0, 0, 0), Cache(1, 0, 0))),
            "expected each output once",
        ),
    ],
)
def test_a_growth_of_another_program_is_refused(growth: Growth, message: str):
    with pytest.raises(ValueError, match=message):
        read_growth(growth.to_json(), 3, 1)


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", "[" * 100_000, json.dumps({"sizes": ["past"]})],
)
def test_another_text_is_refused(text: str):
    with pytest.raises(ValueError, match="xpect"):
        read_growth(text, 3, 1)
