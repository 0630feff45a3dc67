"""Every pass works on any module that is valid, or refuses it in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.compiler.ir.verify import verify
from static_runtime.compiler.passes.pipeline import pipeline
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.options import Options
from static_runtime.compiler.tools.opt import PASSES
from static_runtime.lowering.host_to_llvm import module_to_llvm

from ...sections import Section, sections

WHOLE = [each.name for each in pipeline(Options(precision="bf16"), "host")]

NUMBERS = ["0", "1", "2", "3", "-1", "7", "64", "1000", *map(str, (2**31, 2**62))]
ELEMENTS = ["f32", "i64", "i1", "bf16", "i32", "f64", "index", "i8"]
TYPES = [
    *("f32", "memref<?xf32>", "!graph.list<tensor<2xf32>>", "tensor<f32>"),
    *("tensor<0xf32>", 'tensor<?xf32, ["n"]>', "tensor<?xf32>", "tensor<*xf32>"),
]
TEXTS = ['""', '"n"', '"n * m"', '"-1"', '"0"', '"4"', '"n // 0"', '"w"', '"x y"']

CHANGES: dict[str, Sequence[str]] = {
    r'(?<![\w%#@"])-?\d+(?![\w.])': NUMBERS,
    r"(?<=[<x])\d+(?=x)": ["0", "1", "2", "3", "5", "8", "?", "100000"],
    r"\b(?:f32|i64|i1|bf16|i32|f64|index)\b": ELEMENTS,
    r"tensor<[^<>]*>": TYPES,
    r'"[^"\n]*"': TEXTS,
    # One that the text has, in another place.
    r"%\w+": (),
    r"\b(?:graph|loop|arith|math)\.\w+": (),
    r"\n[^\n]*(?=\n)": (),
}
"""What is changed in a text, and to what."""

BY_HAND = {
    "kernel without arguments": """
        loop.kernel @f() { loop.for parallel %i to 100000 { loop.yield } }""",
    "function of a scalar": """
        func.func @f(%x: f32) -> f32 { return %x : f32 }""",
    "reduction of its own result": """
        func.func @f() {
          %0 = graph.sum %0 {axes = array<i64: 0>, keepdims = true}
              : tensor<1xf32> -> tensor<1xf32>
          return
        }""",
    "sums of each other": """
        func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = graph.add %x, %1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
          %1 = graph.add %x, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
          return %1 : tensor<2xf32>
        }""",
    "use before definition": """
        func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = graph.relu %1 : tensor<2xf32> -> tensor<2xf32>
          %1 = graph.relu %x : tensor<2xf32> -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""",
    "value of another function": """
        func.func @f(%x: tensor<2xf32>) {
          %0 = graph.relu %x : tensor<2xf32> -> tensor<2xf32>
          return
        }
        func.func @g() -> tensor<2xf32> { return %0 : tensor<2xf32> }""",
    "several blocks": """
        func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          return %x : tensor<2xf32>
        ^b(%y: tensor<2xf32>):
          return %y : tensor<2xf32>
        }""",
    "declaration": "func.func private @f(tensor<2xf32>) -> tensor<2xf32>",
    "nothing": "module {}",
    "module inside": """
        module { module { func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          return %x : tensor<2xf32>
        } } }""",
    "two functions of one name": """
        func.func @f() { return }
        func.func @f() { return }""",
    "call": """
        func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""",
    "list": """
        func.func @f(%x: !graph.list<tensor<2xf32>>) -> !graph.list<tensor<2xf32>> {
          return %x : !graph.list<tensor<2xf32>>
        }""",
    "arith": """
        func.func @f(%x: f32) -> tensor<2xf32> {
          %0 = arith.addf %x, %x : f32
          %1 = graph.constant dense<1.0> : tensor<2xf32>
          return %1 : tensor<2xf32>
        }""",
    "loop among tensors": """
        func.func @f(%x: memref<?xf32>) {
          loop.for parallel %i to 4 { loop.yield }
          return
        }""",
}
"""Modules unlike those that the compiler makes."""

REFUSED = (ParseError, VerifyException, CompileError)


@cache
def all_sections() -> list[Section]:
    """Every section of the tests."""
    return list(sections())


def run(text: str, passes: Sequence[str]) -> None:
    """
    Runs passes, as sr-opt does, and lowers what is left when that can be.

    What they leave must be valid. Whatever is refused is refused by a sentence.
    """
    ctx = context()
    try:
        module = parse_module(ctx, text, "file.mlir")
        verify(module)
    except (ParseError, VerifyException):
        return
    for name in passes:
        try:
            PASSES[name]().apply(ctx, module)
        except REFUSED:
            return
        verify(module)
    if all(op.name.startswith("loop.") for op in module.ops):
        try:
            module_to_llvm(module)
        except REFUSED:
            return


def choose(random: Random) -> list[str]:
    """Passes: all in order, some in order, or some in any order."""
    names = list(PASSES)
    match random.randrange(3):
        case 0:
            return WHOLE
        case 1:
            return sorted(random.sample(names, random.randint(1, 12)), key=names.index)
        case _:
            return [random.choice(names) for _ in range(random.randint(1, 6))]


def changed(text: str, random: Random) -> str:
    """A text with a few changes; most leave it valid."""
    for _ in range(random.randint(1, 3)):
        pattern, choices = random.choice(list(CHANGES.items()))
        code = re.sub(r"//[^\n]*", "", text)
        if not (found := list(re.finditer(pattern, code))):
            continue
        place = random.choice(found)
        new = random.choice(choices or [each[0] for each in found])
        if pattern.startswith(r"\n") and random.random() < 0.5:
            new = ""
        text = code[: place.start()] + new + code[place.end() :]
    return text


def attempt(number: int, change: Callable[[str, Random], str]) -> None:
    """Runs one module that a number chooses; says which, when that goes wrong."""
    random = Random(number)
    section, passes = random.choice(all_sections()), choose(random)
    text = change(section.text, random)
    try:
        run(text, passes)
    except Exception as error:
        error.add_note(f"number {number}, {section}: {','.join(passes)}\n{text}")
        raise


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("text", BY_HAND.values(), ids=BY_HAND)
def test_modules_by_hand(text: str):
    for name in PASSES:
        run(text, [name])
    run(text, WHOLE)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("number", range(20))
def test_any_pass_on_any_module(number: int):
    attempt(number, lambda text, _: text)


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("number", range(60))
def test_any_pass_on_a_changed_module(number: int):
    attempt(number, changed)


@pytest.mark.soak
def test_every_pass_on_every_module():
    for section in all_sections():
        for name in PASSES:
            run(section.text, [name])
        run(section.text, WHOLE)


@pytest.mark.soak
def test_any_pass_on_many_changed_modules():
    for number in range(60, 20_000):
        attempt(number, changed)
