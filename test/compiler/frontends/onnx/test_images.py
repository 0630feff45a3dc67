"""ONNX's ops on images compute what ONNX Runtime does, compiled and by reference."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError

from .cases import NM, Case, N, check_close
from .interpreter import Array, model, read

pytestmark = pytest.mark.torch

TRANSPOSED = (
    ("", "7", "3", 1),
    (", strides=[2], pads=[1,0], output_padding=[1]", "8", "3", 2),
    (", strides=[2,3], dilations=[2,1], pads=[1,2,0,1]", "7,9", "2,3", 1),
    (', auto_pad="SAME_UPPER", strides=[2,3]', "5,4", "3,4", 2),
    (', auto_pad="SAME_LOWER", strides=[2,2]', "5,4", "3,4", 1),
    (', auto_pad="VALID", kernel_shape=[1,2,3]', "3,4,2", "1,2,3", 1),
    (", strides=[2,2], output_shape=[10,9]", "5,4", "3,3", 1),
    (', strides=[2,2], output_shape=[10,9], auto_pad="SAME_UPPER"', "5,4", "3,4", 1),
)

SCALED = (
    'mode="linear"',
    'mode="linear", coordinate_transformation_mode="pytorch_half_pixel"',
    'mode="linear", coordinate_transformation_mode="align_corners"',
    'mode="cubic"',
    'mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1',
    'mode="cubic", coordinate_transformation_mode="align_corners"',
    'mode="nearest"',
    'mode="nearest", nearest_mode="ceil"',
    'mode="nearest", nearest_mode="round_prefer_ceil"',
    'coordinate_transformation_mode="asymmetric", nearest_mode="floor"',
    'coordinate_transformation_mode="half_pixel_symmetric", mode="linear"',
)

LONGER = (
    ("kernel_shape=[2], strides=[2]", "1"),
    ("kernel_shape=[4], strides=[3]", "2"),
    ('kernel_shape=[3], strides=[3], auto_pad="VALID"', "1"),
    ("kernel_shape=[2,2], strides=[2,2]", "1,5"),
    ("kernel_shape=[5,3], strides=[3,2], pads=[1,1,1,0]", "1,4"),
    ("kernel_shape=[2,2,2], strides=[2,2,2]", "1,1,3"),
    ("kernel_shape=[3], strides=[2]", "1"),
    ("kernel_shape=[4], strides=[2]", "1"),
    ("kernel_shape=[2,3], strides=[1,3]", "1,1"),
)
"""Windows that are longer than an image, by less than a stride and by more."""

CASES = {
    **{
        f"transposed {attributes} over {size}": Case(
            f"float[n,4,{size}] x, float[4,{6 // groups},{kernel}] w, float[6] b | "
            f"{{ y = ConvTranspose<group={groups}{attributes}>(x, w, b) }}",
            N,
        )
        for attributes, size, kernel, groups in TRANSPOSED
    },
    "transposed over sizes that vary": Case(
        "float[1,2,n,m] x, float[2,3,2,3] w | "
        "{ y = ConvTranspose<pads=[1,0,1,2], strides=[2,1]>(x, w)"
        '  z = ConvTranspose<auto_pad="SAME_UPPER", strides=[2,2]>(x, w) }',
        NM,
    ),
    **{
        f"resize {attributes} by scales": Case(
            "float[n,1,5,6] x | <float[4] s = {1, 1, 0.6, 2.5}>"
            f" {{ y = Resize<{attributes}>(x, , s) }}",
            N,
            19,
        )
        for attributes in SCALED
    },
    **{
        f"resize {attributes} to sizes": Case(
            "float[2,1,5,6] x | <int64[4] s = {2, 1, 11, 4}>"
            f" {{ y = Resize<{attributes}>(x, , , s) }}",
            opset=19,
        )
        for attributes in SCALED
    },
    "resize of sizes that vary": Case(
        "float[1,2,n,m] x | <float[4] s = {1, 1, 2, 1.5}, int64 f = {3}>"
        ' { y = Resize<mode="linear">(x, , s)'
        "   o = Shape<start=0, end=2>(x) q = Shape<start=2>(x)"
        "   d = Mul(q, f) g = Concat<axis=0>(o, d)"
        '   z = Resize<nearest_mode="floor",'
        ' coordinate_transformation_mode="asymmetric">(x, , , g) }',
        NM,
    ),
    "resize along axes": Case(
        "float[2,5,6,1] x | <int64[2] s = {3, 9}, int64[2] t = {7, 4}>"
        ' { y = Resize<axes=[1,2], mode="linear">(x, , , s)'
        '   z = Resize<axes=[2,1], keep_aspect_ratio_policy="not_larger",'
        ' mode="nearest">(x, , , t) }',
    ),
    "resize smoothly": Case(
        "float[2,1,9,7] x | <float[4] s = {1, 1, 0.6, 0.5}>"
        ' { y = Resize<mode="linear", antialias=1>(x, , s)'
        '   z = Resize<mode="cubic", antialias=1, exclude_outside=1>(x, , s) }',
    ),
    "resize smoothly to": Case(
        "float[1,1,n,m] x | <int64[4] s = {1, 1, 3, 6}>"
        ' { y = Resize<mode="linear", antialias=1>(x, , , s)'
        '   z = Resize<mode="cubic", antialias=1, exclude_outside=1>(x, , , s) }',
        NM,
    ),
    "resize crops": Case(
        "float[2,1,5,6] x | <int64[4] s = {2, 1, 4, 1},"
        " float[8] r = {0, 0, 0.2, 0.4, 1, 1, 1.3, 0.9}>"
        ' { y = Resize<coordinate_transformation_mode="tf_crop_and_resize",'
        ' mode="linear", extrapolation_value=9.0>(x, r, , s) }',
    ),
    "resize of opset 10": Case(
        "float[n,1,5,6] x | <float[4] s = {1, 1, 0.6, 2.5}>"
        ' { y = Resize(x, s) z = Resize<mode="linear">(x, s) }',
        N,
        10,
    ),
    "resize of opset 11": Case(
        "float[n,1,5,6] x | <float[4] s = {1, 1, 0.6, 2.5}, float[8] r ="
        " {0, 0, 0, 0, 1, 1, 1, 1}>"
        ' { y = Resize<coordinate_transformation_mode="tf_half_pixel_for_nn",'
        ' nearest_mode="floor">(x, r, s) }',
        N,
        11,
    ),
    "resize to what may be the same size": Case(
        "float[n,2,4,h] x | <int64[4] s = {2, 2, 7, 3}, float[8] r ="
        " {0, 0, 0, 0, 1, 1, 1, 1}, float[0] e = {}>"
        ' { y = Resize<coordinate_transformation_mode="tf_half_pixel_for_nn",'
        ' mode="linear">(x, r, e, s) }',
        ({"n": 2, "h": 3}, {"n": 2, "h": 5}),
        11,
    ),
    "upsample of opset 9": Case(
        "float[n,1,5,6] x | <float[4] s = {1, 1, 2, 3}>"
        ' { y = Upsample(x, s) z = Upsample<mode="linear">(x, s) }',
        N,
        9,
    ),
    "upsample of opset 7": Case(
        "float[n,1,5,6] x | { y = Upsample<scales=[1.0, 1.0, 2.0, 3.0]>(x)"
        ' z = Upsample<mode="linear", scales=[1.0, 1.0, 2.0, 3.0]>(x) }',
        N,
        7,
    ),
    **{
        f"greatest and where {attributes}": Case(
            f"float[n,2,6,7] x | {{ y, z = MaxPool<{attributes}>(x) }}", N
        )
        for attributes in (
            "kernel_shape=[2,3]",
            "kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1], ceil_mode=1",
            "kernel_shape=[2,2], dilations=[2,3], pads=[1,1,0,1]",
            "kernel_shape=[2,3], storage_order=1",
            "kernel_shape=[2,2], strides=[1,9], dilations=[1,8], pads=[1,0,0,0]",
        )
    },
    **{
        f"{op} {attributes} of {size}, opset {opset}": Case(
            f"float[1,2,{size}] x | {{ {names} = {op}<{attributes}>(x) }}", ({},), opset
        )
        for op, names, opset, more in (
            ("MaxPool", "y, z", 18, ""),
            ("AveragePool", "y", 18, ""),
            ("AveragePool", "y", 18, ", count_include_pad=1"),
            ("AveragePool", "y", 22, ", count_include_pad=1"),
            ("AveragePool", "y", 18, ", count_include_pad=1, ceil_mode=1"),
            ("LpPool", "y", 18, ""),
        )
        for window, size in LONGER
        for attributes in (f"{window}{more}",)
    },
    "put back where it was": Case(
        "float[n,2,6,8] x | { a, i = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x)"
        " y = MaxUnpool<kernel_shape=[2,2], strides=[2,2]>(a, i) }",
        ({"n": 1}, {"n": 3}),
    ),
    "put back where it was, of a size that varies": Case(
        "float[1,n,m,6] x | { a, i = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x)"
        " s = Shape(x) y = MaxUnpool<kernel_shape=[2,2], strides=[2,2]>(a, i, s) }",
        ({"n": 1, "m": 4}, {"n": 3, "m": 8}),
    ),
    "lengths": Case(
        "float[n,2,6,7] x | { y = LpPool<kernel_shape=[2,3], p=3, strides=[2,1]>(x)"
        " z = GlobalLpPool<p=3>(x) }",
        N,
    ),
    "columns to an image": Case(
        "float[n,12,25] x | <int64[2] s = {6, 7}, int64[2] k = {2, 3}>"
        " { y = Col2Im(x, s, k) }",
        ({"n": 1}, {"n": 3}),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_computes_what_onnx_runtime_does(name: str):
    case = CASES[name]
    source = case.model
    graph, module = read(source), sr.compile(source)
    session = onnxruntime.InferenceSession(
        source.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for sizes in case.sizes:
        inputs = case.inputs(sizes)
        expected = session.run(None, inputs)
        check_close(graph.run(*inputs.values()), expected)
        results: Array | tuple[Array, ...] = module(*inputs.values())
        several = (results,) if isinstance(results, np.ndarray) else results
        check_close(several, expected)


REFUSALS = {
    "a scale of 0.7": (
        "float[n] x | <float[1] s = {0.7}> { y = Resize(x, , s) }",
        "a scale of 0.699",
    ),
    "scales computed": (
        "float[n] x, float[1] s | { y = Resize(x, , s) }",
        "an input scales that is computed when the model runs",
    ),
    "between integers": (
        'int64[4] x | <float[1] s = {2}> { y = Resize<mode="linear">(x, , s) }',
        "the mode linear for elements of i64",
    ),
    "proportions that vary": (
        "float[n] x | <int64[1] s = {2}>"
        ' { y = Resize<keep_aspect_ratio_policy="not_larger">(x, , , s) }',
        "the policy not_larger for sizes that vary",
    ),
    "shape of a size that varies": (
        "float[1,1,n] x, float[1,1,3] w | "
        "{ y = ConvTranspose<output_shape=[7]>(x, w) }",
        "output_shape 7 from a size that varies: n",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refuses(name: str):
    text, reason = REFUSALS[name]
    with pytest.raises(UnsupportedModelError) as caught:
        read(Case(text).model)
    assert reason in str(caught.value)


PUT_BACK = "MaxUnpool<kernel_shape=[2,2], strides=[2,2]>(x, i, s)"


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("1, 1, 5, 3", r"output_shape of 1, 1, 2 \* n, 4 or more, got 1, 1, 5, 3"),
        ("1, 8, 8", "expected 4 sizes, got 3"),
    ],
)
def test_what_is_put_back_has_room(sizes: str, message: str):
    count = sizes.count(",") + 1
    text = f"float[1,1,n,2] x, int64[1,1,n,2] i | <int64[{count}] s = {{{sizes}}}>"
    with pytest.raises(CompileError, match=message):
        read(Case(f"{text} {{ y = {PUT_BACK} }}").model)


def test_what_is_put_back_has_room_in_a_run():
    text = "float[1,1,2,2] x, int64[1,1,2,2] i, float[1,1,n,5] r |"
    module = sr.compile(Case(f"{text} {{ s = Shape(r) y = {PUT_BACK} }}").model)
    x, i = np.ones((1, 1, 2, 2), np.float32), np.array([[[[0, 3], [8, 11]]]])
    y = np.asarray(module(x, i, np.zeros((1, 1, 6, 5), np.float32)), np.float32)
    assert y.shape == (1, 1, 6, 5)
    assert y[0, 0, :3:2, :4:3].sum() == y.sum() == 4
    with pytest.raises(ValueError, match=r"4 or more, got 4 and -1 with n = 3"):
        module(x, i, np.zeros((1, 1, 3, 5), np.float32))


def test_crops_that_a_run_computes_leave_other_axes_as_they_are():
    """An image of NaN does not reach the one before it, by a weight of zero."""
    source = model(
        """g (float[2,1,2,4] x, float[8] r) => (float y) <int64[4] s = {2,1,2,2}> {
        y = Resize<coordinate_transformation_mode = "tf_crop_and_resize",
        mode = "linear">(x, r, , s) }"""
    )
    x = np.arange(16, dtype=np.float32).reshape(2, 1, 2, 4)
    x[1] = np.nan
    ends = np.array([0, 0, 0, 1 / 3, 1, 1, 1, 2 / 3], np.float32)
    (y,) = read(source).run(x, ends)
    np.testing.assert_allclose(y[0, 0], x[0, 0, :, 1:3], rtol=1e-6)
    assert np.isnan(y[1]).all()


@pytest.mark.parametrize(
    ("row", "message"),
    [("7", "expected 8 roi, got tensor<7xf32>"), ("2,4", "expected a row of ends")],
)
def test_crops_have_two_ends_of_each_axis(row: str, message: str):
    source = model(
        f"""g (float[2,1,2,4] x, float[{row}] r) => (float y) <int64[4] s = {{2,1,2,2}}>
        {{ y = Resize<coordinate_transformation_mode = "tf_crop_and_resize",
        mode = "linear">(x, r, , s) }}"""
    )
    with pytest.raises(CompileError, match=message):
        read(source)
