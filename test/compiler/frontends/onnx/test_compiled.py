"""What is read computes the same when it is compiled."""

from __future__ import annotations

import pytest

import static_runtime as sr

from ....models.open_models import several
from .cases import CASES, check_close
from .interpreter import read


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize("name", CASES)
def test_computes_what_the_references_do(name: str):
    case = CASES[name]
    graph, module = read(case.model), sr.compile(case.model)
    for sizes in case.sizes:
        inputs = list(case.inputs(sizes).values())
        check_close(several(module(*inputs)), graph.run(*inputs))


@pytest.mark.sampled(every=24)
@pytest.mark.parametrize("name", CASES)
def test_each_op_alone_computes_what_the_oracle_does(name: str):
    case = CASES[name]
    apart = sr.Options(enable_tensorexpr_fusion=False, use_maybe_copy_variants=False)
    plain = sr.Options(enable_out_variant=False, optimize_memory=False)
    module = sr.compile(case.model, options=apart)
    oracle = sr.compile(case.model, options=plain)
    assert module.program.inputs == oracle.program.inputs
    assert module.program.outputs == oracle.program.outputs
    for sizes in case.sizes:
        inputs = list(case.inputs(sizes).values())
        got, want = module(*inputs), oracle(*inputs)
        assert type(got) is type(want)
        check_close(several(got), several(want))
