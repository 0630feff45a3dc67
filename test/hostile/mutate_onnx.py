"""Mutants of ONNX models: fields of the messages changed, whatever they are."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, EncodeError, Message
from onnx import AttributeProto, GraphProto, ModelProto, TensorProto, defs, helper

from .mutate import LARGEST, NAMES, REALS, mutate_bytes, number_near

KNOWN_OPS = sorted({each.name for each in defs.get_all_schemas() if not each.domain})

LOCATIONS = (
    *("weights.bin", "", ".", "..", "../weights.bin", "/dev/zero", "/etc/passwd"),
    *("weights.bin\0", "a/../../b", "a" * 5000),
)
"""Files that an external tensor may name."""


def mutate_onnx(random: Random, data: bytes, other: bytes) -> bytes:
    """`data` with a few of its fields changed; some parts may come from `other`."""
    if random.random() < 0.1:
        return mutate_bytes(random, data, other)
    model, second = ModelProto(), ModelProto()
    model.ParseFromString(data)
    second.ParseFromString(other)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        random.choice(MUTATORS)(random, model, second)
    try:
        result = model.SerializeToString()
    except (DecodeError, EncodeError, ValueError):
        return data
    return result if len(result) <= LARGEST else data


def messages(message: Any) -> Iterator[Any]:
    """A message and all that are within it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for each in [value] if isinstance(value, Message) else value:
            yield from messages(each)


def any_field(random: Random, model: Any, second: Any) -> None:
    """Changes some field of some message, of each kind of message equally often."""
    kinds: dict[str, list[Any]] = {}
    for each in messages(model):
        kinds.setdefault(each.DESCRIPTOR.name, []).append(each)
    message = random.choice(kinds[random.choice(sorted(kinds))])
    given = [field for field, _ in message.ListFields()]
    every = list(message.DESCRIPTOR.fields)
    field = random.choice(given if given and random.random() < 0.8 else every)
    if is_repeated(message, field):
        change_list(random, message, field, second)
    else:
        change_value(random, message, field, second)


def is_repeated(message: Any, field: Any) -> bool:
    """Whether a field holds any number of values."""
    value = getattr(message, field.name)
    return not isinstance(value, Message | str | bytes | int | float)


def change_value(random: Random, message: Any, field: Any, second: Any) -> None:
    """Gives a field that holds one value another one, or none."""
    if random.random() < 0.1:
        message.ClearField(field.name)
    elif field.message_type is not None:
        found = [
            each
            for each in (*messages(second), *messages(message))
            if each.DESCRIPTOR is field.message_type
        ]
        target = getattr(message, field.name)
        if found:
            copy = type(target)()
            copy.CopyFrom(random.choice(found))
            target.CopyFrom(copy)
        else:
            target.SetInParent()
    else:
        old = getattr(message, field.name)
        set_if_it_fits(message, field.name, other_value(random, field, old))


def set_if_it_fits(message: Any, name: str, value: Any) -> None:
    """Sets a field, unless its type has no such value."""
    try:
        setattr(message, name, value)
    except (ValueError, TypeError):
        message.ClearField(name)


def other_value(random: Random, field: Any, old: Any) -> Any:
    """Another value of the type of a field."""
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return random.choice((*NAMES, *KNOWN_OPS)) if random.random() < 0.9 else old
        case FieldDescriptor.TYPE_BYTES:
            if len(old) < 40 and random.random() < 0.3:
                return random.choice(NAMES).encode()
            return mutate_bytes(random, old, old)
        case FieldDescriptor.TYPE_FLOAT | FieldDescriptor.TYPE_DOUBLE:
            return random.choice(REALS)
        case _:
            return number_near(random, old)


def change_list(random: Random, message: Any, field: Any, second: Any) -> None:
    """Removes, doubles, swaps, adds or changes elements of a field."""
    values = getattr(message, field.name)
    at = random.randrange(len(values)) if len(values) else 0
    match random.randrange(7):
        case 0:
            del values[at : at + 1]
        case 1:
            message.ClearField(field.name)
        case 2 if len(values):
            copies = [values[at]] * random.choice((1, 1, 2, 60))
            values.extend(copies)
        case 3 if len(values) > 1:
            order = list(values)
            random.shuffle(order)
            copies = type(message)()
            getattr(copies, field.name).extend(order)
            message.ClearField(field.name)
            values.MergeFrom(getattr(copies, field.name))
        case 4 if field.message_type is not None:
            found = [
                each
                for each in messages(second)
                if each.DESCRIPTOR is field.message_type
            ]
            values.extend(found[:1] if not found else [random.choice(found)])
        case _ if field.message_type is not None:
            if len(values):
                any_field(random, values[at], second)
        case _:
            old = values[at] if len(values) else zero_of(field)
            try:
                new = other_value(random, field, old)
                values[at : at + 1] = [new]
            except (ValueError, TypeError):
                del values[at : at + 1]


def zero_of(field: Any) -> Any:
    """The least value of the type of a field."""
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return ""
        case FieldDescriptor.TYPE_BYTES:
            return b""
        case _:
            return 0


