"""A module of torch is profiled as it was compiled, also when the model is gone."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import torch

import static_runtime as sr
from static_runtime.compiler.profiling import measure

pytestmark = pytest.mark.torch


@pytest.mark.usefixtures("runs_host")
def test_a_model_of_torch_is_profiled():
    model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU())
    x = np.ones((2, 8), np.float32)
    module = sr.compile(model, [torch.from_numpy(x)])
    metrics = measure(module, [(x,)], main_runs=2)
    assert [each.runs for each in metrics.nodes] == [1] * metrics.total_nodes_count
    other = sr.compile(model, [torch.from_numpy(x)])
    del model
    gc.collect()
    for each in (module, other):
        assert measure(each, [(x,)]).total_nodes_count == metrics.total_nodes_count
