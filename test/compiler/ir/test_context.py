"""A context knows all dialects, and what is loaded into one is not in others."""

from __future__ import annotations

from xdsl.dialects.scf import Scf

from static_runtime.compiler.ir.context import context


def test_what_one_context_loads_others_lack():
    one, other = context(), context()
    one.load_dialect(Scf)
    assert one.get_optional_op("scf.for") is not None
    assert other.get_optional_op("scf.for") is None
    assert context().get_optional_op("scf.for") is None


def test_each_context_has_weights_and_notes_of_its_own():
    one, other = context(), context()
    assert one.weights is not other.weights
    assert one.spelled is not other.spelled
    copy = one.clone()
    assert copy.weights is one.weights
    assert {*copy.loaded_ops} == {*other.loaded_ops}
