"""Whatever a text is, it is parsed, or refused in one sentence with its line."""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError

from static_runtime.compiler.compile import compile
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.ir_text import MOST_NESTED
from static_runtime.compiler.ir.parse_ir import MOST_SHOWN, parse_module
from static_runtime.compiler.ir.verify import verify
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.tools.opt import main as opt
from static_runtime.compiler.tools.run import main as run


def parsed(text: str) -> ModuleOp:
    """The module in a text."""
    return parse_module(context(), text, "file.mlir")


def holding(begin: str, end: str, leaf: str) -> Callable[[int], str]:
    """Modules with an attribute that is nested as deep as one asks for."""
    return lambda depth: (
        f"module attributes {{a = {begin * depth}{leaf}{end * depth}}} {{}}"
    )


def located(begin: str, end: str) -> Callable[[int], str]:
    """Modules at locations that are nested as deep as one asks for."""
    return lambda depth: f'module {{}} loc({begin * depth}"a":1:1{end * depth})'


NESTS: dict[str, tuple[Callable[[int], str], int]] = {
    "modules": (lambda depth: "module {" * depth + "}" * depth, 1),
    "generic": (
        lambda depth: '"builtin.module"() ({^a:' * depth + "}) : () -> ()" * depth,
        1,
    ),
    "lists": (holding("[", "]", "1"), 1),
    "dictionaries": (holding("{b = ", "}", "1"), 1),
    "tuples": (holding("tuple<", ">", "i32"), 1),
    "functions": (holding("() -> ((", ") -> ())", "i32"), 2),
    "graph lists": (holding("!graph.list<", ">", "tensor<f32>"), 1),
    "graph dictionaries": (holding('!graph.dict<"a", ', ">", "tensor<f32>"), 1),
    "encodings": (holding("tensor<2xf32, ", ">", "1"), 1),
    "elements": (holding("tensor<2x", ">", "f32"), 1),
    "layouts": (holding("memref<2xf32, ", ">", "1"), 1),
    "maps": (
        lambda depth: (
            "module attributes {a = affine_map<(d0) -> ("
            + "(" * depth
            + "d0"
            + ")" * depth
            + ")>} {}"
        ),
        1,
    ),
    "literals": (
        lambda depth: (
            "module attributes {a = dense<"
            + "[" * depth
            + "1"
            + "]" * depth
            + f"> : tensor<{'1x' * min(depth, 64)}i32>}} {{}}"
        ),
        1,
    ),
    "fused": (located("fused[", "]"), 1),
    "call sites": (located("callsite(", ' at "b":1:1)'), 1),
    "names": (located('"b"(', ")"), 1),
    "aliases": (
        lambda depth: (
            "#a0 = 1\n"
            + "".join(f"#a{each + 1} = [#a{each}]\n" for each in range(depth))
            + f"module attributes {{a = #a{depth}}} {{}}"
        ),
        1,
    ),
    "signs": (
        lambda depth: (
            "module attributes {a = affine_map<(d0) -> (" + "-" * depth + "d0)>} {}"
        ),
        1,
    ),
    "sums": (
        lambda depth: (
            "module attributes {a = affine_map<(d0) -> (d0"
            + " * 2 + d0" * depth
            + ")>} {}"
        ),
        2,
    ),
}
"""Texts of every construct that nests, and the levels that each step adds."""


def use(module: ModuleOp) -> None:
    """Does what the compiler does with any module; all of it recurses."""
    verify(module)
    again = parsed(str(module))
    assert module.is_structurally_equivalent(again)
    assert hash(module.attributes.get("a")) == hash(again.attributes.get("a"))
    assert list(module.clone().walk())
    assert repr(module.attributes)


