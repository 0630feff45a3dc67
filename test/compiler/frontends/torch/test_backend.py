"""`torch.compile` with our backend computes what torch does, on the same tensors."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.testing import assert_close  # noqa: E402

from static_runtime.compiler.frontends.torch import backend as ours  # noqa: E402
from static_runtime.compiler.frontends.torch.backend import Backend  # noqa: E402
from static_runtime.compiler.frontends.torch.subgraph import (  # noqa: E402
    MOST_CHANGES,
)
from static_runtime.compiler.session import CompileError, Options  # noqa: E402

from .backend_models import MODELS, Block, Named, mlp, rows  # noqa: E402
from .case import fixed, floats  # noqa: E402

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def _fresh():
    """Every test compiles anew, recurrent layers too."""
    torch._dynamo.reset()
    with torch._dynamo.config.patch(allow_rnn=True):
        yield
    torch._dynamo.reset()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_computes_what_it_does_in_torch(name: str):
    model = MODELS[name]
    eager, same = model.make().eval(), model.make().eval()
    same.load_state_dict(eager.state_dict())
    backend = Backend()
    compiled = torch.compile(same, backend=backend)
    for _ in range(3):
        inputs = model.inputs()
        other = deepcopy(inputs)
        with torch.no_grad():
            assert_close(compiled(*inputs), eager(*other))
        assert_close(inputs, other)
    assert_close(same.state_dict(), eager.state_dict())
    coverage = backend.coverage()
    print(name, coverage)
    assert coverage.flops >= model.share
    assert coverage.compiles == len(coverage.parts) > 0
    left = {op for graph in coverage.graphs for op in graph.left}
    assert left == {*model.leaves}


def compiled_mlp(**options: Any) -> tuple[Any, Any, Backend]:
    """A model, what `torch.compile` makes of it, and the backend."""
    backend = Backend()
    model = mlp().eval()
    return model, torch.compile(model, backend=backend, **options), backend


def test_outputs_share_memory_as_in_torch():
    model = Named().eval()
    compiled = torch.compile(model, backend=Backend())
    with torch.no_grad():
        x = floats(3, 8)
        expected, actual = model(x), compiled(x)
        assert actual["x"] is x
        assert actual["view"].data_ptr() == x[1:].data_ptr()
        logits, (transposed, (probability, _)) = actual["logits"], actual["pair"]
        assert transposed.data_ptr() == logits.data_ptr()
        assert transposed.stride() == expected["pair"][0].stride()
        logits.zero_()
        assert not transposed.any()
        assert_close(probability, expected["pair"][1][0])
        assert_close(x, expected["x"])


def test_axes_of_results_have_the_order_of_torch():
    def function(x: Tensor) -> Tensor:
        return (torch.exp(x) * 2 + 1).permute(2, 0, 1).sigmoid()

    backend = Backend(min_size=1)
    compiled: Any = torch.compile(function, backend=backend, dynamic=True)
    for shape in ((2, 3, 4), (5, 2, 3)):
        x = floats(*shape)
        expected = function(x)
        actual = compiled(x)
        assert_close(actual, expected)
        assert actual.stride() == expected.stride()
    assert backend.coverage().compiles == 1


def _branches(x: Any) -> Any:
    """An operator that takes graphs."""
    y = torch.exp(x) + 1
    return torch.cond(y.sum() > 0, torch.sin, torch.cos, (y,)) * 2


EDGES = {
    "other order": fixed(lambda x: torch.exp(x) * 2, floats(4, 6).t()),
    "expanded": fixed(lambda x: torch.exp(x) * 2, floats(1, 6).expand(4, 6)),
    "channels last": fixed(
        lambda x: torch.exp(x) * 2,
        floats(2, 3, 4, 4).to(memory_format=torch.channels_last),
    ),
    "no elements": fixed(lambda x: torch.relu(x) + 1, floats(0, 4)),
    "half": fixed(lambda x: torch.exp(x) + 1, floats(3, dtype=torch.float16)),
    "sizes": fixed(lambda x: (x.shape[0] * 2, (x + 1).view(-1)), floats(3, 2)),
    "same twice": fixed(lambda x: [torch.relu(x)] * 2, floats(3)),
    "parts": fixed(lambda x: [*torch.exp(x).split(2, -1), x[0] + 1], floats(3, 6)),
    "branches": fixed(_branches, floats(3)),
    "branch of Python": fixed(lambda x: x * 2 if x.sum() > 0 else x - 1, floats(3)),
    "numbers of data": fixed(lambda x: x[x > 0] * 2 + 1, floats(9)),
    "strides": fixed(
        lambda x: torch.as_strided((torch.relu(x) + 1).t(), (2, 3), (1, 2)) * 2,
        floats(5, 5),
    ),
}


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("name", EDGES)
def test_a_function_computes_what_it_does_in_torch(name: str, is_dynamic: bool):
    function, inputs = EDGES[name].function, EDGES[name].inputs
    backend = Backend(min_size=1)
    compiled: Any = torch.compile(function, backend=backend, dynamic=is_dynamic)
    for _ in range(2):
        actual, expected = compiled(*inputs), function(*inputs)
        assert_close(actual, expected)
        if isinstance(expected, Tensor):
            assert actual.stride() == expected.stride()
    assert not any(p.error for each in backend.coverage().graphs for p in each.parts)


def test_a_graph_in_an_operator_is_left_to_torch():
    backend = Backend(min_size=1)
    compiled: Any = torch.compile(_branches, backend=backend)
    compiled(floats(3))
    coverage = backend.coverage()
    assert 0.5 < coverage.nodes < 1
    assert "left to torch: 1 x cond" in str(coverage)


def test_changed_weights_are_packed_anew():
    torch.manual_seed(0)
    model, compiled, backend = compiled_mlp()
    (x,) = rows()
    with torch.no_grad():
        compiled(x)
        compiled(x)
        assert backend.coverage().compiles == 1
        model[0].weight.mul_(2)
        assert_close(compiled(x), model(x))
        model.load_state_dict({k: v + 1 for k, v in model.state_dict().items()})
        assert_close(compiled(x), model(x))
        model[2].bias.data = floats(16)
        assert_close(compiled(x), model(x))
        assert backend.coverage().compiles == 4


def test_weights_that_change_often_become_inputs():
    model, compiled, backend = compiled_mlp()
    (x,) = rows()
    with torch.no_grad():
        for _ in range(12):
            assert_close(compiled(x), model(x))
            model[0].weight.mul_(1.1)
    assert backend.coverage().compiles == MOST_CHANGES + 1


def test_layers_of_one_class_have_weights_of_their_own():
    backend = Backend()
    layers = [Block().eval() for _ in range(3)]
    for each in layers:
        each.compile(backend=backend)
    x = floats(2, 5, 16)
    with torch.no_grad():
        for _ in range(2):
            for each in layers:
                assert_close(each(x), each.forward(x))
    assert backend.coverage().compiles == 3


def test_weights_of_the_inference_mode_are_inputs():
    with torch.inference_mode():
        model: Any = mlp().eval()
        compiled = torch.compile(model, backend=Backend())
        (x,) = rows()
        assert_close(compiled(x), model(x))
        model[0].weight.mul_(3)
        assert_close(compiled(x), model(x))


def test_gradients_are_those_of_torch():
    model, compiled, backend = compiled_mlp()
    (x,) = rows()
    with torch.no_grad():
        compiled(x)
    model(x).square().sum().backward()
    expected = [each.grad.clone() for each in model.parameters()]
    model.zero_grad()
    compiled(x).square().sum().backward()
    for each, gradient in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(each.grad, gradient, rtol=0, atol=0)
    coverage = backend.coverage()
    assert [each.needs_gradients for each in coverage.graphs] == [False, True]
    assert "call under torch.no_grad()" in str(coverage)


@pytest.mark.parametrize("name", ["mlp", "transformer", "dlrm"])
def test_batches_of_any_size_are_compiled_once(name: str):
    model = MODELS[name]
    eager = model.make().eval()
    backend = Backend()
    compiled = torch.compile(eager, backend=backend)
    with torch.no_grad():
        for size in (*range(2, 12), 1):
            inputs = [
                torch.cat([each[:1]] * size) + each.new_zeros(())
                for each in model.inputs()
            ]
            for each in inputs:
                torch._dynamo.maybe_mark_dynamic(each, 0)
            assert_close(compiled(*inputs), eager(*inputs))
            if size == 11:
                assert backend.coverage().compiles == 1
    assert backend.coverage().compiles <= 2


def test_sizes_are_symbols_with_dynamic():
    _, compiled, backend = compiled_mlp(dynamic=True)
    with torch.no_grad():
        for size in range(2, 12):
            compiled(*rows(size))
    assert backend.coverage().compiles == 1


def test_a_call_that_is_wrong_fails_as_in_torch():
    table = nn.Embedding(4, 8)
    model = nn.Sequential(table, mlp()).eval()
    backend = Backend()
    compiled = torch.compile(model, backend=backend)
    with torch.no_grad():
        assert_close(compiled(torch.tensor([3])), model(torch.tensor([3])))
        with pytest.raises(IndexError, match="index out of range in self"):
            compiled(torch.tensor([4]))
    assert "1 calls were left to torch" in str(backend.coverage())


def test_fewer_operators_are_left_to_torch():
    def function(x: Tensor) -> Tensor:
        return torch.relu(x + 1)

    for min_size, parts in ((2, 1), (3, 0)):
        backend = Backend(min_size=min_size)
        torch.compile(function, backend=backend)(floats(3))
        torch._dynamo.reset()
        assert len(backend.coverage().parts) == parts


def test_options_are_those_of_ours():
    def function(x: Tensor) -> Tensor:
        return torch.relu(x + 1)

    backend = Backend(Options(threads=1))
    small: Any = torch.compile(function, backend=backend, options={"min_size": 1})
    assert_close(small(torch.ones(3)), torch.full((3,), 2.0))
    assert len(backend.coverage().parts) == 1
    torch._dynamo.reset()
    wrong: Any = torch.compile(function, backend=backend, options={"size": 1})
    failed = torch._dynamo.exc.BackendCompilerFailed
    with pytest.raises(
        failed, match=r"expected an option like planner, .*, got size; or min_size"
    ):
        wrong(torch.ones(3))
    with pytest.raises(CompileError, match="expected a min_size of 1 or more, got 0"):
        Backend(min_size=0)


def test_the_backend_has_a_name():
    assert "static_runtime" in torch._dynamo.list_backends()
    before = len(ours.coverage().graphs)
    model = mlp().eval()
    compiled = torch.compile(model, backend="static_runtime")
    (x,) = rows()
    with torch.no_grad():
        assert_close(compiled(x), model(x))
    assert len(ours.coverage().graphs) == before + 1
