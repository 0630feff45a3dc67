"""Options are checked where they are made, and threads bounded by what there are."""

from __future__ import annotations

import copy
import pickle
import threading
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.session.option_names import SCOPES, Scope
from static_runtime.compiler.session.option_values import ProfileText
from static_runtime.compiler.session.options import ALWAYS_GIVEN
from static_runtime.runtime.machine.thread_pool import usable_threads

from ...runtime.texts import AFFINE

WRONG: dict[str, dict[object, str]] = {
    "threads": {
        "2": "expected a whole number of threads, or None, got str '2'",
        2.0: "expected a whole number of threads, or None, got float 2.0",
        (2,): r"expected a whole number of threads, or None, got tuple \(2,\)",
        0: "expected one thread or more, got 0",
        -(2**70): f"expected one thread or more, got -{2**70}",
    },
    "planner": {
        None: "expected the name of a planner, got NoneType None",
        3: "expected the name of a planner, got int 3",
        b"naive": "expected the name of a planner, got bytes b'naive'",
        "naif": "expected a planner like naive, got naif",
    },
    "precision": {
        1: "expected a precision f32 or bf16, got 1",
        None: "expected a precision f32 or bf16, got None",
    },
    "algorithms": {
        2: "expected algorithms exact or fast or fastest, got 2",
        "faster": "expected algorithms exact or fast or fastest, got faster",
    },
    "weights": {
        4: "expected weights of int8 or int4, got 4",
        "int2": "expected weights of int8 or int4, got int2",
    },
    "activations": {
        8: "expected activations of int8, got 8",
        "int4": "expected activations of int8, got int4",
    },
    "quantization": {
        3: "expected a profile, or the path of one, for quantization, got int 3",
        "none.yaml": r"none\.yaml: expected a profile, got no such file",
        "": r"\.: expected a profile, got .*",
    },
    "tier": {
        "fast": "expected a tier full or fast-start, got fast",
        None: "expected a tier full or fast-start, got None",
        True: "expected a tier full or fast-start, got True",
    },
    "tune": {
        "yes": "expected True or False for tune, got str 'yes'",
        1: "expected True or False for tune, got int 1",
        None: "expected True or False for tune, got NoneType None",
    },
    "bounds": {
        None: 'expected bounds such as {"batch": 64}, got NoneType None',
        (("n", 3),): 'expected bounds such as {"batch": 64}, got tuple .*',
    },
    "inter_op_threads": {
        0: "expected one thread or more, got 0",
        2.5: "expected a whole number of threads, or None, got float 2.5",
        True: "expected a whole number of threads, or None, got bool True",
    },
    "cache": {
        None: "expected True or False for cache, got NoneType None",
        "folder": "expected True or False for cache, got str 'folder'",
    },
    "optimize_memory": {1: "expected True or False for optimize_memory, got int 1"},
    "strict": {"no": "expected True or False for strict, got str 'no'"},
    "memory_planner_algorithm": {
        3: "expected the name of a planner, got int 3",
        "kStandard": "expected a planner like .*, got kStandard",
    },
}

CASES = [(name, value) for name, wrong in WRONG.items() for value in wrong]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_refuses_what_is_no_option(name: str, value: object):
    with pytest.raises(sr.CompileError, match=f"^{WRONG[name][value]}$"):
        sr.Options(**{name: value})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("value", [True, False])
def test_truth_is_no_number_of_threads(value: bool):
    with pytest.raises(sr.CompileError, match=f"or None, got bool {value}$"):
        sr.Options(threads=value)


def test_branches_are_what_a_model_is_compiled_with():
    compiled = sr.Options()
    assert compiled.key != sr.Options(inter_op_threads=1).key
    with pytest.raises(sr.CompileError, match="expected inter_op_threads=None as the"):
        compiled.for_a_run(sr.Options(inter_op_threads=1))


@pytest.mark.parametrize("given", [{"threads": 2**70}, {"threads": np.int32(10**6)}])
def test_threads_are_bounded_by_what_there_are(given: Any):
    options = sr.Options(cache=False, **given)
    most = max(usable_threads(), ALWAYS_GIVEN)
    assert options.usable_threads == most
    text = AFFINE.replace("?x3xf32", "?x1003xf32").replace("3x5xf32", "1003x64xf32")
    text = text.replace("?x5xf32", "?x64xf32")
    before = threading.active_count()
    module = sr.compile(text, options=options)
    assert threading.active_count() < before + most
    x, w = np.ones((301, 1003), np.float32), np.ones((1003, 64), np.float32)
    np.testing.assert_array_equal(module(x, w), np.full((301, 64), 1003, np.float32))


@pytest.mark.parametrize("threads", range(1, ALWAYS_GIVEN + 1))
def test_a_few_threads_are_given_on_every_machine(threads: int):
    assert sr.Options(threads=threads).usable_threads == threads


