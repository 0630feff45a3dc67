"""What mutants are made of: the models, texts and files that other tests hold."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from onnx.backend.test.loader import load_model_tests

from static_runtime.compiler.artifact_cache import SUFFIX
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.ir.weights import WeightStore
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.cache import Cache
from static_runtime.runtime.call.module import StaticModule

from ..compiler.frontends.onnx.cases import CASES
from ..models.stored import STORED
from .edges import changed, changes, parsed, pinned
from .mutate import LARGEST, mutate_bytes
from .mutate_json import mutate_json
from .mutate_mlir import mutate_mlir
from .mutate_onnx import mutate_onnx
from .mutate_yaml import mutate_yaml

ROOT = Path(__file__).parent.parent


FUNCTION = re.compile(r"^(?=func\.func|// ?CHECK-LABEL)", re.MULTILINE)
RUN = re.compile(r"^// ?RUN:.*sr-opt.*?(?:-p|--passes|--pass-pipeline)[ =](\S+)", re.M)
SECTION = re.compile(r"^// -----[ \t]*$", re.MULTILINE)
COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)


@dataclass(frozen=True)
class Seed:
    """One thing that mutants are made of."""

    name: str
    data: bytes
    passes: str = ""
    """The passes that are run on it, of textual IR."""
    change: int = 0
    """Which change is made of it, of a model at the edges."""


def onnx_seeds() -> list[Seed]:
    """The graphs of the front end's own tests, and the models that are stored."""
    found = [
        Seed(name, case.model.SerializeToString())
        for name, case in sorted(CASES.items())
    ]
    for name, stored in sorted(STORED.items()):
        data = stored.dynamic.read_bytes()
        if len(data) < LARGEST:
            found.append(Seed(name, data))
    return found


def node_seeds() -> list[Seed]:
    """ONNX's own tests of single ops."""
    return [Seed(each.name, each.model.SerializeToString()) for each in node_cases()]


def node_cases() -> list[Any]:
    """The tests of single ops that come with ONNX."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [each for each in load_model_tests(kind="node") if each.model]


def edge_seeds() -> list[Seed]:
    """Each change of the graphs of the front end's own tests."""
    return with_changes(onnx_seeds())


def node_edge_seeds() -> list[Seed]:
    """Each change of ONNX's tests of single ops, with a few integers as constants."""
    return with_changes(
        [
            Seed(
                each.name, pinned(each.model, each.data_sets[0][0]).SerializeToString()
            )
            for each in node_cases()
            if each.data_sets
        ]
    )


def with_changes(found: Sequence[Seed]) -> list[Seed]:
    """Models, each as often as it has changes, so that models and changes are mixed."""
    every = [
        replace(each, change=change, passes="sizes" if is_sized else "")
        for each in found
        for change, (is_sized, _) in enumerate(changes(parsed(each.data)))
    ]
    Random(0).shuffle(every)
    return every


def texts() -> list[tuple[str, str, str]]:
    """The sections of every .mlir file, with their names and the passes run on them."""
    found: list[tuple[str, str, str]] = []
    for path in sorted(ROOT.rglob("*.mlir")):
        text = path.read_text()
        match = RUN.search(text)
        passes = match[1].strip("'\"") if match else ""
        for number, section in enumerate(SECTION.split(text)):
            name = f"{path.relative_to(ROOT)}#{number}"
            found.append((name, section, passes))
    return found


def mlir_seeds() -> list[Seed]:
    """The functions of the graph dialect, each a model by itself."""
    found: list[Seed] = []
    for name, section, _ in texts():
        for at, part in enumerate(FUNCTION.split(section)):
            text = COMMENT.sub("", part)
            if text.startswith("func.func") and "graph." in text:
                found.append(Seed(f"{name}.{at}", text.encode()))
    return found


def pass_seeds() -> list[Seed]:
    """What the tests of passes and dialects hold, with the passes that they run."""
    return [
        Seed(f"{name}.{at}", COMMENT.sub("", part).encode(), passes)
        for name, section, passes in texts()
        for at, part in enumerate(FUNCTION.split(section))
        if COMMENT.sub("", part).strip()
    ]


SIDECAR_MODEL = """
builtin.module attributes {graph.weights = "model.safetensors"} {
  func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
    %0 = graph.get_attr "w" : tensor<3x4xf32>
    %1 = graph.matmul %x, %0 : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
"""


def sidecar_seeds() -> list[Seed]:
    """A file of weights, which is read beside `SIDECAR_MODEL`."""
    store = WeightStore()
    store.put("w", np.arange(12, dtype=np.float32).reshape(3, 4))
    store.put("v", np.arange(5, dtype=np.int64))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        store.save(path)
        return [Seed("weights", path.read_bytes())]


ARTIFACT_MODEL = """
func.func @main(%x: tensor<?x4xf32, ["n"]>, %i: tensor<3xi64>)
    -> (tensor<3x4xf32>, tensor<?x4xf32, ["n"]>) {
  %0 = graph.exp %x : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
  %1 = graph.embedding %0, %i : tensor<?x4xf32, ["n"]>, tensor<3xi64>
    -> tensor<3x4xf32>
  %2 = graph.softmax %0 {axis = 1 : i64} : tensor<?x4xf32, ["n"]>
    -> tensor<?x4xf32, ["n"]>
  return %1, %2 : tensor<3x4xf32>, tensor<?x4xf32, ["n"]>
}
"""


