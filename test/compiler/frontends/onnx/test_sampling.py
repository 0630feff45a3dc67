"""Regions and deformed convolutions, in forms that ONNX's own tests leave out."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, numpy_helper
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError

from .interpreter import Array, model, read

REGIONS = """g (float[n,2,6,5] x, float[r,4] rois, int64[r] batch) => (float y)
{{ y = RoiAlign<output_height = 3, output_width = 2, sampling_ratio = {ratio},
mode = "{mode}", spatial_scale = 0.5>(x, rois, batch) }}"""

ROIS = np.array(
    [[0, 0, 9, 11], [-7, -9, 3, 2], [4, 4, 4, 4], [3, 2, 40, 50]], np.float32
)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("opset", [10, 16])
def test_regions_are_onnxs(mode: str, opset: int):
    text = REGIONS.format(ratio=2, mode=mode)
    x = np.random.default_rng(0).standard_normal((2, 2, 6, 5)).astype(np.float32)
    inputs = {"x": x, "rois": ROIS, "batch": np.array([0, 1, 1, 0])}
    (y,) = read(model(text, opset)).run(*inputs.values())
    # Before opset 16 no half of a pixel is taken off.
    named = text.replace(
        "<output", '<coordinate_transformation_mode = "output_half_pixel", output'
    )
    evaluator = ReferenceEvaluator(model(named if opset < 16 else text, 16))
    (expected,) = evaluator.run(None, inputs)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_a_region_of_no_image_is_an_error():
    graph = read(model(REGIONS.format(ratio=1, mode="avg"), 16))
    x = np.ones((2, 2, 6, 5), np.float32)
    with pytest.raises(IndexError):
        graph.run(x, ROIS[:1], np.array([2]))


DEFORMED = """g (float[n,4,7,6] x, float[6,2,3,2] w, float[n,24,4,5] o,
float[n,12,4,5] m) => (float y) { y = DeformConv<group = 2, offset_group = 2,
strides = [2,1], dilations = [1,2], pads = [1,1,1,0]>(x, w, o, , m) }"""


def test_a_deformed_convolution_of_groups_is_onnxs():
    random = np.random.default_rng(0)
    shapes = {
        "x": (2, 4, 7, 6),
        "w": (6, 2, 3, 2),
        "o": (2, 24, 4, 5),
        "m": (2, 12, 4, 5),
    }
    inputs = {
        name: random.standard_normal(shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    inputs["o"] *= 3
    made = model(DEFORMED, 22)
    (y,) = read(made).run(*inputs.values())
    (expected,) = ReferenceEvaluator(made).run(None, inputs)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REGIONS.format(ratio=0, mode="avg"), "a sampling_ratio of 0"),
        (REGIONS.format(ratio=-1, mode="avg"), "sampling_ratio of 0 or more, got -1"),
        (REGIONS.format(ratio=1, mode="min"), "expected a mode avg or max, got 'min'"),
        (DEFORMED.replace("n,24", "n,23"), "expected 24 offsets of a point"),
    ],
)
def test_what_has_no_samples_is_refused(text: str, message: str):
    with pytest.raises(CompileError, match=message):
        read(model(text, 22))


def of_known(boxes: Array, ratio: int = 0, mode: str = "avg") -> ModelProto:
    """A model of the regions of known boxes."""
    text = REGIONS.format(ratio=ratio, mode=mode).replace("float[r,4] rois, ", "")
    source = model(text.replace("[r]", f"[{len(boxes)}]"), 16)
    source.graph.initializer.append(numpy_helper.from_array(boxes, "rois"))
    return source


def test_known_boxes_that_count_too_many_samples_are_refused():
    high = np.arange(1, 34)[:, None] * 6
    many = np.concatenate([0 * high, 0 * high, high, high], 1).astype(np.float32)
    wide = np.array([[0, 0, 1e5, 1]], np.float32)
    for boxes in (many, wide):
        with pytest.raises(UnsupportedModelError, match="more than 32 counts of"):
            read(of_known(boxes))
    with pytest.raises(CompileError, match="expected finite boxes Rx4"):
        read(of_known(wide * np.float32(np.nan)))


def test_a_known_box_that_ends_before_it_begins_has_no_samples():
    boxes = np.array([[3, 0, 1, 6], [0, 0, 4, 4]], np.float32)
    x = np.ones((1, 2, 6, 5), np.float32)
    (y,) = read(of_known(boxes)).run(x, np.zeros(2, np.int64))
    assert np.all(y[0] == 0)
    assert np.all(y[1] > 0)


@pytest.mark.parametrize("size", ["output_height = 3", "sampling_ratio = 1"])
def test_more_samples_than_a_tensor_has_are_an_error(size: str):
    text = REGIONS.format(ratio=1, mode="avg")
    name = size.split()[0]
    with pytest.raises(CompileError, match=r"less than 2\*\*62"):
        read(model(text.replace(size, f"{name} = {2**62}"), 16))


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("spatial", ["h, w", "d, h, w"])
def test_a_grid_of_a_batch_of_any_size(spatial: str, corners: int):
    rank = spatial.count(",") + 1
    source = model(
        f"""g (float[n,{rank},{rank + 1}] maps, float[n,2,{spatial}] x) => (float y) {{
        s = Shape(x) y = AffineGrid<align_corners={corners}>(maps, s) }}""",
        opset=20,
    )
    module, judge = sr.compile(source), ReferenceEvaluator(source)
    for batch, *sizes in ((1, 3, 4, 5), (2, 5, 2, 3), (3, 2, 2, 2)):
        random = np.random.default_rng(batch)
        maps = random.standard_normal((batch, rank, rank + 1), np.float32)
        x = np.zeros((batch, 2, *sizes[:rank]), np.float32)
        (wanted,) = judge.run(None, {"maps": maps, "x": x})
        got = module(maps, x)
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
