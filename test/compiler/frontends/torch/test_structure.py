"""What a module takes and returns comes back as it was, cold, warm and in a folder."""

from __future__ import annotations

import subprocess
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.runtime_folder import build_runtime  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch
X = floats(4, 3)


class Pair(NamedTuple):
    """Two values."""

    left: Any
    right: Any


@dataclass
class Result:
    """A tensor, and one that may be missing."""

    rows: Any
    mask: Any = None


torch.export.register_dataclass(Result)


def check(actual: Any, expected: Any) -> None:
    """Two trees are of the same containers, with the same values."""
    mine, found = pytree.tree_flatten(actual)
    leaves, spec = pytree.tree_flatten(expected)
    assert found == spec
    for one, other in zip(mine, leaves, strict=True):
        if isinstance(other, torch.Tensor):
            assert type(one) is np.ndarray
            np.testing.assert_allclose(one, other.numpy(), rtol=1e-6)
        else:
            assert type(one) is type(other)
            assert one == other
    arrays = [each for each in mine if type(each) is np.ndarray]
    for place, array in enumerate(arrays):
        assert not any(np.shares_memory(array, each) for each in arrays[:place])


def nested(x: Any) -> Any:
    """Containers in containers."""
    none: list[Any] = []
    return {"a": [(x, {"b": x + 1})], "c": ((x * 2,), none)}


def empty(x: Any) -> Any:
    """Containers of nothing."""
    return (x + 1, [], {}, ())


def ordered(x: Any) -> Any:
    """Containers of the collections module."""
    made: OrderedDict[str, Any] = OrderedDict(b=x, a=deque([x + 1]))
    return made


