"""A selection is read by the exact names of its keys, or refused with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from static_runtime.compiler.selective import yaml_nodes
from static_runtime.compiler.selective.read import (
    of_legacy_list,
    parse_selection,
    read_selection,
)
from static_runtime.runtime.library.selection import Operator, Selection, SelectionError


def refusal(text: str | bytes) -> str:
    """What is said of a text."""
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(SelectionError) as told:
        parse_selection(data, "a.yaml")
    return str(told.value)


def test_missing_flags_of_an_operator_are_true_and_others_false():
    made = parse_selection(
        b"operators:\n  aten::add: {}\n  aten::mul: {debug_info: [x]}"
    )
    assert made.operators["aten::add"] == Operator(True, True, True)
    assert made.operators["aten::mul"].debug_info == {"x"}
    assert not made.include_all_operators
    assert not made.include_all_non_op_selectives


def test_an_empty_list_is_an_empty_mapping_as_other_tools_write_it():
    assert parse_selection(b"kernel_metadata: []\noperators: []") == Selection()


def test_a_list_of_names_is_a_legacy_list():
    made = parse_selection(b"- aten::add\n- aten::mul.Tensor\n")
    assert made == of_legacy_list(["aten::add", "aten::mul.Tensor"])
    assert made.include_all_non_op_selectives
    assert made.is_operator_selected("aten::add.Scalar")
    assert made.is_root_operator("aten::add")
    assert not made.is_operator_selected_for_training("aten::add")
    assert not made.is_operator_selected("aten::mul")


REFUSED = {
    "": "a.yaml:1: expected a selection, got nothing",
    "# only this\n": "a.yaml:1: expected a selection, got nothing",
    "yes": "a.yaml:1: expected a mapping for a selection, got the bool 'yes'; quote a "
    "name that looks like one",
    "operatrs: {}": "a.yaml:1: expected top-level keys include_all_non_op_selectives, "
    "include_all_operators, debug_info, build_features, operators, kernel_metadata, "
    "et_kernel_metadata, custom_classes, got unexpected 'operatrs'; did you mean "
    "operators?",
    "a: 1\nb: 2": "a.yaml:1: expected top-level keys include_all_non_op_selectives, "
    "include_all_operators, debug_info, build_features, operators, kernel_metadata, "
    "et_kernel_metadata, custom_classes, got unexpected 'a', 'b'",
    "operators:\n  aten::add:\n    is_root: true\n": "a.yaml:3: expected keys of "
    "aten::add is_used_for_training, is_root_operator, include_all_overloads, "
    "debug_info, got unexpected 'is_root'; did you mean is_root_operator?",
    "operators:\n  a:\n    is_root_operator: 1\n": "a.yaml:3: expected true or "
    "false for is_root_operator, got the int '1'; quote a name that looks like one",
    "operators:": "a.yaml:1: expected a mapping for operators, got nothing",
    "operators:\n- a": "a.yaml:2: expected a mapping for operators, got a list",
    "operators: {'': {}}": "a.yaml:1: expected a printable name in operators, got ''",
    "custom_classes: a": "a.yaml:1: expected a list of names for custom_classes, got "
    "the text 'a'",
    "custom_classes: [a, 1]": "a.yaml:1: expected a name in custom_classes, got the "
    "int '1'; quote a name that looks like one",
    "build_features:\n- [a]": "a.yaml:2: expected a name in build_features, got a list",
    'build_features: ["a\\u0007"]': "a.yaml:1: expected a printable name in "
    "build_features, got 'a\\x07'",
    "kernel_metadata:\n  k: {}": "a.yaml:2: expected a list of names for k, got a "
    "mapping",
    "et_kernel_metadata:\n  a:\n  - v1/6;0\n  - v1/x": "a.yaml:4: expected keys such "
    "as v1/6;0,1|7; or default for 'a', got 'v1/x'",
    "kernel_metadata:\n  add: [Float,\n    Flaot]": "a.yaml:3: expected a dtype of "
    "'add', got 'Flaot'; did you mean Float?",
    "kernel_metadata: {add: [float]}": "a.yaml:1: expected a dtype of 'add', got "
    "'float'; did you mean Float?",
    "kernel_metadata: {add: [xyz]}": "a.yaml:1: expected a dtype of 'add' such as "
    "Bool, got 'xyz'",
    "build_features:\n- threads\n- thread": "a.yaml:3: expected a feature, got "
    "'thread'; did you mean threads?",
    "build_features: [isa:x86-64-v33]": "a.yaml:1: expected a feature, got "
    "'isa:x86-64-v33'; did you mean isa:x86-64-v3?",
    "operators:\n  a: {}\n  b: {}\n  a: {}": "a.yaml:4: expected each key once, got "
    "'a' again, which is in line 2",
    "include_all_operators: true\ninclude_all_operators: true": "a.yaml:2: expected "
    "each key once, got 'include_all_operators' again, which is in line 1",
    "a: &x [b]\nc: *x": "a.yaml:1: expected no anchor, got '&x'",
    "custom_classes:\n- *x": "a.yaml:2: expected no alias, got '*x'",
    "!!python/object/apply:os.system ['true']": "a.yaml:1: expected no tag, got "
    "'tag:yaml.org,2002:python/object/apply:os.system'",
    "custom_classes: []\n--- {}": "a.yaml:2: expected one document, got another one",
    "? [a]\n: b": "a.yaml:1: expected a name as a key, got a node",
    "[[[[[[[[[[[[": "a.yaml:1: expected nodes at most 8 deep, got deeper ones",
    "a: [b\nc: d": "a.yaml:2: expected YAML, got expected ',' or ']', but got ':'",
    "\ncustom_classes: [a\0]": "a.yaml:2: expected printable text, got the character "
    "0x0",
    'a: "\\UFFFFFFFF"': "a.yaml:1: expected YAML, got",
    "%YAML " + "1" * 5000 + ".1\n--- {}": "a.yaml:1: expected YAML, got",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_is_refused_with_the_line(text: str):
    expected = REFUSED[text]
    said = refusal(text)
    assert said.startswith(expected) if expected.endswith("got") else said == expected


def test_bytes_that_are_no_text_are_refused_with_the_line():
    said = refusal(b"operators: {}\n\xff\xfe")
    assert said == "a.yaml:2: expected text in UTF-8, got byte 0xff at offset 14"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 300_000,
        "{" * 300_000,
        "? " * 300_000,
        "- " * 300_000,
        "a: [" * 100_000,
        "a: " + "&b [" * 100_000,
        "\n".join("  " * depth + "a:" for depth in range(400)),
        '"' + "\\x41" * 30_000,
        "|\n" + " a\n" * 30_000,
    ],
)
def test_what_is_deep_or_long_is_refused_soon(text: str):
    assert len(refusal(text)) < 200


def test_what_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_nodes, "MOST_BYTES", 10)
    assert refusal("a" * 11) == "a.yaml: expected at most 10 bytes, got more"


def test_no_file_is_no_selection(tmp_path: Path):
    with pytest.raises(SelectionError, match="expected a file, got no such file"):
        read_selection(tmp_path / "a.yaml")
    with pytest.raises(SelectionError, match="expected a file, got a folder"):
        read_selection(tmp_path)


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    def nowhere(_: str) -> None:
        return None

    monkeypatch.setattr(yaml_nodes, "find_spec", nowhere)
    assert refusal("operators: {}") == (
        "expected the package PyYAML, which reads and writes YAML, got none "
        "installed: pip install static-runtime[selective]"
    )
