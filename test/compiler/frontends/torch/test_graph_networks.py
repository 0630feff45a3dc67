"""A network on the edges of a graph computes what torch does, however many they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402

pytestmark = pytest.mark.torch

NODES, EDGES, WIDTH = 9, 20, 6


class Step(nn.Module):
    """One step in which nodes send messages to their neighbours."""

    def __init__(self, how: str):
        super().__init__()
        self.how = how
        self.message = nn.Sequential(
            nn.Linear(2 * WIDTH + 1, 16), nn.ReLU(), nn.Linear(16, WIDTH)
        )
        self.update = nn.GRUCell(WIDTH, WIDTH)

    def forward(self, nodes: Tensor, edges: Tensor, lengths: Tensor) -> Tensor:
        """f32[nodes, w], i64[2, edges], f32[edges, 1] -> f32[nodes, w]."""
        source, target = edges[0], edges[1]
        pairs = torch.cat([nodes[target], nodes[source], lengths], 1)
        return self.update(self.gather(nodes, target, self.message(pairs)), nodes)

    def gather(self, nodes: Tensor, target: Tensor, messages: Tensor) -> Tensor:
        """What arrives at each node."""
        wide = target[:, None].expand_as(messages)
        nothing = torch.zeros_like(nodes)
        if self.how == "index_add":
            return nothing.index_add(0, target, messages)
        if self.how == "scatter_add":
            return nothing.scatter_add(0, wide, messages)
        if self.how == "max":
            return nothing.scatter_reduce(0, wide, messages, "amax", include_self=False)
        degree = nodes.new_zeros(nodes.shape[0]).index_add(
            0, target, torch.ones_like(messages[:, 0])
        )
        total = nothing.scatter_add(0, wide, messages)
        return total / degree.clamp(min=1)[:, None]


def arrays(nodes: int, edges: int, seed: int) -> tuple[Any, Any, Any]:
    """A graph with edges at random; some nodes have several, some none."""
    random = np.random.default_rng(seed)
    return (
        random.standard_normal((nodes, WIDTH)).astype(np.float32),
        random.integers(0, max(nodes // 2, 1), (2, edges)),
        random.standard_normal((edges, 1)).astype(np.float32),
    )


@pytest.fixture(params=["index_add", "scatter_add", "max", "mean"])
def step(request: pytest.FixtureRequest) -> Any:
    """A step, and its model for any number of nodes and edges."""
    torch.manual_seed(0)
    module = Step(request.param).eval()
    inputs = [torch.from_numpy(each) for each in arrays(NODES, EDGES, 0)]
    many = Dim("edges")
    shapes = ({0: Dim("nodes")}, {1: many}, {0: many})
    options = sr.Options(cache=False)
    return module, sr.compile(
        module, tuple(inputs), dynamic_shapes=shapes, options=options
    )


def test_a_step_computes_what_torch_does_for_any_graph(step: Any):
    module, compiled = step
    for seed, (nodes, edges) in enumerate([(NODES, EDGES), (2, 5), (40, 333)]):
        given = arrays(nodes, edges, seed)
        with torch.no_grad():
            expected = module(*map(torch.from_numpy, given)).numpy()
        np.testing.assert_allclose(compiled(*given), expected, rtol=1e-4, atol=1e-5)


def test_an_edge_to_no_node_is_an_error(step: Any):
    _, compiled = step
    nodes, edges, lengths = arrays(NODES, EDGES, 0)
    edges[1, 7] = NODES
    with pytest.raises(IndexError, match=f"to {NODES - 1}, got {NODES}$"):
        compiled(nodes, edges, lengths)
