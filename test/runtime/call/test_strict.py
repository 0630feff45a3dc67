"""With strict=True a call is refused that would plan greater sizes, or would copy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from ...models.open_models import CHAIN

pytestmark = pytest.mark.usefixtures("runs_host")

STRICT = sr.Options(strict=True)

TWO = """
func.func @main(%x: tensor<?x?xf32, ["n", "m"]> {sr.name = "x"}) -> tensor<?x?xf32, ["n", "n"]> {
  %t = graph.permute %x {order = array<i64: 1, 0>} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  %a = graph.matmul %x, %t : tensor<?x?xf32, ["n", "m"]>, tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["n", "n"]>
  %b = graph.matmul %a, %a : tensor<?x?xf32, ["n", "n"]>, tensor<?x?xf32, ["n", "n"]> -> tensor<?x?xf32, ["n", "n"]>
  func.return %b : tensor<?x?xf32, ["n", "n"]>
}
"""  # noqa: E501

KNOWN = """
func.func @main(%x: tensor<2x3xf32> {sr.name = "x"}) -> tensor<2x3xf32> {
  %y = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
"""


def ones(*shape: int) -> Any:
    """An array of ones."""
    return np.ones(shape, np.float32)


def runs(module: Any, n: int, m: int) -> None:
    """Runs a call of some sizes, twice."""
    for _ in range(2):
        np.testing.assert_array_equal(module(ones(n, m)), np.full((n, n), m * m * n))


def refuses(module: Any, n: int, m: int) -> None:
    """Raises unless a call of some sizes is refused."""
    with pytest.raises(RuntimeError, match=f"strict=True plans no greater.*n = {n}, m"):
        module(ones(n, m))


def test_the_first_call_plans_and_greater_ones_are_refused():
    module = sr.compile(TWO, options=STRICT)
    runs(module, 8, 4)
    refuses(module, 9, 4)
    refuses(module, 2, 5)
    for sizes in ((8, 4), (3, 2), (8, 1), (1, 4), (0, 0)):
        runs(module, *sizes)
    # A call that is refused changes nothing.
    refuses(module, 9, 4)
    assert module.statistics().plans == 5


def test_a_first_call_that_fails_plans_nothing():
    ranged = TWO.replace(
        '-> tensor<?x?xf32, ["n", "n"]> {',
        '-> tensor<?x?xf32, ["n", "n"]> attributes {graph.symbols = {n = [1, 9]}} {',
        1,
    )
    module = sr.compile(ranged, options=STRICT)
    with pytest.raises(ValueError, match="expected n from 1 to 9, got 10"):
        module(ones(10, 2))
    runs(module, 3, 2)
    refuses(module, 4, 2)


def test_a_runtime_takes_over_what_its_module_was_warmed_up_with():
    module = sr.compile(TWO)
    runs(module, 16, 2)
    runs(module, 2, 16)
    strict = sr.StaticRuntime(module, STRICT)
    for sizes in ((16, 2), (2, 16), (2, 2), (1, 9), (9, 1)):
        runs(strict, *sizes)
    refuses(strict, 3, 3)
    refuses(strict.clone(), 17, 1)
    # The module itself plans what comes.
    runs(module, 17, 17)


def test_the_memory_of_a_context_neither_grows_nor_shrinks():
    module = sr.compile(TWO, options=STRICT)
    runs(module, 64, 4)
    block = module.context.activations
    for _ in range(3000):
        module(ones(1, 1))
    runs(module, 64, 4)
    assert module.context.activations is block


@pytest.mark.parametrize("planner", ["standard_resizing", "precomputed_offsets"])
def test_planners_that_remember_refuse_what_would_grow(planner: str):
    module = sr.compile(TWO, options=sr.Options(planner=planner, strict=True))
    runs(module, 6, 5)
    plan = module.plan
    runs(module, 2, 2)
    assert (module.plan.offsets, module.plan.size) == (plan.offsets, plan.size)
    refuses(module, 7, 5)


def test_models_whose_plans_depend_on_what_is_skipped():
    module = sr.compile(CHAIN.model, options=STRICT)
    random = np.random.default_rng(0)
    first = CHAIN.inputs(random, 6, 6, 6, 6)
    CHAIN.check(module(*first), first)
    for sizes in ((2, 3, 4, 5), (1, 1, 6, 2), (6, 6, 6, 6)):
        inputs = CHAIN.inputs(random, *sizes)
        CHAIN.check(module(*inputs), inputs)
    more = CHAIN.inputs(random, 7, 6, 6, 6)
    with pytest.raises(RuntimeError, match="strict=True plans no greater"):
        module(*more)


@pytest.mark.sampled
@pytest.mark.parametrize("text", [KNOWN, TWO], ids=["known", "open"])
@pytest.mark.parametrize(
    "wrong",
    [
        ones(3, 2).T,
        ones(2, 6)[:, ::2],
        np.ones((2, 3), np.float16),
        np.ones((2, 3), ">f4"),
        [[1.0, 2.0, 3.0]] * 2,
    ],
    ids=["transposed", "strided", "half", "swapped", "list"],
)
def test_inputs_that_would_be_copied_are_refused(text: str, wrong: Any):
    plain, strict = sr.compile(text), sr.compile(text, options=STRICT)
    strict(ones(2, 3))
    plain(wrong)
    with pytest.raises(RuntimeError, match=r"input x.*strict=True allows no copy, got"):
        strict(wrong)
    strict(np.ascontiguousarray(wrong, np.float32))


def test_what_needs_no_copy_is_no_error():
    strict = sr.compile(KNOWN, options=STRICT)
    reading = ones(2, 3)
    reading.flags.writeable = False

    class Foreign:
        """An array of another library."""

        def __init__(self, array: Any):
            self.array = array

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    for each in (reading, ones(4, 3)[1:3], Foreign(ones(2, 3))):
        np.testing.assert_array_equal(strict(each), ones(2, 3))
    with pytest.raises(RuntimeError, match="allows no copy, got Foreign"):
        strict(Foreign(ones(3, 2).T))


def test_outputs_that_share_memory_with_inputs_are_refused():
    strict, plain = sr.compile(KNOWN, options=STRICT), sr.compile(KNOWN)
    memory = np.arange(12, dtype=np.float32)
    x, out = memory[:6].reshape(2, 3), memory[3:9].reshape(2, 3)
    with pytest.raises(
        RuntimeError, match=r"out: expected no memory of inputs .*input 0"
    ):
        strict(x, out=out)
    np.testing.assert_array_equal(memory, np.arange(12))
    plain(x, out=out)
    strict(x, out=memory[6:].reshape(2, 3))


def test_threads_are_refused_and_served_alike():
    module = sr.compile(TWO, options=STRICT)
    runs(module, 20, 20)

    def work(seed: int) -> int:
        random, refused = np.random.default_rng(seed), 0
        for _ in range(100):
            n, m = map(int, random.integers(1, 24, 2))
            if n > 20 or m > 20:
                refuses(module, n, m)
                refused += 1
            else:
                runs(module, n, m)
        return refused

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4)))


def test_hits_do_not_enter_python():
    module = sr.compile(TWO, options=STRICT)
    runs(module, 5, 5)
    before = module.statistics().slow_calls
    for _ in range(10):
        module(ones(5, 5))
    assert module.statistics().slow_calls == before
