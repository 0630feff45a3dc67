"""What was written is read; anything else is an error with its line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.quantizing import (
    Histogram,
    Profile,
    Settings,
    parse_profile,
)
from static_runtime.compiler.quantizing.read import read_profile
from static_runtime.compiler.selective import yaml_nodes
from static_runtime.compiler.session.option_values import ProfileText

RANDOM = np.random.default_rng(0)

PROFILE = Profile(
    "0" * 64,
    {
        "x": Histogram.of(RANDOM.standard_normal(500).astype(np.float32)),
        'a "name": [of] an\nop \u00fc': Histogram.of(np.array([3e38, -1], np.float32)),
        "unseen": Histogram.empty(),
        "zeros": Histogram.of(np.zeros(4, np.float32)),
    },
    ("fc", "conv\t1"),
    Settings("symmetric", "kl", ("f32:fc", "f32:x"), 7),
)

SMALL = Profile("m", {"x": Histogram.of(np.array([1, 2], np.float32))}, ("fc",))


def parsed(text: str) -> Profile:
    """The profile of a text."""
    return parse_profile(ProfileText(text, str(hash(text)), "a.yaml"))


def refusal(text: str) -> str:
    """What is said of a text."""
    with pytest.raises(sr.CompileError) as told:
        parsed(text)
    return str(told.value)


@pytest.mark.parametrize("profile", [PROFILE, SMALL, Profile("m", {}, ())])
def test_what_was_written_is_read(profile: Profile):
    found = parsed(profile.text)
    assert found == profile
    assert found.text == profile.text


REPLACED = {
    ("version: 1", "version: 2"): "a.yaml:1: expected a profile of form 1, got 2, .*",
    ("version: 1", "version: x"): "a.yaml:1: expected a whole number for version, .*",
    ("version: 1\n", ""): "a.yaml:1: expected version of a profile, got none",
    ("keep: []", "kept: []"): "a.yaml:6: expected keys version, .*, got 'kept'",
    ("keep: []", "keep: a"): "a.yaml:6: expected a list of names for keep, got none",
    ("keep: []", "keep: [[]]"): "a.yaml:6: expected a text for keep, got a list .*",
    (
        "keep: []",
        "keep: ['f32:fd']",
    ): "a.yaml: expected a product .* like 'fc' to be kept .*",
    ("asymmetric", "none"): "a.yaml: expected a schema of asymmetric .*, got 'none'",
    ("elements: 2", "elements: 3"): "a.yaml:.*expected counts of 'x' that add up .*",
    ("elements: 2", "elements: -2"): "a.yaml:.*expected counts of 'x' that add up .*",
    ("exponent: 2", "exponent: 0"): "a.yaml:.*expected counts .* its exponent, .*",
    ("exponent: 2", "exponent: 4000"): "a.yaml:.*expected counts .* its exponent, .*",
    ('"1.0"', '"nan"'): "a.yaml:.*: expected a finite number, got 'nan'",
    ('"1.0"', '"2.5"'): "a.yaml:.*expected counts .*",
    ('"1.0"', '"one"'): "a.yaml:.*: expected a finite number, got 'one'",
    ('counts: "', 'counts: "-'): "a.yaml:.*: expected counts such as 3,0,4, got .*",
    ("first: ", "first: 9"): "a.yaml:.*: expected at most 4096 counts, got .*",
    ("first: ", "first: -"): "a.yaml:.*: expected at most 4096 counts, got .*",
    ("values:\n", "values: []\nmore:\n"): "a.yaml:.*expected keys .*, got 'more'",
    ("model: ", "model: &a "): "a.yaml:2: expected no anchor, got '&a'",
}


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_a_fault_has_its_line(old: str, new: str):
    assert old in SMALL.text
    message = refusal(SMALL.text.replace(old, new, 1))
    assert re.fullmatch(REPLACED[old, new], message), message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.yaml: expected a profile, got nothing"),
        ("# nothing\n", "a.yaml:1: expected a selection, got nothing"),
        ("[]", "a.yaml:1: expected a mapping for a profile, got none"),
        ("a: [", "a.yaml:1: expected YAML, got "),
    ],
)
def test_what_is_no_profile(text: str, message: str):
    assert refusal(text).startswith(message)


def test_no_part_of_a_profile_is_one():
    """A file that was cut short is an error, and never something else."""
    text = SMALL.text
    for end in range(0, len(text) - 1, 3):
        assert refusal(text[:end])


def test_a_file_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(sr.CompileError, match="expected a profile, got no such file"):
        read_profile(tmp_path / "none.yaml")
    with pytest.raises(sr.CompileError, match="expected a profile, got "):
        read_profile(tmp_path)
    (tmp_path / "a.yaml").write_bytes(b"version: \xff")
    with pytest.raises(sr.CompileError, match="in UTF-8, got byte 0xff at offset 9"):
        read_profile(tmp_path / "a.yaml")


def test_yaml_needs_its_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_nodes, "find_spec", dict[str, None]().get)
    assert "expected the package PyYAML" in refusal(SMALL.text + "# once more\n")
