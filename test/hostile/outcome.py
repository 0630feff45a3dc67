"""What becomes of a mutant, and whether results are near those of others."""

from __future__ import annotations

import os
import traceback
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.utils.exceptions import ParseError, VerifyException

from static_runtime.compiler.driver import driver

from .results import Array

HOUSE = Path(__file__).parents[2]
ROOMS = tuple(
    str(HOUSE / each) for each in ("compiler", "dialects", "lowering", "runtime")
)

MOST_ELEMENTS = 1 << 18
"""Elements of an input or output, above which a model is not run."""

LONGEST = 6000
"""Characters of a message that is still read."""

FINDINGS = ("bare", "differs", "refuses", "message", "slow", "crash", "hang", "leak")
"""The outcomes that must not be."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant, where in the source, and what was said."""

    what: str
    where: str = ""
    text: str = ""


class Slow(BaseException):
    """A mutant took more time of the processor than any may."""


class Lowered(BaseException):
    """The compiler has come to the code, and nobody asked for more."""


def stop(texts: Iterable[str], *others: Any) -> Any:
    """Stands where LLVM would be asked for objects of these texts."""
    for _ in texts:
        pass
    raise Lowered


@contextmanager
def without_llvm(active: bool) -> Generator[None]:
    """Ends a compile before LLVM, which takes most of its time."""
    kept = driver.objects
    if active:
        driver.objects = stop
    try:
        yield
    finally:
        driver.objects = kept


def place(error: BaseException) -> str:
    """The kind of an error, and the last line of ours that it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if each.filename.startswith(ROOMS)]
    last = ours[-1] if ours else frames[-1]
    name = os.path.relpath(last.filename, HOUSE)
    return f"{type(error).__name__} at {name}:{last.lineno} {last.name}"


def bare(error: BaseException, what: str = "bare") -> Outcome:
    """The finding that an error tells the user nothing."""
    return Outcome(what, place(error), f"{error}"[:500])


def refused(error: BaseException) -> Outcome:
    """A refusal, unless its message is none."""
    text = str(error)
    if isinstance(error.__cause__, ParseError | VerifyException):
        return Outcome("refused", place(error), text[:500])  # in xDSL's own words
    if "xpected" not in text or len(text) > LONGEST or "Traceback" in text:
        return Outcome("message", place(error), text[:500])
    return Outcome("refused", place(error), text[:500])


def near(got: Array, wanted: Array) -> bool:
    """Whether most elements agree; sums in another order may differ, and round."""
    if got.dtype.kind in "biu":
        differs: npt.NDArray[np.bool_] = got != wanted
        return got.size == 0 or bool(np.mean(differs) <= 0.02)
    with np.errstate(all="ignore"):
        scale = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1.0)
        same = np.isclose(got, wanted, 2e-3, 1e-4 * scale, equal_nan=True)
        # What overflows in one order may not in another.
        same |= ~np.isfinite(wanted) | ~np.isfinite(got) | (np.abs(wanted) > 1e30)
    return got.size == 0 or bool(np.mean(~same) <= 0.02)
