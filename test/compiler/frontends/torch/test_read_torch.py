"""What of a model is kept: its sizes, weights, places in the code, and itself."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FileLineColLoc, NameLoc
from xdsl.ir import Operation

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.frontends.torch import (  # noqa: E402
    is_torch_model,
    read_torch,
)
from static_runtime.compiler.ir.context import context  # noqa: E402

from ....models.torch_models import MODELS, TorchModel  # noqa: E402
from ....models.zoo.models import ZOO  # noqa: E402
from ..interpret import interpret, main, ranges  # noqa: E402
from .case import Wrapped, floats, whole  # noqa: E402

pytestmark = pytest.mark.torch

DIGITS = Path(__file__).parents[4] / "examples" / "digits" / "model.py"


def digits() -> Any:
    """The example model, not trained."""
    return runpy.run_path(str(DIGITS))["Digits"]()


EVERY = {**MODELS, "digits": TorchModel(digits, ((1, 8, 8),), 4, (1, 3))}


def ops(module: Any) -> list[Operation]:
    """The ops of the function, but for its end."""
    return list(main(module).body.block.ops)[:-1]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("by_program", [False, True])
def test_one_reading_serves_every_batch(name: str, by_program: bool):
    model, ctx = EVERY[name], context()
    module, example = model.make()
    if by_program:
        shapes = model.dynamic_shapes()
        program = torch.export.export(module, example, dynamic_shapes=shapes)
        graph = read_torch(program, ctx)
    else:
        graph = read_torch(module, ctx, example, model.dynamic_shapes())
    graph.verify()
    assert ranges(graph) == {"batch": (1, 4096)}
    for batch in (model.batch, *model.others):
        inputs = model.inputs(batch)
        (actual,) = interpret(graph, ctx.weights, [each.numpy() for each in inputs])
        with torch.no_grad():
            torch.testing.assert_close(torch.from_numpy(actual), module(*inputs))


def test_a_concatenation_is_of_a_list():
    module, example = MODELS["sr_example"].make()
    graph = read_torch(module, context(), example)
    assert [op.name for op in ops(graph)] == [
        "graph.add",
        "graph.mul",
        "graph.mul",
        "graph.list_construct",
        "graph.concat_list",
    ]


def test_composites_stay_whole():
    class Layers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4)
            self.fc = nn.Linear(4, 2, bias=False)

        def forward(self, x: Any) -> Any:
            x = nn.functional.max_pool2d(nn.functional.gelu(self.norm(self.conv(x))), 2)
            x = nn.functional.silu(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))
            return torch.softmax(self.fc(x), 1)

    graph = read_torch(Layers(), context(), (floats(2, 3, 8, 8),))
    used = [op for op in ops(graph) if op.operands and list(op.results[0].uses)]
    assert [op.name for op in used] == [
        "graph.conv",
        "graph.batch_norm",
        "graph.gelu",
        "graph.max_pool",
        "graph.mean",
        "graph.reshape",
        "graph.silu",
        "graph.linear",
        "graph.softmax",
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({0: Dim("rows", min=2, max=9)}, {"rows": (2, 9)}),
        ({0: Dim("rows")}, {"rows": (0, 2**63 - 1)}),
        ({0: "rows"}, {"rows": (0, 2**63 - 1)}),
        ((Dim("rows", min=1), Dim.STATIC), {"rows": (1, 2**63 - 1)}),
        ([Dim.STATIC, "columns"], {"columns": (0, 2**63 - 1)}),
        ({0: Dim.AUTO}, {"x_dim0": (1, 2**63 - 1)}),
        ({0: Dim.DYNAMIC, 1: "x"}, {"x_dim0": (1, 2**63 - 1), "x": (0, 2**63 - 1)}),
        ({1: Dim.DYNAMIC(min=1, max=7)}, {"x_dim1": (1, 7)}),
        (None, {}),
    ],
    ids=str,
)  # fmt: skip
def test_the_forms_of_dynamic_shapes(spec: Any, expected: Any):
    class Twice(nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2

    for shapes in ({"x": spec}, (spec,)):
        graph = read_torch(Twice(), context(), (floats(4, 6),), shapes)
        assert ranges(graph) == expected
        array = np.ones((4, 6), np.float32)
        np.testing.assert_array_equal(
            interpret(graph, context().weights, [array]), [array * 2]
        )


@pytest.mark.parametrize("past", [Dim("past", min=1, max=512), Dim.AUTO], ids=str)
def test_what_holds_for_all_sizes_need_not_be_known_to_torch(past: Any):
    # It cannot prove that min(8 * past + 16, 16 * past + 32) is the first of them.
    model = ZOO["growing_cache"]
    shapes: Any = ({}, {2: past}, {2: past})
    graph = read_torch(model.make(), context(), model.inputs(2, 6), shapes)
    # What it leaves two sizes is checked in each run.
    assert len(ranges(graph)) == (2 if past is Dim.AUTO else 1)


def test_sizes_that_are_computed_of_others():
    class Twice(nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return torch.cat([x, x]) + y

    rows = Dim("rows", min=1, max=9)
    ctx = context()
    shapes = {"x": {0: rows}, "y": {0: 2 * rows}}
    graph = read_torch(Twice(), ctx, (floats(4), floats(8)), shapes)
    assert ranges(graph) == {"rows": (1, 9)}
    x, y = floats(3), floats(6)
    (actual,) = interpret(graph, ctx.weights, [x.numpy(), y.numpy()])
    torch.testing.assert_close(torch.from_numpy(actual), torch.cat([x, x]) + y)


def test_sizes_that_must_be_equal_are_one_symbol():
    auto = ({0: Dim.AUTO}, {0: Dim.AUTO})
    graph = read_torch(
        MODELS["add16"].build(), context(), (floats(4, 6), floats(4, 6)), auto
    )
    (symbol,) = ranges(graph)
    assert str(main(graph).args[0].type) == f'tensor<?x6xf32, ["{symbol}"]>'
    assert main(graph).args[0].type == main(graph).args[1].type


def test_names_that_are_taken_are_changed():
    class Both(nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return x.sum() + y.sum()

    shapes = {"x": {0: Dim.AUTO}, "y": {0: Dim("x_dim0")}}
    graph = read_torch(Both(), context(), (floats(4), floats(5)), shapes)
    assert set(ranges(graph)) == {"x_dim0", "x_dim0_1"}


def test_a_slice_of_the_last_rows_excludes_shorter_inputs():
    class Last(nn.Module):
        def forward(self, x: Any) -> Any:
            return x[-2:] * 2

    graph = read_torch(Last(), context(), (floats(5),), {"x": {0: Dim("rows", max=9)}})
    assert ranges(graph) == {"rows": (2, 9)}


def test_a_slice_between_ends_is_refused_where_torch_assumed_another_size():
    class Between(nn.Module):
        def forward(self, x: Any) -> Any:
            return x[-2:-1]

    # To torch this is one row, whatever the range of the rows.
    shapes = {"x": {0: Dim("rows", min=0, max=64)}}
    module = sr.compile(Between(), (floats(4, 3),), dynamic_shapes=shapes)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(module(x), x[:1])
    with pytest.raises(ValueError, match=r"slice inside|from 2"):
        module(x[:1])


def test_a_stored_program_is_read(tmp_path: Path):
    module, example = MODELS["mlp_small"].make()
    shapes = MODELS["mlp_small"].dynamic_shapes()
    torch.export.save(
        torch.export.export(module, example, dynamic_shapes=shapes),
        tmp_path / "model.pt2",
    )
    ctx = context()
    graph = read_torch(torch.export.load(tmp_path / "model.pt2"), ctx)
    assert ranges(graph) == {"x_dim0": (1, 4096)}
    (x,) = MODELS["mlp_small"].inputs(3)
    (actual,) = interpret(graph, ctx.weights, [x.numpy()])
    torch.testing.assert_close(torch.from_numpy(actual), module(x).detach())


class Weights(nn.Module):
    """Has tensors of every kind, some of them twice."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(40, 6)
        self.out = nn.Linear(6, 40, bias=False)
        self.out.weight = self.table.weight
        self.unused = nn.Linear(2, 2)
        self.register_buffer("shift", torch.arange(6.0)[::2].repeat(2))
        self.register_buffer("hidden", torch.ones(20), persistent=False)
        self.register_buffer("again", self.hidden[:], persistent=False)
        self.many = torch.ones(2, 9)

    def forward(self, x: Any) -> Any:
        """i64[n] -> f32[n, 40]."""
        few = torch.tensor([1.0, 2.0])
        rest = self.hidden.sum() + self.again.sum() + self.many.sum()
        return self.out(self.table(x) + self.shift) + few.sum() + rest


