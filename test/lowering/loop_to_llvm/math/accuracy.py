"""
How far the math functions are off.

Run as a script, this prints the table of docs/math.md; the tests beside it hold each
function to what it states of itself.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, TypeAlias

import llvmlite.binding as llvm
import mpmath
import numpy as np
import numpy.typing as npt

from static_runtime.lowering.loop_to_llvm.math import (
    FUNCTIONS,
    WRITTEN,
    Element,
    declarations,
    define,
    symbol,
)
from static_runtime.runtime.cache import Cache, default_folder
from static_runtime.runtime.machine.host import ThisMachine, enabled, get_host

Array: TypeAlias = npt.NDArray[Any]
ELEMENTS: tuple[Element, ...] = ("f32", "f64")
KINDS: dict[Element, str] = {"f32": "float", "f64": "double"}
DTYPES: dict[Element, Any] = {"f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class Machine:
    """What code is compiled for."""

    name: str
    triple: str
    cpu: str
    features: str
    fma: bool


def machines() -> dict[str, Machine]:
    """What the host runs, with and without fused multiply-add."""
    triple, features, found = (
        get_host().triple,
        get_host().features,
        enabled(get_host()),
    )
    if not triple.startswith("x86_64"):
        cpu = get_host().cpu
        fused, split = (
            Machine(name, triple, cpu, features, name == "host")
            for name in ("host", "split")
        )
        return {each.name: each for each in (fused, split)}
    known = [Machine("sse2", triple, "x86-64", "", fma=False)]
    if found.issuperset(("avx2", "fma")):
        known.append(Machine("avx2", triple, "x86-64-v3", "", fma=True))
    # The host's features tell the truth, its name may not.
    known.append(Machine("host", triple, "x86-64", features, fma="fma" in found))
    return {each.name: each for each in known}


MACHINES = machines()
UNFUSED = next(each for each in MACHINES.values() if not each.fma)

LOOP = """
define void @{entry}(ptr %out, ptr %x, ptr %y, i64 %n) {{
entry:
  %whole = and i64 %n, -{lanes}
  br label %vector
vector:
  %i = phi i64 [ 0, %entry ], [ %i.next, %vector.body ]
  %more = icmp slt i64 %i, %whole
  br i1 %more, label %vector.body, label %tail
vector.body:
{vector}
  %i.next = add i64 %i, {lanes}
  br label %vector
tail:
  %j = phi i64 [ %i, %vector ], [ %j.next, %tail.body ]
  %rest = icmp slt i64 %j, %n
  br i1 %rest, label %tail.body, label %exit
tail.body:
{scalar}
  %j.next = add i64 %j, 1
  br label %tail
exit:
  ret void
}}
"""


def body(name: str, arity: int, element: Element, lanes: int, index: str) -> str:
    """Loads the arguments at an index, calls the function, stores the result."""
    kind = KINDS[element]
    type = kind if lanes == 1 else f"<{lanes} x {kind}>"
    arguments = ("x", "y")[:arity]
    lines = [
        f"  %{index}.{each}.at = getelementptr {kind}, ptr %{each}, i64 %{index}"
        for each in ("out", *arguments)
    ]
    lines += [
        f"  %{index}.{each} = load {type}, ptr %{index}.{each}.at, align 4"
        for each in arguments
    ]
    operands = ", ".join(f"{type} %{index}.{each}" for each in arguments)
    call = f"call {type} {symbol(name, element, lanes)}({operands})"
    lines.append(f"  %{index}.result = {call}")
    lines.append(f"  store {type} %{index}.result, ptr %{index}.out.at, align 4")
    return "\n".join(lines)


def over_arrays(name: str, arity: int, element: Element, lanes: int) -> str:
    """A function `map_<name>` that calls one that is defined on each element."""
    return LOOP.format(
        entry=f"map_{name}",
        lanes=lanes,
        vector=body(name, arity, element, lanes, "i"),
        scalar=body(name, arity, element, 1, "j"),
    )


def module_text(names: Iterable[str], element: Element, lanes: int, fma: bool) -> str:
    """A module with a function over arrays, `map_<name>`, for each math function."""
    parts: list[str] = []
    for name in names:
        parts += [define(name, element, width, fma) for width in sorted({1, lanes})]
        parts.append(over_arrays(name, WRITTEN[name].arity, element, lanes))
    text = "\n".join(parts)
    return text + declarations(text)


def target_machine(machine: Machine) -> llvm.TargetMachine:
    """LLVM's code generator for a machine."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=3, jit=True
    )


