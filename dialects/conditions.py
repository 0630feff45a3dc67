"""
Conditions on sizes, as sizes: 1 where a condition holds, and 0 elsewhere.

    less(n, m)              min(1, max(0, m - n))
    equal(n, m)             the lesser of `not less(n, m)` and `not less(m, n)`
    negated(c)              1 - c
    chosen(c, n, m)         c * (n - m) + m: n where c holds, else m

A condition that holds for all sizes, or for none, is the number 1 or 0. So what a model
chooses by its sizes is computed as any other size is.
"""

from __future__ import annotations

from .dims import (
    Call,
    Dim,
    Polynomial,
    floordiv,
    greater,
    is_nonnegative,
    lesser,
    maximum,
    minimum,
    terms_of,
    total,
)


def less(a: Dim, b: Dim) -> Dim:
    """Whether `a` is less than `b`."""
    room = b - a
    if is_nonnegative(room - 1, {}):
        return 1
    if is_nonnegative(-room, {}):
        return 0
    return minimum(1, room if is_nonnegative(room, {}) else maximum(0, room))


def negated(condition: Dim) -> Dim:
    """Whether a condition does not hold."""
    return 1 - condition


def both(a: Dim, b: Dim) -> Dim:
    """Whether two conditions hold."""
    return lesser(a, b)


def either(a: Dim, b: Dim) -> Dim:
    """Whether one of two conditions holds."""
    return greater(a, b)


def equal(a: Dim, b: Dim) -> Dim:
    """Whether two sizes are equal."""
    return both(negated(less(a, b)), negated(less(b, a)))


def chosen(condition: Dim, a: Dim, b: Dim) -> Dim:
    """`a` where a condition holds, else `b`."""
    if isinstance(condition, int):
        return a if condition else b
    if condition == less(a, b):
        return minimum(a, b)
    if condition == less(b, a):
        return maximum(a, b)
    return condition * (a - b) + b


def truncated(a: Dim, b: Dim) -> Dim | None:
    """
    The quotient of `a` and `b` rounded towards zero, where `b` is not zero; None for a
    divisor of both signs.
    """
    if not is_nonnegative(b, {}):
        return truncated(a * -1, b * -1) if is_nonnegative(b * -1, {}) else None
    if b == 0:
        return None
    if is_nonnegative(a, {}):
        return floordiv(a, b)
    if is_nonnegative(a * -1, {}):
        return floordiv(a * -1, b) * -1
    # `max(floordiv(a, b), 0)` is `floordiv(max(a, 0), b)` with no maximum inside. Where
    # `a` is above `-b` the second term is zero.
    return greater(floordiv(a, b), 0) - greater(floordiv(a * -1, b), 0)


def remainder(a: Dim, b: Dim) -> Dim | None:
    """
    What is left of `a` by `b`, with the sign of `b`, where that is not zero; None for a
    divisor of both signs.
    """
    if not is_nonnegative(b, {}):
        found = remainder(a * -1, b * -1) if is_nonnegative(b * -1, {}) else None
        return None if found is None else found * -1
    return None if b == 0 else a - floordiv(a, b) * b


def in_words(condition: Dim) -> str:
    """A condition as text, such as `n == 1`."""
    found = _sides(condition)
    return f"{condition} == 1" if found is None else " ".join(map(str, found))


def sides(condition: Dim) -> tuple[Dim, ...]:
    """The two sizes that a condition compares; none where it does something else."""
    found = _sides(condition)
    return () if found is None else (found[0], found[2])


def _sides(condition: Dim) -> tuple[Dim, str, Dim] | None:
    """The two sizes that a condition compares, and how; None for another condition."""
    for is_negated, words in ((False, ("<", "==")), (True, (">=", "!="))):
        asked = negated(condition) if is_negated else condition
        if (room := _room(asked)) is not None:
            low, high = _apart(room)
            return low, words[0], high
        match terms_of(asked):
            case (((Call("min", (a, b)),), 1),):
                parts = _room(negated(a)), _room(negated(b))
                rooms = [each for each in parts if each is not None]
                if len(rooms) == 2 and rooms[0] == rooms[1] * -1:
                    low, high = _apart(rooms[0])
                    return low, words[1], high
            case _:
                pass
    return None


def _room(condition: Dim) -> Dim | None:
    """What is above zero where `less` holds; None for another condition."""
    room = _other(condition, "min", 1)
    return room if room is None else _other(room, "max", 0) or room


def _other(value: Dim, function: str, one: int) -> Dim | None:
    """The other argument of a function of a number; None for another size."""
    match terms_of(value):
        case (((Call(name, arguments),), 1),) if name == function and one in arguments:
            return arguments[arguments[0] == one]
        case _:
            return None


def _apart(room: Dim) -> tuple[Dim, Dim]:
    """The sizes whose difference is `room`: what it subtracts, and what it adds."""
    parts = [
        Polynomial(((monomial, factor),)) if monomial else factor
        for monomial, factor in terms_of(room)
    ]
    high = total(each for each, (_, factor) in zip(parts, terms_of(room)) if factor > 0)
    return high - room, high