def test_weights_are_the_tensors_themselves():
    module, ctx = Weights(), context()
    graph = read_torch(module, ctx, (whole(5, low=0, high=40),))
    tied, view = sorted(set(ctx.weights) - {"shift", "many"}, key=len, reverse=True)
    assert tied in ("table.weight", "out.weight")
    assert view in ("hidden", "again")
    for name in ctx.weights:
        held = module.get_parameter(name) if "." in name else getattr(module, name)
        array = held.detach().numpy()
        assert np.shares_memory(ctx.weights[name], array)
        assert not ctx.weights[name].flags.writeable
    used = [op for op in ops(graph) if op.name == "graph.get_attr"]
    assert len(used) == 5
    assert [op.name for op in ops(graph)].count("graph.constant") == 1


def test_weights_of_two_models_in_one_context_differ():
    ctx = context()
    for value in (1.0, 2.0):
        module = nn.Linear(6, 4)
        nn.init.constant_(module.weight, value)
        graph = read_torch(module, ctx, (floats(2, 6),))
        (actual,) = interpret(graph, ctx.weights, [np.ones((2, 6), np.float32)])
        np.testing.assert_allclose(actual - module.bias.detach().numpy(), 6 * value)


def test_the_module_is_left_as_it_was():
    module = nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Dropout(0.5))
    module.train()
    module[1].eval()
    before = {key: value.clone() for key, value in module.state_dict().items()}
    tensors = {key: value.data_ptr() for key, value in module.state_dict().items()}
    read_torch(module, context(), (floats(4, 6),))
    assert [each.training for each in module.modules()] == [True, True, False, True]
    assert all(each.requires_grad for each in module.parameters())
    for key, value in module.state_dict().items():
        assert torch.equal(value, before[key])
        assert value.data_ptr() == tensors[key]


