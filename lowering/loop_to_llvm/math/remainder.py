"""
`remainder`: the rest of a division of floats, exactly, with the sign of the dividend.

A number is m * 2**e with an integer m. So the rest of a division is that of integers,
m * 2**(e - f) by n, in units of the divisor's lowest bit; 64 bits are shifted in and
divided at a time: once, unless the dividend is 2**40 times the divisor in f32, and
2**11 times in f64. Nothing is rounded, and numbers below the least normal one need
nothing of their own. It is NaN of infinity, of NaN, and of a division by zero.

It has a loop, so it is no recipe of `writer.py`, and vectors are divided lane by lane.
"""

from __future__ import annotations

from .writer import FORMATS, Element, Format

NAME = "remainder"

_TEXT = """\
define internal {kind} {symbol}({kind} %x, {kind} %y) noinline {attributes} {{
entry:
  %x.bits = bitcast {kind} %x to {integer}
  %y.bits = bitcast {kind} %y to {integer}
  %x.all = zext {integer} %x.bits to i64
  %y.all = zext {integer} %y.bits to i64
  %a = and i64 %x.all, {magnitude}
  %b = and i64 %y.all, {magnitude}
  %x.bad = icmp uge i64 %a, {infinity}
  %y.bad = icmp ugt i64 %b, {infinity}
  %zero = icmp eq i64 %b, 0
  %one.bad = or i1 %x.bad, %y.bad
  %bad = or i1 %one.bad, %zero
  br i1 %bad, label %none, label %numbers
none:
  %product = fmul {kind} %x, %y
  %nan = fdiv {kind} %product, %product
  ret {kind} %nan
numbers:
  %less = icmp ult i64 %a, %b
  br i1 %less, label %small, label %divide
small:
  ret {kind} %x
divide:
  %a.stored = lshr i64 %a, {fraction}
  %b.stored = lshr i64 %b, {fraction}
  %a.low = and i64 %a, {low}
  %b.low = and i64 %b, {low}
  %a.normal = icmp ne i64 %a.stored, 0
  %b.normal = icmp ne i64 %b.stored, 0
  %a.high = select i1 %a.normal, i64 {hidden}, i64 0
  %b.high = select i1 %b.normal, i64 {hidden}, i64 0
  %m = or i64 %a.low, %a.high
  %n = or i64 %b.low, %b.high
  %e = call i64 @llvm.umax.i64(i64 %a.stored, i64 1)
  %f = call i64 @llvm.umax.i64(i64 %b.stored, i64 1)
  %gap = sub nuw nsw i64 %e, %f
  br label %step
step:
  %rest = phi i64 [%m, %divide], [%rest.next, %step]
  %left = phi i64 [%gap, %divide], [%left.next, %step]
  %shift = call i64 @llvm.umin.i64(i64 %left, i64 {room})
  %shifted = shl nuw i64 %rest, %shift
  %rest.next = urem i64 %shifted, %n
  %left.next = sub nuw nsw i64 %left, %shift
  %more = icmp ne i64 %left.next, 0
  br i1 %more, label %step, label %pack
pack:
  %zeros = call i64 @llvm.ctlz.i64(i64 %rest.next, i1 false)
  %above = sub nsw i64 %zeros, {room}
  %down = sub nuw nsw i64 %f, 1
  %up = call i64 @llvm.umin.i64(i64 %above, i64 %down)
  %digits = shl i64 %rest.next, %up
  %exponent = sub nsw i64 %down, %up
  %stored = shl i64 %exponent, {fraction}
  %packed = add i64 %digits, %stored
  %exact = icmp eq i64 %rest.next, 0
  %found = select i1 %exact, i64 0, i64 %packed
  %sign = xor i64 %x.all, %a
  %signed = or i64 %found, %sign
  %result.bits = trunc i64 %signed to {integer}
  %result = bitcast {integer} %result.bits to {kind}
  ret {kind} %result
}}
"""

_ATTRIBUTES = "nounwind willreturn memory(none)"


def define_remainder(element: Element, lanes: int, one: str, symbol: str) -> str:
    """The function `symbol`; that of several lanes calls `one` for each of them."""
    known = FORMATS[element]
    return _scalar(known, symbol) if lanes == 1 else _vector(known, lanes, one, symbol)


def _scalar(known: Format, symbol: str) -> str:
    """The function of two numbers."""
    hidden = 1 << known.fraction
    infinity = (2 * known.bias + 1) << known.fraction
    # The digits take one more bit than are stored.
    room = 63 - known.fraction
    text = _TEXT
    if known.bits == 64:
        for name in ("x", "y"):
            whole = f"  %{name}.all = zext {{integer}} %{name}.bits to i64\n"
            text = text.replace(whole, "").replace(f"%{name}.all", f"%{name}.bits")
        cut = "  %result.bits = trunc i64 %signed to {integer}\n"
        text = text.replace(cut, "").replace("%result.bits", "%signed")
    fields = {
        "kind": known.kind,
        "integer": known.integer,
        "symbol": symbol,
        "attributes": _ATTRIBUTES,
        "magnitude": (1 << known.bits - 1) - 1,
        "infinity": infinity,
        "fraction": known.fraction,
        "low": hidden - 1,
        "hidden": hidden,
        "room": room,
    }
    return text.format(**fields)


def _vector(known: Format, lanes: int, one: str, symbol: str) -> str:
    """The function of two vectors."""
    type = f"<{lanes} x {known.kind}>"
    lines = [
        f"define internal {type} {symbol}({type} %x, {type} %y) alwaysinline "
        f"{_ATTRIBUTES} {{"
    ]
    made = "poison"
    for at in range(lanes):
        for name in ("x", "y"):
            lines.append(f"  %{name}.{at} = extractelement {type} %{name}, i64 {at}")
        arguments = ", ".join(f"{known.kind} %{name}.{at}" for name in ("x", "y"))
        lines.append(f"  %rest.{at} = call {known.kind} {one}({arguments})")
        whole = f"insertelement {type} {made}, {known.kind} %rest.{at}, i64 {at}"
        lines.append(f"  %made.{at} = {whole}")
        made = f"%made.{at}"
    return "\n".join([*lines, f"  ret {type} {made}", "}", ""])