def optimized(text: str, target: llvm.TargetMachine) -> llvm.ModuleRef:
    """A module after LLVM's whole pipeline."""
    module = llvm.parse_assembly(text)
    module.verify()
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    # The loop over the tail must stay scalar: it is one of the two things compared.
    tuning.loop_vectorization = False
    tuning.loop_unrolling = False
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return module


@cache
def object_of(text: str, machine: Machine) -> bytes:
    """The object code of a module, which the workers of a run share."""
    target = target_machine(machine)
    objects = Cache(default_folder())
    key = sha256(
        f"math\n{llvm.llvm_version_info}\n{machine}\n{text}".encode()
    ).hexdigest()
    code = objects.get(key)
    if code is None:
        code = target.emit_object(optimized(text, target))
        objects.put(key, code)
    return code


class Compiled:
    """The functions `map_<name>` of a module, compiled and callable by name."""

    def __init__(
        self, text: str, names: Iterable[str], element: Element, machine: Machine
    ) -> None:
        code = object_of(text, machine)
        if not isinstance(get_host(), ThisMachine):
            from ....as_host import skip_unless_host_runs

            skip_unless_host_runs()
        self.dtype = np.dtype(DTYPES[element])
        library = llvm.JITLibraryBuilder().add_object_img(code)
        for name in names:
            library = library.export_symbol(f"map_{name}")
        self.compiler = llvm.create_lljit_compiler(target_machine(machine))
        self.library = library.link(self.compiler, "math")
        entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
        self.entries: dict[str, Callable[..., None]] = {
            name: entry(self.library[f"map_{name}"]) for name in names
        }

    def __call__(self, name: str, *arguments: Array) -> Array:
        """The function of each element of contiguous arrays of one length."""
        x, y = arguments[0], arguments[-1]
        assert x.shape == y.shape
        assert x.dtype == y.dtype == self.dtype
        assert x.flags.c_contiguous
        assert y.flags.c_contiguous
        out = np.empty_like(x)
        self.entries[name](out.ctypes.data, x.ctypes.data, y.ctypes.data, x.size)
        return out


@cache
def compiled(element: Element, lanes: int, machine: Machine) -> Compiled:
    """All math functions."""
    text = module_text(FUNCTIONS, element, lanes, machine.fma)
    return Compiled(text, FUNCTIONS, element, machine)


def erf(x: Array) -> Array:
    """The error function, to the last bit of f64 or, by mpmath, of a long double."""
    if x.dtype == np.float64:
        return np.vectorize(math.erf, otypes=[np.float64])(x)
    result = np.empty_like(x)
    with mpmath.workprec(140):
        for i, each in enumerate(x):
            exact = mpmath.erf(mpmath.mpf(float(each)))
            if not np.isfinite(each):
                result[i] = np.longdouble(float(exact))
                continue
            # A fraction and an exponent: a long double may be smaller than any of f64.
            fraction, exponent = mpmath.frexp(exact)
            high = float(fraction)
            whole = np.longdouble(high) + np.longdouble(float(fraction - high))
            result[i] = np.ldexp(whole, exponent)
    return np.copysign(result, x)


