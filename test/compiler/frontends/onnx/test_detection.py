"""`NonMaxSuppression` chooses the boxes that ONNX says it does, as many as they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from onnx import ModelProto

import static_runtime as sr

from .interpreter import Array, model

ATTRIBUTES = ("center_point_box=0", "center_point_box=1")
INPUTS = ("l, o, t", "l, o", "l", "l, , t")


def suppression(
    attributes: str, inputs: str, shape: str = "b,n,c", opset: int = 18
) -> ModelProto:
    """The model of one node, with boxes, classes and images as `shape` says."""
    b, n, c = shape.split(",")
    return model(
        f"g (float[{b},{n},4] x, float[{b},{c},{n}] s, int64[1] l, float[1] o, "
        f"float[1] t) => (int64[k,3] y) "
        f"{{ [find] y = NonMaxSuppression<{attributes}>(x, s, {inputs}) }}",
        opset,
    )


@dataclass(frozen=True)
class Given:
    """The inputs of one run."""

    boxes: Array
    scores: Array
    limit: int
    overlap: float = 0.0
    threshold: float = 0.0

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The inputs as a model takes them."""
        limit = np.array([self.limit])
        thresholds = (np.array([e], np.float32) for e in (self.overlap, self.threshold))
        return self.boxes, self.scores, limit, *thresholds


def corners(box: Array, attributes: str) -> tuple[Array, Array]:
    """The least and the greatest coordinates of a box."""
    a, b = box[:2], box[2:]
    if attributes == "center_point_box=1":
        return a - b / np.float32(2), a + b / np.float32(2)
    return np.minimum(a, b), np.maximum(a, b)


def overlaps(one: Array, other: Array, attributes: str, most: float) -> bool:
    """Whether two boxes share more of their union than `most`, by ONNX's text."""
    (a, b), (c, d) = corners(one, attributes), corners(other, attributes)
    sides = np.minimum(b, d) - np.maximum(a, c)
    if not (sides > 0).all() or not ((b > a).all() and (d > c).all()):
        return False
    shared = sides[0] * sides[1]
    areas = (b - a)[0] * (b - a)[1] + (d - c)[0] * (d - c)[1]
    return bool(shared / (areas - shared) > np.float32(most))


def chosen(given: Given, attributes: str, inputs: str) -> Array:
    """What a node with these inputs chooses: each candidate beside all chosen ones."""
    most = given.overlap if "o" in inputs else 0.0
    found: list[tuple[int, int, int]] = []
    for image, class_, _ in np.ndindex(*given.scores.shape[:2], 1):
        scores = given.scores[image, class_]
        order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
        if "t" in inputs:
            order = [at for at in order if scores[at] > np.float32(given.threshold)]
        kept: list[int] = []
        for at in order:
            boxes = given.boxes[image]
            if len(kept) < given.limit and not any(
                overlaps(boxes[each], boxes[at], attributes, most) for each in kept
            ):
                kept.append(at)
        found += [(image, class_, at) for at in kept]
    return np.array(found, np.int64).reshape(-1, 3)


def random(seed: int) -> Given:
    """Boxes of some images and classes: of all sizes, of none, alike, and flipped."""
    made = np.random.default_rng(seed)
    images, classes = made.integers(1, 4, 2)
    count = (1, 2, 5, 30, 64, 0)[seed % 6]
    boxes = made.random((images, count, 4)).astype(np.float32)
    if seed % 3 == 0:
        boxes = np.round(boxes * 4) / 4
    if seed % 5 == 0:
        boxes[:, ::3, 2:] = boxes[:, ::3, :2]
    scores = made.standard_normal((images, classes, count)).astype(np.float32)
    if seed % 2:
        scores = np.round(scores * 2) / 2
    if seed % 7 == 0:
        scores[..., :2] = -np.inf
    return Given(
        boxes,
        scores,
        int(made.integers(-1, count + 2)),
        float(made.choice([0, 0.2, 0.5, 1])),
        float(made.choice([-np.inf, 0, 0.5])),
    )


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("attributes", ATTRIBUTES)
def test_what_is_chosen(attributes: str, inputs: str):
    module = sr.compile(suppression(attributes, inputs))
    for seed in range(36):
        given = random(seed)
        got = module(*given.arrays)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, chosen(given, attributes, inputs))


