"""Branches of random models compute what the same ops compute in turn."""

import random
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.passes.graph import form_parallel
from static_runtime.runtime.planning import Record, in_branches, overlap

SQUARE = "tensor<8x8xf32>"
ROW = "tensor<64xf32>"


def loop(result: str, first: str, other: str) -> list[str]:
    """A loop of three trips."""
    return [
        f'{result} = graph.loop {first}, {other} {{trips = "3", carried = 1 : i64, '
        f"scanned = 0 : i64, conditional = false, backward = array<i64>}} : "
        f"{SQUARE}, {SQUARE} -> {SQUARE} {{",
        f"^bb0(%a: {SQUARE}, %b: {SQUARE}):",
        f"  %c = graph.add %a, %b : {SQUARE}, {SQUARE} -> {SQUARE}",
        f"  %d = graph.tanh %c : {SQUARE} -> {SQUARE}",
        f"  graph.yield %d : {SQUARE}",
        "}",
    ]


def model(seed: int) -> str:
    """A model of products, sums, loops, constants and views of each other."""
    draw = random.Random(seed)
    values, lines = ["%x", "%y"], list[str]()
    for number in range(draw.randint(6, 24)):
        name = f"%v{number}"
        # What comes long before is read too, so that there are branches.
        one, other = (draw.choice(values[-draw.randint(1, 6) :]) for _ in "ab")
        types = f"{SQUARE}, {SQUARE} -> {SQUARE}"
        match draw.choice(["product", "sum", "loop", "view", "constant"]):
            case "product":
                lines.append(f"{name} = graph.matmul {one}, {other} : {types}")
            case "sum":
                lines.append(f"{name} = graph.sub {one}, {other} : {types}")
            case "loop":
                lines += loop(name, one, other)
            case "view":
                lines += [
                    f'%w{number} = graph.reshape {one} {{shape = ["64"]}} : '
                    f"{SQUARE} -> {ROW}",
                    f"%s{number} = graph.softmax %w{number} {{axis = 0 : i64}} : "
                    f"{ROW} -> {ROW}",
                    f'{name} = graph.reshape %s{number} {{shape = ["8", "8"]}} : '
                    f"{ROW} -> {SQUARE}",
                ]
            case _:
                value = f"dense<{draw.random():.3f}> : {SQUARE}"
                lines.append(f"%k{number} = graph.constant {value}")
                lines += loop(name, f"%k{number}", one)
        values.append(name)
    results = [*draw.sample(values[2:], draw.randint(1, 3)), values[-1]]
    types = ", ".join([SQUARE] * len(results))
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%x: {SQUARE}, %y: {SQUARE}) -> ({types}) {{\n  {body}\n"
        f"  return {', '.join(results)} : {types}\n}}\n"
    )


def compiled(path: Path, most: int | None) -> sr.StaticModule:
    """The module of a file with that many branches at most."""
    options = sr.Options(cache=False, threads=2, inter_op_threads=most)
    return sr.compile(path, options=options)


@pytest.mark.sampled(every=24)
@pytest.mark.parametrize("seed", range(24))
def test_branches_of_random_models(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "m.mlir"
    path.write_text(model(seed))
    monkeypatch.setattr(form_parallel, "pays", any)
    monkeypatch.setattr(form_parallel, "_MAX_WORK_RATIO", 10**9)
    in_turn, together = compiled(path, 1), compiled(path, 3)
    assert not in_turn.program.branches
    x, y = (
        np.random.default_rng(seed).standard_normal((8, 8), np.float32) for _ in "xy"
    )
    expected = [np.array(each) for each in in_turn(x, y)]
    for _ in range(20):
        for one, other in zip(together(x, y), expected, strict=True):
            np.testing.assert_array_equal(one, other)
    verify_again(together)


def verify_again(module: sr.StaticModule) -> None:
    """Fails where two slots share bytes that may live at one time."""
    program = module.program
    records = in_branches(
        [Record(int(slot.bytes), slot.first, slot.last) for slot in program.slots],
        program.branches,
    )
    ends = [slot.offset + record.size for slot, record in zip(program.slots, records)]
    for a, one in enumerate(records):
        for b, other in enumerate(records[:a]):
            apart = (
                program.slots[a].offset >= ends[b] or program.slots[b].offset >= ends[a]
            )
            assert apart or not overlap(one, other)


def test_most_random_models_have_branches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(form_parallel, "pays", any)
    monkeypatch.setattr(form_parallel, "_MAX_WORK_RATIO", 10**9)
    path, count = tmp_path / "m.mlir", 0
    for seed in range(4):
        path.write_text(model(seed))
        count += bool(compiled(path, 3).program.branches)
    assert count >= 2


def recurrences(steps: int, width: int) -> str:
    """Two loops over a tensor each, which the model computes from its input."""
    rows = f"tensor<{steps}x{width}xf32>"
    state = f"tensor<{width}xf32>"
    lines: list[str] = []
    for name, op in (("f", "exp"), ("g", "tanh")):
        lines += [
            f"%{name}0 = graph.{op} %x : {rows} -> {rows}",
            f"%{name}1 = graph.cumsum %{name}0 {{axis = 0 : i64}} : {rows} -> {rows}",
            f'%{name} = graph.loop %h, %{name}1 {{trips = "{steps}", '
            "carried = 1 : i64, scanned = 1 : i64, conditional = false, "
            f"backward = array<i64: 0>}} : {state}, {rows} -> {state} {{",
            f"^bb0(%a: {state}, %b: {state}):",
            f"  %c = graph.add %a, %b : {state}, {state} -> {state}",
            f"  %d = graph.tanh %c : {state} -> {state}",
            f"  graph.yield %d : {state}",
            "}",
        ]
    lines.append(f"%r = graph.add %f, %g : {state}, {state} -> {state}")
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%x: {rows}, %h: {state}) -> {state} {{\n  {body}\n"
        f"  return %r : {state}\n}}\n"
    )


@pytest.mark.parametrize(("width", "expected"), [(256, 2), (4096, 0)])
def test_much_more_memory_is_no_branch(width: int, expected: int, tmp_path: Path):
    path = tmp_path / "m.mlir"
    path.write_text(recurrences(128, width))
    # Two tensors at once, where one is enough in turn: of 128 KiB, and of 2 MiB.
    together, in_turn = compiled(path, None), compiled(path, 1)
    assert len(together.program.branches) == expected
    assert together.plan.is_optimal
    if expected:
        assert together.plan.size > 1.3 * in_turn.plan.size
    else:
        assert together.plan.size == in_turn.plan.size
