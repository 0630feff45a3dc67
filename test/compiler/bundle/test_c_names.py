"""Names of models become names of C, or are refused."""

from __future__ import annotations

import re

import pytest

from static_runtime.compiler.bundle.c_names import (
    check_name,
    comment,
    identifier_of,
    member_of,
)
from static_runtime.compiler.session.errors import CompileError


def test_a_name_becomes_one_that_c_has():
    assert identifier_of("0/x-y") == "_0_x_y"
    assert identifier_of("") == "_"


@pytest.mark.parametrize("name", ["while", "namespace", "main", "memcpy", "string"])
def test_a_name_that_c_keeps_is_refused(name: str):
    with pytest.raises(CompileError, match=f"C does not keep for a bundle, got {name}"):
        check_name(name)


def test_a_member_may_be_what_a_function_may_not():
    assert member_of("main") == "main"
    with pytest.raises(CompileError, match="no keywords of C, got int; rename it"):
        member_of("int")


def test_a_comment_stays_one():
    assert not re.search(r"\*/|/\*|\\|\n", comment("a*/b/*c\nd\\"))
