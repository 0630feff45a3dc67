"""Which register tiles fetch rows of their panel ahead."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from static_runtime.compiler.cost import k_ahead
from static_runtime.compiler.ir.context import context
from static_runtime.dialects.loop import TargetAttr, TileOp


def tile(*, rows: int, b: str, element: str, schedule: str) -> TileOp:
    """A product of rows and 64 columns, 512 deep, six rows by 32 at a time."""
    parser = Parser(
        context(),
        f"""
        loop.kernel @k(%x: memref<?x{element}>, %w: memref<?x{element}>,
                       %y: memref<?xf32>) {{
          %zero = arith.constant 0.0 : f32
          loop.tile %i to {rows}, %j to 64, reduce %k to 512 from %zero : f32
              by {min(rows, 6)}, 32, 16 as #loop.schedule<nr = 32, mc = 60, nc = 64,
              kc = 512 of 0{schedule}> k_loop (%sum) {{
            %a = loop.load %x[%i * 512 + %k] : memref<?x{element}>
            %b = loop.load %w[{b}] : memref<?x{element}>
            %c = arith.extf %a : {element} to f32
            %d = arith.extf %b : {element} to f32
            %next = math.fma %c, %d, %sum : f32
            loop.yield %next : f32
          }} epilogue (%row, %column, %accumulator) {{
            loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
            loop.yield
          }}
        }}""",
    )
    (found,) = (e for e in parser.parse_op().walk() if isinstance(e, TileOp))
    return found


PANELS = "%k * 32 + %j blocked 32 * 16384"


@pytest.mark.parametrize(
    ("rows", "b", "schedule", "ahead", "with_words"),
    [
        (60, PANELS, "", 48, 48),
        (3, PANELS, "", 0, 0),
        (60, "%k * 64 + %j", "", 0, 0),
        (60, "%k * 64 + %j", ', pack = "b"', 24, 24),
        # An instruction multiplies what is packed as words.
        (60, "%k * 64 + %j", ', pack = "a and b"', 24, 0),
    ],
)
def test_rows_of_panels_ahead(
    rows: int, b: str, schedule: str, ahead: int, with_words: int
):
    found = tile(rows=rows, b=b, element="bf16", schedule=schedule)
    plain = TargetAttr.of("x86-64-v4", 512, 32, True)
    words = TargetAttr.of("x86-64-v4", 512, 32, True, isas=("avx512_bf16",))
    assert [k_ahead(found, each) for each in (plain, words)] == [ahead, with_words]
