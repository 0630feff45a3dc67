"""Models whose sizes are names, huge, negative or many: refused, or right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper

import static_runtime as sr
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.lowering.host_to_llvm import lower_program

UNCACHED = sr.Options(cache=False)
SLICE: tuple[Any, ...] = ("Slice", ["x", "start", "end"], ["y"], {})


def model(
    nodes: list[tuple[Any, ...]], dims: list[int | str], **stored: Any
) -> ModelProto:
    """An ONNX model of an input x with these dimensions, and an output y."""
    made = [helper.make_node(op, ins, outs, **how) for op, ins, outs, how in nodes]
    graph: GraphProto = helper.make_graph(
        made,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [ValueInfoProto(name="y")],
        [
            helper.make_tensor(name, TensorProto.INT64, [len(values)], values)
            for name, values in stored.items()
        ],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9
    )


def compiled(source: Any) -> sr.StaticModule:
    """The module of a model."""
    return sr.compile(source, options=UNCACHED)


@pytest.mark.parametrize("name", [str(2**64 + 4), str(2**64), "0", "-1", "4"])
def test_a_dimension_with_a_number_for_a_name_is_no_number(name: str):
    module = compiled(model([SLICE], [name], start=[2], end=[2**63 - 1]))
    for count in (4, 9, 4, 0):
        x = np.arange(count, dtype=np.float32)
        assert np.array_equal(module(x), x[2:])


@pytest.mark.parametrize("start", [4, 10**8, 2**62, 2**63 - 1])
def test_a_slice_reads_no_foreign_memory(start: int):
    end = min(start + 4, 2**63 - 1)
    source = model([SLICE], [str(2**64 + start)], start=[start], end=[end])
    module = compiled(source)
    x = np.ones(4, np.float32)
    assert module(x).shape == (0,)


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ([2**61], r"input 'x': expected a tensor of less than 2\*\*62 bytes"),
        ([0, 2**62, 2**62], r"where a size of zero counts as one"),
        ([0, "n", 2**61], r"less than 2\*\*62 bytes"),
        ([1] * 65, "input 'x': expected a tensor of at most 64 axes, got one of 65"),
        (["n"] * 100, "at most 64 axes, got one of 100"),
    ],
)
def test_an_input_that_no_array_can_be_is_refused(dims: list[int | str], message: str):
    with pytest.raises(sr.CompileError, match=message):
        compiled(model([("Relu", ["x"], ["y"], {})], dims))


@pytest.mark.parametrize(
    ("node", "numbers"),
    [
        ("Unsqueeze", [*range(64)]),
        ("Reshape", [1] * 70),
        ("Expand", [1] * 70),
        ("Expand", [2**31, 2**31, 1]),
        ("Tile", [2**62]),
        ("Tile", [2**63 - 1]),
    ],
)
def test_a_result_that_no_array_can_be_names_its_node(node: str, numbers: list[int]):
    source = model([(node, ["x", "n"], ["y"], {"name": "big"})], [4], n=numbers)
    with pytest.raises(sr.CompileError, match=r"onnx node 'big' \(.*\): expected"):
        compiled(source)


@pytest.mark.parametrize(
    "dims", [[0, 2**62, 2**62], [2**62, 0], [1] * 100, [-1, 4], [2**40, 2**40]]
)
def test_an_initializer_that_no_array_can_be_is_named(dims: list[int]):
    source = model([("Relu", ["x"], ["y"], {})], [4])
    source.graph.initializer.append(TensorProto(name="w", data_type=1, dims=dims))
    with pytest.raises(sr.CompileError, match="tensor 'w': expected"):
        compiled(source)


@pytest.mark.parametrize(
    "type",
    [
        f"tensor<{'1x' * 65}f32>",
        f"tensor<{2**64 + 4}xf32>",
        f'tensor<?xf32, ["{2**64 + 4}"]>',
        f'tensor<0x?xf32, ["{2**61} * n"]>',
        'tensor<?xf32, ["-1"]>',
        f'tensor<?xf32, ["{"9" * 5000}"]>',
        f'tensor<?xf32, ["{"(" * 500}n{")" * 500}"]>',
        'tensor<?xf32, ["n // 0"]>',
    ],
)
def test_a_type_that_no_tensor_has_is_refused(type: str):
    text = f"func.func @main(%x: {type}) -> {type} {{ return %x : {type} }}"
    with pytest.raises(sr.CompileError, match="expected") as caught:
        compiled(text)
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize("end", [2**31 - 1, -(2**31)])
def test_the_end_that_writers_of_models_mean_is_that_of_tensors_they_have(end: int):
    ends = {"start": [1], "end": [end]} if end > 0 else {"start": [end], "end": [1]}
    module = compiled(model([SLICE], ["n", "m"], **ends))
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert np.array_equal(module(x), x[1:] if end > 0 else x[:1])
    with pytest.raises(ValueError, match=r"expected a size n of at most 214748364[78]"):
        module(np.empty((2**40, 0), np.float32))


def test_a_size_below_zero_is_refused_before_a_run():
    module = compiled(
        """
        func.func @main(%x: tensor<?xf32, ["n"]>) -> tensor<?xi64, ["n - 4"]> {
          %0 = graph.iota {size = "n - 4"} : -> tensor<?xi64, ["n - 4"]>
          return %0 : tensor<?xi64, ["n - 4"]>
        }
        """
    )
    assert module(np.ones(6, np.float32)).tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"expected sizes of zero or more .* n = 3"):
        module(np.ones(3, np.float32))


DEFINED = """
func.func @main(%x: tensor<?xf32, ["n"]>, %c: tensor<i64>)
    -> tensor<?xi64, ["k"]> {
  graph.define_symbol %c {symbol = "k", low = "-4", high = "n"} : tensor<i64>
  %0 = graph.iota {size = "k"} : -> tensor<?xi64, ["k"]>
  return %0 : tensor<?xi64, ["k"]>
}
"""


@pytest.mark.parametrize("count", [-1, -4, -(2**63), 4, 2**62, 2**63 - 1])
def test_a_size_that_a_run_defines_is_in_its_range(count: int):
    module = compiled(DEFINED)
    x = np.ones(3, np.float32)
    assert module(x, np.array(2)).tolist() == [0, 1]
    with pytest.raises(ValueError, match="expected a size"):
        module(x, np.array(count))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["n"]>', '["k"]>'),
        ('symbol = "k"', 'symbol = "n"'),
        ("  %0", DEFINED.split("\n")[3] + "\n  %0"),
    ],
)
def test_a_symbol_has_one_definition(old: str, new: str):
    with pytest.raises(sr.CompileError, match="expected"):
        compiled(DEFINED.replace(old, new, 1))


def test_a_symbol_is_not_used_before_it_is_defined():
    first, second = DEFINED.split("\n")[3:5]
    text = DEFINED.replace(f"{first}\n{second}", f"{second}\n{first}")
    with pytest.raises(
        sr.CompileError, match=r"defined before it is used \(n\), got k"
    ):
        compiled(text)


def test_a_size_that_a_run_defines_may_be_gone_from_the_outputs():
    module = compiled(
        """
        func.func @main(%x: tensor<?xf32, ["n"]>, %c: tensor<i64>) -> tensor<f32> {
          graph.define_symbol %c {symbol = "k", low = "1", high = "n"} : tensor<i64>
          %0 = graph.slice %x {starts = ["0"], sizes = ["k"], steps = array<i64: 1>}
              : tensor<?xf32, ["n"]> -> tensor<?xf32, ["k"]>
          %1 = graph.sum %0 {axes = array<i64: 0>, keepdims = false}
              : tensor<?xf32, ["k"]> -> tensor<f32>
          return %1 : tensor<f32>
        }
        """
    )
    x = np.arange(5, dtype=np.float32)
    assert [float(module(x, np.array(count))) for count in (1, 3, 5)] == [0, 3, 10]
    with pytest.raises(ValueError, match="expected a size from 1 to 5, got 6"):
        module(x, np.array(6))


def test_memory_that_is_not_there_is_told_with_its_size():
    module = compiled(model([("Tile", ["x", "n"], ["y"], {})], ["m"], n=[2**50]))
    with pytest.raises(MemoryError, match=r"expected memory for output y of shape"):
        module(np.ones(4, np.float32))


def lines_of_concat(count: int) -> int:
    """Lines of LLVM text of a concatenation of inputs with a symbol each."""
    type = 'tensor<?xf32, ["n{}"]>'
    types = [type.format(at) for at in range(count)]
    names = [f"%x{at}" for at in range(count)]
    whole = " + ".join(sorted(f"n{at}" for at in range(count)))
    result = f'tensor<?xf32, ["{whole}"]>'
    inputs = ", ".join(f"{a}: {b}" for a, b in zip(names, types, strict=True))
    text = (
        f"func.func @main({inputs}) -> {result} {{\n%0 = graph.concat "
        f"{', '.join(names)} {{axis = 0 : i64}} : {', '.join(types)} -> {result}\n"
        f"return %0 : {result}\n}}"
    )
    ctx = context()
    module = read_mlir(text, ctx)
    Driver(ctx, UNCACHED, "host", None).run_passes(module)
    lowered = lower_program(module)
    assert len(lowered.reach) <= 3 * count + 1
    return sum(each.text.count("\n") for each in lowered.modules)


@pytest.mark.full(beside="bench/test_growth.py::test_twice_as_much_takes_twice_as_much")
def test_code_grows_with_what_is_concatenated():
    assert lines_of_concat(48) < 2.5 * lines_of_concat(24)