@pytest.mark.parametrize("name", NESTS)
def test_nests_within_the_bound_can_be_used(name: str):
    make, levels = NESTS[name]
    use(parsed(make((MOST_NESTED - 4) // levels)))


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("depth", [MOST_NESTED + 1, 3000])
def test_nests_beyond_the_bound_are_refused(name: str, depth: int):
    make, _ = NESTS[name]
    with pytest.raises(ParseError, match=rf"at most|fewer than|{MOST_NESTED}") as found:
        parsed(make(depth))
    assert str(found.value).startswith("file.mlir:")


def deeper(frames: int, do: Callable[[], None]) -> None:
    """Calls a function from deep in the stack."""
    return deeper(frames - 1, do) if frames else do()


def test_a_caller_deep_in_the_stack_gets_a_sentence():
    def attempt() -> None:
        with pytest.raises(ParseError, match="expected valid IR"):
            parsed(NESTS["lists"][0](MOST_NESTED - 4))

    used = len(inspect.stack(0))
    deeper(sys.getrecursionlimit() - used - 200, attempt)


REFUSED = {
    "module attributes {a = ²} {}": "expected ASCII",
    "module attributes {a = 0xFFFFFFFFFF : f32} {}": "expected valid IR",
    f"module attributes {{a = {'9' * 999} : f32}} {{}}": "expected valid IR",
    "module attributes {a = dense<300> : tensor<2xi8>} {}": "expected valid IR",
    "module attributes {a = dense<0xff80> : tensor<2xf32>} {}": "expected 8 digits",
    "module attributes {a = dense<-0xff800000> : tensor<f32>} {}": "expected 8 digits",
    "module attributes {a = dense<1e300> : tensor<2xf32>} {}": "Expected",
    "module attributes {a = dense<1.0e300> : tensor<2xf32>} {}": "expected valid IR",
    "module attributes {a = dense<1> : tensor<99999999x999999xi8>} {}": (
        "expected a literal of at most 16777216 elements, got 99999899000001"
    ),
    "module attributes {a = 1 : i99999999999} {}": (
        "expected an integer of at most 16777215 bits, got i99999999999"
    ),
    f"module attributes {{a = i{'9' * 1999}}} {{}}": "expected an integer of at most",
    'module attributes {a = @"\\FF"} {}': "expected valid IR",
    "{-# external_resources: {} #-} module {}": "expected valid IR",
    f"module attributes {{a = affine_map<({'a,' * 9999}a) -> (a)>}} {{}}": (
        "expected at most 1000 dimensions, got 9999"
    ),
    f"module attributes {{a = dense<1> : vector<{'1x' * 99}i8>}} {{}}": "at most 64",
}
"""Texts that xDSL's parser raises bare errors for, or takes long."""


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:40])
def test_refused(text: str):
    with pytest.raises(ParseError, match=re.escape(REFUSED[text])) as found:
        parsed(text)
    assert re.match(r"file.mlir:1:\d+", str(found.value))
    assert len(str(found.value)) < 3 * MOST_SHOWN


def test_aliases_that_double():
    lines = [f"#a{each + 1} = [#a{each}, #a{each}]\n" for each in range(60)]
    with pytest.raises(ParseError, match="once its aliases are put in"):
        parsed("#a0 = 1\n" + "".join(lines) + "module {}")


def test_aliases_that_are_used_often():
    lines = [f"#a{each + 1} = [#a{each}, #a{each}]\n" for each in range(16)]
    uses = ", ".join(f"b{each} = #a16" for each in range(99))
    with pytest.raises(ParseError, match="once its aliases are put in"):
        parsed(f"#a0 = 1\n{''.join(lines)} module attributes {{{uses}}} {{}}")


def test_a_long_line_is_not_shown():
    with pytest.raises(ParseError) as found:
        parsed(
            "module attributes {"
            + ", ".join(f"a{each}" for each in range(9999))
            + ", "
            + "1} {}"
        )
    assert str(found.value).startswith("file.mlir:1:68903: Expected bare-id")
    assert len(str(found.value)) < MOST_SHOWN


FUNCTION = "func.func @main(%v0: tensor<2xf32>) {{ {0} return }}"

GROWING: dict[str, Callable[[int], str]] = {
    "ops": lambda count: FUNCTION.format(
        "".join(
            f"%v{each + 1} = graph.relu %v{each} : tensor<2xf32> -> tensor<2xf32>\n"
            for each in range(count)
        )
    ),
    "regions": lambda count: FUNCTION.format(
        "".join(
            f"%v{each + 1} = graph.relu %v{each} : tensor<2xf32> -> tensor<2xf32>\n"
            "module {}"
            for each in range(count)
        )
    ),
    "literals": lambda count: (
        f"module attributes {{a = dense<[{', '.join(['1.5'] * count)}]> : "
        f"tensor<{count}xf32>}} {{}}"
    ),
    "comments": lambda count: "// text\n" * count + "module {}",
    "spaces": lambda count: " \n" * count + "module {}",
    "attributes": lambda count: (
        "module attributes {" + ", ".join(f"a{each}" for each in range(count)) + "} {}"
    ),
    "results": lambda count: (
        ", ".join(f"%a{each}" for each in range(count))
        + ' = "builtin.module"() ({^a:}) : () -> ('
        + ", ".join(["i32"] * count)
        + ")"
    ),
    "arguments": lambda count: (
        "func.func private @a(" + ", ".join(["i32"] * count) + ")"
    ),
    "functions": lambda count: "".join(
        f"func.func private @a{each}()\n" for each in range(count)
    ),
    "strings": lambda count: f'module attributes {{a = "{"a" * count}"}} {{}}',
    "aliases": lambda count: (
        "".join(f"#a{each} = 1\n" for each in range(count)) + "module {}"
    ),
    "locations": lambda count: (
        f"module {{}} loc(fused[{', '.join(['unknown'] * count)}])"
    ),
}
"""Texts that are as long as one asks for."""  # fmt: skip


def calls(do: Callable[[], object]) -> int:
    """How many functions a function calls, in Python and in C."""
    counted = Counter[str]()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: counted.update((event,)))
    try:
        do()
    finally:
        sys.setprofile(before)
    return counted["call"] + counted["c_call"]


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("name", GROWING)
def test_parsing_takes_work_that_is_linear(name: str):
    texts = [GROWING[name](count) for count in (20, 40, 80)]
    parsed(texts[0])  # what is done once in a process
    small, middle, large = (calls(lambda text=text: parsed(text)) for text in texts)
    assert large - middle <= 2.1 * (middle - small) + 100