@pytest.mark.parametrize("opset", [10, 11])
def test_what_is_chosen_in_older_opsets(opset: int):
    module = sr.compile(suppression(ATTRIBUTES[0], INPUTS[0], opset=opset))
    for seed in (3, 4, 9):
        given = random(seed)
        wanted = chosen(given, ATTRIBUTES[0], INPUTS[0])
        np.testing.assert_array_equal(module(*given.arrays), wanted)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("limit", [0, 1, 3, 1000, 2**63 - 1])
def test_a_limit_that_is_known_bounds_memory(limit: int):
    source = model(
        "g (float[1,n,4] x, float[1,2,n] s, float[1] o) => (int64[k,3] y) "
        f"<int64 l = {{{limit}}}> {{ y = NonMaxSuppression(x, s, l, o) }}"
    )
    module = sr.compile(source)
    for seed in (3, 4, 9, 10):
        given = random(seed)
        one = Given(given.boxes[:1], given.scores[:1].repeat(2, 1)[:, :2], limit, 0.5)
        got = module(one.boxes, one.scores, one.arrays[3])
        np.testing.assert_array_equal(got, chosen(one, ATTRIBUTES[0], "l, o"))


def test_a_limit_that_is_a_size_bounds_memory():
    source = model(
        "g (float[1,n,4] x, float[1,1,n] s, float[m] o) => (int64[k,3] y) "
        "<int64[1] t = {2}> "
        "{ l = Shape(o) m = Min(l, t) y = NonMaxSuppression(x, s, m) }"
    )
    module = sr.compile(source)
    given = random(3)
    for count, limit in ((0, 0), (1, 1), (2, 2), (5, 2)):
        one = Given(given.boxes[:1], given.scores[:1, :1], limit)
        got = module(one.boxes, one.scores, np.zeros(count, np.float32))
        np.testing.assert_array_equal(got, chosen(one, ATTRIBUTES[0], "l"))


def test_boxes_come_by_falling_score():
    module = sr.compile(suppression(ATTRIBUTES[0], "l, o"))
    made = np.random.default_rng(0)
    for count in (999, 1000, 1001):
        boxes = made.random((1, count, 4)).astype(np.float32)
        scores = made.integers(0, 100, (1, 1, count)).astype(np.float32)
        got = module(*Given(boxes, scores, count, 1.0).arrays)
        wanted = np.argsort(-scores[0, 0], kind="stable")
        np.testing.assert_array_equal(got[:, 2], wanted)


def test_thresholds_are_single():
    source = suppression(ATTRIBUTES[0], "l, o, t")
    source.graph.input[3].type.tensor_type.shape.dim[0].dim_value = 2
    with pytest.raises(sr.CompileError, match="expected one iou_threshold, got"):
        sr.compile(source)


def test_without_a_limit_none_is_chosen():
    module = sr.compile(suppression(ATTRIBUTES[0], ", o, t"))
    assert module(*random(4).arrays).shape == (0, 3)


def test_a_score_that_is_no_number_is_the_greatest_but_above_no_threshold():
    corners = np.arange(0, 8, 2, dtype=np.float32)[:, None] + [0, 0, 1, 1]
    boxes = corners[None].astype(np.float32)
    scores = np.array([[[-np.inf, np.inf, np.nan, 1]]], np.float32)
    given = Given(boxes, scores, 4, 0.5, -np.inf)
    every = sr.compile(suppression(ATTRIBUTES[0], "l, o"))
    np.testing.assert_array_equal(every(*given.arrays)[:, 2], [2, 1, 3, 0])
    above = sr.compile(suppression(ATTRIBUTES[0], "l, o, t"))
    np.testing.assert_array_equal(above(*given.arrays)[:, 2], [1, 3])


@pytest.mark.parametrize("attributes", ATTRIBUTES)
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_box_without_area_suppresses_none(attributes: str, number: float):
    boxes = np.full((1, 8, 4), 0.5, np.float32)
    boxes[0, 1::2] = [0, 0, 1, 1]
    for at in range(4):
        boxes[0, 2 * at, at] = number
    scores = np.zeros((1, 1, 8), np.float32)
    given = Given(boxes, scores, 8, 0.5, -1)
    got = sr.compile(suppression(attributes, "l, o, t"))(*given.arrays)
    np.testing.assert_array_equal(got[:, 2], [0, 1, 2, 4, 6])


