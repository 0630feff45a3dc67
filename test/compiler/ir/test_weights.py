"""A weight is stored once in each layout that the kernels of its readers want."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

import static_runtime as sr
from static_runtime.compiler.bundle.bundle import Network, make_bundle
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.weights import WeightStore
from static_runtime.compiler.passes.graph.fold_constants import FoldConstants

Array = npt.NDArray[Any]

Build = Callable[[str, str], list[NodeProto]]

MATRIX, IMAGE = (4, 48), (1, 8, 7, 7)


def node(op: str, *inputs: str, to: str, **attributes: Any) -> NodeProto:
    """A node with one result."""
    return helper.make_node(op, inputs, [to], **attributes)


def through_if(x: str, y: str) -> list[NodeProto]:
    """A Gemm in both branches."""
    made = helper.make_tensor_value_info(f"{y}_in", TensorProto.FLOAT, MATRIX)
    inside = [node("Gemm", x, "w", to=f"{y}_in", transB=1)]
    graph = helper.make_graph(inside, "branch", [], [made])
    return [node("If", "c", to=y, then_branch=graph, else_branch=graph)]


def gemm(x: str, y: str) -> list[NodeProto]:
    """A product with the weight."""
    return [node("Gemm", x, "w", to=y)]


def gemm_transposed(x: str, y: str) -> list[NodeProto]:
    """A product with the weight, which the op transposes."""
    return [node("Gemm", x, "w", to=y, transB=1)]


def matmul(x: str, y: str) -> list[NodeProto]:
    """A product with the weight."""
    return [node("MatMul", x, "w", to=y)]


def matmul_transposed(x: str, y: str) -> list[NodeProto]:
    """A product with the weight, which a node transposes for each reader."""
    transposed = node("Transpose", "w", to=f"{y}_t")
    return [transposed, node("MatMul", x, f"{y}_t", to=y)]


def conv(x: str, y: str) -> list[NodeProto]:
    """A convolution."""
    return [node("Conv", x, "w", to=y, pads=[1] * 4)]


def conv_depthwise(x: str, y: str) -> list[NodeProto]:
    """A convolution of each channel."""
    return [node("Conv", x, "w", to=y, pads=[1] * 4, group=8)]


def conv_transposed(x: str, y: str) -> list[NodeProto]:
    """A transposed convolution."""
    return [node("ConvTranspose", x, "w", to=y, pads=[1] * 4)]


def add(x: str, y: str) -> list[NodeProto]:
    """A sum, which reads the weight as it is."""
    return [node("Add", x, "w", to=y)]


READERS: dict[str, tuple[tuple[int, ...], tuple[int, ...], Build]] = {
    "Gemm": (MATRIX, (48, 48), gemm),
    "Gemm transB": (MATRIX, (48, 48), gemm_transposed),
    "MatMul": (MATRIX, (48, 48), matmul),
    "MatMul of a transpose": (MATRIX, (48, 48), matmul_transposed),
    "Conv": (IMAGE, (8, 8, 3, 3), conv),
    "depthwise Conv": (IMAGE, (8, 1, 3, 3), conv_depthwise),
    "ConvTranspose": (IMAGE, (8, 8, 3, 3), conv_transposed),
    "Add": (MATRIX, MATRIX, add),
    "branches": (MATRIX, (48, 48), through_if),
}
"""The shapes of the input and of the weight, and the nodes of a reader."""


def reading(name: str, times: int) -> ModelProto:
    """A model in which a weight is read that often, one reader after the other."""
    shape, weight, build = READERS[name]
    nodes = [each for at in range(times) for each in build(f"x{at}", f"x{at + 1}")]
    array = np.random.default_rng(1).standard_normal(weight, np.float32)
    graph = helper.make_graph(
        nodes,
        "reading",
        [
            helper.make_tensor_value_info("x0", TensorProto.FLOAT, shape),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info(f"x{times}", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(array, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.parametrize("name", READERS)
def test_readers_of_one_kind_share_a_weight(
    name: str, precision: Literal["f32", "bf16"]
):
    options = sr.Options(cache=False, precision=precision)
    few, many = (
        sr.compile(reading(name, times), options=options).memory_report().constants
        for times in (3, 7)
    )
    assert few == many


def test_what_is_kept_on_disk_has_one_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path))
    source, weight = reading("Gemm transB", 5), 4 * 48 * 48
    for _ in range(2):  # the second is read from the cache
        module = sr.compile(source, options=sr.Options(cache=True))
        assert module.memory_report().constants == weight
    compilation = Compilation(source, options=sr.Options(cache=False))
    bundle = make_bundle([Network(compilation, "net")])
    assert bundle.weights["net"].nbytes == weight


def test_an_entry_is_made_anew_once_its_source_may_be_another():
    store, made = WeightStore(), list[int]()

    def make() -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
        made.append(1)
        return [store["w"] * 2]

    store.put("w", np.ones(3, np.float32))
    first, second = (store.derived(("double", "w"), make) for _ in range(2))
    assert first[0] is second[0]
    store.drop("w")
    store.put("w", np.zeros(3, np.float32))
    np.testing.assert_array_equal(store.derived(("double", "w"), make)[0], [0, 0, 0])
    assert len(made) == 2


def test_entries_of_a_refused_reading_are_gone():
    store = WeightStore()
    kept, other = np.zeros(3), np.ones(3)
    store.put("w", kept)

    def refuse() -> None:
        with store.attempt():
            assert store.put("w", other) == "w_1"
            raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        refuse()
    assert [*store] == ["w"]
    with store.attempt():
        assert store.put("w", other) == "w_1"
    assert store["w"] is kept
    assert store["w_1"] is other


def test_a_forgotten_entry_leaves_neither_bytes_nor_its_name():
    store = WeightStore()
    store.put("w", np.ones(3, np.float32))

    def make() -> list[Array]:
        return [2 * store["w"]]

    (doubled,) = store.derived(("double", "w"), make)
    assert store.put("folded", doubled) == "folded"
    found = weakref.ref(doubled)
    del doubled
    store.forget("folded")
    gc.collect()
    assert found() is None
    assert [*store] == ["w"]
    (again,) = store.derived(("double", "w"), make)
    assert store.put("folded", again) == "folded_1"
    # What was not derived is forgotten, too.
    store.forget("w")
    assert [*store] == ["folded_1"]


FOLDED = """
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x8xf32>, tensor<8x6xf32>) {
  %0 = graph.weight "w" : tensor<8x6xf32>
  %1 = graph.weight "w" : tensor<8x6xf32>
  %2 = graph.weight "v" : tensor<8x6xf32>
  %3 = graph.mul %0, %2 : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
  %4 = graph.permute %3 {order = array<i64: 1, 0>} : tensor<8x6xf32> -> tensor<6x8xf32>
  %5 = graph.matmul %x, %4 : tensor<4x6xf32>, tensor<6x8xf32> -> tensor<4x8xf32>
  return %5, %1 : tensor<4x8xf32>, tensor<8x6xf32>
}
"""


def test_what_is_folded_is_in_memory_once():
    ctx = context()
    w, v = np.arange(48, dtype=np.float32).reshape(8, 6), np.ones((8, 6), np.float32)
    ctx.weights.put("w", w)
    ctx.weights.put("v", v)
    module = read_mlir(FOLDED, ctx)
    FoldConstants().apply(ctx, module)
    # The product of both is gone; the first weight has another reader.
    assert [*ctx.weights] == ["w", "folded.graph.permute"]
    np.testing.assert_array_equal(ctx.weights["folded.graph.permute"], w.T)


def test_a_long_chain_is_dropped_with_what_it_was_folded_from():
    ctx = context()
    ctx.weights.put("w", np.ones(48, np.float32))
    type = "tensor<48xf32>"
    lines = [f'%0 = graph.weight "w" : {type}', f'%r = graph.weight "w" : {type}']
    lines += [f"%{n} = graph.neg %{n - 1} : {type} -> {type}" for n in range(1, 1501)]
    lines += [f"%e = graph.exp %r : {type} -> {type}"]
    text = "\n".join([*lines, f"return %1500, %e : {type}, {type}"])
    module = read_mlir(f"func.func @main() -> ({type}, {type}) {{\n{text}\n}}", ctx)
    FoldConstants().apply(ctx, module)
    assert len(ctx.weights) == 2
