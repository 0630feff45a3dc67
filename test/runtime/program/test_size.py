"""A size at run time is the number that the compiler's dimension stands for."""

import itertools
import random

import pytest

from static_runtime.dialects.dims import Dim, dim, floordiv, maximum, minimum, symbol
from static_runtime.dialects.dims import evaluate as evaluate_dim
from static_runtime.runtime.program.size import evaluate, symbols_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("batch", 7),
        ("12", 12),
        ("2 * batch + 1", 15),
        ("batch - 2 * seq", 1),
        ("-batch + 10", 3),
        ("batch * batch * seq", 147),
        ("2*(batch-seq)*2", 16),
        ("floordiv(batch, 2)", 3),
        ("floordiv(-batch, 2)", -4),
        ("floordiv(batch - seq - 4, batch)", 0),
        ("min(batch, seq) + max(batch, seq * 3)", 12),
        ("max(floordiv(batch, min(seq, 2)), 1)", 3),
        ("floordiv(batch, seq - 3)", 0),
    ],
)
def test_text_is_a_number_once_symbols_are(text: str, value: int):
    assert evaluate(text, {"batch": 7, "seq": 3}) == value


def test_a_sum_has_as_many_terms_as_a_model_has_inputs():
    names = {f"n{at}": at for at in range(3000)}
    assert evaluate(" + ".join(names), names) == sum(names.values())


def test_a_number_is_itself():
    assert evaluate(3, {}) == 3


@pytest.mark.parametrize(
    "name", ["a.b", "None", "True", "lambda", "if", "min", "floordiv", "_1", "xé"]
)
def test_a_symbol_may_have_any_name_that_the_compiler_takes(name: str):
    assert str(symbol(name)) == name
    assert evaluate(name, {name: 4}) == 4
    assert evaluate(f"min(2 * {name}, 9) - {name}", {name: 4}) == 4


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "+", "-", "2 *", "2 3", "a b", "(a", "a)", "()", "a,", ",", "1.5"),
        *("a ** 2", "a / 2", "a // 2", "a.b()", "f(1, 2)", "min(1)", "min(1, 2, 3)"),
        *("min(1 2)", "min(a, b", "__import__('os')", "[a]", "a = 1", "a\0", "²", "٣"),
        *("a if b else c", "lambda: 1", "'a'", "a[0]", "a < b", "not a", "~a", "1e3"),
        *("9" * 5000, "(" * 100_000, "-" * 100_000, "min(" * 100_000),
        *("1" + " + 1" * 200_000, "2 * " * 100_000),
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_refuses_what_is_no_dimension(text: str):
    with pytest.raises(ValueError, match=r"expected|limit"):
        evaluate(text, {"a": 1, "b": 2})


def test_names_a_symbol_that_has_no_value():
    with pytest.raises(ValueError, match="expected a symbol among a, b, got 'c'"):
        evaluate("a + c", {"a": 1, "b": 2})
    with pytest.raises(ValueError, match="expected a symbol among none, got 'c'"):
        evaluate("c", {})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("3", set[str]()),
        ("a", {"a"}),
        ("2 * a + min(b, floordiv(c.d, a))", {"a", "b", "c.d"}),
        ("min", {"min"}),
    ],
)
def test_names_the_symbols_of_a_text(text: str, names: set[str]):
    assert symbols_in(text) == names
    assert symbols_in(4) == set()
    with pytest.raises(ValueError, match="expected a dimension"):
        symbols_in(text + " *")


def random_dim(rng: random.Random, depth: int) -> Dim:
    """A dimension of a few symbols and functions."""
    if depth == 0:
        return rng.choice([symbol("a"), symbol("b"), symbol("c.d"), rng.randint(1, 5)])
    left, right = random_dim(rng, depth - 1), random_dim(rng, depth - 1)
    match rng.randrange(6):
        case 0:
            return left + right
        case 1:
            return left - right
        case 2:
            return left * right
        case 3:
            return minimum(left, right)
        case 4:
            return maximum(left, right)
        case _:
            return floordiv(left, right) if right != 0 else left


def test_agrees_with_the_dimensions_of_the_compiler():
    rng = random.Random(3)
    compared = 0
    values = list(itertools.product((0, 1, 2, 7), repeat=3))
    for _ in range(200):
        size = random_dim(rng, rng.randint(0, 4))
        assert dim(str(size)) == size
        for a, b, c in rng.sample(values, 8):
            symbols = {"a": a, "b": b, "c.d": c}
            try:
                known = evaluate_dim(size, symbols)
            except ValueError:
                # The compiler divides nothing by zero; at run time it gives zero.
                continue
            assert evaluate(str(size), symbols) == known, size
            compared += 1
    assert compared > 1000
