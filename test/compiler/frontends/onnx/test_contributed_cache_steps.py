"""Caches of 8 and 4 bits are those that ONNX Runtime keeps, and so is what is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, numpy_helper, parser

from static_runtime import CompileError

from .grouped_models import CALLS, Call
from .interpreter import Array, read

pytestmark = pytest.mark.torch

GROUPS, DEPTH = 2, 16


@dataclass(frozen=True)
class Form:
    """A node of four heads in two groups whose cache has steps."""

    bits: int = 8
    kind: str = "PER_TENSOR"
    attributes: str = ""
    scales: int = 0
    """The number of scales; zero stands for the number that the kind asks for."""

    element: str = "float"

    @property
    def cache(self) -> str:
        """The elements and the last sizes of the cache."""
        return "int8" if self.bits == 8 else "uint8"

    @property
    def width(self) -> int:
        """The bytes of a head."""
        return DEPTH * self.bits // 8

    @property
    def model(self) -> ModelProto:
        """The model, with scales of its own for keys and for values."""
        e, cache = self.element, f"{self.cache}[b, {GROUPS}, p, {self.width}]"
        kinds = f'k_quant_type = "{self.kind}", v_quant_type = "{self.kind}"'
        found = parser.parse_model(
            '<ir_version: 10, opset_import: ["": 21, "com.microsoft": 1]>'
            f"g ({e}[b, s, 64] q, {e}[b, s, 32] k, {e}[b, s, 32] v, {cache} pk,"
            f" {cache} pv, int64[b, t] mask)"
            f" => ({e} y, {self.cache} nk, {self.cache} nv)"
            " <int64[1] one = {1}, int64 i = {1}> {"
            " m = ReduceSum<keepdims = 0>(mask, one) d = Sub(m, one)"
            " l = Cast<to = 6>(d) w = Shape(mask) u = Gather<axis = 0>(w, i)"
            " t = Cast<to = 6>(u) y, nk, nv = com.microsoft.GroupQueryAttention"
            f"<num_heads = 4, kv_num_heads = {GROUPS}, {kinds},"
            f" kv_cache_bit_width = {self.bits}{self.attributes}>"
            "(q, k, v, pk, pv, l, t, , , , , , ks, vs) }"
        )
        for each in found.graph.output:
            each.ClearField("type")
        random = np.random.default_rng(0)
        count = self.scales or (1 if self.kind == "PER_TENSOR" else GROUPS * DEPTH)
        for name in ("ks", "vs"):
            scale = random.uniform(0.02, 0.05, count) * (1 if self.bits == 8 else 10)
            array = scale.astype(np.float32)
            found.graph.initializer.append(numpy_helper.from_array(array, name))
        return found

    def arrays(self, call: Call) -> dict[str, Array]:
        """Random inputs for a call; some new keys are beyond the steps."""
        random = np.random.default_rng(0)
        batch, kind = len(call.lengths), np.dtype(self.cache)
        found: dict[str, Array] = {}
        for name, width in {"q": 64, "k": 32, "v": 32}.items():
            numbers = random.standard_normal((batch, call.count, width), np.float32)
            found[name] = numbers * (1 if name == "q" else 3)
        for name in ("pk", "pv"):
            shape = batch, GROUPS, call.past, self.width
            least, most = (-128, 128) if self.bits == 8 else (0, 256)
            found[name] = random.integers(least, most, shape).astype(kind)
        places = np.arange(call.total)
        found["mask"] = (places < np.array(call.lengths)[:, None]) * np.int64(1)
        return found


def beside(form: Form, call: Call, tolerance: float = 2e-5) -> None:
    """Checks the results of a call against ONNX Runtime; caches are equal."""
    arrays = form.arrays(call)
    other = onnxruntime.InferenceSession(form.model.SerializeToString())
    got = read(form.model).run(*arrays.values())
    wanted = other.run(None, arrays)
    for each, expected in zip(got, wanted, strict=True):
        assert (each.dtype, each.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got[0], wanted[0], tolerance, tolerance)
    for each, expected in zip(got[1:], wanted[1:], strict=True):
        np.testing.assert_array_equal(each, expected)


@pytest.mark.parametrize("name", [name for name in CALLS if "padded" not in name])
@pytest.mark.parametrize("kind", ["PER_TENSOR", "PER_CHANNEL"])
@pytest.mark.parametrize("bits", [8, 4])
def test_caches_of_few_bits(bits: int, kind: str, name: str):
    beside(Form(bits, kind), CALLS[name])


def test_other_attributes_beside_them():
    beside(Form(attributes=", local_window_size = 3, softcap = 5.0"), CALLS["a step"])


REFUSED = {
    "no bits": (Form(bits=2), "expected kv_cache_bit_width of 4 or 8, got 2"),
    "scales": (
        Form(kind="PER_CHANNEL", scales=3),
        "expected 32 scales for k_quant_type = PER_CHANNEL, got 3",
    ),
    "a scale of nothing": (
        Form(kind="NONE"),
        "expected k_quant_type beside k_scale, got NONE",
    ),
    "kind": (Form(kind="PER_TOKEN"), r"a quantised cache \(k_quant_type = PER_TOKEN\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str):
    form, message = REFUSED[name]
    with pytest.raises(CompileError, match=message):
        read(form.model)
