"""The scan stops at what the parser would take long for, and at nothing else."""

from __future__ import annotations

import re

import pytest
from xdsl.utils.exceptions import ParseError

from static_runtime.compiler.ir.ir_text import (
    MOST_AXES,
    MOST_DIGITS,
    MOST_NESTED,
    check_text,
)

from ...sections import sections

ACCEPTED = {
    "what is in a string does not count": f'"{"(" * 99}\\"{"[" * 99}\\22"',
    "what is in a comment does not count": f'// "{"(" * 99}\n',
    "an arrow closes nothing": "() -> (() -> ())",
    "a comparison opens nothing": "affine_set<(d0) : (d0 <= 1, d0 >= 0)>" * 99,
    "a string in a string": r'@"a\\" "" "\n\t\0A"',
    "a list of regions is one level": "({" * MOST_NESTED + "})" * MOST_NESTED,
    "the deepest": "[" * MOST_NESTED + "]" * MOST_NESTED + "<>",
    "many, one after the other": "{}[]()<>" * 9999,
    "more than ASCII in text": '"größer" // größer',
    "a long number": "9" * (MOST_DIGITS - 1),
    "the longest shape": f"tensor<{'1x' * MOST_AXES}f32>",
    "a name like a shape": "%" + "a1x" * 99,
    "signs": "-" * (MOST_NESTED - 1) + "1",
}

REFUSED = {
    '"' + "a" * 9999: "expected a string that ends in a quote, got the end of the text",
    '"' + "a\n": "expected a string that ends in a quote, got the end of the line",
    '"'
    + "a" * 9999
    + '\\q"': 'expected \\n, \\t, \\\\, \\" or two hex digits, got \\q',
    '@"'
    + "\\0" * 9999
    + '"': 'expected \\n, \\t, \\\\, \\" or two hex digits, got \\0',
    "9" * MOST_DIGITS: f"expected a number of fewer than {MOST_DIGITS} digits",
    "0x" + "f" * MOST_DIGITS: f"expected a number of fewer than {MOST_DIGITS} digits",
    "²": "expected ASCII outside of strings and comments, got '²'",
    "-" * MOST_NESTED: f"expected fewer than {MOST_NESTED} signs in a row",
    "- \n" * MOST_NESTED: f"expected fewer than {MOST_NESTED} signs in a row",
    "1x?x" * 9999: f"expected a shape of at most {MOST_AXES} dimensions",
    **{
        each * 9999: f"expected at most {MOST_NESTED} nested brackets"
        for each in "([{<"
    },
    # A closing bracket that closes nothing does not make room for another.
    "(>" * 9999: f"expected at most {MOST_NESTED} nested brackets",
    "[)<" * 9999: f"expected at most {MOST_NESTED} nested brackets",
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(text: str):
    check_text(text, "file.mlir")


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:4])
def test_refused(text: str):
    with pytest.raises(ParseError, match=re.escape(REFUSED[text])) as found:
        check_text(f"\n\n {text}", "file.mlir")
    line = 3 + text[: found.value.span.start - 3].count("\n")
    assert str(found.value.span.get_location()).startswith(f"file.mlir:{line}:")


def test_every_text_of_the_tests_is_accepted():
    for section in sections():
        if section.path.name != "parse_ir.mlir":
            check_text(section.text, str(section.path))
