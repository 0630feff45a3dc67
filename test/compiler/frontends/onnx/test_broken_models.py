"""A broken model is a `CompileError`, however it is broken, and never anything else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from onnx import AttributeProto, ModelProto, load

from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.session.errors import CompileError, ModelFileError

from ....models.stored import STORED
from .cases import CASES

FILES = [stored.dynamic for stored in STORED.values()]
names = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def outcome(source: bytes | ModelProto) -> str:
    """What reading comes to: nothing, or the kind of a `CompileError`."""
    try:
        read_onnx(source, SrContext())
    except CompileError as error:
        return type(error).__name__
    return "read"


@names
def test_cut_short(path: Path):
    data = path.read_bytes()
    for place in range(200):
        with pytest.raises(ModelFileError, match="expected an ONNX model, got"):
            read_onnx(data[: len(data) * place // 200], SrContext())


def light(path: Path) -> bytes:
    """A model with small weights, so that most of its bytes say something."""
    source = load(path)
    for tensor in source.graph.initializer:
        if len(tensor.raw_data) > 64:
            tensor.ClearField("raw_data")
            tensor.data_location = 0
            tensor.dims[:] = [0] * len(tensor.dims)
    return source.SerializeToString()


@pytest.mark.sampled(every=3)
@names
def test_bits_flipped(path: Path):
    data, choose = light(path), random.Random(path.stem)
    found = Counter[str]()
    for _ in range(400):
        broken = bytearray(data)
        broken[choose.randrange(len(broken))] ^= 1 << choose.randrange(8)
        found[outcome(bytes(broken))] += 1
    assert len(found) > 1


@names
def test_nodes_dropped(path: Path):
    for number in range(len(load(path).graph.node)):
        source = load(path)
        del source.graph.node[number]
        assert outcome(source) == "CompileError"


@names
def test_nodes_moved_to_the_end(path: Path):
    count = len(load(path).graph.node)
    for number in range(count - 1):
        source = load(path)
        node = source.graph.node.pop(number)
        source.graph.node.append(node)
        assert outcome(source) == "read"


@names
def test_inputs_renamed(path: Path):
    for number, node in enumerate(load(path).graph.node):
        for place in range(len(node.input)):
            source = load(path)
            source.graph.node[number].input[place] = "ghost"
            assert outcome(source) == "CompileError"


def changes(source: ModelProto) -> Iterator[Callable[[ModelProto], None]]:
    """Changes of a model, each of one number in it."""
    numbers = (-1, 0, 1, 7, 1 << 31, 1 << 62, -(1 << 63))
    for place, node in enumerate(source.graph.node):
        for at, attribute in enumerate(node.attribute):
            for number in numbers:

                def change(
                    model: ModelProto, where: tuple[int, int, int] = (place, at, number)
                ) -> None:
                    node, attribute, number = where
                    set_number(model.graph.node[node].attribute[attribute], number)

                if attribute.ints or attribute.type == AttributeProto.INT:
                    yield change


def set_number(attribute: AttributeProto, number: int) -> None:
    """Makes `number` the value of an attribute, or its first value."""
    if attribute.ints:
        attribute.ints[0] = number
    else:
        attribute.i = number


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("name", CASES)
def test_attributes_changed(name: str):
    for change in changes(CASES[name].model):
        source = CASES[name].model
        change(source)
        outcome(source)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("name", CASES)
def test_sizes_changed(name: str):
    for number in (0, 1, 3, 1 << 40, 1 << 62):
        source = CASES[name].model
        for value in source.graph.input:
            if value.type.tensor_type.shape.dim:
                value.type.tensor_type.shape.dim[0].dim_value = number
                outcome(source)
    for value in (source := CASES[name].model).graph.input:
        value.type.tensor_type.shape.ClearField("dim")
        outcome(source)
