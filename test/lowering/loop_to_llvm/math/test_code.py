"""The functions are the same bits in any number of lanes, and call nothing."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import numpy as np
import pytest

from static_runtime.lowering.loop_to_llvm.math import (
    FUNCTIONS,
    NOT_ABOVE_ZERO,
    Element,
    declarations,
    define,
    symbol,
)
from static_runtime.runtime.elf.object_file import ObjectFile, read_object

from .accuracy import (
    DTYPES,
    ELEMENTS,
    MACHINES,
    UNFUSED,
    Array,
    Compiled,
    compiled,
    module_text,
    object_of,
    optimized,
    sample,
    target_machine,
)

ODD = ("sinh", "tanh", "asinh", "atanh", "asin", "atan", "sin", "tan", "erf")
EVEN = ("cos", "cosh")
MONOTONIC = ("exp", "exp2", "expm1", "sinh", "tanh", "asinh", "atan", "erf")


def some(name: str, element: Element) -> tuple[Array, ...]:
    """Arguments all over the format; their number is no multiple of any lanes."""
    arguments = sample(name, element)
    step = len(arguments[0]) // 2999
    return tuple(np.ascontiguousarray(each[::step][:2999]) for each in arguments)


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("lanes", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("machine", sorted({"host", UNFUSED.name}))
def test_vectors_and_scalars_have_the_same_bits(
    machine: str, element: Element, lanes: int
):
    vectors = compiled(element, lanes, MACHINES[machine])
    scalars = compiled(element, 1, MACHINES[machine])
    for name in FUNCTIONS:
        arguments = some(name, element)
        actual, expected = vectors(name, *arguments), scalars(name, *arguments)
        np.testing.assert_array_equal(actual, expected, name)
        zeros = expected == 0
        assert (np.signbit(actual[zeros]) == np.signbit(expected[zeros])).all(), name


@pytest.mark.sampled
@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("machine", sorted({"host", UNFUSED.name}))
@pytest.mark.parametrize("name", NOT_ABOVE_ZERO)
def test_what_takes_no_more_than_zero_has_the_same_bits(
    name: str, machine: str, element: Element, lanes: int
):
    function, fma = NOT_ABOVE_ZERO[name], MACHINES[machine].fma
    text = module_text([name, function.name], element, lanes, fma)
    both = Compiled(text, [name, function.name], element, MACHINES[machine])
    (x,) = sample(name, element)
    special = np.array([0.0, -0.0, -np.inf, np.nan, -np.nan], x.dtype)
    x = np.concatenate([x[~(x > 0)], special])
    actual, expected = both(function.name, x), both(name, x)
    np.testing.assert_array_equal(actual, expected)
    # Among them are subnormal numbers.
    assert ((actual > 0) & (actual < np.finfo(x.dtype).tiny)).any()


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("element", ELEMENTS)
def test_machines_with_fused_operations_have_the_same_bits(element: Element):
    fused = [each for each in MACHINES.values() if each.fma]
    for name in FUNCTIONS:
        arguments = some(name, element)
        results = [compiled(element, 4, each)(name, *arguments) for each in fused]
        for each in results[1:]:
            np.testing.assert_array_equal(each, results[0], name)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", [*ODD, *EVEN])
def test_odd_and_even_functions_are_so_to_the_bit(name: str, element: Element):
    (x,) = some(name, element)
    for machine in MACHINES.values():
        function = compiled(element, 4, machine)
        mirrored = function(name, np.negative(x))
        expected = -function(name, x) if name in ODD else function(name, x)
        np.testing.assert_array_equal(mirrored, expected)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", MONOTONIC)
def test_functions_that_grow_grow(name: str, element: Element):
    (x,) = sample(name, element)
    x = np.sort(x[~np.isnan(x)])
    for machine in MACHINES.values():
        y = compiled(element, 4, machine)(name, x)
        # Neighbours may be out of order by what both may be off, and no more.
        with np.errstate(invalid="ignore"):
            fall = np.maximum.accumulate(y)[:-1] - y[1:]
        error = 2 * FUNCTIONS[name].ulp(element, machine.fma)
        with np.errstate(invalid="ignore"):
            assert not (fall > error * np.spacing(np.abs(y[1:]))).any()


FAR: dict[Element, int] = {"f32": 127, "f64": 1023}
"""The exponents of the largest numbers."""


@pytest.mark.parametrize("element", ELEMENTS)
def test_bounded_functions_stay_within_their_bounds(element: Element):
    x = np.linspace(-50, 50, 10_003).astype(DTYPES[element])
    for machine in MACHINES.values():
        function = compiled(element, 4, machine)
        for name in ("tanh", "erf", "sin", "cos"):
            assert np.abs(function(name, x)).max() <= 1
            # Up to the largest numbers, whose sines have no right digit.
            far = np.sign(x) * 2.0 ** np.linspace(30, FAR[element], x.size)
            assert np.abs(function(name, far.astype(x.dtype))).max() <= 1
        assert function("exp", x).min() >= 0
        assert function("expm1", x).min() >= -1
        assert function("cosh", x).min() >= 1


def functions(code: ObjectFile) -> set[str]:
    """The functions that are in an object: those that are not inlined."""
    parts = {number for number, each in code.sections.items() if each.is_code}
    return {each.name for each in code.symbols if each.section in parts and each.name}


def elsewhere(code: ObjectFile) -> set[str]:
    """What an object refers to that is not in it, such as what it calls."""
    used = {
        code.symbols[relocation.symbol]
        for section in code.sections.values()
        for relocation in section.relocations
    }
    return {each.name for each in used if each.section is None}


def calls(assembly: str) -> set[str]:
    """What machine code calls or leaves for."""
    return set(re.findall(r"^\s+(?:callq?|jmpq?|bl|blr)\s+([^.\s]\S*)", assembly, re.M))


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_machine_code_calls_nothing(machine: str, element: Element, lanes: int):
    text = module_text(FUNCTIONS, element, lanes, MACHINES[machine].fma)
    code = read_object(object_of(text, MACHINES[machine]))
    assert functions(code) == {f"map_{name}" for name in FUNCTIONS}
    assert not elsewhere(code)


@pytest.mark.skipif("sse2" not in MACHINES, reason="needs an x86-64")
def test_a_call_would_be_seen():
    machine = MACHINES["sse2"]
    target = target_machine(machine)
    text = module_text(["exp"], "f32", 4, fma=True)
    assert calls(target.emit_assembly(optimized(text, target)))
    assert elsewhere(read_object(object_of(text, machine))) == {"fmaf"}


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize(
    ("triple", "features"),
    [("aarch64-unknown-linux-gnu", "+neon"), ("riscv64-unknown-linux-gnu", "+v,+d")],
)
@pytest.mark.parametrize("element", ELEMENTS)
def test_other_processors_call_nothing_either(
    element: Element, triple: str, features: str
):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        machine = llvm.Target.from_triple(triple)
    except RuntimeError:
        pytest.skip("this LLVM has no such target")
    target = machine.create_target_machine(features=features, opt=2)
    text = module_text(FUNCTIONS, element, 4, fma=True)
    assert not calls(target.emit_assembly(optimized(text, target)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_definition_is_text_without_branches(name: str):
    text = define(name, "f32", 16, fma=False)
    assert symbol(name, "f32", 16) == f"@sr.{name}.v16f32"
    assert symbol(name, "f64", 1) == f"@sr.{name}.f64"
    assert text.startswith(f"define internal <16 x float> @sr.{name}.v16f32(")
    assert not re.search(r"^\s*br |@llvm\.fma|\bload\b|\bfast\b", text, re.MULTILINE)
    llvm.parse_assembly(text + declarations(text)).verify()
