"""Branches on two threads: the bits of one thread, and the errors of each branch."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from static_runtime.compiler.compile import compile
from static_runtime.compiler.session import Options
from static_runtime.runtime.call import StaticModule

SQUARE = "tensor<48x48xf32>"


def branch(*lines: str) -> str:
    """A region of `graph.parallel` whose arguments are two squares; it yields `%z`."""
    body = "\n".join(f"      {each}" for each in lines)
    return (
        f"{{\n    ^bb0(%a: {SQUARE}, %b: {SQUARE}):\n{body}\n"
        f"      graph.yield %z : {SQUARE}\n    }}"
    )


def product(result: str, left: str, right: str) -> str:
    """A product of two squares."""
    return f"{result} = graph.matmul {left}, {right} : {SQUARE}, {SQUARE} -> {SQUARE}"


def chain(first: str, count: int) -> str:
    """A branch of some products of a square with itself and with `%b`."""
    lines = [product("%p0", first, first)]
    lines += [product(f"%p{at}", f"%p{at - 1}", "%b") for at in range(1, count)]
    return branch(*lines, product("%z", f"%p{count - 1}", "%p0"))


def parallel(*branches: str) -> str:
    """`graph.parallel` of branches, whose results are `%0`, `%1` and so on."""
    names = ", ".join(f"%{at}" for at in range(len(branches)))
    types = ", ".join([SQUARE] * len(branches))
    regions = " ".join(branches)
    return f"{names} = graph.parallel %x, %y : {SQUARE}, {SQUARE} -> {types} {regions}"


def written(path: Path, *lines: str, outputs: int, inputs: str = "") -> Path:
    """The file of a model of two squares, which returns `%0` and so on."""
    types = ", ".join([SQUARE] * outputs)
    results = ", ".join(f"%{at}" for at in range(outputs))
    body = "\n".join(f"  {each}" for each in lines)
    path.write_text(
        f"func.func @main(%x: {SQUARE}, %y: {SQUARE}{inputs}) -> ({types}) {{\n"
        f"{body}\n  return {results} : {types}\n}}\n"
    )
    return path


def compiled(path: Path, threads: int = 2) -> StaticModule:
    """The module of a file, which is no artifact."""
    return compile(path, options=Options(cache=False, threads=threads))


@pytest.fixture
def squares() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    x, y = (random.standard_normal((48, 48), np.float32) / 7 for _ in "xy")
    return x, y


def test_threads_and_one_thread_give_the_same_bits(
    tmp_path: Path, squares: tuple[np.ndarray, np.ndarray]
):
    path = written(
        tmp_path / "m.mlir",
        parallel(chain("%a", 4), chain("%b", 2), chain("%a", 1)),
        outputs=3,
    )
    together, alone = compiled(path), compiled(path, threads=1)
    expected = [each.copy() for each in alone(*squares)]
    plan = together.plan
    assert plan.is_optimal
    # What the branches need, all at once: three squares, two and one.
    assert plan.size == (3 + 2 + 1) * 48 * 48 * 4
    for _ in range(300):
        for made, known in zip(together(*squares), expected, strict=True):
            np.testing.assert_array_equal(made, known)
    x, y = squares
    np.testing.assert_allclose(expected[2], x @ x @ (x @ x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(expected[1], y @ y @ y @ (y @ y), rtol=1e-4, atol=1e-5)


def test_calls_at_once_have_branches_of_their_own(
    tmp_path: Path, squares: tuple[np.ndarray, np.ndarray]
):
    path = written(
        tmp_path / "m.mlir", parallel(chain("%a", 3), chain("%b", 2)), outputs=2
    )
    module = compiled(path)
    given = [(factor * squares[0], squares[1]) for factor in (1, 2, 3, 4)]
    expected = [[each.copy() for each in module(*inputs)] for inputs in given]

    def call(number: int) -> None:
        for _ in range(50):
            for made, known in zip(
                module(*given[number]), expected[number], strict=True
            ):
                np.testing.assert_array_equal(made, known)

    with ThreadPoolExecutor(len(given)) as pool:
        for each in [pool.submit(call, number) for number in range(len(given))]:
            each.result()


def test_an_artifact_has_branches(
    tmp_path: Path, squares: tuple[np.ndarray, np.ndarray]
):
    path = written(
        tmp_path / "m.mlir", parallel(chain("%a", 3), chain("%b", 1)), outputs=2
    )
    options = Options(threads=2)
    cold, warm = (compile(path, options=options) for _ in range(2))
    assert warm.report.warm
    assert warm.program.branches == cold.program.branches
    assert len(warm.program.branches) == 2
    for one, other in zip(cold(*squares), warm(*squares), strict=True):
        np.testing.assert_array_equal(one, other)


TYPES = f"{SQUARE}, tensor<48xi64> -> {SQUARE}"
LOOKUP = f"%z = graph.index_select %a, %i {{axis = 0 : i64, wraps = true}} : {TYPES}"


def test_the_error_of_the_first_branch_in_order_is_told(
    tmp_path: Path, squares: tuple[np.ndarray, np.ndarray]
):
    indices = ", ".join(f"%{name}: tensor<48xi64>" for name in "kl")
    types = f"{SQUARE}, {SQUARE}, tensor<48xi64>, tensor<48xi64>"
    arguments = (
        f"^bb0(%a: {SQUARE}, %b: {SQUARE}, %i: tensor<48xi64>, %j: tensor<48xi64>)"
    )
    regions = " ".join(
        f"{{\n  {arguments}:\n    {lookup}\n    graph.yield %z : {SQUARE}\n  }}"
        for lookup in (LOOKUP, LOOKUP.replace("%i", "%j"))
    )
    path = written(
        tmp_path / "m.mlir",
        f"%0, %1 = graph.parallel %x, %y, %k, %l : {types} -> {SQUARE}, {SQUARE} "
        f"{regions}",
        outputs=2,
        inputs=f", {indices}",
    )
    module = compiled(path)
    good, bad, worse = (np.full(48, value) for value in (3, 99, 1000))
    for _ in range(20):
        with pytest.raises(IndexError, match="99"):
            module(*squares, bad, worse)
        with pytest.raises(IndexError, match="1000"):
            module(*squares, good, worse)
        with pytest.raises(IndexError, match="99"):
            module(*squares, bad, good)
        first, _ = module(*squares, good, good)
        np.testing.assert_array_equal(first, np.tile(squares[0][3], (48, 1)))


def test_branches_of_open_sizes_are_planned_for_each(tmp_path: Path):
    open_type = 'tensor<?x16xf32, ["n"]>'
    types = f"{open_type}, tensor<16x16xf32>"
    region = "\n".join(
        [
            "{",
            f"  ^bb0(%a: {open_type}, %w: tensor<16x16xf32>):",
            f"    %b = graph.matmul %a, %w : {types} -> {open_type}",
            f"    %c = graph.matmul %b, %w : {types} -> {open_type}",
            f"    graph.yield %c : {open_type}",
            "  }",
        ]
    )
    path = tmp_path / "m.mlir"
    path.write_text(
        f"func.func @main(%x: {open_type}, %y: tensor<16x16xf32>) -> {open_type} {{\n"
        f"  %0, %1 = graph.parallel %x, %y : {types} -> "
        f"{open_type}, {open_type} {region} {region}\n"
        f"  %2 = graph.add %0, %1 : {open_type}, {open_type} -> {open_type}\n"
        f"  return %2 : {open_type}\n}}\n"
    )
    module = compiled(path)
    w = np.eye(16, dtype=np.float32)[::-1].copy()
    for n in (1, 40, 3, 200):
        x = np.arange(n * 16, dtype=np.float32).reshape(n, 16)
        np.testing.assert_array_equal(module(x, w), 2 * x)
        # A value of each branch and its result: one of these may be the output.
        assert module.plan.size == module.plan.lower_bound
        assert module.plan.size >= 3 * x.nbytes


def test_branches_in_a_loop_run_one_after_the_other(
    tmp_path: Path, squares: tuple[np.ndarray, np.ndarray]
):
    inner = parallel(chain("%a", 1), chain("%b", 1)).replace("%0, %1", "%q, %r")
    loop = "\n".join(
        [
            '%0 = graph.loop %x, %y {trips = "3", carried = 1 : i64, '
            "scanned = 0 : i64, conditional = false, backward = array<i64>}"
            f" : {SQUARE}, {SQUARE}"
            f" -> {SQUARE} {{",
            f"  ^bb0(%v: {SQUARE}, %u: {SQUARE}):",
            f"    {inner.replace('%x, %y', '%v, %u')}",
            f"    %s = graph.add %q, %r : {SQUARE}, {SQUARE} -> {SQUARE}",
            f"    graph.yield %s : {SQUARE}",
            "  }",
        ]
    )
    module = compiled(written(tmp_path / "m.mlir", loop, outputs=1))
    x, y = squares
    for _ in range(3):
        x = x @ x @ (x @ x) + y @ y @ (y @ y)
    np.testing.assert_allclose(module(*squares), x, rtol=1e-3, atol=1e-5)