def test_what_is_not_asked_for_is_what_may_run():
    assert sr.Options().usable_threads == usable_threads()


ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "no options": ({"options": None}, "expected options as Options.*, got NoneType"),
    "a dictionary": ({"options": {}}, "expected options as Options.*, got dict"),
    "the class": ({"options": sr.Options}, "expected options as Options.*, got type"),
    "no target": ({"target": None}, "expected the name of a target.*, got NoneType"),
    "a number": ({"target": 3}, "expected the name of a target.*, got int 3"),
    "bytes": ({"target": b"host"}, "expected the name of a target.*, got bytes"),
    "inputs": ({"example_inputs": []}, "expected example_inputs with a torch.nn.Modul"),
    "shapes": ({"dynamic_shapes": {}}, "expected dynamic_shapes with a torch.nn.Modul"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_refuses_other_arguments(name: str):
    given, sentence = ARGUMENTS[name]
    with pytest.raises(sr.CompileError, match=sentence):
        sr.compile(AFFINE, **given)


@pytest.mark.parametrize("model", ["a\0b.onnx", Path("a\0b.mlir"), "\ud800", "/"])
def test_names_that_no_model_has_are_refused(model: str | Path):
    got = "a folder" if model == "/" else "no such file"
    with pytest.raises(sr.CompileError, match=f"expected a model, got {got}"):
        sr.compile(model)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({3: 4}, "with the names of symbols, got int 3"),
        ({"n": 4.0}, "expected a whole number as the bound of n, got float 4.0"),
        ({"n": True}, "expected a whole number as the bound of n, got bool True"),
        ({"n": -1}, r"expected a bound of n from 0 to 2\*\*62, got -1"),
    ],
)
def test_bounds_are_whole_numbers_of_symbols(bounds: Any, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.Options(bounds=bounds)


def test_bounds_are_part_of_the_key_and_a_copy():
    given = {"n": 4, "m": 5}
    options = sr.Options(bounds=given)
    given["n"] = 9
    assert options == sr.Options(bounds={"m": 5, "n": 4})
    assert options.key == sr.Options(bounds={"m": 5, "n": 4}).key
    assert options.key != sr.Options().key != sr.Options(bounds={"n": 4}).key
    assert hash(options) == hash(sr.Options())


OTHERS: dict[str, Any] = {
    "planner": "naive",
    "cache": False,
    "tier": "fast-start",
    "tune": True,
    "threads": 3,
    "inter_op_threads": 1,
    "precision": "bf16",
    "algorithms": "fast",
    "weights": "int4",
    "activations": "int8",
    "bounds": {"n": 3},
    "grow": ("n",),
    "quantization": ProfileText("", "0", "profile"),
    "seed": 3,
    "bind": "first-call",
    "fallback": "foreign",
    "foreign_ops": ("a:B",),
    "manage_output_tensors": True,
    "optimize_memory": False,
    "enable_out_variant": False,
    "enable_tensorexpr_fusion": False,
    "check_memory": True,
    "use_maybe_copy_variants": False,
    "strict": True,
}
"""A value of each option that is not its default."""


def other(name: str) -> sr.Options:
    """Options with another value of one, and with what that one needs."""
    needed: dict[str, Any] = {}
    if name == "enable_out_variant":
        needed["optimize_memory"] = False
    return sr.Options(**{**needed, name: OTHERS[name]})


@pytest.mark.parametrize("name", [each.name for each in fields(sr.Options)])
def test_the_scope_of_an_option_is_what_keys_and_runs_make_of_it(name: str):
    own, changed = sr.Options(), other(name)
    if name == "enable_out_variant":
        own = sr.Options(optimize_memory=False)
    assert (own.key != changed.key) == (SCOPES[name] is Scope.CODE)
    if SCOPES[name] in (Scope.CODE, Scope.COMPILE):
        with pytest.raises(sr.CompileError, match=f"expected {name}=.* as the module"):
            own.for_a_run(changed)
    else:
        is_of_run = SCOPES[name] is Scope.RUN
        assert own.for_a_run(changed) == (changed if is_of_run else own)


def test_the_docs_have_the_scope_of_each_option():
    page = Path(__file__).parents[3] / "docs" / "options.md"
    rows = [line.split("|") for line in page.read_text().splitlines()]
    found = {row[1].strip(" `"): row[2].strip() for row in rows if len(row) > 3}
    for name, scope in SCOPES.items():
        assert found[name] == scope.value, name


def test_what_only_compiled_code_has_is_refused_of_references():
    for name in ("optimize_memory", "manage_output_tensors"):
        needed: dict[str, Any] = {"optimize_memory": False, name: True}
        with pytest.raises(sr.CompileError) as caught:
            sr.Options(enable_out_variant=False, **needed)
        sentence = f"When {name} is true, enable_out_variant must be set to true"
        assert str(caught.value) == sentence
    others = {
        "precision": "bf16",
        "algorithms": "fast",
        "weights": "int8",
        "activations": "int8",
        "tune": True,
        "strict": True,
        "tier": "fast-start",
    }
    for name, value in others.items():
        given: dict[str, Any] = {"optimize_memory": False, name: value}
        with pytest.raises(sr.CompileError, match=f"expected {name}=.* of compiled co"):
            sr.Options(enable_out_variant=False, **given)


def test_what_is_measured_has_no_quick_code():
    with pytest.raises(sr.CompileError) as told:
        sr.Options(tune=True, tier="fast-start")
    assert str(told.value) == (
        "expected tier='full' with tune=True, got 'fast-start', and what is measured "
        "takes longer than a compile; leave one of them out"
    )


def test_calls_that_compile_are_not_strict():
    with pytest.raises(
        sr.CompileError, match=r"expected bind='refuse' with strict=True"
    ):
        sr.Options(strict=True, bind="first-call")


@pytest.mark.parametrize(
    ("given", "planner"),
    [
        ("naive", "naive"),
        ("greedy-by-size", "greedy-by-size"),
        ("standard_resizing", "standard_resizing"),
        ("kStandardResizing", "standard_resizing"),
        ("precomputed_offsets", "precomputed_offsets"),
        ("kPrecomputedOffsets", "precomputed_offsets"),
    ],
)
def test_a_planner_has_two_names_and_spellings(given: str, planner: str):
    options = sr.Options(memory_planner_algorithm=given)
    assert options == sr.Options(planner=given)
    assert options.planner == planner
    assert sr.Options(planner, memory_planner_algorithm=given) == options
    assert replace(options, threads=2).planner == planner
    for each in (copy.copy(options), pickle.loads(pickle.dumps(options))):
        assert each == options


@pytest.mark.parametrize("planner", ["conflict-driven", "greedy-by-size"])
def test_two_planners_are_refused(planner: str):
    with pytest.raises(
        sr.CompileError, match=r"expected one planner, got planner='[cg]"
    ):
        sr.Options(planner=planner, memory_planner_algorithm="naive")
    with pytest.raises(
        sr.CompileError, match=r"expected one planner, got .*leave one out"
    ):
        sr.Options(planner, memory_planner_algorithm="naive")


def test_without_optimized_memory_nothing_is_shared():
    text = """
    func.func @f(%x: tensor<40x40xf32>) -> tensor<40x40xf32> {
      %a = graph.matmul %x, %x : tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
      %b = graph.matmul %a, %a : tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
      %c = graph.matmul %b, %b : tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
      %d = graph.matmul %c, %c : tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
      func.return %d : tensor<40x40xf32>
    }
    """  # noqa: E501
    shared = sr.compile(text).plan
    plain = sr.compile(text, options=sr.Options(optimize_memory=False))
    assert plain.program.planner == "naive"
    assert (shared.size, plain.plan.size) == (2 * 6400, 3 * 6400)
    assert len({*plain.plan.offsets}) == 3


def test_without_fusion_each_op_is_a_kernel():
    text = """
    func.func @f(%x: tensor<?x5xf32, ["n"]> {sr.name = "x"}) -> tensor<?x5xf32, ["n"]> {
      %a = graph.abs %x : tensor<?x5xf32, ["n"]> -> tensor<?x5xf32, ["n"]>
      %b = graph.relu %a : tensor<?x5xf32, ["n"]> -> tensor<?x5xf32, ["n"]>
      %c = graph.neg %b : tensor<?x5xf32, ["n"]> -> tensor<?x5xf32, ["n"]>
      func.return %c : tensor<?x5xf32, ["n"]>
    }
    """
    apart = sr.compile(text, options=sr.Options(enable_tensorexpr_fusion=False))
    assert (sr.compile(text).report.kernels, apart.report.kernels) == (1, 3)
    x = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)
    np.testing.assert_array_equal(apart(x), -np.abs(x))


def test_without_maybe_copies_every_copy_is_made():
    text = """
    func.func @f(%x: tensor<?x5xf32, ["n"]> {sr.name = "x"},
                 %y: tensor<?x5xf32, ["m"]> {sr.name = "y"}) -> tensor<5x5xf32> {
      %a = graph.concat %x, %y {axis = 0 : i64} : tensor<?x5xf32, ["n"]>, tensor<?x5xf32, ["m"]> -> tensor<?x5xf32, ["m + n"]>
      %t = graph.permute %a {order = array<i64: 1, 0>} : tensor<?x5xf32, ["m + n"]> -> tensor<5x?xf32, ["m + n"]>
      %c = graph.matmul %t, %a : tensor<5x?xf32, ["m + n"]>, tensor<?x5xf32, ["m + n"]> -> tensor<5x5xf32>
      func.return %c : tensor<5x5xf32>
    }
    """  # noqa: E501
    x, y = np.ones((3, 5), np.float32), np.ones((0, 5), np.float32)
    skips = sr.compile(text)
    copies = sr.compile(text, options=sr.Options(use_maybe_copy_variants=False))
    np.testing.assert_array_equal(skips(x, y), copies(x, y))
    assert skips.statistics().skipped
    assert not copies.statistics().skipped