def every_graph(model: Any) -> list[Any]:
    """The graph of a model and those of its nodes' attributes."""
    return [each for each in messages(model.graph) if isinstance(each, GraphProto)]


def some_node(random: Random, model: Any) -> Any:
    """A node, or None when there is none."""
    nodes = [node for graph in every_graph(model) for node in graph.node]
    return random.choice(nodes) if nodes else None


def known_names(model: Any) -> list[str]:
    """Every name that a value of the model has."""
    return [
        name
        for graph in every_graph(model)
        for name in (
            *(each.name for each in graph.input),
            *(each.name for each in graph.initializer),
            *(name for node in graph.node for name in node.output),
        )
    ]


def an_edge(random: Random, model: Any, second: Any) -> None:
    """Lets a node read another value."""
    node = some_node(random, model)
    if node is None:
        return
    name = random.choice([*known_names(model), "", "ghost"])
    if node.input and random.random() < 0.8:
        node.input[random.randrange(len(node.input))] = name
    else:
        node.input.append(name)


def an_op(random: Random, model: Any, second: Any) -> None:
    """Makes a node one of another op."""
    node = some_node(random, model)
    if node is not None:
        node.op_type = random.choice(KNOWN_OPS)
        if random.random() < 0.5:
            node.ClearField("attribute")


def an_attribute(random: Random, model: Any, second: Any) -> None:
    """Changes an attribute of a node, or gives it one that its op may have."""
    node = some_node(random, model)
    if node is None:
        return
    if node.attribute and random.random() < 0.7:
        any_field(random, random.choice(list(node.attribute)), second)
        return
    if not defs.has(node.op_type):
        return
    known = sorted(defs.get_schema(node.op_type).attributes)
    if known:
        values = (
            number_near(random, 1),
            [number_near(random, 1) for _ in range(random.randrange(5))],
            random.choice(REALS),
            random.choice(NAMES),
        )
        add_attribute(node, random.choice(known), random.choice(values))


def add_attribute(node: Any, name: str, value: Any) -> None:
    """Gives a node an attribute, unless there is no such value."""
    try:
        if value == []:
            empty = AttributeProto(name=name, type=AttributeProto.INTS)
            node.attribute.append(empty)
        else:
            node.attribute.append(helper.make_attribute(name, value))
    except (ValueError, TypeError):
        pass


def a_size(random: Random, model: Any, second: Any) -> None:
    """Changes a dimension of an input, to a number or a name."""
    sizes = [
        size for value in model.graph.input for size in value.type.tensor_type.shape.dim
    ]
    if not sizes:
        return
    size = random.choice(sizes)
    if random.random() < 0.5:
        set_if_it_fits(size, "dim_value", number_near(random, size.dim_value))
    else:
        size.dim_param = random.choice(NAMES)


def a_weight(random: Random, model: Any, second: Any) -> None:
    """Changes what an initializer holds, its dims, or where it is."""
    tensors = [each for each in messages(model) if isinstance(each, TensorProto)]
    if not tensors:
        return
    tensor = random.choice(tensors)
    match random.randrange(4):
        case 0:
            any_field(random, tensor, second)
        case 1:
            tensor.dims[:] = [
                max(-(2**63), min(2**63 - 1, number_near(random, 3)))
                for _ in range(random.choice((0, 1, 2, 3, 9, 100)))
            ]
        case 2:
            put_outside(random, tensor)
        case _:
            if tensor.data_type == TensorProto.INT64 and len(tensor.raw_data) >= 8:
                at = random.randrange(len(tensor.raw_data) // 8) * 8
                number = number_near(random, 1) % 2**64
                raw = bytearray(tensor.raw_data)
                raw[at : at + 8] = number.to_bytes(8, "little")
                tensor.raw_data = bytes(raw)


def put_outside(random: Random, tensor: Any) -> None:
    """Makes the data of a tensor a part of a file."""
    tensor.data_location = TensorProto.EXTERNAL
    tensor.ClearField("raw_data")
    for key, values in (
        ("location", LOCATIONS),
        ("offset", ("0", "-1", "4", "x", str(2**63), str(2**70), " 1", "1_0")),
        ("length", ("0", "-1", "4", "16", "y", str(2**62), "")),
    ):
        if random.random() < 0.8:
            tensor.external_data.add(key=key, value=random.choice(values))


def an_output(random: Random, model: Any, second: Any) -> None:
    """Makes any value of the model one of its outputs."""
    names = known_names(model)
    if names:
        model.graph.output.add(name=random.choice(names))


def a_splice(random: Random, model: Any, second: Any) -> None:
    """Puts the nodes of another model behind those of this one."""
    at = random.randrange(len(model.graph.node) + 1)
    nodes = [*model.graph.node[:at], *second.graph.node, *model.graph.node[at:]]
    copies = GraphProto()
    copies.node.extend(nodes)
    model.graph.ClearField("node")
    model.graph.node.extend(copies.node)
    model.graph.initializer.extend(second.graph.initializer)
    if random.random() < 0.5:
        model.graph.input.extend(second.graph.input)


MUTATORS = (
    *(any_field, any_field, any_field, an_edge, an_op, an_attribute, an_attribute),
    *(a_size, a_weight, an_output, a_splice),
)
