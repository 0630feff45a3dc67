"""A sample of a product of parameters has each value of each, and few cases."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from .sampling import cover, mark_what_is_left_out, sample


@pytest.mark.parametrize("counts", [(5,), (2, 7), (3, 4), (2, 3, 4), (2, 2, 2, 5)])
def test_each_value_or_each_two_values_occur(counts: tuple[int, ...]):
    cases = [*product(*map(range, counts))]
    chosen = [cases[at] for at in cover(cases)]
    together = 1 if len(counts) < 3 else 2
    for axes in combinations(range(len(counts)), together):
        found = {tuple(case[axis] for axis in axes) for case in chosen}
        assert found == {*product(*(range(counts[axis]) for axis in axes))}
    assert len(chosen) <= max(len(cases) // 2, max(counts))


@pytest.mark.parametrize("counts", [(2, 3, 4), (2, 2, 2, 5)])
def test_values_may_occur_apart_or_two_together(counts: tuple[int, ...]):
    cases = [*product(*map(range, counts))]
    chosen = [cases[at] for at in cover(cases, together=1)]
    assert len(chosen) == max(counts)
    for axis, count in enumerate(counts):
        assert {case[axis] for case in chosen} == {*range(count)}
    assert cover(cases, together=2) == cover(cases)


def test_cases_that_not_all_values_share_are_covered_too():
    cases = [(0, 0), (0, 1), (1, 1), (2, 2)]
    assert {cases[at] for at in cover(cases)} >= {(0, 0), (1, 1), (2, 2)}


def test_twice_takes_cases_that_once_leaves():
    cases = [*product(range(3), range(3))]
    once, twice = cover(cases), cover(cases, 2)
    assert once < twice < {*range(len(cases))}
    for axis, value in product(range(2), range(3)):
        assert sum(cases[at][axis] == value for at in twice) >= 2


def test_values_that_come_together_are_one_parameter():
    kinds, threads = [("2", 1e-5), ("n", 1e-5), ("3", 1e-3)], [1, 2]
    cases = [
        {"batch": batch, "precision": precision, "threads": each}
        for (batch, precision), each in product(kinds, threads)
    ]
    joined = [{"kind": kind, "threads": n} for kind, n in product(kinds, threads)]
    assert sample(joined) == {0, 3, 4}
    # An error beside a batch is a parameter of its own, as two batches have it.
    assert len(sample(cases)) > len(sample(joined))


def test_values_that_have_no_hash_are_told_apart():
    lists = [[1], [1]]
    assert sample([{"x": each} for each in lists]) == {0, 1}
    assert sample([{"x": each} for each in lists * 3], every=4) == {0, 4}
    assert sample([{"x": each} for each in lists * 3], every=4, start=1) == {1, 5}


PRODUCT = """
import pytest

@pytest.mark.sampled
@pytest.mark.parametrize("a", range(3))
@pytest.mark.parametrize("b", range(4))
def test_sampled(a, b):
    pass

@pytest.mark.parametrize("a", range(3))
def test_whole(a):
    pass
"""


class Collected:
    """Marks what is left out, and keeps the names of what is not."""

    names: Sequence[str] = ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """As `conftest.py` does."""
        mark_what_is_left_out(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What is left by then is run."""
        self.names = [each.name for each in session.items]


def test_what_is_left_out_is_not_selected(tmp_path: Path):
    (tmp_path / "test_product.py").write_text(PRODUCT)
    (ini := tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n sampled\n full")
    flags = ["--collect-only", "-qq", "-c", str(ini), "-p", "no:cacheprovider"]
    # Which would collect garbage, of all that the tests so far have, ten times.
    flags += ["-p", "no:unraisableexception"]
    for selected, count in (("not full", 4), ("", 12)):
        made = Collected()
        assert not pytest.main([*flags, "-m", selected, str(tmp_path)], [made])
        kinds = [name.split("[")[0] for name in made.names]
        assert kinds.count("test_sampled") == count
        assert kinds.count("test_whole") == 3


TESTS = Path(__file__).parent


@cache
def tree(path: Path) -> ast.Module:
    """What a file says."""
    return ast.parse(path.read_text())


def functions_of(path: Path) -> dict[str, ast.FunctionDef]:
    """The functions of a file that are tests."""
    functions = [each for each in tree(path).body if isinstance(each, ast.FunctionDef)]
    return {each.name: each for each in functions if each.name.startswith("test_")}


def is_mark(node: ast.expr, *names: str) -> bool:
    """Whether an expression is one of these marks, with arguments or without."""
    text = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    return text in {f"pytest.mark.{each}" for each in names}


def whole_marks(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Each test of a file with each mark that it has as a whole."""
    for name, function in functions_of(path).items():
        yield from ((name, each) for each in function.decorator_list)
    for each in tree(path).body:
        if (
            isinstance(each, ast.Assign)
            and ast.unparse(each.targets[0]) == "pytestmark"
        ):
            value = each.value
            of_file = value.elts if isinstance(value, ast.List) else [value]
            yield from ((name, mark) for name in functions_of(path) for mark in of_file)


def in_the_quick_gate(path: Path) -> set[str]:
    """The tests of a file that are not left out as a whole."""
    apart = ("full", "soak", "torch")
    out = {name for name, mark in whole_marks(path) if is_mark(mark, *apart)}
    return functions_of(path).keys() - out


def test_who_is_left_out_names_a_test_that_is_not():
    left_out = 0
    for path in sorted(TESTS.rglob("test_*.py")):
        for name, mark in whole_marks(path):
            if not is_mark(mark, "full"):
                continue
            place = f"{path.relative_to(TESTS)}::{name}"
            given = mark.keywords if isinstance(mark, ast.Call) else []
            beside = [ast.literal_eval(each.value) for each in given]
            assert [each.arg for each in given] == ["beside"], place
            file, _, other = beside[0].rpartition("::")
            where = TESTS / file if file else path
            assert where.is_file(), (place, f"no file {file}")
            assert other in in_the_quick_gate(where), (place, f"no {other} in the gate")
            left_out += 1
    assert left_out