def half_away_from_zero(x: Array) -> Array:
    """The nearest integer, of two the one further from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


SPELLINGS: dict[str, Any] = {
    "erf": erf,
    "powf": np.power,
    "roundeven": np.rint,
    "round": half_away_from_zero,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}


def by_mpmath(name: str, arguments: Iterable[float]) -> mpmath.mpf:
    """What a function should be, as exact as mpmath is told to work."""
    match name, [mpmath.mpf(each) for each in arguments]:
        case "exp2", [x]:
            return 2**x
        case "log2", [x]:
            return mpmath.log(x, 2)
        case "powf", [x, y]:
            return x**y
        case _, given:
            return getattr(mpmath, name)(*given)


def exact(name: str, *arguments: Array) -> Array:
    """What a function should be, in f64 for f32 and in a long double for f64."""
    wider = np.float64 if arguments[0].dtype == np.float32 else np.longdouble
    function = SPELLINGS.get(name) or getattr(np, name)
    with np.errstate(all="ignore"):
        return function(*(each.astype(wider) for each in arguments))


def ulps(actual: Array, expected: Array) -> Array:
    """
    Errors in units in the last place of exact results, in a wider format.

    Infinity counts as the number that follows the largest; NaN is only right for NaN.
    """
    limits = np.finfo(actual.dtype)
    beyond = expected.dtype.type(2) ** limits.maxexp
    with np.errstate(invalid="ignore"):
        exponent = np.frexp(expected)[1].astype(np.int64)
        least = int(limits.minexp) + 1
        last = np.maximum(exponent, least) - limits.nmant - 1
        unit = np.ldexp(expected.dtype.type(1), last)
        difference = np.clip(actual.astype(expected.dtype), -beyond, beyond)
        difference -= np.clip(expected, -beyond, beyond)
        errors = np.abs(difference) / unit
    errors[np.isnan(actual) & np.isnan(expected)] = 0
    errors[actual == expected] = 0
    errors[np.isnan(errors)] = np.inf
    return errors


def uniform(
    generator: np.random.Generator, low: float, high: float, count: int
) -> Array:
    """
    Numbers between two others, the same on every machine: in numpy's own `uniform` a
    compiler may have made one multiply-add of the two steps.
    """
    return low + (high - low) * generator.random(count)


REDUCED = 2.0**30 * math.pi / 2
"""Up to here sin, cos and tan are as exact as they say."""


def sample(name: str, element: Element) -> tuple[Array, ...]:
    """Arguments all over the format, and more where a function has its turns."""
    generator = np.random.default_rng(len(name))
    if FUNCTIONS[name].arity == 2:
        return pairs(generator, element)
    if element == "f32":
        # Every exponent and sign, with 2047 fractions each.
        patterns = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32)
        x = patterns.view(np.float32)
    elif name == "erf":
        parts = [uniform(generator, -limit, limit, 2000) for limit in (0.1, 1.2, 6.5)]
        tiny = np.ldexp(
            uniform(generator, 1, 2, 1000), generator.integers(-1070, 5, 1000)
        )
        x = np.concatenate([*parts, tiny])
    else:
        count = 20_000
        parts = [generator.integers(0, 2**64, count, np.uint64).view(np.float64)]
        for limit in (0.4, 1, 3, 20, 750, 1e5, REDUCED):
            parts.append(uniform(generator, -limit, limit, count))
        parts += [uniform(generator, 0.5, 2, count), np.arange(1, 9999) * (math.pi / 2)]
        x = np.concatenate(parts)
    return (in_range(name, x),)


def in_range(name: str, x: Array) -> Array:
    """The arguments for which a function keeps to its bound."""
    return x[~(np.abs(x) > REDUCED)] if name in ("sin", "cos", "tan") else x


def pairs(generator: np.random.Generator, element: Element) -> tuple[Array, Array]:
    """Bases and exponents: any, and such that the power is neither 0 nor infinite."""
    count, dtype = 60_000, DTYPES[element]
    integer: Any = np.uint32 if element == "f32" else np.uint64
    limit = 80 if element == "f32" else 700
    bits = [
        generator.integers(0, np.iinfo(integer).max, count, integer).view(dtype)
        for _ in range(2)
    ]
    bases = [
        np.abs(
            generator.integers(0, np.iinfo(integer).max, count, integer).view(dtype)
        ),
        uniform(generator, 0.5, 2, count).astype(dtype),
        (1 + uniform(generator, -1e-3, 1e-3, count)).astype(dtype),
        uniform(generator, -20, 20, count).astype(dtype),
    ]
    with np.errstate(all="ignore"):
        exponents = [
            (uniform(generator, -limit, limit, count) / about_log(base)).astype(dtype)
            for base in bases
        ]
        exponents[-1] = np.rint(exponents[-1])
    return np.concatenate([bits[0], *bases]), np.concatenate([bits[1], *exponents])


def about_log(x: Array) -> Array:
    """
    The natural logarithm of magnitudes, to a third of it.

    It takes arithmetic alone, so that the sample is the same on every machine: numpy's
    logarithm has other last bits where a processor has other vectors.
    """
    fraction, exponent = np.frexp(np.abs(x).astype(np.float64))
    return (exponent + 2 * fraction - 2) * math.log(2)


@dataclass(frozen=True)
class Error:
    """The largest error that was met."""

    ulp: float
    arguments: tuple[float, ...]
    actual: float
    expected: float


@cache
def expectation(name: str, element: Element) -> tuple[tuple[Array, ...], Array]:
    """A sample and the exact results."""
    arguments = sample(name, element)
    return arguments, exact(name, *arguments)


SLACK: dict[Element, float] = {"f32": 1e-6, "f64": 4e-3}
"""What `ulps` may be off by, since the results that it takes for exact are rounded."""


def true_ulps(
    name: str, arguments: Iterable[float], actual: float, element: Element
) -> float:
    """As `ulps` counts it, how far a result is off from mpmath's."""
    limits = np.finfo(DTYPES[element])
    with mpmath.workprec(300):
        expected = by_mpmath(name, arguments)
        exponent = int(mpmath.frexp(expected)[1])
        last = max(exponent, int(limits.minexp) + 1) - int(limits.nmant) - 1
        beyond = mpmath.ldexp(1, int(limits.maxexp))
        ends = (mpmath.mpf(actual), expected)
        a, b = (min(max(each, -beyond), beyond) for each in ends)
        return float(mpmath.ldexp(abs(a - b), -last))


