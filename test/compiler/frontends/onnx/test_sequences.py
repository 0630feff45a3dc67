"""Sequences and optionals of ONNX are lists that a model reads, changes and returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler.first_call import FirstCallModule
from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError

from .interpreter import model

OPTIONS = sr.Options(cache=False, fallback="error")
X = np.arange(12, dtype=np.float32).reshape(2, 6)

CONSTANTS = """
  zero = Constant <value = int64 {0}> ()
  one = Constant <value = int64 {1}> ()
  last = Constant <value = int64 {-1}> ()
  three = Constant <value = int64 {3}> ()
  four = Constant <value = int64 {4}> ()
  parts = Constant <value = int64[2] {2, 4}> ()
  yes = Constant <value = bool {1}> ()
"""

BODIES = {
    "parts": """
  s = SplitToSequence <axis = 1> (x, parts)
  y = SequenceAt (s, last)""",
    "one by one": """
  s = SplitToSequence <axis = 1, keepdims = 0> (x)
  y = ConcatFromSequence <axis = 0, new_axis = 1> (s)""",
    "parts of a length, the last cut": """
  s = SplitToSequence <axis = -1> (x, four)
  y = SequenceAt (s, one)""",
    "changed": """
  a = Neg (x)
  b = Abs (x)
  s = SequenceConstruct (x, a)
  t = SequenceInsert (s, b, zero)
  u = SequenceErase (t, one)
  v = SequenceErase (u)
  w = SequenceInsert (v, x)
  y = ConcatFromSequence <axis = 0> (w)""",
    "counted": """
  s = SequenceEmpty ()
  t = SequenceInsert (s, x)
  u = Identity (t)
  n = SequenceLength (u)
  f = Cast <to = 1> (n)
  y = Add (x, f)""",
    "mapped": """
  s = SplitToSequence <axis = 1> (x)
  t = SequenceMap (s, x) <body = each (float[2, 1] a, float[2, 6] b)
    => (float[2, 6] c) { c = Mul (a, b) }>
  y = SequenceAt (t, three)""",
    "in a loop": """
  s = SequenceEmpty ()
  t = Loop (three, yes, s) <body = trip (int64 i, bool c, seq(float[2, 6]) a)
    => (bool d, seq(float[2, 6]) z) {
      d = Identity (c)
      f = Cast <to = 1> (i)
      row = Mul (x, f)
      z = SequenceInsert (a, row)
    }>
  y = SequenceAt (t, last)""",
}

OPTIONAL = """
  s = SequenceConstruct (x, x)
  o = Optional (s)
  t = OptionalGetElement (o)
  h = OptionalHasElement (o)
  a = SequenceAt (t, zero)
  f = Cast <to = 1> (h)
  y = Add (a, f)"""

ROWS = """
  s = SequenceEmpty ()
  t, y = Loop (three, yes, s) <body = trip (int64 i, bool c, seq(float[2, 6]) a)
    => (bool d, seq(float[2, 6]) z, float[2, 6] row) {
      d = Identity (c)
      f = Cast <to = 1> (i)
      row = Mul (x, f)
      z = SequenceInsert (a, row)
    }>"""


def of(body: str, result: str = "float y", more: str = "") -> ModelProto:
    """A model of one input with constants."""
    return model(f"g (float[2, 6] x{more}) => ({result}) {{{CONSTANTS}{body}\n}}")


def without_types(source: ModelProto) -> ModelProto:
    """The model without the shape of its output, which it need not know."""
    source.graph.output[0].type.tensor_type.ClearField("shape")
    return source


@pytest.mark.parametrize("name", BODIES)
def test_sequences_inside_of_a_model(name: str):
    source = without_types(of(BODIES[name]))
    (wanted,) = ReferenceEvaluator(source).run(None, {"x": X})
    found = sr.compile(source, options=OPTIONS)(X)
    np.testing.assert_array_equal(found, wanted)


def test_optionals_of_sequences_and_rows_of_loops():
    module = sr.compile(without_types(of(OPTIONAL)), options=OPTIONS)
    np.testing.assert_array_equal(module(X), X + 1)
    module = sr.compile(without_types(of(ROWS)), options=OPTIONS)
    np.testing.assert_array_equal(module(X), np.stack([0 * X, X, 2 * X]))


def test_an_empty_optional_has_nothing():
    source = of(
        "o = Optional ()\n  h = OptionalHasElement (o)\n  y = Not (h)", "bool y"
    )
    source.graph.node[-3].attribute.append(
        helper.make_attribute("type", helper.make_tensor_type_proto(1, [2]))
    )
    assert sr.compile(source, options=OPTIONS)(X)


def test_outputs_that_are_sequences_are_lists():
    body = """
  y = SplitToSequence <axis = 1> (x, parts)
  n = SequenceEmpty ()
  z = Neg (x)"""
    result = "seq(float[2, n]) y, seq(float[2]) n, float[2, 6] z"
    module = sr.compile(of(body, result), options=OPTIONS)
    parts, nothing, negative = module(X)
    assert [type(each) for each in (parts, nothing)] == [list, list]
    assert nothing == []
    for found, wanted in zip(parts, (X[:, :2], X[:, 2:]), strict=True):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(negative, -X)
    assert module.output_names == ("y_0", "y_1", "z")


def test_a_branch_that_gives_a_sequence_is_taken_at_the_first_call():
    body = """
  y = If (c) <
    then_branch = first () => (seq(float[2, 6]) a) { a = SequenceConstruct (x) },
    else_branch = second () => (seq(float[2, 6]) b) { b = SequenceConstruct (x, x) }
  >"""
    source = of(body, "seq(float[2, 6]) y", ", bool c")
    with pytest.raises(UnsupportedModelError, match="branches that give a sequence"):
        sr.compile(source, options=OPTIONS)
    options = sr.Options(cache=False, bind="first-call")
    module = sr.compile(source, options=options)
    assert [len(module(X, np.array(each))[0]) for each in (True, False)] == [1, 2]


REFUSED = {
    "a position that a run computes": (
        "s = SequenceConstruct (x, x)\n  y = SequenceAt (s, i)",
        ", int64 i",
        "a position in a sequence",
    ),
    "an op on tensors": (
        "s = SequenceConstruct (x, x)\n  y = Relu (s)",
        "",
        "Relu.*a sequence",
    ),
    "trips that a run counts": (
        """s = SequenceEmpty ()
  t = Loop (i, yes, s) <body = trip (int64 k, bool c, seq(float[2, 6]) a)
    => (bool d, seq(float[2, 6]) z) {
      d = Identity (c)
      z = SequenceInsert (a, x)
    }>
  y = SequenceAt (t, zero)""",
        ", int64 i",
        "the number of trips of a loop over sequences",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_run_decides_is_refused(name: str):
    body, more, message = REFUSED[name]
    with pytest.raises(UnsupportedModelError, match=message):
        sr.compile(of(f"\n  {body}", "float[2, 6] y", more), options=OPTIONS)


WRONG: dict[str, Any] = {
    "a position beyond the end": (
        "s = SequenceConstruct (x)\n  y = SequenceAt (s, one)",
        "expected a position among 1 tensors, got 1",
    ),
    "a tensor in the place of a sequence": (
        "y = SequenceAt (x, one)",
        "expected a sequence, got a tensor or nothing",
    ),
    "parts that are not the whole": (
        "p = Constant <value = int64[2] {1, 4}> ()\n"
        "  s = SplitToSequence <axis = 1> (x, p)\n  y = SequenceAt (s, zero)",
        r"expected parts of 6 together, got \[1, 4\]",
    ),
    "an optional without a value": (
        "y = OptionalGetElement ()",
        "expected 1 to 1 inputs, got 0",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_models_say_what_is_wrong(name: str):
    body, message = WRONG[name]
    with pytest.raises(CompileError, match=message):
        sr.compile(of(f"\n  {body}", "float[2, 6] y"), options=OPTIONS)


FIRST_CALL = sr.Options(cache=False, fallback="error", bind="first-call")

TAKEN = """
g (seq(float[n]) s, float[6] x) => (float[m] y, seq(float[n]) t) {
  t = SequenceInsert (s, x)
  y = ConcatFromSequence <axis = 0> (t)
}"""


def test_a_sequence_is_taken_in_the_form_of_each_call():
    module = sr.compile(model(TAKEN), options=FIRST_CALL)
    for sizes in ((1, 2), (), (1, 2), (3, 3, 3)):
        given = [np.full(size, size, np.float32) for size in sizes]
        flat, several = module(given, X[0])
        np.testing.assert_array_equal(flat, np.concatenate([*given, X[0]]))
        assert [each.shape for each in several] == [(size,) for size in (*sizes, 6)]
    assert isinstance(module, FirstCallModule)
    assert len(module.modules()) == 3
    assert module.bound_names == ("s",)


def test_a_sequence_may_be_a_constant():
    given = [X[0], X[1]]
    module = sr.compile(model(TAKEN), options=OPTIONS, constants={"s": given})
    flat, _ = module(X[0])
    np.testing.assert_array_equal(flat, np.concatenate([*given, X[0]]))


def test_a_sequence_without_a_form_says_what_to_do():
    with pytest.raises(UnsupportedModelError, match="which a call has a form of") as e:
        sr.compile(model(TAKEN), options=OPTIONS)
    assert e.value.needed == {"s"}
    assert 'Options(bind="first-call")' in str(e.value)


def test_an_optional_is_given_or_not():
    source = model("""
g (optional(float[2]) o, float[2] x) => (bool h, float[2] y) {
  h = OptionalHasElement (o)
  y = If (h) <
    then_branch = given () => (float[2] a) { a = OptionalGetElement (o) },
    else_branch = other () => (float[2] b) { b = Neg (x) }
  >
}""")
    module = sr.compile(source, options=FIRST_CALL)
    x = np.array([1, 2], np.float32)
    for given, wanted in ((x + 1, x + 1), (None, -x), (x, x)):
        has, found = module(given, x)
        assert has == (given is not None)
        np.testing.assert_array_equal(found, wanted)