@cache
def cache_files(text: str) -> dict[str, bytes]:
    """What a cache holds after a text was compiled, by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiled_in(text, folder)
        found = {each.name: each.read_bytes() for each in folder.iterdir()}
    assert any(name.endswith(SUFFIX) for name in found)
    return found


def compiled_in(text: str, folder: Path) -> StaticModule:
    """The module of a text, with a cache in some folder."""
    compilation = Compilation(text, options=Options(threads=1))
    compilation.cache = Cache(folder)
    return compilation.run()


def artifact_seeds() -> list[Seed]:
    """Whole artifacts; the name of each is that of its file."""
    files = cache_files(ARTIFACT_MODEL)
    return [Seed(name, files[name]) for name in files if name.endswith(SUFFIX)]


def program_seeds() -> list[Seed]:
    """The programs that artifacts hold, as text."""
    found: list[Seed] = []
    for seed in artifact_seeds():
        length = int.from_bytes(seed.data[:8], "little")
        header = json.loads(seed.data[8 : 8 + length])
        found.append(Seed("program", header["__metadata__"]["program"].encode()))
    return found


SELECTION = """\
include_all_operators: true
debug_info: [a.onnx, 'b c.onnx']
build_features:
- threads
operators:
  onnx::Conv: {is_root_operator: true, debug_info: []}
  "graph::relu":
    include_all_overloads: false
et_kernel_metadata:
  aten::add.out: [v1/6;0,1|7;, default]
"""


def graph_seeds() -> list[Seed]:
    """What random graphs are made of: nothing but a number."""
    return [Seed("numbers", b"")]


def yaml_seeds() -> list[Seed]:
    """The selection of the post, and one with the keys that it has not."""
    post = ROOT / "compiler" / "selective" / "selected_ops.yaml"
    legacy = b"- aten::add\n- aten::mul.Tensor\n"
    return [
        Seed("post", post.read_bytes()),
        Seed("selection", SELECTION.encode()),
        Seed("legacy", legacy),
    ]


def fault_seeds() -> list[Seed]:
    """What must be found: each is named after how it ends a process."""
    return [Seed(name, name.encode()) for name in ("crash", "hang", "slow")]


Mutate = Callable[[Random, Seed, Seed], bytes]


def of_bytes(mutate: Callable[[Random, bytes, bytes], bytes]) -> Mutate:
    """A mutator of bytes as one of seeds."""
    return lambda random, seed, other: mutate(random, seed.data, other.data)


def of_text(mutate: Callable[[Random, str, str], str]) -> Mutate:
    """A mutator of texts as one of seeds."""
    return lambda random, seed, other: mutate(
        random, seed.data.decode(), other.data.decode()
    ).encode(errors="replace")


def some_number(random: Random, seed: Seed, other: Seed) -> bytes:
    """What a random graph is made from."""
    return b"%d" % random.randrange(2**32)


def at_edge(random: Random, seed: Seed, other: Seed) -> bytes:
    """A model with the change of a seed."""
    return changed(seed.data, seed.change)


KINDS: Mapping[str, tuple[Callable[[], list[Seed]], Mutate]] = {
    "onnx": (onnx_seeds, of_bytes(mutate_onnx)),
    "node": (node_seeds, of_bytes(mutate_onnx)),
    "edge": (edge_seeds, at_edge),
    "node-edge": (node_edge_seeds, at_edge),
    "graph": (graph_seeds, some_number),
    "mlir": (mlir_seeds, of_text(mutate_mlir)),
    "passes": (pass_seeds, of_text(mutate_mlir)),
    "sidecar": (sidecar_seeds, of_bytes(mutate_bytes)),
    "artifact": (artifact_seeds, of_bytes(mutate_bytes)),
    "program": (program_seeds, of_text(mutate_json)),
    "yaml": (yaml_seeds, of_bytes(mutate_yaml)),
    "fault": (fault_seeds, lambda _, seed, __: seed.data),
}
"""The sources of mutants, and how each is mutated."""

EDGES = ("edge", "node-edge")
"""The kinds whose seeds are all there is, in order."""

EVERY = tuple(kind for kind in KINDS if kind != "fault")
"""The kinds that must never end badly."""


@dataclass(frozen=True)
class Mutant:
    """A changed file; `kind` and `number` say which, and make it again."""

    kind: str
    number: int
    data: bytes
    passes: str
    made_of: str

    @property
    def name(self) -> str:
        """What a replay asks for."""
        return f"{self.kind}:{self.number}"


@cache
def seeds(kind: str) -> list[Seed]:
    """What mutants of a kind are made of."""
    make, _ = KINDS[kind]
    return make()


def mutant(kind: str, number: int) -> Mutant:
    """The mutant with a number, the same each time."""
    random = Random(f"{kind}:{number}")
    found, (_, mutate) = seeds(kind), KINDS[kind]
    seed = found[number % len(found)] if kind in EDGES else random.choice(found)
    data = mutate(random, seed, random.choice(found))
    return Mutant(kind, number, data, seed.passes, seed.name)
