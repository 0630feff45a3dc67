"""Schedules for tile registers: what fits, and what sums depend on."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from static_runtime.compiler.cost.blocking import Blocking
from static_runtime.compiler.cost.tile_registers import (
    MOST_KC,
    PACKED_A,
    choose_tile_registers,
)
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.target import find_target
from static_runtime.dialects.loop.isa import AMX
from static_runtime.dialects.loop.ops.tile import TileOp


def choose(
    rows: int, columns: int, steps: int, target: str = "sapphirerapids", wide: int = 16
) -> Blocking | None:
    """The choice for a product of rounded rows with panels in the VNNI layout."""
    panel = f"blocked {wide} by 2 * {steps * wide}"
    text = f"""
loop.kernel @k(%a: memref<?xf32>, %b: memref<?xbf16>, %c: memref<?xf32>) {{
  %zero = arith.constant 0.0 : f32
  loop.tile %i to {rows}, %j to {columns}, reduce %k to {steps} from %zero : f32
  k_loop (%sum) {{
    %x = loop.load %a[%i * {steps} + %k] : memref<?xf32>
    %r = arith.truncf %x : f32 to bf16
    %s = arith.extf %r : bf16 to f32
    %y = loop.load %b[%k blocked 2 * {2 * wide} + %j {panel}]
      : memref<?xbf16>
    %t = arith.extf %y : bf16 to f32
    %next = math.fma %s, %t, %sum : f32
    loop.yield %next : f32
  }} epilogue (%row, %column, %accumulator) {{
    loop.store %accumulator, %c[%row * {columns} + %column] : memref<?xf32>
    loop.yield
  }}
}}"""
    module = Parser(context(), text).parse_module()
    (tile,) = (each for each in module.walk() if isinstance(each, TileOp))
    return choose_tile_registers(tile, find_target(target))


def chosen(rows: int, columns: int, steps: int) -> Blocking:
    """The choice, which there is."""
    choice = choose(rows, columns, steps)
    assert choice is not None
    return choice


@pytest.mark.parametrize("target", ["cooperlake", "x86-64-v3"])
def test_there_must_be_such_registers(target: str):
    assert choose(64, 64, 64, target) is None


def test_tiles_are_of_16_or_32_rows():
    assert [chosen(rows, 64, 64).mr for rows in (1, 16, 17, 400)] == [16, 16, 32, 32]


@pytest.mark.parametrize("steps", [2, 64, 1000, 1026, 2048, 2050, 5000, 40_000])
@pytest.mark.parametrize("rows", [1, 20, 33, 400])
def test_blocks_are_whole_multiplications_and_fit(rows: int, steps: int):
    choice = chosen(rows, 300, steps)
    schedule, kc = choice.schedule, choice.schedule.kc.data
    assert kc == steps or kc % AMX.k == 0
    assert kc <= MOST_KC + AMX.k
    assert 2 * kc * schedule.mc.data <= PACKED_A
    assert schedule.mc.data % choice.mr == 0
    assert schedule.packs("a")


def test_panels_are_of_whole_registers_and_totals_fit():
    for wide, rows in ((16, 32), (32, 32), (48, 16), (64, 16)):
        choice = choose(64, 192, 64, wide=wide)
        assert choice is not None
        assert (choice.mr, choice.schedule.nr.data) == (rows, wide)
    assert choose(64, 192, 64, wide=8) is None
    assert choose(64, 192, 64, wide=96) is None


@pytest.mark.parametrize("steps", [64, 1300, 40_000])
def test_blocks_of_steps_do_not_depend_on_rows_and_columns(steps: int):
    depths = {
        chosen(rows, columns, steps).schedule.kc.data
        for rows in (1, 16, 17, 1000)
        for columns in (1, 16, 500)
    }
    assert len(depths) == 1