@pytest.mark.soak
@pytest.mark.parametrize("name", GROWING)
def test_long_texts(name: str):
    module = parsed(GROWING[name](100_000))
    if name != "results":  # of an op that has none
        verify(module)


BAD = {
    'module attributes {a = "' + "a" * 9999 + "} {}\n": "expected a string that ends",
    "module {" * 3000 + "\n": "expected at most 64 nested brackets",
    f"module attributes {{a = {'9' * 5000}}} {{}}\n": "expected a number of fewer than",
}


@pytest.mark.parametrize("text", BAD, ids=["quote", "nest", "digits"])
@pytest.mark.parametrize("line", [1, 3])
def test_every_way_in(
    text: str, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    text = "\n" * (line - 1) + text
    path, message = tmp_path / "model.mlir", BAD[text.strip("\n") + "\n"]
    path.write_text(text)
    with pytest.raises(CompileError, match=f"<text>:{line}:.*{message}"):
        compile(text)
    with pytest.raises(CompileError, match=f"model.mlir:{line}:.*{message}"):
        compile(path)
    for options in ([], ["--split-input-file"], ["--allow-unregistered-dialect"]):
        with pytest.raises(SystemExit, match=f"model.mlir:{line}:.*{message}"):
            opt([str(path), *options])
    with pytest.raises(SystemExit, match=f"model.mlir:{line}:.*{message}"):
        run([str(path)])
    path.write_text(f"module {{}}\n// -----\n// expected-error @below {{{{{message}}}}}"
                    f"\n{text.strip()}\n")  # fmt: skip
    opt([str(path), "--split-input-file", "--verify-diagnostics"])
    assert capsys.readouterr().err == ""
