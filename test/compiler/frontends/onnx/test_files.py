"""Files: what is no ONNX model, and weights beside a model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import (
    ModelProto,
    TensorProto,
    external_data_helper,
    helper,
    load,
    numpy_helper,
    save,
)

from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.session.errors import CompileError, ModelFileError

from ....models.stored import DIGITS, FOLDER
from .interpreter import model, read

MODEL = FOLDER / "deep_wide.onnx"


def refused(source: Path | bytes | ModelProto) -> str:
    """What is said of a source that holds no whole model."""
    with pytest.raises(ModelFileError) as caught:
        read_onnx(source, SrContext())
    return str(caught.value)


def test_a_model_may_be_a_file_bytes_or_a_message():
    texts = {
        str(read_onnx(source, SrContext()))
        for source in (MODEL, MODEL.read_bytes(), load(MODEL))
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"module { func.func @main() }", id="text"),
        pytest.param(b"PK\x03\x04" + bytes(64), id="an archive"),
        pytest.param(bytes(64), id="zeros"),
        pytest.param(MODEL.read_bytes()[:1000], id="half a model"),
    ],
)
def test_says_what_is_no_model(data: bytes, tmp_path: Path):
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    assert refused(path).startswith(f"{path}: expected an ONNX model, got {len(data)} ")
    assert refused(data).startswith("the model: expected an ONNX model, got")


def test_says_what_cannot_be_read(tmp_path: Path):
    missing = tmp_path / "missing.onnx"
    message = f"{missing}: expected an ONNX model, got No such file or directory"
    assert refused(missing) == message
    assert "expected an ONNX model, got Is a directory" in refused(tmp_path)


def test_a_model_without_opsets_is_cut_short():
    source = load(MODEL)
    source.ClearField("opset_import")
    assert "with no opset (cut short?)" in refused(source)


def test_names_are_text():
    data = MODEL.read_bytes().replace(b"/Mul_output_0", b"/Mul\xffoutput_0")
    assert "got names that are no text: b'/Mul\\xffoutput_0'" in refused(data)


def stored_beside(folder: Path) -> Path:
    """A model in `folder` with its weights in a file of their own."""
    folder.mkdir(exist_ok=True)
    path = folder / "model.onnx"
    save(
        load(DIGITS / "digits.onnx"),
        path,
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    return path


def test_weights_beside_a_model_are_read(tmp_path: Path):
    path = stored_beside(tmp_path)
    ctx, inside = SrContext(), SrContext()
    text = str(read_onnx(path, ctx))
    assert text == str(read_onnx(DIGITS / "digits.onnx", inside))
    assert ctx.weights.files.keys() == {"weights.bin"}
    assert inside.weights.files == {}
    # What happens to the file from here on is of no concern.
    os.truncate(tmp_path / "weights.bin", 0)
    for name in inside.weights:
        array = ctx.weights[name]
        assert not array.flags.writeable
        np.testing.assert_array_equal(array, inside.weights[name])


def set_location(path: Path, **changes: object) -> None:
    """Changes where the first tensor of a model says that it is."""
    source = load(path, load_external_data=False)
    tensor = source.graph.initializer[0]
    info = external_data_helper.ExternalDataInfo(tensor)
    given = {"location": info.location, "offset": info.offset, "length": info.length}
    tensor.ClearField("external_data")
    for key, value in {**given, **changes}.items():
        tensor.external_data.add(key=key, value=str(value))
    path.write_bytes(source.SerializeToString())


@pytest.mark.parametrize(
    "location", ["../secret.bin", "link.bin", "sub/../../secret.bin"]
)
def test_reads_no_file_outside_the_folder_of_the_model(location: str, tmp_path: Path):
    (tmp_path / "secret.bin").write_bytes(bytes(1 << 16))
    path = stored_beside(tmp_path / "inside")
    (path.parent / "link.bin").symlink_to(tmp_path / "secret.bin")
    (path.parent / "sub").mkdir()
    set_location(path, location=location)
    message = f"expected a file in the model's folder, got {location!r}"
    assert message in refused(path)


@pytest.mark.parametrize(
    "location", ["weights\0.bin", "w" * 5000, "round.bin", "round.bin/weights.bin"]
)
def test_says_what_is_no_name_of_a_file(location: str, tmp_path: Path):
    path = stored_beside(tmp_path)
    (tmp_path / "round.bin").symlink_to("round.bin")
    set_location(path, location=location)
    text = refused(path)
    assert "expected the name of a file, got '" in text or "expected the file" in text
    assert len(text) < 300


def test_reads_no_file_that_is_none(tmp_path: Path):
    path = stored_beside(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    kinds = {"folder": "a folder", "pipe": "a pipe", ".": "a folder"}
    for location, kind in kinds.items():
        set_location(path, location=location)
        assert f"expected the file {location!r}, got {kind}" in refused(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_says_that_a_file_may_not_be_read(tmp_path: Path):
    path = stored_beside(tmp_path)
    (tmp_path / "weights.bin").chmod(0)
    assert "expected the file 'weights.bin', got Permission denied" in refused(path)


def test_weights_may_be_in_a_folder_within_that_of_the_model(tmp_path: Path):
    path = stored_beside(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "weights.bin").rename(tmp_path / "sub" / "w.bin")
    source = load(path, load_external_data=False)
    for tensor in source.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = "sub/w.bin"
    path.write_bytes(source.SerializeToString())
    ctx, inside = SrContext(), SrContext()
    read_onnx(path, ctx)
    read_onnx(DIGITS / "digits.onnx", inside)
    for name in inside.weights:
        np.testing.assert_array_equal(ctx.weights[name], inside.weights[name])


def test_reads_no_file_by_an_absolute_path(tmp_path: Path):
    path = stored_beside(tmp_path)
    location = tmp_path / "weights.bin"
    set_location(path, location=location)
    assert f"expected a file in the model's folder, got '{location}'" in refused(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"location": "gone.bin"}, "expected the file 'gone.bin', got no such file"),
        ({"location": ""}, "expected the file '', got a folder"),
        ({"offset": 1 << 40}, "expected bytes 1099511627776 to"),
        *(
            ({name: text}, f"expected a number of bytes, got '{text}")
            for name in ("offset", "length")
            for text in ("-4", " 0", "0 ", "+0", "1_0", "٤", "", "start", "9" * 20)
        ),
        ({"length": 4}, "expected 576 bytes, got 4"),
    ],
    ids=str,
)
def test_says_what_is_wrong_with_the_place_of_a_tensor(
    changes: dict[str, object], message: str, tmp_path: Path
):
    path = stored_beside(tmp_path)
    set_location(path, **changes)
    text = refused(path)
    assert text.startswith(f"{path}: tensor 'features.0.weight': ")
    assert message in text


def test_a_model_that_is_no_file_has_no_folder(tmp_path: Path):
    data = stored_beside(tmp_path).read_bytes()
    message = "expected its elements inside the model, got them in 'weights.bin'"
    assert message in refused(data)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.arange(6, dtype=np.float64),
        np.array([-(2**31), 2**31 - 1], np.int32),
        np.array([-(2**63), 2**63 - 1], np.int64),
        np.array([True, False, True]),
        np.zeros((0, 3), np.float32),
        np.array(7, np.int64),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
@pytest.mark.parametrize("is_raw", [True, False])
def test_a_tensor_of_every_type_in_both_its_forms(array: np.ndarray, is_raw: bool):
    source = model("g (float[2] x) => (float y) { y = Relu(x) }")
    tensor = numpy_helper.from_array(array, "w")
    if not is_raw:
        values = array.ravel().tolist()
        tensor = helper.make_tensor("w", tensor.data_type, array.shape, values)
    source.graph.initializer.append(tensor)
    source.graph.output[0].name = "w"
    (got,) = read(source).run(np.ones(2, np.float32))
    np.testing.assert_array_equal(got, array, strict=True)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (TensorProto(dims=[2], data_type=1, raw_data=b"1234567"), "8 bytes, got 7"),
        (TensorProto(dims=[2], data_type=1, float_data=[1.0]), "2 elements, got 1"),
        (TensorProto(dims=[-2], data_type=1), "sizes of zero or more, got -2"),
        (TensorProto(dims=[1 << 30, 1 << 28], data_type=7), "elements, got 0"),
        (TensorProto(dims=[0, 1 << 62, 1 << 62], data_type=1), "less than 2**62 bytes"),
        (TensorProto(dims=[1] * 65, data_type=1, float_data=[1.0]), "at most 64 axes"),
    ],
    ids=str,
)
def test_says_what_is_wrong_with_a_tensor(tensor: TensorProto, message: str):
    source = model("g (float[2] x) => (float y) { y = Relu(x) }")
    tensor.name = "w"
    source.graph.initializer.append(tensor)
    text = refused(source)
    assert text.startswith("the model: tensor 'w': expected ")
    assert message in text


def test_an_initializer_that_is_an_input_is_a_constant():
    source = model(
        "g (float[2] x, float[2] w) => (float y) <float[2] w = {1,2}> { y = Add(x, w) }"
    )
    graph = read(source)
    assert graph.names("input") == ["x"]
    np.testing.assert_array_equal(graph.run(np.ones(2, np.float32))[0], [2, 3])


def test_every_weight_may_be_an_input():
    # As up to IR 3: those that have a value need not be given, whatever their order.
    source = model(
        """g (float[2] w, float[2] x, float[2] v) => (float y, float w)
        <float[2] w = {1,2}, float[2] v = {3,4}> { z = Add(x, w) y = Mul(z, v) }"""
    )
    source.ir_version = 3
    graph = read(source)
    assert graph.names("input") == ["x"]
    y, w = graph.run(np.ones(2, np.float32))
    np.testing.assert_array_equal(y, [6, 12])
    np.testing.assert_array_equal(w, [1, 2])


def test_reading_models_needs_the_package_onnx(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(CompileError, match=r"pip install static-runtime\[onnx\]"):
        read_onnx(MODEL, SrContext())


@pytest.mark.full(
    beside="compiler/tools/test_opt.py::test_it_starts_without_what_only_some_runs_need"
)
def test_the_package_onnx_is_imported_when_a_model_is_read():
    code = (
        "import sys, static_runtime, static_runtime.compiler.frontends.onnx as face;"
        "assert 'onnx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
