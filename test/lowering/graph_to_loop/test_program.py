"""What a program says of a whole model, and how its ops become calls."""

from __future__ import annotations

import numpy as np
from onnx.numpy_helper import from_array

import static_runtime as sr
from bench.grown_flow import defined_symbols, summed_symbols
from bench.onnx_graph import Graph, Model
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.dialects.loop import KernelOp
from static_runtime.lowering.graph_to_loop.kernel import MOVES, NESTS

OPTIONS = sr.Options(cache=False)


def symbols_of_kernels(model: Model) -> list[int]:
    """How many symbols each kernel of a model has."""
    module = Compilation(model, options=OPTIONS).front_end(model)(ctx := context())
    Driver(ctx, OPTIONS, "host", None).run_passes(module)
    kernels = (each for each in module.walk() if isinstance(each, KernelOp))
    return [len(each.symbols) for each in kernels]


def test_the_work_of_sizes_that_only_the_run_knows_is_the_most_it_can_be():
    # The output has no such size, so that the entry asks how long a run is.
    module = sr.compile(defined_symbols(2), options=OPTIONS)
    x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(4, 16)
    expected = sum(int(np.sum(np.nonzero(x > 1 / at))) for at in (2, 3))
    assert module(x).tolist() == [expected]


def test_an_op_that_moves_many_parts_is_called_a_few_at_a_time():
    g = Graph()
    given = [g.input(f"x{at}", (2,)) for at in range(2 * MOVES + 1)]
    module = sr.compile(g.model(g.add("Concat", *given, axis=0)), options=OPTIONS)
    assert module.report.kernels == 3
    arrays = [np.full(2, at, np.float32) for at in range(len(given))]
    np.testing.assert_array_equal(module(*arrays), np.concatenate(arrays))


def test_where_parts_of_open_sizes_start_is_one_symbol_each():
    # The first parts start at a known place, the last one is alone.
    count = 4 * MOVES + 1
    model = summed_symbols(count)
    module = sr.compile(model, options=OPTIONS)
    assert symbols_of_kernels(model) == [2 * MOVES - 1, 2 * MOVES, 2]
    arrays = [np.full((at % 3, 4), at, np.float32) for at in range(count)]
    np.testing.assert_array_equal(module(*arrays), np.concatenate(arrays))


def test_how_far_apart_rows_of_open_sizes_lie_is_one_symbol():
    count = 2 * MOVES + 1
    g = Graph()
    given = [g.input(f"x{at}", ("n", f"n{at}")) for at in range(count)]
    model = g.model(g.add("Concat", *given, axis=1))
    assert max(symbols_of_kernels(model)) == 2 * MOVES + 2
    module = sr.compile(model, options=OPTIONS)
    arrays = [np.full((3, at % 3), at, np.float32) for at in range(count)]
    np.testing.assert_array_equal(module(*arrays), np.concatenate(arrays, 1))


def filled(count: int) -> Model:
    """Parts of open sizes that are filled with a label each, in one tensor."""
    g, found = Graph(), list[str]()
    for at in range(count):
        size = g.add("Shape", g.input(f"x{at}", (f"n{at}",)))
        label = from_array(np.array([at + 2]))
        found.append(g.add("ConstantOfShape", size, value=label))
    return g.model(g.add("Concat", *found, axis=0))


def test_parts_that_are_filled_with_labels_share_a_kernel():
    count = 4 * MOVES + 1
    # The first part starts at 0, the last one is alone.
    assert symbols_of_kernels(filled(count)) == [3 * MOVES - 1, 3 * MOVES, 3]
    module = sr.compile(filled(count), options=OPTIONS)
    found = module(*[np.zeros(at % 3, np.float32) for at in range(count)])
    expected = [np.full(at % 3, at + 2) for at in range(count)]
    np.testing.assert_array_equal(found, np.concatenate(expected))


def test_indices_of_many_look_ups_are_checked_before_anything_is_stored():
    g = Graph()
    table, at = g.scale(0, 9, 4), g.add("Cast", g.input("at", (2,)), to=7)
    found = [g.add("Gather", table, at) for _ in range(NESTS + 2)]
    module = sr.compile(g.model(g.add("Concat", *found, axis=0)), options=OPTIONS)
    assert module(np.array([0, 8], np.float32)).shape == (2 * NESTS + 4, 4)
