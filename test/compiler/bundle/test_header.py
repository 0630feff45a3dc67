"""The header of a bundle is, for each API, what C programs rely on."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from static_runtime.compiler.bundle.bundle import Network, make_bundle
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.options import Options

STATIC = """
builtin.module {
  func.func @main(%x: tensor<2x3xf32>, %n: tensor<i64>)
      -> (tensor<2x3xf32>, tensor<i64>) {
    %0 = "graph.relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    func.return %0, %n : tensor<2x3xf32>, tensor<i64>
  }
}
"""

OPEN = """
builtin.module {
  func.func @main(%x: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> {
    %0 = "graph.relu"(%x) : (tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]>
    func.return %0 : tensor<?x3xf32, ["n"]>
  }
}
"""

GOLDEN = Path(__file__).parent / "golden"
"""Headers as they were written, which programs were written for."""


def header_of(model: str, api: str) -> str:
    """The header of a model called `net`, whose function is `run`."""
    compilation = Compilation(model, target="x86-64-v3", options=Options(cache=False))
    bundle = make_bundle([Network(compilation, "net", "run")], api=api)
    return bundle.headers["net"]


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("api", ["static", "dynamic"])
@pytest.mark.parametrize(("kind", "model"), [("static", STATIC), ("open", OPEN)])
def test_a_header_stays_as_it_was(kind: str, model: str, api: str):
    golden = (GOLDEN / f"{kind}_sizes_{api}_api.h").read_text()
    assert header_of(model, api) == golden


@pytest.mark.parametrize(
    "command", [("cc", "-std=c11", "-x", "c"), ("c++", "-std=c++11", "-x", "c++")]
)
def test_a_header_is_one_of_c_and_of_its_successor(command: tuple[str, ...]):
    if shutil.which(command[0]) is None:
        pytest.skip(f"needs {command[0]}")
    flags = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only")
    for path in GOLDEN.glob("*.h"):
        text = f'#include "{path}"\n#include "{path}"\n'
        subprocess.run([*command, *flags, "-"], input=text, text=True, check=True)


def test_a_size_with_the_name_of_a_keyword_is_refused():
    with pytest.raises(CompileError, match="no keywords of C, got int"):
        header_of(OPEN.replace('"n"', '"int"'), "static")
