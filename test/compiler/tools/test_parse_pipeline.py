"""The text of a pipeline, well and badly formed."""

from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.targets.mlir import MLIRTarget

from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.tools.parse_pipeline import (
    PipelineError,
    check_target,
    parse_pipeline,
    pipeline_text,
)


@dataclass(frozen=True)
class Tile(ModulePass):
    """A pass with options."""

    name = "tile-loops"

    size: int = 32
    order: str = "row"
    unroll_by: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Does nothing."""


@dataclass(frozen=True)
class Fuse(ModulePass):
    """A pass without options."""

    name = "fuse-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Does nothing."""


PASSES = {each.name: each for each in (Fuse, Tile)}


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("", ()),
        (" ", ()),
        ("builtin.module()", ()),
        ("fuse-loops", (Fuse(),)),
        ("fuse-loops{}", (Fuse(),)),
        ("fuse-loops,tile-loops", (Fuse(), Tile())),
        ("tile-loops{size=8 order=column},fuse-loops", (Tile(8, "column"), Fuse())),
        (
            "tile-loops { size=8  order=column } , fuse-loops",
            (Tile(8, "column"), Fuse()),
        ),
        ('tile-loops{order="a,b}"}', (Tile(order="a,b}"),)),
        ('tile-loops{order="{"}', (Tile(order="{"),)),
        ("tile-loops{unroll-by=2,4}", (Tile(unroll_by=(2, 4)),)),
        ("builtin.module(fuse-loops)", (Fuse(),)),
        ("builtin.module(fuse-loops, tile-loops{size=1})", (Fuse(), Tile(1))),
        ("builtin.module(\n  fuse-loops,\n  tile-loops\n)\n", (Fuse(), Tile())),
        ("builtin.module(any(fuse-loops))", (Fuse(),)),
        (
            "builtin.module(func.func(tile-loops{size=1},fuse-loops),tile-loops)",
            (Tile(1), Fuse(), Tile()),
        ),
    ],
)
def test_parses(text: str, passes: tuple[ModulePass, ...]):
    assert parse_pipeline(text, PASSES) == passes
    assert parse_pipeline(pipeline_text(passes), PASSES) == passes


OPTIONS = r"expected tile-loops{size=<int> order=<str> unroll_by=<tuple\[int, ...\]>}"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("tile-loop", "expected a pass like tile-loops, fuse-loops, got tile-loop$"),
        ("zzz", "expected a pass like fuse-loops, tile-loops, got zzz$"),
        ("fuse-loops,", "pipeline: expected a pass, got the end$"),
        (",fuse-loops", "pipeline: expected a pass, got ,fuse-loops$"),
        ("fuse-loops)", r"pipeline: expected `,` or the end, got \)$"),
        ("fuse-loops tile-loops", "expected `,` or the end, got tile-loops$"),
        ("builtin.module(fuse-loops", r"pipeline: expected `,` or `\)`, got the end$"),
        ("builtin.module(func.func(fuse-loops)", r"`,` or `\)`, got the end$"),
        ("builtin.modul(fuse-loops)", "got builtin.modul$"),
        ("tile-loops{size=8", "expected `,` or the end, got {size=8$"),
        ("tile-loops{size=x}", OPTIONS + ", got tile-loops{size=x} "),
        ("tile-loops{size=}", OPTIONS + ", got tile-loops{size=}$"),
        ("tile-loops{=}", OPTIONS + ", got tile-loops{=}$"),
        ("tile-loops{speed=1}", OPTIONS + ", got tile-loops{speed=1} "),
        ("fuse-loops{speed=1}", "expected fuse-loops, got fuse-loops{speed=1} "),
    ],
)
def test_refuses(text: str, error: str):
    with pytest.raises(PipelineError, match=error):
        parse_pipeline(text, PASSES)


def test_its_error_is_one_that_users_are_told():
    assert issubclass(PipelineError, CompileError)


def test_anchors_are_bounded():
    nested = "builtin.module(" * 16 + "fuse-loops" + ")" * 16
    assert parse_pipeline(nested, PASSES) == (Fuse(),)
    for depth in (17, 100_000):
        with pytest.raises(PipelineError, match="expected at most 16 anchors"):
            parse_pipeline("builtin.module(" * depth, PASSES)


@pytest.mark.parametrize(
    "text", ["", "[1]", "n=x", "\0", "\udcff", "{", "mlir{x=1}", "other"]
)
def test_what_is_no_target_is_refused(text: str):
    targets = {"mlir": lambda: MLIRTarget}
    check_target("mlir{print_generic_format=true}", targets)
    with pytest.raises(PipelineError, match=r"^expected a target of mlir, got "):
        check_target(text, targets)