RESULTS: dict[str, Callable[[Any], Any]] = {
    "a constant and None": lambda x: (x + 1, 3, None),
    "every constant": lambda x: [x * 2, 3, -1.5, True, "text", None],
    "constants alone": lambda x: {"a": 1, "b": (None, "c")},
    "a list": lambda x: [x, x + 1],
    "a tuple of one": lambda x: (x + 1,),
    "a list of one": lambda x: [x + 1],
    "a dictionary": lambda x: {"b": x + 1, "a": x + 2},
    "keys that are numbers": lambda x: {3: x + 1, "3": x + 2, -1: x},
    "nested": nested,
    "empty": empty,
    "a named tuple": lambda x: Pair(x + 1, Pair(x, 2)),
    "a dataclass": lambda x: Result(x + 1, x * 2),
    "a dataclass without a field": lambda x: {"all": Result(x + 1)},
    "ordered": ordered,
    "twice": lambda x: [x + 1] * 2 + [x, x],
    "the input": lambda x: {"x": x},
    "sizes": lambda x: (x + 1, x.shape[0], x.shape[0] * 2),
    "an item": lambda x: {"most": x.max().item(), "rows": x},
    "an array": lambda x: x + 1,
    "arrays": lambda x: (x + 1, x, x * 2),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_come_back_as_they_were(name: str, dynamic: bool):
    module = Wrapped(RESULTS[name])
    shapes = (({0: Dim("n", min=2)},),) if dynamic else None
    compiled = sr.compile(module, (X,), dynamic_shapes=shapes)
    for x in (X, floats(7, 3)) if dynamic else (X, X * 2):
        check(compiled(x), module(x))
        check(compiled(x.numpy()), module(x))
    # Machine code takes arrays; Python alone makes the tree.
    assert compiled.statistics().slow_calls <= 4


@pytest.mark.parametrize("name", ["an array", "arrays"])
def test_arrays_have_no_structure(name: str):
    assert sr.compile(Wrapped(RESULTS[name]), (X,)).program.structure is None


def test_results_of_torch_are_tuples():
    compiled = sr.compile(Wrapped(lambda x: torch.max(x, 1)), (X,))
    values, places = compiled(X)
    np.testing.assert_array_equal(values, X.max(1).values)
    np.testing.assert_array_equal(places, X.max(1).indices)
    assert compiled.program.structure is None


def test_a_class_of_a_function_has_another_in_its_place():
    class Local(NamedTuple):
        a: Any
        b: Any

    result = sr.compile(Wrapped(lambda x: Local(x, 1)), (X,))(X)
    assert type(result).__name__ == "Local"
    assert result._fields == ("a", "b")
    assert result.b == 1


class Taker(nn.Module):
    """Takes trees by position and by name."""

    def forward(
        self, x: Any, pair: Any, options: Any = None, *, scale: Any = 1.0, last: Any
    ) -> Any:
        """Sums of what there is."""
        assert isinstance(last, Pair)
        left, right = pair
        rows = options["rows"] + options["more"][0]
        return {"sum": (x + left - right) * scale, "rows": rows, "last": last.left}


ARGUMENTS = (X, [X + 1, X * 3], {"rows": X * 5, "more": (X * 7,)})
NAMED: dict[str, Any] = {"scale": 2.0, "last": Pair(X * 9, None)}


@pytest.fixture(scope="module")
def taker() -> sr.StaticModule:
    """The module that takes trees, compiled."""
    return sr.compile(torch.export.export(Taker(), ARGUMENTS, NAMED))


def test_trees_are_taken_as_torch_takes_them(taker: sr.StaticModule):
    x, pair, options = ARGUMENTS
    expected = Taker()(*ARGUMENTS, **NAMED)
    swapped = {"more": options["more"], "rows": options["rows"]}
    check(taker(*ARGUMENTS, **NAMED), expected)
    check(taker(x, pair, last=NAMED["last"], options=swapped, scale=2), expected)
    check(taker(x, pair, last=NAMED["last"], options=options), expected)
    check(taker(last=NAMED["last"], options=options, pair=pair, x=x), expected)
    # Flat arrays, by position and by name, as before.
    flat = [each for each in pytree.tree_leaves((ARGUMENTS, NAMED["last"][0]))]
    names = ("x", "pair_0", "pair_1", "options_rows", "options_more_0", "last_left")
    assert taker.input_names == names
    check(taker(*flat), expected)
    check(taker(**dict(zip(names, flat, strict=True))), expected)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a tuple": ({"pair": (X, X)}, r"input pair: expected a list of 2, got tuple"),
    "too many": ({"pair": [X] * 3}, r"input pair: expected a list of 2, got 3"),
    "too few keys": ({"options": {"rows": X}}, r"dict with 'rows', 'more', got 'rows'"),
    "deep": (
        {"options": {"rows": X, "more": [X]}},
        r"input options\['more'\]: expected a tuple of 1, got list",
    ),
    "no array": ({"x": {"a": X}}, r"input x: expected an array, got dict"),
    "no class": ({"last": (X, None)}, r"last: expected a Pair of left, right, got tup"),
    "no None": (
        {"last": Pair(X, X)},
        r"input last\.right: expected None, .*got Tensor",
    ),
    "no number": ({"scale": "a"}, r"input scale: expected 2\.0, .*got str"),
    "unknown": ({"other": X}, r"5 inputs \(x, pair, .*, got an input called other"),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_trees_are_refused(name: str, taker: sr.StaticModule):
    changed, message = WRONG[name]
    names = ("x", "pair", "options")
    call = {**dict(zip(names, ARGUMENTS, strict=True)), **NAMED, **changed}
    with pytest.raises(TypeError, match=message):
        taker(**call)


def test_missing_trees_and_other_constants_are_refused(taker: sr.StaticModule):
    with pytest.raises(TypeError, match=r"5 inputs .*, got none for options"):
        taker(*ARGUMENTS[:2], **NAMED)
    with pytest.raises(ValueError, match=r"scale: expected 2\.0, .*, got 3\.0"):
        taker(*ARGUMENTS, scale=3.0, last=NAMED["last"])


def test_a_value_of_an_input_in_a_tree(taker: sr.StaticModule):
    exported = torch.export.export(Taker(), ARGUMENTS, NAMED)
    pinned = sr.compile(exported, constants={"pair_1": ARGUMENTS[1][1]})
    x, pair, options = ARGUMENTS
    result = pinned(x, [pair[0], None], options, last=NAMED["last"])
    check(result, Taker()(*ARGUMENTS, **NAMED))


def test_keywords_in_another_order():
    class Difference(nn.Module):
        def forward(self, *, a: Any, b: Any) -> Any:
            return [a - b]

    compiled = sr.compile(Difference(), {"b": X, "a": X * 3})
    check(compiled(a=X, b=X * 2), [X - X * 2])
    check(compiled(b=X * 2, a=X), [X - X * 2])


def test_out_is_flat_and_comes_back_as_a_tree():
    compiled = sr.compile(Wrapped(RESULTS["nested"]), (X,))
    out = tuple(np.zeros((4, 3), np.float32) for _ in range(3))
    result = compiled(X.numpy(), out=out)
    check(result, RESULTS["nested"](X))
    assert result["a"][0][0] is out[0]
    with pytest.raises(TypeError, match="expected a tuple of 3 arrays"):
        compiled(X, out=result)


def test_a_key_that_no_program_holds_is_refused():
    with pytest.raises(sr.CompileError, match="numbers or texts as keys, got tuple"):
        sr.compile(Wrapped(lambda x: {(1, 2): x}), (X,))


MADE: dict[str, Callable[[Any], Any]] = {
    "pair": lambda x: [Pair(x + 1, None), x],
    "class": Result,
}


@pytest.mark.parametrize("name", MADE)
def test_a_warm_start_returns_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    module = Wrapped(MADE[name])
    for is_warm in (False, True):
        compiled = sr.compile(module, (X,))
        assert compiled.report.warm is is_warm
        check(compiled(X), module(X))


@pytest.mark.usefixtures("runs_host")
def test_a_folder_returns_the_same_without_torch(tmp_path: Path):
    class Both(nn.Module):
        def forward(self, x: Any, more: Any) -> Any:
            return {"p": Pair(x + more["a"], None), 3: [x, x.shape[0], Result(x * 2)]}

    program = torch.export.export(Both(), (X, {"a": X}))
    build_runtime(program, ["host"], tmp_path / "rt")
    lines = (
        "import sys, numpy as np, rt",
        "m = rt.load('rt/model.sr')",
        "x = np.ones((4, 3), np.float32)",
        "r = m(x, {'a': x})",
        "print([*r], type(r['p']).__name__, r['p']._fields, r['p'].left.sum())",
        "print(r['p'].right, type(r[3]).__name__, r[3][1], [*r[3][2]])",
        "print('torch' in sys.modules, 'xdsl' in sys.modules)",
    )
    said = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert said == [
        "['p', 3] Pair ('left', 'right') 24.0",
        "None list 4 ['rows', 'mask']",
        "False False",
    ]


class Kept:
    """Rows of calls before, which it joins whenever it is made."""

    def __init__(self, rows: Sequence[Any]):
        nothing = torch.tensor([], dtype=rows[0].dtype)
        self.rows = [torch.cat([nothing, each], dim=-2) for each in rows]


def kept_again(children: Iterable[Any], _: Any) -> Kept:
    """The class of what a tree has of it."""
    (rows,) = children
    return Kept(rows)


pytree.register_pytree_node(
    Kept,
    lambda kept: ([kept.rows], None),
    kept_again,
    flatten_with_keys_fn=lambda kept: ([(pytree.MappingKey("rows"), kept.rows)], None),
)


def test_a_class_that_computes_with_its_tensors():
    """As the cache of transformers does, which is made of keys and values."""

    class Layer(nn.Module):
        def forward(self, x: Any, kept: Kept) -> Any:
            return x * 2, Kept([torch.cat([each, x]) for each in kept.rows])

    kept = Kept([X, X + 1])
    module = sr.compile(torch.export.export(Layer(), (X, kept)))
    expected, after = Layer()(X, kept)
    got, state = module(X, {"rows": kept.rows})
    np.testing.assert_array_equal(got, expected)
    for each, other in zip(state["rows"], after.rows, strict=True):
        np.testing.assert_array_equal(each, other)
