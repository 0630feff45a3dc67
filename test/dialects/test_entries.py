"""Attributes written as entries: what is printed is read, and what is wrong is said."""

from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from static_runtime.dialects.entries import (
    FLAG,
    IDENTIFIER,
    LISTS,
    TEXT,
    EntriesAttr,
    bare,
    entry,
    pair,
)


@irdl_attr_definition
class SampleAttr(EntriesAttr):
    """An attribute with an entry of every kind."""

    name = "sample.entries"

    kind: StringAttr = param_def()
    bytes: IntAttr = param_def()
    fast: IntAttr = param_def()
    depth: IntAttr = param_def()
    axis: IntAttr = param_def()
    first: IntAttr = param_def()
    second: IntAttr = param_def()
    text: StringAttr = param_def()
    notes: StringAttr = param_def()
    lists: ArrayAttr[ArrayAttr[StringAttr]] = param_def()

    FORM: ClassVar = (
        bare("kind", IDENTIFIER),
        entry("size", of="bytes"),
        entry("fast", FLAG),
        pair("depth", "depth", "of", "axis"),
        pair("caches", "first", "and", "second", default=(32, 512)),
        entry("text", TEXT, default=""),
        bare("notes", TEXT, default=""),
        entry("lists", LISTS, default=()),
    )


REQUIRED = "tall, size = 3, fast = true, depth = 4 of 0"


def parsed(text: str) -> SampleAttr:
    """The attribute that a text says."""
    ctx = Context()
    ctx.load_dialect(Dialect("sample", [], [SampleAttr]))
    attribute = Parser(ctx, f"#sample.entries{text}").parse_attribute()
    assert isinstance(attribute, SampleAttr)
    return attribute


@pytest.mark.parametrize(
    "text",
    [
        f"<{REQUIRED}>",
        f"<{REQUIRED.replace('true', 'false')}>",
        f"<{REQUIRED}, caches = 32 and 1024>",
        f'<{REQUIRED}, caches = 1 and 2, text = "a b", "+fma">',
        f'<{REQUIRED}, "a \\22quoted\\22 word">',
        f'<{REQUIRED}, lists = [["a", "b - 1"], [], ["c"]]>',
    ],
)
def test_what_is_printed_is_read(text: str):
    assert str(parsed(text)) == f"#sample.entries{text}"


def test_optional_entries_stand_in_any_order_and_defaults_are_not_printed():
    given = f'<{REQUIRED}, "notes", text = "t", caches = 32 and 512>'
    expected = f'#sample.entries<{REQUIRED}, text = "t", "notes">'
    assert str(parsed(given)) == expected


def test_values_are_held_under_the_names_of_parameters():
    found = parsed(f"<{REQUIRED}>")
    assert found.parameters == (
        StringAttr("tall"),
        *map(IntAttr, (3, 1, 4, 0, 32, 512)),
        *map(StringAttr, ("", "")),
        ArrayAttr([]),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<>", "expected kind, size, fast, depth, got the end"),
        ("<tall, size = 3>", "expected fast, depth, got the end"),
        ("<tall, fast = true, size = 3>", "Expected 'size'"),
        ("<tall, size 3>", "expected '='"),
        ("<tall, size = -3>", "Expected integer literal"),
        ("<tall, size = true>", "Expected integer literal"),
        ("<tall, size = 3, fast = 1>", "Expected boolean literal"),
        (
            f"<{REQUIRED}, other = 1>",
            "expected one of caches, text, notes, lists, got other",
        ),
        (
            f'<{REQUIRED}, text = "", text = "">',
            "expected one of caches, notes, lists, got text",
        ),
        (
            f'<{REQUIRED}, caches = 1 and 2, text = "", "", lists = [], size = 3>',
            "expected no more entries, got size",
        ),
        (f'<{REQUIRED}, "", "">', "expected one of caches, text, lists, got no name"),
        (f"<{REQUIRED}, caches = 1>", "Expected 'and'"),
        (f"<{REQUIRED}", "'>' expected"),
        ("", "'<' expected"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str):
    with pytest.raises(ParseError) as error:
        parsed(text)
    assert message.lower() in str(error.value).lower()
