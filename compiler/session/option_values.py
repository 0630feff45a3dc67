"""What values options may have, and how they are kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from operator import index
from pathlib import Path
from types import UnionType
from typing import Any

from ...runtime.files import open_regular, read_bytes, reason, size_of
from ...runtime.planning import PLANNERS
from .errors import CompileError

_CLASS_NAME = re.compile(r"[\w.]+:[^\W\d][\w.]*")
"""A class that another process can import: of a module, and of no function."""

_MOST_PROFILE = 2**26
"""The most bytes of a profile; a thousand values with full histograms take half."""

TILES_OF_ALGORITHMS = {"exact": 0, "fast": 2, "fastest": 4}
"""The rows and columns of tiles that convolutions may be computed by; 0 for none."""

BITS_OF_WEIGHTS = {"int8": 8, "int4": 4}
"""How many bits weights may be quantised to."""

ALWAYS_GIVEN = 8
"""Threads that a user gets who asks for them, however few may run at once."""

CHOICES: Mapping[str, tuple[str, Iterable[str]]] = {
    "bind": ("bind of", ("refuse", "first-call")),
    "fallback": ("fallback of", ("error", "foreign")),
    "tier": ("a tier", ("full", "fast-start")),
    "precision": ("a precision", ("f32", "bf16")),
    "algorithms": ("algorithms", TILES_OF_ALGORITHMS),
    "weights": ("weights of", BITS_OF_WEIGHTS),
    "activations": ("activations of", ("int8",)),
}
"""What each option is said to be in errors, and the values that it may have."""

SWITCHES = (
    *("cache", "tune", "manage_output_tensors", "optimize_memory"),
    *("enable_out_variant", "enable_tensorexpr_fusion", "use_maybe_copy_variants"),
    *("strict", "check_memory"),
)
"""The options that are true or not."""


def whole_bounds(bounds: Any) -> dict[str, int]:
    """
    A copy of bounds, which nobody else changes; raises `CompileError` unless they are
    whole numbers of symbols.
    """
    wanted = 'bounds such as {"batch": 64}'
    check_is(wanted, Mapping, bounds)
    for name, most in bounds.items():
        check_is(f"{wanted} with the names of symbols", str, name)
        if not _is_whole(most):
            raise _unexpected(f"a whole number as the bound of {name}", most)
        if not 0 <= most < 2**62:
            raise CompileError(
                f"expected a bound of {name} from 0 to 2**62, got {most}"
            )
    return {name: index(most) for name, most in bounds.items()}


def whole_threads(threads: Any) -> int | None:
    """A number of threads, or None; raises `CompileError` for anything else."""
    if threads is None:
        return None
    if not _is_whole(threads):
        raise _unexpected("a whole number of threads, or None", threads)
    if threads < 1:
        raise CompileError(f"expected one thread or more, got {threads}")
    return index(threads)


def whole_seed(seed: Any) -> int | str | None:
    """A number of 64 bits, "input" or None; raises `CompileError` for anything else."""
    if seed is None:
        return None
    if isinstance(seed, str) and seed == "input":
        return "input"
    wanted = 'a seed as a whole number, "input" or None'
    if isinstance(seed, str) or not _is_whole(seed):
        raise _unexpected(wanted, seed)
    number = index(seed)
    if not -(1 << 63) <= number < 1 << 63:
        raise CompileError(f"expected a seed of 64 bits, got {number}")
    return number


def check_planner(name: Any) -> None:
    """Raises `CompileError` unless it is the name of a planner."""
    check_is("the name of a planner", str, name)
    planner = str(name)
    if planner not in PLANNERS:
        nearest = get_close_matches(planner, PLANNERS) or sorted(PLANNERS)
        raise CompileError(
            f"expected a planner like {', '.join(nearest)}, got {planner}"
        )


def check_one_of(what: str, known: Iterable[str], got: Any) -> None:
    """Raises `CompileError` unless an option, `what`, is one of those known."""
    names = tuple(known)
    if got not in names:
        raise CompileError(f"expected {what} {' or '.join(names)}, got {got}")


def names_of_classes(classes: Any) -> tuple[str, ...]:
    """
    Classes as the names that other processes import them by; raises `CompileError` for
    what has no such name.
    """
    wanted = 'foreign_ops such as (MyOp,) or ("package.module:MyOp",)'
    if isinstance(classes, str | type):
        raise _unexpected(wanted, classes)
    check_is(wanted, Sequence, classes)
    names: list[str] = []
    for each in classes:
        name = each
        if isinstance(each, type):
            name = f"{each.__module__}:{each.__qualname__}"
        if not isinstance(name, str) or not _CLASS_NAME.fullmatch(name):
            raise CompileError(
                f"expected {wanted}, of classes that a module has, got {name!r:.80}"
            )
        names.append(name)
    return tuple(names)


@dataclass(frozen=True)
class ProfileText:
    """A profile as an option has it: a text, which is read where passes are made."""

    text: str = field(repr=False)
    digest: str
    """What a key says of it."""

    name: str = field(compare=False)
    """The file that it is from, for messages."""


def text_of_profile(value: Any) -> ProfileText | None:
    """
    The profile in a file, or of an object that has its `text`, or None; raises
    `CompileError` for anything else, and for a file that cannot be read.
    """
    if value is None or isinstance(value, ProfileText):
        return value
    if isinstance(value, str | Path):
        return _read_profile(Path(value))
    text = getattr(value, "text", None)
    if not isinstance(text, str):
        raise _unexpected("a profile, or the path of one, for quantization", value)
    return ProfileText(text, sha256(text.encode()).hexdigest(), "profile")


def _read_profile(path: Path) -> ProfileText:
    """The profile in a file."""
    try:
        with open_regular(path) as file:
            data = bytes(read_bytes(file, 0, min(size_of(file), _MOST_PROFILE + 1)))
    except (OSError, ValueError) as error:
        got = reason(error) if isinstance(error, OSError) else error
        raise CompileError(f"{path}: expected a profile, got {got}") from error
    if len(data) > _MOST_PROFILE:
        raise CompileError(f"{path}: expected at most {_MOST_PROFILE} bytes, got more")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise CompileError(
            f"{path}: expected a profile in UTF-8, got byte "
            f"0x{data[error.start]:02x} at offset {error.start}"
        ) from error
    return ProfileText(text, sha256(data).hexdigest(), str(path))


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of Python's or of numpy's; truth is none."""
    if isinstance(value, bool):
        return False
    try:
        index(value)
    except TypeError:
        return False
    return True


def check_is(wanted: str, type: type | UnionType, value: Any) -> None:
    """Raises `CompileError` for a value that is not of the type."""
    if not isinstance(value, type):
        raise _unexpected(wanted, value)


def _unexpected(wanted: str, value: Any) -> CompileError:
    """The error of an argument of another type than is wanted."""
    return CompileError(f"expected {wanted}, got {type(value).__name__} {value!r:.80}")
