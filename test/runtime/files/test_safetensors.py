"""What is written is read, as others read it, and no wrong file gets through."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from static_runtime.runtime.abi import SAFETENSORS
from static_runtime.runtime.files import safetensors_header
from static_runtime.runtime.files.safetensors import read, write
from static_runtime.runtime.files.safetensors_header import SafetensorsError

Array = npt.NDArray[Any]


def some_arrays() -> dict[str, Array]:
    """Arrays of every dtype and of every kind of shape and layout."""
    rng = np.random.default_rng(0)
    arrays: dict[str, Array] = {
        f"{name}.{'x'.join(map(str, shape))}": rng.integers(0, 2, shape).astype(dtype)
        for name, dtype in SAFETENSORS.items()
        for shape in [(), (1,), (3, 5), (0,), (2, 0, 3), (7,)]
    }
    matrix = rng.standard_normal((4, 6)).astype(np.float32)
    return arrays | {
        "transposed": matrix.T,
        "every second": matrix[::2, ::-3],
        "broadcast": np.broadcast_to(matrix[0], (5, 6)),
        "big-endian": matrix.astype(">f4"),
        "column by column": np.asfortranarray(matrix),
        'Ψ "name"\n': matrix,
        "": np.float64(np.nan) * np.ones(2),
    }


@pytest.mark.parametrize("metadata", [{}, {"format": "pt", "Ψ": "\n", "": ""}])
def test_reads_what_it_wrote(tmp_path: Path, metadata: dict[str, str]):
    path = tmp_path / "weights.safetensors"
    arrays = some_arrays()
    write(path, arrays, metadata)
    back, back_metadata = read(str(path))
    assert back_metadata == metadata
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype.newbyteorder("=")
        assert back[name].shape == array.shape
        np.testing.assert_array_equal(back[name], array)


def test_arrays_are_aligned_views_that_cannot_be_written(tmp_path: Path):
    path = tmp_path / "weights.safetensors"
    write(path, some_arrays())
    length = int.from_bytes(path.read_bytes()[:8], "little")
    assert (8 + length) % 64 == 0
    arrays, _ = read(path)
    for array in arrays.values():
        assert array.flags.aligned
        assert not array.flags.writeable
        assert not array.flags.owndata or not array.size
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_a_file_without_arrays_is_a_file(tmp_path: Path):
    write(tmp_path / "empty", {}, {"a": "b"})
    assert read(tmp_path / "empty") == ({}, {"a": "b"})


def test_the_same_arrays_make_the_same_bytes(tmp_path: Path):
    arrays = some_arrays()
    write(tmp_path / "a", arrays)
    write(tmp_path / "b", dict(reversed(arrays.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_arrays_outlive_the_file_that_they_replace(tmp_path: Path):
    path = tmp_path / "weights"
    write(path, {"x": np.arange(1000)})
    arrays, _ = read(path)
    write(path, {"x": arrays["x"][::-1]})
    np.testing.assert_array_equal(arrays["x"], np.arange(1000))
    np.testing.assert_array_equal(read(path)[0]["x"], np.arange(1000)[::-1])


@pytest.mark.parametrize(
    ("arrays", "metadata", "message"),
    [
        ({"x": np.zeros(1, np.complex64)}, {}, "array 'x': .* got complex64"),
        ({"x": np.zeros(1, object)}, {}, "array 'x': expected a dtype .* got object"),
        ({"__metadata__": np.zeros(1)}, {}, "expected the name of an array, got"),
        ({"\ud800": np.zeros(1)}, {}, r"expected a text in Unicode, got '\\ud800'"),
        ({"x": np.zeros(1)}, {"a": 1}, "expected a text in Unicode, got 1"),
    ],
)
def test_writes_nothing_of_what_has_no_place(
    tmp_path: Path, arrays: dict[str, Array], metadata: dict[str, str], message: str
):
    path = tmp_path / "weights"
    path.write_bytes(b"old")
    with pytest.raises(SafetensorsError, match=f"weights: .*{message}"):
        write(path, arrays, metadata)
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def file_of(header: object, data: int = 0) -> bytes:
    """A file with this header, in JSON or as it is, and `data` bytes of ones."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + b"\1" * data


def entry(dtype: object, shape: object, *offsets: object) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


F32 = entry("F32", [2], 0, 8)

