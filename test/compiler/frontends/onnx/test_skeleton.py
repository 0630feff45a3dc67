"""Large weights stay where they are while a model is read."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, numpy_helper

from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.frontends.onnx.skeleton import MIN_REPLACED_BYTES, skeleton
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.session.errors import ModelFileError

from .interpreter import model, read

SIZES = (1, MIN_REPLACED_BYTES // 4 - 1, MIN_REPLACED_BYTES // 4, 70_000)
"""Numbers of elements: below and above the limit."""


def source(raw: bool = True) -> ModelProto:
    """A model with weights of several sizes."""
    made = model("g (float[1] x) => (float y) { y = Relu(x) }")
    for size in SIZES:
        array = np.arange(size, dtype=np.float32)
        tensor = numpy_helper.from_array(array, f"w{size}")
        if not raw:
            tensor.float_data.extend(array)
            tensor.ClearField("raw_data")
        made.graph.initializer.append(tensor)
        made.graph.output.add().CopyFrom(made.graph.output[0])
        made.graph.output[-1].name = f"w{size}"
    return made


def parsed(data: bytes) -> ModelProto:
    """The model that bytes are."""
    made = ModelProto()
    made.ParseFromString(data)
    return made


def as_array(data: bytes) -> np.ndarray:
    """Bytes as an array of them."""
    return np.frombuffer(data, np.uint8)


def check(result: list[np.ndarray]) -> None:
    """The weights are what they were."""
    for size, got in zip(SIZES, result[1:], strict=True):
        np.testing.assert_array_equal(got, np.arange(size, dtype=np.float32))


@pytest.mark.parametrize("raw", [True, False])
def test_a_model_is_what_it_was(raw: bool, tmp_path: Path):
    data = source(raw).SerializeToString()
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    for each in (path, data, source(raw)):
        check(read(each).run(np.ones(1, np.float32)))


def test_only_large_weights_are_left_out():
    whole = source().SerializeToString()
    small = skeleton(as_array(whole))
    assert small is not None
    assert len(small) < len(whole) - 4 * SIZES[-1] - MIN_REPLACED_BYTES + 500
    made = parsed(small)
    for size, tensor in zip(SIZES, made.graph.initializer, strict=True):
        is_outside = tensor.data_location == TensorProto.EXTERNAL
        assert is_outside == (4 * size >= MIN_REPLACED_BYTES)
        if is_outside:
            place = {each.key: each.value for each in tensor.external_data}
            begin, length = int(place["offset"]), int(place["length"])
            expected = np.arange(size, dtype=np.float32).tobytes()
            assert whole[begin : begin + length] == expected
            tensor.raw_data = expected
            tensor.ClearField("external_data")
            tensor.ClearField("data_location")
    assert made == source()


def test_what_is_in_another_file_or_given_twice_stays_as_it_is():
    made = source()
    place = made.graph.initializer[-1].external_data.add()
    place.key, place.value = "location", "w.bin"
    data = made.SerializeToString()
    small = skeleton(as_array(data))
    assert small is not None
    assert parsed(small).graph.initializer[-1] == made.graph.initializer[-1]
    twice = TensorProto(raw_data=bytes(MIN_REPLACED_BYTES)).SerializeToString() * 2
    tensor = TensorProto()
    tensor.ParseFromString(twice)
    # Written by hand, since protobuf writes a field once.
    inner = b"\x2a" + varint(len(twice)) + twice
    outer = b"\x3a" + varint(len(inner)) + inner
    assert skeleton(as_array(outer)) == outer


def varint(number: int) -> bytes:
    """A number of two bytes as protobuf writes it."""
    assert 0x80 <= number < 0x4000
    return bytes([number & 0x7F | 0x80, number >> 7])


def test_what_is_broken_is_protobufs_to_explain():
    whole = source().SerializeToString()
    for size in (1, 40, len(whole) // 2, len(whole) - 1):
        assert skeleton(as_array(whole[:size])) is None
        with pytest.raises(
            ModelFileError, match=f"got {size} bytes that are cut short"
        ):
            read_onnx(whole[:size], SrContext())
    for bad in (b"\x00\x00", b"\x3b", b"\x3a" + b"\xff" * 11):
        assert skeleton(as_array(bad)) is None


def test_a_large_weight_is_in_memory_once(tmp_path: Path):
    made = source()
    size = 4_000_000
    array = np.ones(size, np.float32)
    made.graph.initializer.append(numpy_helper.from_array(array, "large"))
    made.graph.output[0].name = "large"
    path = tmp_path / "model.onnx"
    path.write_bytes(made.SerializeToString())
    del made, array
    tracemalloc.start()
    try:
        ctx = SrContext()
        read_onnx(path, ctx)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size + size
    assert isinstance(ctx.weights["large"].base, np.ndarray | memoryview)
    np.testing.assert_array_equal(ctx.weights["large"], np.ones(size, np.float32))