def test_images_that_are_named_twice_are_as_many():
    source = model(
        "g (float[a,n,4] x, float[b,1,n] s) => (int64[k,3] y) "
        "<int64 l = {9}> { [find] y = NonMaxSuppression(x, s, l) }"
    )
    module = sr.compile(source)
    boxes, scores = np.ones((2, 3, 4), np.float32), np.ones((2, 1, 3), np.float32)
    assert module(boxes, scores).shape == (6, 3)
    with pytest.raises(ValueError, match=r"at find.*: expected equal sizes a and b"):
        module(boxes, scores[:1])


def test_a_bound_of_what_is_chosen():
    source = suppression(ATTRIBUTES[0], "l, o, t")
    module = sr.compile(source, options=sr.Options(bounds={"find_count": 2}))
    boxes = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    boxes[0, :, :2] = 5 * np.arange(3)[:, None]
    given = Given(boxes, np.ones((1, 1, 3), np.float32), 2, 1.0)
    assert module(*given.arrays).shape == (2, 3)
    with pytest.raises(ValueError, match="at find: expected a size from 0 to 2, got 3"):
        module(*Given(boxes, given.scores, 3, 1.0).arrays)


def test_images_without_boxes():
    module = sr.compile(suppression(ATTRIBUTES[0], "l, o, t"))
    boxes, scores = np.zeros((2**20, 0, 4), np.float32), np.zeros((2**20, 3, 0))
    given = Given(boxes, scores.astype(np.float32), 5)
    assert module(*given.arrays).shape == (0, 3)


DETECTOR = """
    g (float[1,3,h,w] image, float[4,3,3,3] k, float[3,3,3,3] j, float t) =>
    (float[f,4] y, float[f] z)
    <int64[1] l = {10}, float[1] o = {0.5}, int64[1] zero = {0}, int64[1] first = {1},
     int64[1] end = {3}, int64[1] most = {20}, int64 two = {2}, int64[1] rest = {-1},
     int64[3] a = {1,4,-1}, int64[3] c = {1,3,-1}> {
    p = Conv<strides=[2,2], pads=[1,1,1,1]>(image, k)
    flat = Reshape(p, a)
    boxes = Transpose<perm=[0,2,1]>(flat)
    q = Conv<strides=[2,2], pads=[1,1,1,1]>(image, j)
    logits = Reshape(q, c)
    scores = Sigmoid(logits)
    threshold = Reshape(t, rest)
    found = NonMaxSuppression<center_point_box=1>(boxes, scores, l, o, threshold)
    few = Slice(found, zero, most, zero)
    box = Gather<axis=1>(few, two)
    image_boxes = Squeeze(boxes, zero)
    y = Gather(image_boxes, box)
    class_and_box = Slice(few, first, end, first)
    image_scores = Squeeze(scores, zero)
    z = GatherND(image_scores, class_and_box) }"""
"""A detector: convolutions, the choice, and the boxes and scores of the first 20."""


def detected(given: Given, boxes: Array, scores: Array) -> tuple[Array, Array]:
    """The boxes and the scores of the first 20 that are chosen."""
    few = chosen(given, ATTRIBUTES[1], "l, o, t")[:20]
    return boxes[0, few[:, 2]], scores[0, few[:, 1], few[:, 2]]


@pytest.mark.full(beside="test_what_is_chosen")
def test_a_detector_of_any_image():
    source, probe = model(DETECTOR), model(DETECTOR)
    del probe.graph.output[:]
    for name in ("boxes", "scores"):
        probe.graph.output.add().name = name
    module, before = sr.compile(source), sr.compile(probe)
    made = np.random.default_rng(0)
    k, j = (made.standard_normal((n, 3, 3, 3)).astype(np.float32) for n in (4, 3))
    for height, width, threshold in ((8, 8, 0.5), (17, 9, 0.7), (1, 30, 2.0)):
        image = made.standard_normal((1, 3, height, width)).astype(np.float32)
        inputs = image, k, j, np.float32(threshold)
        boxes, scores = before(*inputs)
        given = Given(boxes, scores, 10, 0.5, threshold)
        wanted = detected(given, boxes, scores)
        for got, each in zip(module(*inputs), wanted, strict=True):
            np.testing.assert_array_equal(got, each)