MALFORMED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "expected at least 8 bytes, got 0"),
    "no header": (b"\1\0\0\0\0\0\0\0", "expected a header of at most 0 bytes"),
    "header beyond the file": (
        (10**6).to_bytes(8, "little") + b"{}",
        "expected a header of at most 2 bytes, got a length of 1000000",
    ),
    "no bytes in the header": (file_of(b""), "header that begins with {, got b''"),
    "space first": (file_of(b" {}"), "expected a header that begins with {, got b' '"),
    "not JSON": (file_of(b"{'x': 1}"), "expected a header in JSON"),
    "not text": (file_of(b'{"\xff": 1}'), "expected a header in JSON"),
    "something after": (file_of(b"{} {}"), "expected a header in JSON"),
    "a deep nest": (file_of(b'{"x":' + b"[" * 10**5), "header nested at most 8 deep"),
    "a long number": (file_of(b'{"x":' + b"1" * 10**4), "expected a header in JSON"),
    "a name twice": (
        file_of(b'{"x": {}, "x": {}}'),
        "expected each name once, got 'x' again",
    ),
    "half a character": (
        file_of(rb'{"\ud800": 1}'),
        r"expected a text in Unicode, got '\\ud800'",
    ),
    "metadata of numbers": (
        file_of({"__metadata__": {"a": 1}}),
        "expected a text in Unicode, got 1",
    ),
    "metadata in a list": (
        file_of({"__metadata__": ["a"]}),
        r"__metadata__: expected texts with names, got \['a'\]",
    ),
    "no fields": (file_of({"x": 1}), "array 'x': expected the fields .*, got 1"),
    "a field too few": (
        file_of({"x": {"dtype": "F32", "shape": []}}),
        "expected the fields data_offsets, dtype, shape, got",
    ),
    "a field too many": (
        file_of({"x": F32 | {"more": 1}}, 8),
        "expected the fields data_offsets, dtype, shape, got",
    ),
    "another dtype": (
        file_of({"x": entry("F6_E3M2", [4], 0, 4)}, 4),
        "array 'x': expected a dtype among F32, .*, BF16, .*, got 'F6_E3M2'",
    ),
    "a dtype that is a list": (
        file_of({"x": entry(["F32"], [2], 0, 8)}, 8),
        r"expected a dtype among .*, got \['F32'\]",
    ),
    "a negative size": (
        file_of({"x": entry("F32", [-2, -1], 0, 8)}, 8),
        r"expected shape to be a list of sizes, got \[-2, -1\]",
    ),
    "a size that is no integer": (
        file_of({"x": entry("F32", [2.0], 0, 8)}, 8),
        r"expected shape to be a list of sizes, got \[2.0\]",
    ),
    "a size that is true": (
        file_of({"x": entry("F32", [True, 2], 0, 8)}, 8),
        r"expected shape to be a list of sizes, got \[True, 2\]",
    ),
    "a size beyond any address": (
        file_of({"x": entry("F32", [0, 2**63], 0, 0)}),
        "expected shape to be a list of sizes",
    ),
    "sizes that numpy cannot multiply": (
        file_of({"x": entry("F32", [0, 2**62, 2**62], 0, 0)}),
        "array 'x': expected a shape that numpy can hold, got",
    ),
    "too many axes": (
        file_of({"x": entry("U8", [1] * 65, 0, 1)}, 1),
        "expected at most 64 axes, got 65",
    ),
    "no end": (
        file_of({"x": entry("U8", [1], 0)}, 1),
        "expected data_offsets of 2 numbers, got 1",
    ),
    "an end before the beginning": (
        file_of({"x": entry("U8", [1], 1, 0)}, 1),
        r"array 'x': expected 1 bytes for U8 \[1\], got -1",
    ),
    "data of another size": (
        file_of({"x": entry("F32", [2], 0, 4)}, 4),
        r"array 'x': expected 8 bytes for F32 \[2\], got 4",
    ),
    "a hole": (
        file_of({"x": F32, "y": entry("U8", [1], 9, 10)}, 10),
        "array 'y': expected data_offsets to begin at 8, .*, got 9",
    ),
    "an overlap": (
        file_of({"x": F32, "y": entry("U8", [8], 4, 12)}, 12),
        "array 'y': expected data_offsets to begin at 8, .*, got 4",
    ),
    "data that is missing": (
        file_of({"x": F32}, 7),
        "expected 8 bytes of data, got 7",
    ),
    "data too much": (file_of({"x": F32}, 9), "expected 8 bytes of data, got 9"),
    "half true": (
        file_of({"x": entry("U8", [1], 0, 1), "y": entry("BOOL", [1], 1, 2)}, 1)
        + b"\2",
        "array 'y': expected booleans of 0 or 1, got 2",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_refuses_a_file_and_says_why(tmp_path: Path, name: str):
    content, message = MALFORMED[name]
    path = tmp_path / "weights.safetensors"
    path.write_bytes(content)
    with pytest.raises(SafetensorsError, match=f"^{re.escape(str(path))}: .*{message}"):
        read(path)


def test_refuses_a_header_longer_than_the_format_allows(tmp_path: Path):
    path = tmp_path / "weights"
    with path.open("wb") as file:
        file.write((100_000_001).to_bytes(8, "little") + b"{}")
        file.truncate(200_000_000)
    with pytest.raises(SafetensorsError, match="header of at most 100000000 bytes"):
        read(path)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (6, "array 'x': expected the fields"),
        (7, "array 'x': expected the fields"),
        (8, "expected a header nested at most 8 deep, got 9"),
        (900, "expected a header nested at most 8 deep, got 901"),
        (100_000, "expected a header nested at most 8 deep, got 100001"),
    ],
)
def test_depth_is_bounded_by_a_count_of_its_own(
    depth: int, expected: str, opening: str, tmp_path: Path
):
    path = tmp_path / "weights"
    closing = "]" if opening == "[" else "}"
    inner = opening * (depth - 1) + ("[]" if opening == "[" else "{}")
    nest = '{"x":' + inner + closing * (depth - 1) + "}"
    path.write_bytes(file_of(nest.encode()))
    with pytest.raises(SafetensorsError, match=expected):
        read(path)


