"""What is faster is chosen, kept, and found again; results are the same to the bit."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import static_runtime as sr
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.ir.target import TARGETS
from static_runtime.compiler.session import host
from static_runtime.compiler.session.report import CompileReport
from static_runtime.compiler.tools import benchmark
from static_runtime.compiler.tools.run import main
from static_runtime.compiler.tuning import tuner as tuning
from static_runtime.compiler.tuning.subject import Build, build
from static_runtime.compiler.tuning.tuner import Judge, Tuner
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.loop.ops.kernel import KernelOp
from static_runtime.dialects.loop.ops.tile import TileOp
from static_runtime.dialects.loop.preference import OWN, PreferenceAttr, preference_of
from static_runtime.dialects.loop.strategy import strategies_of
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.runtime.cache import Cache
from static_runtime.runtime.call.module import StaticModule
from static_runtime.runtime.inputs import random_inputs
from static_runtime.runtime.machine.host import get_host

from .subjects import SUBJECTS, of_two, product, read

V3 = TARGETS["x86-64-v3"]


class Choosing:
    """A judge that chooses the build of one number, and then stays there."""

    def __init__(self, number: int):
        self.number = number
        self.asked = 0
        self.chosen = OWN

    def __call__(self, builds: Sequence[Build], cache: Cache | None) -> int:
        self.asked += 1
        if self.asked > 1 or self.number >= len(builds):
            return 0
        self.chosen = builds[self.number].preference
        return self.number


def the_first(builds: Sequence[Build], cache: Cache | None) -> int:
    """A judge that finds nothing better than the cost model."""
    return 0


def not_asked(builds: Sequence[Build], cache: Cache | None) -> int:
    """A judge of what is known already."""
    raise AssertionError("expected nothing to be measured")


def compiled(
    text: str, tuner: Tuner | None = None
) -> tuple[StaticModule, ModuleOp, CompileReport]:
    """A model for this machine, its IR, and what it took."""
    module, ctx = read(text)
    driver = Driver(ctx, sr.Options(cache=False), "host", None, tuner=tuner)
    artifact, report = driver.compile(module)
    return make_module(artifact, report), module, report


def kernels(module: ModuleOp) -> list[KernelOp]:
    """The kernels of a model that have contractions."""
    found = [each for each in module.ops if isinstance(each, KernelOp)]
    return [each for each in found if strategies_of(each)]


def kernel_text(kernel: KernelOp) -> str:
    """The text of a kernel, but for what is preferred."""
    return re.sub("#loop.preference<.*?>", "", str(kernel))


def only_op(text: str) -> tuple[GraphOp, SrContext, ModuleOp]:
    """The op of a model with one, and what it belongs to."""
    module, ctx = read(text)
    (op,) = (
        each for each in module.walk() if isinstance(each, GraphOp) and each.nests()
    )
    return op, ctx, module


BUILT: dict[tuple[str, str, TargetAttr, PreferenceAttr], Build] = {}
"""What was built for a test."""


@pytest.fixture(autouse=True)
def built_once(monkeypatch: pytest.MonkeyPatch):
    """Takes what one test built for the others, which most of their time goes into."""

    def build_once(
        op: GraphOp, target: TargetAttr, preference: PreferenceAttr = OWN
    ) -> Build:
        # What an op computes with may be constants of its model.
        key = (str(op.get_toplevel_object()), str(op), target, preference)
        if key not in BUILT:
            BUILT[key] = build(op, target, preference)
        return BUILT[key]

    monkeypatch.setattr(tuning, "build", build_once)


STEPS = (3, pytest.param(1, marks=pytest.mark.soak))
"""Every third candidate is compiled, and all in `make soak`: that takes time."""


@pytest.mark.sampled(every=8)
@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("step", STEPS)
def test_the_schedule_is_the_one_that_is_faster_and_bits_are_the_same(
    name: str, step: int, monkeypatch: pytest.MonkeyPatch
):
    # Each judge is shown the same candidates, and stays at the one that it chose.
    monkeypatch.setattr(tuning, "SEARCHES", 1)
    text = SUBJECTS[name]
    plain, untuned, _ = compiled(text)
    inputs = random_inputs(plain.program, 0, {}).values()
    expected = plain(*inputs)
    schedules, tried = set[str](), 0
    for number in range(1, 20, step):
        judge = Choosing(number)
        tuned, module, report = compiled(text, Tuner(None, "here", judge))
        if judge.chosen == OWN:
            break
        tried += 1
        assert (report.measured_kernels, report.changed_kernels) == (1, 1)
        (kernel,) = kernels(module)
        assert preference_of(kernel) == judge.chosen
        schedules.add(kernel_text(kernel))
        np.testing.assert_array_equal(tuned(*inputs), expected)
    # Each is another, and none is that of the cost model.
    assert len(schedules) == tried >= 2
    assert not schedules & {*map(kernel_text, kernels(untuned))}


@pytest.mark.full(
    beside="test_the_schedule_is_the_one_that_is_faster_and_bits_are_the_same"
)
def test_the_search_goes_on_from_what_is_better():
    better = [{}, {"nr": 8}, {"nr": 8, "mr": 6}]
    path = [PreferenceAttr.of(**each) for each in better]
    asked: list[PreferenceAttr] = []

    def next_of_path(builds: Sequence[Build], cache: Cache | None) -> int:
        found = [each.preference for each in builds]
        asked.append(found[0])
        wanted = path[min(len(asked), len(path) - 1)]
        return found.index(wanted)

    op, *_ = only_op(of_two("33x300", "300x70", "33x70"))
    assert Tuner(None, "here", next_of_path).preference(op, V3) == path[-1]
    # The last time nothing is better than what it goes on from.
    assert asked == path


@pytest.mark.full(beside="test_equal_contractions_of_a_model_are_measured_once")
def test_a_record_is_found_by_an_equal_contraction_of_another_model(tmp_path: Path):
    first = Tuner(Cache(tmp_path), "here", Choosing(2))
    _, module, report = compiled(product(61), first)
    assert (report.measured_kernels, report.changed_kernels) == (1, 1)
    second = Tuner(Cache(tmp_path), "here", not_asked)
    text = product(61, "another").replace("%x", "%image")
    _, other, report = compiled(text, second)
    assert (report.measured_kernels, report.changed_kernels) == (0, 0)
    assert [*map(str, kernels(module))] == [*map(str, kernels(other))]
    assert "preference" in str(kernels(other)[0])


def test_that_nothing_is_faster_is_kept_too(tmp_path: Path):
    compiled(product(61), Tuner(Cache(tmp_path), "here", the_first))
    _, module, report = compiled(product(61), Tuner(Cache(tmp_path), "here", not_asked))
    assert report.measured_kernels == 0
    assert "preference" not in str(module)


@pytest.mark.parametrize(
    "other",
    [
        ("there", "x86-64-v3"),
        ("here", "x86-64"),
        pytest.param(("here", "x86-64-v4"), marks=pytest.mark.full),
    ],
)
def test_a_record_is_of_one_machine_and_one_target(
    tmp_path: Path, other: tuple[str, str]
):
    def asked(machine: str, target: str) -> int:
        tuner = Tuner(Cache(tmp_path), machine, the_first)
        op, *_ = only_op(of_two("33x300", "300x70", "33x70"))
        tuner.preference(op, TARGETS[target])
        return tuner.measured

    assert asked("here", "x86-64-v3") == 1
    assert asked("here", "x86-64-v3") == 0
    assert asked(*other) == 1


@pytest.mark.parametrize(
    "record",
    [
        *(
            b"",
            b"{",
            b"[]",
            b"null",
            b"1",
            b"\xff",
            b'{"width": 8}',
            b'{"nr": "x"}',
        ),
        pytest.param(b"[" * 10**6, id="a deep nest"),
        *(b'{"nr": null}', b'{"nr": -8}', b'{"pack": "weights"}'),
    ],
)
def test_a_record_that_says_nothing(record: bytes):
    assert tuning.read(record) is None


def test_a_record_that_says_nothing_is_made_anew(tmp_path: Path):
    cache = Cache(tmp_path)
    judge = Choosing(1)
    compiled(product(61), Tuner(cache, "here", judge))
    (path,) = tmp_path.iterdir()
    cache.put(path.name, b"{")
    _, _, report = compiled(product(61), Tuner(cache, "here", the_first))
    assert report.measured_kernels == 1
    assert cache.get(path.name) == b"{}"


@pytest.mark.parametrize("damage", [b"short", bytes(100)], ids=["short", "zeros"])
def test_a_file_that_is_damaged_is_made_anew(tmp_path: Path, damage: bytes):
    compiled(product(61), Tuner(Cache(tmp_path), "here", Choosing(1)))
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    _, _, report = compiled(product(61), Tuner(Cache(tmp_path), "here", the_first))
    assert report.measured_kernels == 1


def test_records_say_what_is_preferred(tmp_path: Path):
    judge = Choosing(1)
    compiled(product(61), Tuner(cache := Cache(tmp_path), "here", judge))
    (path,) = tmp_path.iterdir()
    record = cache.get(path.name)
    assert record is not None
    assert json.loads(record) == dict(judge.chosen.entries)
    assert tuning.read(record) == judge.chosen != OWN


@pytest.mark.parametrize(
    "text",
    [
        product("m"),
        of_two("8x8", "8x8", "8x8"),
        "func.func @main(%x: tensor<512x1024xf32>) -> tensor<512xf32> {"
        "%0 = graph.sum %x {axes = array<i64: 1>, keepdims = false}"
        ": tensor<512x1024xf32> -> tensor<512xf32>"
        "return %0 : tensor<512xf32> }",
    ],
    ids=["symbols", "small", "no product"],
)
def test_what_cannot_or_need_not_be_measured_is_left_alone(text: str):
    tuner = Tuner(None, "here", not_asked)
    _, module, report = compiled(text, tuner)
    assert report.measured_kernels == 0
    assert "preference" not in str(module)


def test_equal_contractions_of_a_model_are_measured_once():
    judge: Judge = Choosing(1)
    x = "tensor<64x64xf32>"
    text = f"""func.func @main(%x: {x}, %y: {x}) -> {x} {{
      %1 = graph.matmul %x, %y : {x}, {x} -> {x}
      %2 = graph.matmul %1, %y : {x}, {x} -> {x}
      func.return %2 : {x}
    }}"""
    _, module, report = compiled(text, Tuner(None, "here", judge))
    assert (report.kernels, report.distinct_kernels) == (2, 1)
    assert (report.measured_kernels, report.changed_kernels) == (1, 1)
    assert report.tuning_seconds > 0
    assert str(module).count("preference = ") == 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a test, which is its own."""
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("shape", [("4x33x64", "4x64x40", "4x33x40")])
def test_this_machine_is_measured_once(folder: Path, shape: tuple[str, str, str]):
    text, tune = of_two(*shape), sr.Options(tune=True, threads=1)
    plain = sr.compile(text)
    first = sr.compile(text, options=tune)
    inputs = random_inputs(plain.program, 0, {}).values()
    np.testing.assert_array_equal(first(*inputs), plain(*inputs))
    report = first.report
    assert (report.warm, report.measured_kernels) == (False, 1)
    assert 0 < report.tuning_seconds < report.seconds
    assert sr.compile(text, options=tune).report.warm
    for path in folder.glob("*.sr"):
        path.unlink()
    again = sr.compile(text, options=tune)
    report = again.report
    assert (report.warm, report.measured_kernels) == (False, 0)
    # The code of its kernel and of its program is what it was.
    assert report.cached_kernels == report.distinct_kernels + 1
    np.testing.assert_array_equal(again(*inputs), plain(*inputs))


