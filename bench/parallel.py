"""
Compare models whose branches run at once with the same models one op after the other.

    python -m bench.parallel                      a line for each model
    python -m bench.parallel --models lstm resnet50 --rounds 30

Both run in turns in one process, on as many threads, and have to give equal bits. The
ratio is the median over rounds, below one where branches are faster; a model without
branches compares with itself. Bytes are those of activations, beside the least that any
plan takes, and beside the plan of the ops in turn.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

import static_runtime as sr

from .suite import SEED, SUITE, export_onnx
from .suite.export import trace
from .turns import assert_same, in_turns, inputs_of


class Bidirectional(nn.Module):
    """An LSTM in both directions: f32[steps, batch, width] -> twice as wide."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.cells = nn.LSTM(width, width, layers, bidirectional=True)

    def forward(self, x: Tensor) -> Tensor:
        """The states of the last layer."""
        return self.cells(x)[0]


class Ensemble(nn.Module):
    """The mean of some small nets: f32[batch, width] -> f32[batch, 8]."""

    def __init__(self, width: int, nets: int) -> None:
        super().__init__()
        self.nets = nn.ModuleList(
            nn.Sequential(
                *(
                    part
                    for _ in range(8)
                    for part in (nn.Linear(width, width), nn.ReLU())
                ),
                nn.Linear(width, 8),
            )
            for _ in range(nets)
        )

    def forward(self, x: Tensor) -> Tensor:
        """The mean of what the nets say."""
        return torch.stack([each(x) for each in self.nets]).mean(0)


def own_models() -> dict[str, tuple[nn.Module, tuple[int, ...]]]:
    """Models that have branches, and the shapes of their inputs."""
    torch.manual_seed(SEED)
    return {
        "bilstm_1x128": (Bidirectional(128, 1), (64, 1, 128)),
        "bilstm_2x256": (Bidirectional(256, 2), (50, 1, 256)),
        "ensemble_4": (Ensemble(192, 4), (4, 192)),
    }


def written(name: str, folder: Path) -> Path:
    """The file of a model of this name."""
    path, own = folder / f"{name}.onnx", own_models()
    if name in own:
        module, shape = own[name]
        trace(module.eval(), (torch.randn(*shape),), (), path)
    else:
        export_onnx(SUITE[name], path, dynamic=False)
    onnx.checker.check_model(str(path))
    return path


def row(name: str, path: Path, threads: int, rounds: int) -> str:
    """A line of the table."""
    together, in_turn = (
        sr.compile(
            path,
            options=sr.Options(cache=False, threads=threads, inter_op_threads=most),
        )
        for most in (None, 1)
    )
    inputs = inputs_of(together)
    assert_same([together, in_turn], inputs)
    times = in_turns([together, in_turn], inputs, rounds, burst=0.02)
    ratio = statistics.median(one / other for one, other in times)
    one, other = (statistics.median(each) * 1e6 for each in zip(*times, strict=True))
    plan, before = together.plan, in_turn.plan
    bound = plan.size / plan.lower_bound if plan.lower_bound else 1.0
    return (
        f"| `{name}` | {len(together.program.branches)} | {one:.1f} | {other:.1f} "
        f"| {ratio:.2f} | {plan.size:,} | {bound:.3f} | {before.size:,} |"
    )


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description="Time branches, at once and in turn.")
    parser.add_argument("--models", nargs="*", default=[*own_models(), *SUITE])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    print(
        "| model | branches | at once, µs | in turn, µs | ratio | bytes | ÷ bound "
        "| bytes in turn |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.models:
            path = written(name, Path(folder))
            print(row(name, path, asked.threads, asked.rounds), flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
