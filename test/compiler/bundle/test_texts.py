"""A header has the texts that numbers of inputs and outputs stand for."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper

from static_runtime.compiler.bundle.bundle import Network, make_bundle
from static_runtime.compiler.bundle.texts import text_macros
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.program.program import Program
from static_runtime.runtime.program.structure import Structure, Tree

from ..frontends.onnx.text_models import ml, model_of
from .c_program import build

ODD = 'a "quoted" ü?\\\n, */'
"""What a literal of C has escapes for."""


def header_of(rows: int | str, api: str = "static") -> str:
    """The header of a model that says which texts other texts are."""
    node = ml(
        "LabelEncoder",
        ["x"],
        ["label"],
        keys_strings=["red", ODD],
        values_strings=["warm", "odd"],
    )
    column = helper.make_tensor_value_info("x", TensorProto.STRING, [rows])
    made: Any = model_of([node], ["label"], [column])
    compilation = Compilation(made, target="x86-64-v3", options=Options(cache=False))
    bundle = make_bundle([Network(compilation, "net", "run")], api=api)
    return bundle.headers["net"]


@pytest.mark.parametrize("api", ["static", "dynamic"])
def test_a_program_in_c_knows_the_texts(api: str, tmp_path: Path):
    text = header_of("n" if api == "static" else 3, api)
    assert "/* x: texts, as their places in this list" in text
    assert "/* The output label has numbers of these texts. */" in text
    (tmp_path / "net.h").write_text(text)
    names = ("NET_TEXTS", "NET_label_TEXTS")
    lines = [f"const char *const all{at}[] = {each};" for at, each in enumerate(names)]
    each = "for (unsigned i = 0; i < sizeof {0} / sizeof *{0}; ++i) puts({0}[i]);"
    prints = [each.format(f"all{at}") for at in range(len(names))]
    source = ['#include "net.h"', "#include <stdio.h>", *lines, "int main(void) {"]
    source += [*prints, "return 0; }"]
    build(tmp_path, "\n".join(source), "-pedantic", objects=())
    done = subprocess.run([tmp_path / "main"], capture_output=True, check=True)
    expected = ["red", ODD, "warm", "odd", "_Unused", "warm", "odd", "_Unused"]
    assert done.stdout.decode() == "".join(f"{each}\n" for each in expected)


PROGRAM = Program(
    name="main",
    inputs=(),
    outputs=(),
    symbols=(),
    ranges={},
    checks=(),
    slots=(),
    planner="naive",
    bytes=0,
    lower_bound=0,
    calls=(),
    call_outs=(),
)
TAKES = Tree("dict", (Tree("texts", name="x"),), ("x",))


def test_many_texts_are_on_many_lines_and_none_are_a_list():
    several = tuple(f"text {at}" for at in range(100))
    known = replace(PROGRAM, structure=Structure(TAKES, None, several))
    lines = [*text_macros(known, "NET", ())]
    assert max(map(len, lines)) <= 82
    assert all(each.endswith(" \\") for each in lines[2:-1])
    assert f'"{several[-1]}" }}' in lines[-1]
    none = replace(PROGRAM, structure=Structure(TAKES, None))
    assert [*text_macros(none, "NET", ())][-1] == "#define NET_TEXTS { 0 }"
    assert not [*text_macros(PROGRAM, "NET", ())]


def test_a_macro_that_something_else_has_is_refused():
    known = replace(PROGRAM, structure=Structure(TAKES, None, ("a",)))
    with pytest.raises(
        CompileError, match="differ in C from those of texts, got TEXTS"
    ):
        list(text_macros(known, "NET", ["TEXTS"]))