def test_without_a_cache_each_compile_measures(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tuning.Tuner.__init__, "__defaults__", (the_first,))
    for _ in range(2):
        options = sr.Options(tune=True, cache=False)
        module = sr.compile(of_two("64x64", "64x64", "64x64"), options=options)
        assert module.report.measured_kernels == 1
    assert not folder.exists()


def test_another_machine_is_another_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    text, tune = of_two("8x8", "8x8", "8x8"), sr.Options(tune=True)
    assert not sr.compile(text, options=tune).report.warm
    assert sr.compile(text, options=tune).report.warm
    assert not sr.compile(text).report.warm
    monkeypatch.setattr(host, "machine_text", lambda: "another")
    assert not sr.compile(text, options=tune).report.warm
    assert sr.compile(text).report.warm


def test_only_the_host_is_tuned_for():
    target = "aarch64" if get_host().triple.startswith("aarch64") else "x86-64"
    message = f"expected the target host, to measure on, got {target} with tune=True"
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(product("m"), target=target, options=sr.Options(tune=True))


@pytest.mark.full(beside="test_this_machine_is_measured_once")
def test_the_command_tunes(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(benchmark, "BURSTS", 3)
    monkeypatch.setattr(benchmark, "BURST_SECONDS", 0.001)
    (tmp_path / "model.mlir").write_text(of_two("64x64", "64x64", "64x64"))
    main([str(tmp_path / "model.mlir"), "--tune", "--benchmark"])
    line = r"  tuning, of that +\d+\.\d\d ms, 1 kernels measured, [01] changed"
    assert re.search(line, capsys.readouterr().out)


@pytest.mark.full(beside="test_equal_contractions_of_a_model_are_measured_once")
def test_a_kernel_of_several_contractions_prefers_one_thing():
    x, y, z = "tensor<64x300xf32>", "tensor<300x40xf32>", "tensor<300x1xf32>"
    text = f"""func.func @main(%x: {x}, %y: {y}, %z: {z}) -> tensor<64x41xf32> {{
      %1 = graph.matmul %x, %y : {x}, {y} -> tensor<64x40xf32>
      %2 = graph.matmul %x, %z : {x}, {z} -> tensor<64x1xf32>
      %3 = graph.concat %1, %2 {{axis = 1 : i64}}
        : tensor<64x40xf32>, tensor<64x1xf32> -> tensor<64x41xf32>
      func.return %3 : tensor<64x41xf32>
    }}"""
    plain, *_ = compiled(text)
    judge = Choosing(1)
    tuned, module, report = compiled(text, Tuner(None, "here", judge))
    assert (report.distinct_kernels, report.changed_kernels) == (1, 1)
    assert "nr" in judge.chosen.entries
    (kernel,) = kernels(module)
    first, second = (each for each in kernel.walk() if isinstance(each, TileOp))
    assert first.schedule is not None
    assert first.schedule.nr.data == judge.chosen.nr.data
    assert second.register_tile[1] == judge.chosen.nr.data
    inputs = random_inputs(plain.program, 0, {}).values()
    np.testing.assert_array_equal(tuned(*inputs), plain(*inputs))
