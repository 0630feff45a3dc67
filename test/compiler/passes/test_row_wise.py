"""Which ops compute each row of the same row of their operands."""

from __future__ import annotations

import pytest
from xdsl.dialects import func

from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.row_wise import is_row_wise
from static_runtime.dialects import symbol
from static_runtime.dialects.graph import GraphOp

ROWS = 'tensor<?x6xf32, ["n"]>'
PAIR = f"{ROWS}, {ROWS}"

CASES = {
    "exp": (True, f"graph.exp %x : {ROWS} -> {ROWS}"),
    "an operand for all": (
        True,
        f"graph.add %x, %s : {ROWS}, tensor<6xf32> -> {ROWS}",
    ),
    "two of rows": (True, f"graph.add %x, %x : {PAIR} -> {ROWS}"),
    "along a row": (
        True,
        "graph.sum %x {axes = array<i64: 1>, keepdims = true} : "
        f'{ROWS} -> tensor<?x1xf32, ["n"]>',
    ),
    "a view of a row": (
        True,
        f'graph.reshape %x {{shape = ["n", "2", "3"]}} : {ROWS} '
        '-> tensor<?x2x3xf32, ["n"]>',
    ),
    "a matrix for all": (
        True,
        f"graph.matmul %x, %m : {ROWS}, tensor<6x6xf32> -> {ROWS}",
    ),
    "an index of each row": (
        True,
        "graph.index_select %m, %i {axis = 0 : i64, wraps = false} : "
        f'tensor<6x6xf32>, tensor<?xi64, ["n"]> -> {ROWS}',
    ),
    "a part of each row": (
        True,
        'graph.slice %x {starts = ["0", "1"], sizes = ["n", "4"], '
        f'steps = array<i64: 1, 1>}} : {ROWS} -> tensor<?x4xf32, ["n"]>',
    ),
    "rows side by side": (
        True,
        f'graph.concat %x, %x {{axis = 1 : i64}} : {PAIR} -> tensor<?x12xf32, ["n"]>',
    ),
    "one after the other": (
        False,
        "graph.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : "
        f"{ROWS} -> {ROWS}",
    ),
    "over all rows": (
        False,
        f"graph.sum %x {{axes = array<i64: 0>, keepdims = false}} : {ROWS} "
        "-> tensor<6xf32>",
    ),
    "rows in reverse": (
        False,
        'graph.slice %x {starts = ["n - 1", "0"], sizes = ["n", "6"], '
        f"steps = array<i64: -1, 1>}} : {ROWS} -> {ROWS}",
    ),
    "rows of any index": (
        False,
        "graph.index_select %x, %i {axis = 0 : i64, wraps = false} : "
        f'{ROWS}, tensor<?xi64, ["n"]> -> {ROWS}',
    ),
    "rows become columns": (
        False,
        f"graph.permute %x {{order = array<i64: 1, 0>}} : {ROWS} "
        '-> tensor<6x?xf32, ["n"]>',
    ),
    "rows beneath rows": (
        False,
        f"graph.concat %x, %x {{axis = 0 : i64}} : {PAIR} "
        '-> tensor<?x6xf32, ["2 * n"]>',
    ),
    "the number of a row": (
        False,
        'graph.iota {size = "n"} : -> tensor<?xi64, ["n"]>',
    ),
    "rows that share memory": (
        False,
        f'graph.reshape %x {{shape = ["6", "n"]}} : {ROWS} -> tensor<6x?xf32, ["n"]>',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_op(name: str):
    wanted, op = CASES[name]
    module = read_mlir(
        f"""func.func @main(%x : {ROWS}, %s : tensor<6xf32>, %m : tensor<6x6xf32>,
            %i : tensor<?xi64, ["n"]>) {{
          %0 = {op}
          return
        }}""",
        context(),
    )
    (function,) = (each for each in module.walk() if isinstance(each, func.FuncOp))
    block = function.body.block
    found = block.first_op
    assert isinstance(found, GraphOp)
    rows = {block.args[0], block.args[3]}
    assert is_row_wise(found, rows, symbol("n")) == wanted