@pytest.mark.parametrize(
    "name", ["[" * 50, "{[" * 9, r"\"" + "[" * 50, "\\" * 2 + "[" * 9]
)
def test_brackets_in_a_name_are_no_nest(name: str, tmp_path: Path):
    path = tmp_path / "weights"
    write(path, {name: np.zeros(3, np.float32)}, {name: name})
    assert read(path)[1] == {name: name}


@pytest.mark.parametrize("text", ['{"' + r"\"" * 50_000, '{"\\', '{"[[[[[[[[[['])
def test_a_name_without_its_end_is_read_once(text: str, tmp_path: Path):
    path = tmp_path / "weights"
    path.write_bytes(file_of(text.encode()))
    with pytest.raises(SafetensorsError, match="expected a header in JSON"):
        read(path)


def test_writes_no_header_longer_than_the_format_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert safetensors_header.LONGEST_HEADER == 10**8
    monkeypatch.setattr(safetensors_header, "LONGEST_HEADER", 10**4)
    with pytest.raises(SafetensorsError, match="header of at most 10000 bytes"):
        write(tmp_path / "weights", {}, {"": " " * 10**4})
    assert not [*tmp_path.iterdir()]


def test_no_cut_and_no_flipped_byte_gets_through(tmp_path: Path):
    path = tmp_path / "weights"
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.ones(3, np.bool_)}
    write(path, arrays, {"format": "np"})
    content = path.read_bytes()
    length = 8 + int.from_bytes(content[:8], "little")
    for end in range(len(content)):
        path.write_bytes(content[:end])
        with pytest.raises(SafetensorsError):
            read(path)
    rng = random.Random(0)
    refused = 0
    for _ in range(1000):
        damaged = bytearray(content)
        for _ in range(rng.choice([1, 1, 2, 8])):
            damaged[rng.randrange(length)] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            back, _ = read(path)
        except SafetensorsError:
            refused += 1
        else:
            # Such as another letter in a name: a file as good as the first.
            assert sum(array.nbytes for array in back.values()) == len(content) - length
    assert refused > 500


def test_its_own_implementation_reads_and_writes_the_same(tmp_path: Path):
    numpy = pytest.importorskip("safetensors.numpy")
    # It has bf16 where a package has it, and we the bits.
    arrays = {n: each for n, each in some_arrays().items() if each.dtype.kind != "V"}
    write(tmp_path / "ours", arrays, {"a": "b"})
    theirs = numpy.load_file(tmp_path / "ours")
    # It stores the bytes in order of their addresses, whatever the strides are.
    plain = {
        name: np.array(array, array.dtype.newbyteorder("="), order="C")
        for name, array in arrays.items()
    }
    numpy.save_file(plain, tmp_path / "theirs", {"a": "b"})
    ours, metadata = read(tmp_path / "theirs")
    assert metadata == {"a": "b"}
    for name, array in plain.items():
        for back in (theirs[name], ours[name]):
            assert (back.dtype, back.shape) == (array.dtype, array.shape)
            np.testing.assert_array_equal(back, array)
