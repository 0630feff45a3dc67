"""
Turn an exception that nobody expected into one sentence and a file that brings it back.

The file holds the IR as it was before the pass that failed, under a RUN line with the
passes that remained: lit runs it as it is. That IR is not kept while passes run; it is
made again, from the input, when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType

from xdsl.passes import ModulePass
from xdsl.utils.exceptions import (
    DiagnosticException,
    ParseError,
    ShrinkException,
    VerifyException,
)

from ..session import CompileError
from .parse_pipeline import pipeline_text


class CrashError(Exception):
    """A bug of this compiler, told in one sentence; its cause is what was raised."""


_USER_ERRORS = (
    CompileError,
    CrashError,
    DiagnosticException,
    OSError,
    ParseError,
    ShrinkException,
)
"""The errors that a user is told of as they are."""


def _was_expected(error: BaseException) -> bool:
    """Whether an error says what it has to say by itself."""
    if isinstance(error, VerifyException):
        return False  # a pass may refuse IR, but may not leave what is invalid
    return isinstance(error, _USER_ERRORS) or not isinstance(error, Exception)


@dataclass(frozen=True)
class Guard(AbstractContextManager[None]):
    """
    Raises `CrashError` in place of an unexpected error in its block.

    The sentence begins with `what`, which went wrong. `reproduce` writes a file that
    brings the error back, and returns what there is to say of it. `accepts` are errors
    that pass through as well as the expected ones.
    """

    what: str
    reproduce: Callable[[], str] | None = None
    accepts: tuple[type[Exception], ...] = ()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Lets expected errors pass, and turns others into a `CrashError`."""
        if error is None or isinstance(error, self.accepts) or _was_expected(error):
            return
        said, *_ = str(error).splitlines() or ["no message"]
        sentence = f"{self.what}: {type(error).__name__}: {said}"
        if self.reproduce is not None:
            sentence += f"; {self.reproduce()}"
        raise CrashError(sentence) from error


def reproducer_text(ir: str, passes: Sequence[ModulePass], target: str) -> str:
    """A test that runs `passes` on `ir`, and prints it for `target`."""
    options = f"--pass-pipeline='{pipeline_text(passes)}'"
    if target != "mlir":
        options += f" -t {target}"
    return f"// RUN: sr-opt %s {options}\n\n{ir}\n"
