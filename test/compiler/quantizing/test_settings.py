"""Settings are checked where they are made."""

from __future__ import annotations

import pytest

import static_runtime as sr
from static_runtime.compiler.quantizing import Settings

WRONG: dict[str, dict[object, str]] = {
    "schema": {"symetric": "expected a schema of asymmetric or .*, got 'symetric'"},
    "calibration": {"kld": "expected a calibration of none or kl, got 'kld'"},
    "weight_bits": {6: "expected weights of 7 or 8 bits, got 6"},
    "keep": {
        ("conv1",): "expected f32:NAME for what is kept, got 'conv1'; .*",
        ("f32:",): "expected f32:NAME for what is kept, got 'f32:'; .*",
        ("f16:a",): "expected f32:NAME for what is kept, got 'f16:a'; .*",
        "f32:a": "expected names such as .*, got str 'f32:a'",
        (3,): "expected a name of what is kept, got int 3",
    },
}

CASES = [(name, value) for name, wrong in WRONG.items() for value in wrong]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_refuses_what_is_no_setting(name: str, value: object):
    with pytest.raises(sr.CompileError, match=f"^{WRONG[name][value]}$"):
        Settings(**{name: value})  # pyright: ignore[reportArgumentType]


def test_names_are_kept_once_and_in_order():
    made = Settings(keep=("f32:b", "f32:a", "f32:b"))
    assert made.keep == ("f32:a", "f32:b")
    assert made.kept == {"a", "b"}