@cache
def largest_error(name: str, element: Element, machine: Machine) -> Error:
    """
    The largest error of a function over its sample.

    The results that are furthest off, as far as numpy can tell, are compared with those
    of mpmath; so what comes out does not depend on numpy or the C library.
    """
    arguments, expected = expectation(name, element)
    lanes = 16 if element == "f32" else 8
    actual = compiled(element, lanes, machine)(name, *arguments)
    errors = ulps(actual, expected)
    most = errors.max()
    worst, off = int(errors.argmax()), float(most)
    if 0 < most < np.inf:
        for each in np.flatnonzero(errors >= most - 2 * SLACK[element]).tolist():
            given = (float(argument[each]) for argument in arguments)
            true = true_ulps(name, given, float(actual[each]), element)
            assert abs(true - float(errors[each])) <= SLACK[element], (name, each)
            if each == worst or true > off:
                worst, off = each, true
    return Error(
        off,
        tuple(float(each[worst]) for each in arguments),
        float(actual[worst]),
        float(expected[worst]),
    )


def cell(name: str, element: Element, machine: Machine) -> str:
    """The bound of a function, and in brackets the largest error that was met."""
    bound = FUNCTIONS[name].ulp(element, machine.fma)
    return f"{bound:g} ({largest_error(name, element, machine).ulp:.2f})"


def main() -> None:
    """Prints the table of docs/math.md."""
    fused = [each for each in MACHINES.values() if each.fma]
    if not fused or np.finfo(np.longdouble).nmant < 63:
        sys.exit(
            "expected a processor with fused multiply-add, and long doubles of 64 bits "
            "of fraction or more, got neither or one of them"
        )
    machines = (fused[-1], UNFUSED)
    print("| function | f32 | f32, no fma | f64 | f64, no fma | method |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, function in FUNCTIONS.items():
        cells = [cell(name, element, each) for element in ELEMENTS for each in machines]
        print(f"| `{name}` | {' | '.join(cells)} | {function.note} |")


if __name__ == "__main__":
    main()
