"""Operators that we have no reader for are run by PyTorch, where asked for."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from . import acme  # noqa: E402

pytestmark = pytest.mark.torch

FOREIGN = sr.Options(fallback="foreign")


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[[Any], Any]):
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


class Layered(nn.Module):
    """An operator of our own between operators of PyTorch."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 6), nn.Linear(6, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        a, b = acme.scaled(torch.relu(self.first(x)), 0.5, x.shape[0])
        return self.last(a), b


def compiled(function: Callable[[Any], Any], *shape: int) -> sr.StaticModule:
    return sr.compile(Of(function), (torch.randn(shape),), options=FOREIGN)


def close(got: Any, want: Any) -> None:
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b.detach().numpy(), rtol=1e-5, atol=1e-5)


def test_a_custom_operator_with_open_sizes():
    model = Layered().eval()
    shapes = ({0: torch.export.Dim("rows")},)
    x = torch.randn(3, 4)
    module = sr.compile(model, (x,), dynamic_shapes=shapes, options=FOREIGN)
    for rows in (3, 1, 8):
        x = torch.randn(rows, 4)
        close(module(x.numpy()), model(x))
    (call,) = module.program.call_outs
    assert call.framework == "torch"
    assert call.source == "graph.foreign acme.scaled.default at scaled"


def test_without_the_option_the_error_names_it():
    with pytest.raises(
        sr.CompileError, match=r"acme.scaled(.|\n)*fallback=\"foreign\""
    ):
        sr.compile(Layered().eval(), (torch.randn(3, 4),))


OPERATORS: list[Callable[[Any], Any]] = [
    lambda x: torch.linalg.ldl_factor_ex(x @ x.T).LD,
    lambda x: torch.ops.acme.halves(x, 1)[0] * 2,
]

REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: torch.linalg.eigvals(x @ x.T).real, "complex64"),
]


@pytest.mark.parametrize("function", OPERATORS)
def test_operators_of_torch(function: Callable[[Any], Any]):
    x = torch.randn(3, 3)
    module = compiled(function, 3, 3)
    assert module.program.call_outs
    close([module(x.numpy())], [function(x)])


def test_a_list_of_results():
    module = compiled(lambda x: torch.ops.acme.halves(x, 1)[1] + 1, 3, 4)
    x = torch.randn(3, 4)
    close([module(x.numpy())], [x[:, 1:] + 1])


def test_in_a_branch():
    def factored(x: Tensor) -> Tensor:
        return x + torch.linalg.ldl_factor_ex(x * 2).LD

    def less(x: Tensor) -> Tensor:
        return x - 1

    class Branch(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.cond(x.sum() > 0, factored, less, (x,))

    module = sr.compile(Branch(), (torch.randn(3, 3),), options=FOREIGN)
    for sign in (1, -1):
        x = sign * torch.rand(3, 3)
        close([module(x.numpy())], [Branch()(x)])


def test_random_numbers_are_new_in_each_call():
    module = compiled(lambda x: torch.rand_like(x) - torch.rand_like(x), 3, 4)
    x = np.zeros((3, 4), np.float32)
    a, b = module(x), module(x)
    assert a.any()
    assert (a != b).any()


def test_a_result_of_another_shape_than_its_fake():
    module = compiled(lambda x: acme.mistaken(x) * 2, 3, 4)
    with pytest.raises(
        ValueError, match=r"float32\[3, 4\], got float32\[6, 4\]"
    ) as told:
        module(np.zeros((3, 4), np.float32))
    assert told.value.__notes__ == [
        "in graph.foreign acme.mistaken.default at mistaken"
    ]


@pytest.mark.parametrize(("function", "message"), REFUSED)
def test_refusals(function: Callable[[Any], Any], message: str):
    with pytest.raises(sr.CompileError, match=message):
        compiled(function, 3, 4)


class Carried(nn.Module):
    """A loop that carries a number, which its reader refuses."""

    def forward(self, x: Tensor) -> Any:
        loop: Any = import_module("torch._higher_order_ops.while_loop").while_loop

        def test(i: Any, y: Any, n: Any) -> Any:
            return i < 3

        def body(i: Any, y: Any, n: Any) -> Any:
            return i + n, y * 2, n

        return loop(test, body, (torch.zeros(()), x, 1))[1]


@pytest.mark.parametrize("fallback", ["error", "foreign"])
def test_an_operator_that_takes_graphs_runs_nowhere(fallback: Any):
    options = sr.Options(cache=False, fallback=fallback)
    with pytest.raises(sr.CompileError, match="  while_loop") as told:
        sr.compile(Carried(), (torch.randn(3, 4),), options=options)
    assert "\nops that take graphs: " in str(told.value)
    assert "fallback=" not in str(told.value)


def test_an_operator_that_changes_its_operand_is_refused():
    def changed(x: Tensor) -> Tensor:
        y = x + 1
        torch.ops.acme.zeroed(y)
        return y

    with pytest.raises(sr.CompileError):
        compiled(changed, 3, 4)


_ELSEWHERE = """
import pickle, sys
import numpy as np
module = pickle.load(open(sys.argv[1], "rb"))
assert "torch" not in sys.modules and module.report.warm
sys.path.insert(0, sys.argv[2])
try:
    print(module(np.ones((3, 4), np.float32)).tolist()[0])
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize("is_there", [True, False])
def test_in_another_process_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
):
    """torch and the module that defines the operator are imported when it runs."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "there"
    folder.mkdir()
    source = Path(acme.__file__).read_text().replace("acme::", f"acme{is_there}::")
    (folder / "acme_elsewhere.py").write_text(source)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    elsewhere = import_module("acme_elsewhere")
    monkeypatch.delitem(sys.modules, "acme_elsewhere")
    module = compiled(lambda x: elsewhere.scaled(x, 2.0, 1)[0] + 1, 3, 4)
    (tmp_path / "pickled").write_bytes(pickle.dumps(module))
    there = folder if is_there else tmp_path
    ran = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, tmp_path / "pickled", there],
        capture_output=True,
        text=True,
        check=False,
    )
    wanted = (
        "[3.0, 3.0, 3.0, 3.0]" if is_there else "expected the module acme_elsewhere"
    )
    assert wanted in ran.stdout, ran
