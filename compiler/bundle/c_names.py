"""Names of C: what a name of a model becomes, and which names C keeps for itself."""

from __future__ import annotations

import re

from ..session import CompileError

_KEYWORDS = """
alignas alignof asm auto bool break case char complex const constexpr continue default
do double else enum extern false float for goto if imaginary inline int linux long
noreturn nullptr register restrict return short signed sizeof static static_assert
struct switch thread_local true typedef typeof typeof_unqual union unix unsigned void
volatile while
and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return
co_yield compl concept const_cast consteval constinit decltype delete dynamic_cast
explicit export friend mutable namespace new noexcept not not_eq operator or or_eq
private protected public reinterpret_cast requires static_cast template this throw try
typeid typename using virtual wchar_t xor xor_eq
"""
"""What C and C++ keep, as headers are for both, or define by themselves."""

_LIBRARY_NAMES = """
main memcpy memset assert ctype errno fenv inttypes iso646 limits locale math setjmp
signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string
tgmath threads time uchar wchar wctype
"""
"""Functions that a program has, and headers that one of this name would hide."""

_WORDS = frozenset(_KEYWORDS.split())
_RESERVED_NAMES = _WORDS | frozenset(_LIBRARY_NAMES.split())

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def identifier_of(name: str) -> str:
    """The name with `_` in place of what C allows in no identifier."""
    made = re.sub(r"[^0-9A-Za-z_]", "_", name)
    return f"_{made}" if not made or made[0].isdigit() else made


def check_name(name: str) -> None:
    """Raises `CompileError` for a name that no function and no header can have."""
    if not _NAME.fullmatch(name):
        raise CompileError(f"expected a name that C has for a bundle, got {name}")
    if name.startswith("sr_"):
        raise CompileError(
            f"expected a name that does not begin with sr_ for a bundle, got {name}"
        )
    if name in _RESERVED_NAMES:
        raise CompileError(
            f"expected a name that C does not keep for a bundle, got {name}; give "
            "another with --network-name or --main-entry-name"
        )


def member_of(name: str) -> str:
    """The name as one of a member of a struct; raises `CompileError` for a keyword."""
    made = identifier_of(name)
    if made in _WORDS:
        raise CompileError(
            "expected names of sizes, inputs and outputs that are no keywords of C, "
            f"got {name}; rename it in the model"
        )
    return made


def comment(text: str) -> str:
    """A text as it may stand in a comment of C."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    return plain.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