def test_a_module_in_training_is_read_as_one_that_is_not():
    module = nn.Sequential(nn.BatchNorm1d(6), nn.Dropout(0.5)).train()
    ctx = context()
    graph = read_torch(module, ctx, (floats(4, 6),))
    x = floats(4, 6)
    (actual,) = interpret(graph, ctx.weights, [x.numpy()])
    torch.testing.assert_close(torch.from_numpy(actual), module.eval()(x).detach())


def test_mutation_of_an_intermediate_is_computed():
    def function(x: Any) -> Any:
        y = x.clone()
        y[:, 1] = 3
        y.add_(1)
        y[0] *= 2
        return y.relu_()

    ctx = context()
    graph = read_torch(Wrapped(function), ctx, (floats(4, 6),))
    x = floats(4, 6)
    (actual,) = interpret(graph, ctx.weights, [x.numpy()])
    torch.testing.assert_close(torch.from_numpy(actual), function(x))


def test_branches_without_gradients_are_read():
    def function(x: Any) -> Any:
        with torch.no_grad():
            y = x * 2
        return x + y

    graph = read_torch(Wrapped(function), context(), (floats(4),))
    assert [op.name for op in ops(graph)][-1] == "graph.add"


def test_every_op_says_where_it_comes_from():
    module, ctx = MODELS["deep_wide"].make(), context()
    graph = read_torch(module[0], ctx, module[1])
    found: dict[str, str] = {}
    for op in ops(graph):
        assert isinstance(op.location, NameLoc)
        found[op.location.desc.data] = op.name
        if isinstance(op.location.location, FileLineColLoc):
            assert op.location.location.filename.data.endswith("small.py")
    assert found["bmm"] == "graph.matmul"
    assert found["p_fc_weight"] == "graph.get_attr"
    assert found["sigmoid"] == "graph.sigmoid"


def test_models_of_torch_are_known(tmp_path: Path):
    module = nn.Linear(2, 2)
    assert is_torch_model(module)
    assert is_torch_model(torch.export.export(module, (floats(1, 2),)))
    assert not is_torch_model(nn.Linear)
    assert not is_torch_model(tmp_path / "model.pt2")
    assert not is_torch_model(None)


def test_torch_is_imported_for_its_models_only():
    program = (
        "import sys\n"
        "import static_runtime\n"
        "from static_runtime.compiler.frontends.torch import is_torch_model\n"
        "assert not is_torch_model('model.onnx')\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
