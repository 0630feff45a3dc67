"""
Models that fork and wait, as those of PyTorch do, and futures in other orders.

A model takes a tensor of `n` rows of four numbers; `LOOKED_UP` takes indices besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

T = 'tensor<?x4xf32, ["n"]>'

STACK = 'tensor<?x4xf32, ["{} * n"]>'


def future(*types: str) -> str:
    """The type of a future."""
    return f"!graph.future<{', '.join(types)}>"


def call(result: str, op: str, *operands: str) -> str:
    """An op on rows."""
    types = ", ".join([T] * len(operands))
    return f"{result} = graph.{op} {', '.join(operands)} : {types} -> {T}"


def fork(result: str, operands: Sequence[str], *body: str) -> str:
    """A fork `%f` of ops on rows, which are `%f_0` and so on inside; it yields `%z`."""
    names = ", ".join(f"{result}_{at}: {T}" for at in range(len(operands)))
    types = ", ".join([T] * len(operands))
    lines = "\n".join([f"^bb0({names}):", *body, f"graph.yield %z : {T}"])
    given = ", ".join(operands)
    return f"{result} = graph.fork {given} : {types} -> {future(T)} {{\n{lines}\n}}"


def wait(result: str, awaited: str) -> str:
    """A wait for rows."""
    return f"{result} = graph.wait {awaited} : {future(T)} -> {T}"


def model(*lines: str, result: str) -> str:
    """A model of one input `%x`."""
    body = "\n".join(lines)
    return f"func.func @forks(%x: {T}) -> {T} {{\n{body}\nreturn {result} : {T}\n}}"


def negated(count: int, x: str, result: str) -> Iterable[str]:
    """Forks in a list, which negate rows; the sum of what they give."""
    futures = [f"%f{at}" for at in range(count)]
    stack, types = STACK.format(count), ", ".join([future(T)] * count)
    yield from (fork(each, [x], call("%z", "neg", f"{each}_0")) for each in futures)
    held = f"!graph.list<{types}>"
    yield f"%l = graph.list_construct {', '.join(futures)} : {types} -> {held}"
    taken = [f"%g{at}" for at in range(count)]
    yield f"{', '.join(taken)} = graph.list_unpack %l : {held} -> {types}"
    parts = [f"%r{at}" for at in range(count)]
    yield from (wait(each, one) for each, one in zip(parts, taken, strict=True))
    rows = ", ".join([T] * count)
    wide = f'tensor<{count}x?x4xf32, ["n"]>'
    yield f"%s = graph.concat {', '.join(parts)} {{axis = 0 : i64}} : {rows} -> {stack}"
    yield f'%t = graph.reshape %s {{shape = ["{count}", "n", "4"]}} : {stack} -> {wide}'
    yield (
        f"{result} = graph.sum %t {{axes = array<i64: 0>, keepdims = false}} "
        f": {wide} -> {T}"
    )


ADDED = model(
    fork("%f", ["%x", "%x"], call("%z", "add", "%f_0", "%f_1")),
    wait("%0", "%f"),
    result="%0",
)
"""What PyTorch calls `fork_wait_1`: a fork that is awaited at once."""

LOOPED = model(
    fork(
        "%f",
        ["%x", "%x"],
        call("%c", "add", "%f_0", "%f_1"),
        '%z = graph.loop %c, %f_0 {trips = "5", carried = 1 : i64, scanned = 0 : i64, '
        f"conditional = false, backward = array<i64>}} : {T}, {T} -> {T} {{",
        f"^bb0(%i: {T}, %j: {T}):",
        f"%k = graph.cumsum %i {{axis = 0 : i64}} : {T} -> {T}",
        call("%m", "sub", "%k", "%j"),
        f"graph.yield %m : {T}",
        "}",
    ),
    call("%1", "exp", "%x"),
    wait("%2", "%f"),
    call("%3", "add", "%1", "%2"),
    result="%3",
)
"""What it calls `fork_wait_2`: a loop in a fork, with an op beside it."""

MANY = model(*negated(5, "%x", "%0"), result="%0")
"""What it calls `fork_wait_3`: forks in a list."""

FORKS_IN_FORKS = model(
    fork("%p", ["%x"], *negated(3, "%p_0", "%z")),
    fork("%q", ["%x"], *negated(2, "%q_0", "%z")),
    wait("%0", "%p"),
    wait("%1", "%q"),
    call("%2", "mul", "%0", "%1"),
    result="%2",
)
"""What it calls `fork_wait_4`: forks in forks."""

CROSSED = model(
    fork("%f", ["%x"], call("%z", "exp", "%f_0")),
    call("%0", "neg", "%x"),
    fork(
        "%g", ["%0", "%x"], call("%y", "abs", "%g_0"), call("%z", "add", "%y", "%g_1")
    ),
    call("%1", "tanh", "%0"),
    wait("%2", "%f"),
    call("%3", "cos", "%2"),
    fork("%h", ["%3"], call("%z", "sin", "%h_0")),
    wait("%4", "%g"),
    call("%5", "add", "%1", "%4"),
    wait("%6", "%h"),
    call("%7", "mul", "%5", "%6"),
    wait("%8", "%f"),
    call("%9", "sub", "%7", "%8"),
    result="%9",
)
"""Futures that are awaited in another order than brackets have."""

HANDED_ON = model(
    fork("%f", ["%x"], call("%z", "exp", "%f_0")),
    f"%g = graph.fork %f, %x : {future(T)}, {T} -> {future(T)} {{",
    f"^bb0(%a: {future(T)}, %b: {T}):",
    wait("%c", "%a"),
    call("%d", "sub", "%b", "%c"),
    f"graph.yield %d : {T}",
    "}",
    call("%0", "abs", "%x"),
    wait("%1", "%g"),
    call("%2", "mul", "%0", "%1"),
    result="%2",
)
"""A future that another fork waits for."""

INDICES = 'tensor<?xi64, ["k"]>'
ROWS = 'tensor<?x4xf32, ["k"]>'
_LOOKUP = f"""
%{{}} = graph.fork %x, %{{}} : {T}, {INDICES} -> {future(ROWS)} {{{{
^bb0(%a: {T}, %b: {INDICES}):
%c = graph.index_select %a, %b {{{{axis = 0 : i64, wraps = true}}}}
  : {T}, {INDICES} -> {ROWS} loc("look up {{}}")
graph.yield %c : {ROWS}
}}}}"""

LOOKED_UP = f"""
func.func @forks(%x: {T}, %i: {INDICES}, %j: {INDICES}) -> ({ROWS}, {T}) {{
{_LOOKUP.format("f", "i", "i")}
{_LOOKUP.format("g", "j", "j")}
{call("%0", "exp", "%x")}
%1 = graph.wait %g : {future(ROWS)} -> {ROWS}
%2 = graph.wait %f : {future(ROWS)} -> {ROWS}
%3 = graph.add %1, %2 : {ROWS}, {ROWS} -> {ROWS}
return %3, %0 : {ROWS}, {T}
}}"""
"""Two forks that look rows up, which may not be there."""
