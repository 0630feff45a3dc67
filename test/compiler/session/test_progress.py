"""Progress is a line on a terminal, and nothing in a pipe."""

from __future__ import annotations

from io import StringIO

import pytest

from static_runtime.compiler.session import progress
from static_runtime.compiler.session.progress import progress_line, told


class Terminal(StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(written: str) -> str:
    """What a line of a terminal shows after this was written to it."""
    line: list[str] = []
    at = 0
    for each in written:
        if each == "\r":
            at = 0
        else:
            line[at : at + 1] = [each]
            at += 1
    return "".join(line).rstrip()


def test_a_terminal_shows_the_last_step_and_nothing_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(progress, "_INTERVAL", 0)
    stream = Terminal()
    with progress_line(stream) as tell:
        tell("long names of kernels", 1, 20)
        assert shown(stream.getvalue()) == "long names of kernels: 1 of 20"
        tell("kernels", 20, 20)
        assert shown(stream.getvalue()) == "kernels: 20 of 20"
    assert shown(stream.getvalue()) == ""
    assert "\n" not in stream.getvalue()


def test_steps_that_come_fast_are_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "_INTERVAL", 1e9)
    stream = Terminal()
    with progress_line(stream) as tell:
        for each in range(1000):
            tell("kernels", each, 1000)
        assert shown(stream.getvalue()) == "kernels: 0 of 1000"


def test_the_line_is_gone_after_an_error():
    stream = Terminal()

    def fail() -> None:
        with progress_line(stream) as tell:
            tell("kernels", 1, 2)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert shown(stream.getvalue()) == ""


def test_a_pipe_is_silent():
    stream = StringIO()
    with progress_line(stream) as tell:
        tell("kernels", 1, 2)
    assert not stream.getvalue()


def test_each_item_is_told_before_it_is_given():
    steps: list[tuple[str, int, int]] = []

    def note(what: str, done: int, total: int) -> None:
        steps.append((what, done, total))

    for each in told("ab", "letters", note):
        assert steps[-1] == ("letters", "ab".index(each), 2)
    assert steps == [("letters", at, 2) for at in range(3)]
