"""
Take the trees of a caller apart into inputs, and make the tree of a result of outputs.

Trees are data (`runtime/program/structure.py`): nothing of a framework is needed. A
named tuple or a dataclass is looked for by its module and name when the first result is
made. Where it cannot be imported, an equal named tuple stands in for the one, and a
dictionary of the fields for the other.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias, cast

import numpy as np

from ..files import listed, shortened
from ..machine import call_by, callable_class, numpy_layout
from ..program import (
    ARRAY,
    COMPLEX,
    CONSTANT,
    LEAVES,
    MAPPINGS,
    NUMBER,
    RECORDS,
    SEQUENCES,
    TEXTS,
    Structure,
    TensorInfo,
    Tree,
)
from .arguments import match_inputs, unknown_inputs
from .complex_pairs import from_pairs, to_pairs
from .texts import numbered, texts_of

_Build: TypeAlias = Callable[[Sequence[Any]], Any]
"""Makes a tree of the outputs of a run."""

_KINDS: dict[str, Callable[..., Any]] = {
    "tuple": tuple,
    "list": list,
    "deque": deque,
    "dict": dict,
    "OrderedDict": OrderedDict,
}
"""The containers that Python has."""

_NAMED_TUPLE: Any = namedtuple
"""What makes a class of named tuples, whose fields are known to a run alone."""

_CONTAINERS = (tuple, list, deque, dict)


def builder(structure: Structure | None) -> Callable[[Any], Any] | None:
    """
    What makes the result of a call of what compiled code returns, one array or a tuple;
    None where that is the result.
    """
    if structure is None or structure.outputs is None:
        return None
    build = _builder(structure.outputs)
    count = sum(each.kind != CONSTANT for each in structure.outputs.leaves())
    return (lambda result: build((result,))) if count == 1 else build


def flat_call(function: int) -> Callable[..., Any] | None:
    """
    Machine code of calls, by its address, which takes inputs and returns outputs
    without their trees; None where Python calls no machine code.
    """
    if not numpy_layout.is_as_expected():
        return None
    made = callable_class(_Flat)()
    call_by(made, _Flat, function)
    return made


class _Flat:
    """A call of machine code, which gives outputs without their structure."""


def _builder(tree: Tree) -> _Build:
    """What makes a tree of the outputs."""
    number, value = tree.number, tree.value
    if tree.kind == ARRAY:
        return lambda outputs: outputs[number]
    if tree.kind == COMPLEX:
        return lambda outputs: from_pairs(outputs[number])
    if tree.kind == NUMBER:
        return lambda outputs: outputs[number].item()
    if tree.kind == CONSTANT:
        return lambda _: value
    if tree.kind == TEXTS:
        texts = np.array([*map(str, tree.keys)], object)
        return lambda outputs: texts_of(texts, outputs[number], tree.name)
    if tree.kind == RECORDS:
        keys = tree.keys
        return lambda outputs: [
            dict(zip(keys, row, strict=True)) for row in outputs[number].tolist()
        ]
    parts = [_builder(each) for each in tree.parts]
    if tree.kind in SEQUENCES:
        sequence = _KINDS[tree.kind]
        return lambda outputs: sequence([part(outputs) for part in parts])
    keyed = [*zip(tree.keys, parts, strict=True)]
    if tree.kind in MAPPINGS:
        mapping = _KINDS[tree.kind]
        return lambda outputs: mapping([(key, part(outputs)) for key, part in keyed])
    # The first call looks for it, in the process that calls.
    find = cache(lambda: _class_of(tree))
    if tree.kind == "namedtuple":
        return lambda outputs: find()(*[part(outputs) for part in parts])
    return lambda outputs: find()(**{str(key): part(outputs) for key, part in keyed})


def _class_of(tree: Tree) -> Callable[..., Any]:
    """The class of a named tuple or a dataclass, or what takes its place."""
    fields = tuple(map(str, tree.keys))
    found = _imported(tree.name)
    if tree.kind == "namedtuple":
        if isinstance(found, type) and _is_named_tuple(found, fields):
            return found
        name = tree.name.rpartition(":")[2].rpartition(".")[2]
        return _NAMED_TUPLE(name, fields, rename=True)
    if isinstance(found, type) and dataclasses.is_dataclass(found):
        return found
    return dict


def _imported(name: str) -> Any:
    """What `module:qualname` names; None where there is no such thing."""
    module, _, path = name.partition(":")
    try:
        found: Any = import_module(module)
        for each in path.split("."):
            found = getattr(found, each)
    except (ImportError, AttributeError, ValueError, TypeError):
        return None
    return found


def _is_named_tuple(value: object, fields: tuple[str, ...]) -> bool:
    """Whether a value is a named tuple with these fields, or the class of such."""
    if getattr(value, "_fields", None) != fields:
        return False
    return issubclass(value, tuple) if isinstance(value, type) else _is_tuple(value)


def _is_tuple(value: object) -> bool:
    """Whether a value is a tuple, of any class."""
    return isinstance(value, tuple)


def flat_outputs(structure: Structure | None, result: Any) -> list[Any]:
    """What a call returned, as a list of the outputs that are computed."""
    if structure is None or structure.outputs is None:
        return [*result] if type(result) is tuple else [result]
    found = flatten(structure.outputs, result, "the result")
    return [_flat(leaf, value) for leaf, value in found if leaf.kind != CONSTANT]


def _flat(leaf: Tree, value: Any, part: str | None = None) -> Any:
    """
    The array that compiled code makes for a leaf, or takes of a `part`, the dtype of
    the parts of complex numbers; texts that it takes are as they are.
    """
    if leaf.kind == TEXTS and part is None:
        return np.asarray(value, str)
    if leaf.kind == RECORDS:
        rows = [[row[key] for key in leaf.keys] for row in value]
        return np.array(rows, np.float32).reshape(-1, len(leaf.keys))
    return to_pairs(value, leaf.name, part) if leaf.kind == COMPLEX else value


def parameters(structure: Structure | None) -> tuple[str, ...]:
    """The names by which a model takes trees."""
    tree = None if structure is None else structure.inputs
    return () if tree is None else tuple(map(str, tree.keys))


def match_tree(
    structure: Structure | None,
    inputs: Sequence[TensorInfo],
    arguments: Sequence[Any],
    by_name: Mapping[str, Any],
) -> list[Any]:
    """
    The argument for each input, in order, out of the trees that a model takes, or of
    the arrays in them, with numbers for texts; raises `TypeError` for other trees.
    """
    values = _matched(structure, inputs, arguments, by_name)
    if structure is None or not structure.inputs_of_texts:
        return values
    return numbered(structure, inputs, values)


def _matched(
    structure: Structure | None,
    inputs: Sequence[TensorInfo],
    arguments: Sequence[Any],
    by_name: Mapping[str, Any],
) -> list[Any]:
    """The same with texts as they are given."""
    tree = None if structure is None else structure.inputs
    if tree is None or _is_flat(tree, inputs, arguments, by_name):
        return match_inputs(inputs, arguments, by_name)
    given = _bound(tree, arguments, by_name)
    dtypes = {each.name: each.dtype for each in inputs}
    found: dict[str, Any] = {}
    for name, part in zip(map(str, tree.keys), tree.parts, strict=True):
        if name not in given:
            if any(each.kind != CONSTANT for each in part.leaves()):
                raise TypeError(f"{_expected(tree)}, got none for {shortened(name)}")
            continue
        for leaf, value in flatten(part, given[name], f"input {shortened(name)}"):
            found[leaf.name] = _flat(leaf, value, dtypes.get(leaf.name))
    return [found[each.name] for each in inputs]


def _is_flat(
    tree: Tree,
    inputs: Sequence[TensorInfo],
    arguments: Sequence[Any],
    by_name: Mapping[str, Any],
) -> bool:
    """Whether a caller gives an array for each leaf, and no trees."""
    names, parameters = {each.name for each in inputs}, {*tree.keys}
    if by_name and {*by_name} <= names and parameters.isdisjoint(by_name):
        return True
    values = [*arguments, *(by_name[each] for each in by_name if each in parameters)]
    return (
        len(arguments) + len(by_name) == len(inputs)
        and not tree.has_complex
        and {*by_name} <= names
        and not any(isinstance(each, _CONTAINERS) for each in values)
        and not any(dataclasses.is_dataclass(each) for each in values)
    )


def _expected(tree: Tree) -> str:
    """What is expected of a call, in words."""
    return f"expected {len(tree.keys)} inputs ({listed(map(str, tree.keys))})"


def _bound(
    tree: Tree, arguments: Sequence[Any], by_name: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments by the names of parameters."""
    if len(arguments) > len(tree.keys):
        raise TypeError(f"{_expected(tree)}, got {len(arguments)}")
    if unknown := [name for name in by_name if name not in tree.keys]:
        raise TypeError(f"{_expected(tree)}, {unknown_inputs(unknown)}")
    given = dict(zip(map(str, tree.keys), arguments, strict=False))
    if twice := [name for name in by_name if name in given]:
        raise TypeError(f"{_expected(tree)}, got {listed(twice)} twice")
    return {**given, **by_name}


def flatten(tree: Tree, value: Any, path: str) -> Iterator[tuple[Tree, Any]]:
    """The leaves with their values; raises `TypeError` where it is another tree."""
    if tree.kind in LEAVES:
        if tree.kind == CONSTANT:
            _check_constant(tree, value, path)
        elif isinstance(value, dict) or value is None:
            raise _mismatch(path, "texts" if tree.kind == TEXTS else "an array", value)
        yield tree, value
        return
    if tree.kind in SEQUENCES:
        steps = [f"{path}[{at}]" for at in range(len(tree.parts))]
        values = _elements(tree, value, path)
    elif tree.kind in MAPPINGS or _is_fallback(tree, value):
        steps = [f"{path}[{shortened(repr(key))}]" for key in tree.keys]
        values = _values(tree, value, path)
    else:
        steps = [f"{path}.{key}" for key in tree.keys]
        values = _fields(tree, value, path)
    for part, each, step in zip(tree.parts, values, steps, strict=True):
        yield from flatten(part, each, step)


def _elements(tree: Tree, value: Any, path: str) -> Sequence[Any]:
    """The elements of a sequence."""
    kind: Any = _KINDS[tree.kind]
    expected = f"a {tree.kind} of {len(tree.parts)}"
    if not isinstance(value, kind) or hasattr(value, "_fields"):
        raise _mismatch(path, expected, value)
    found = cast("Sequence[Any]", value)
    if len(found) != len(tree.parts):
        raise TypeError(f"{path}: expected {expected}, got {len(found)}")
    return found


def _values(tree: Tree, value: Any, path: str) -> list[Any]:
    """The values of a dictionary, in the order of the tree."""
    keys = listed(map(repr, tree.keys)) or "no keys"
    if not isinstance(value, dict):
        raise _mismatch(path, f"a dict with {keys}", value)
    found = cast("dict[Any, Any]", value)
    if {*found} != {*tree.keys}:
        got = listed(map(repr, found)) or "no keys"
        raise TypeError(f"{path}: expected a dict with {keys}, got {got}")
    return [found[key] for key in tree.keys]


def _fields(tree: Tree, value: Any, path: str) -> list[Any]:
    """The fields of a named tuple or of a dataclass."""
    fields = tuple(map(str, tree.keys))
    is_tuple = tree.kind == "namedtuple"
    if not (_is_named_tuple(value, fields) if is_tuple else _is_named(tree, value)):
        name = tree.name.partition(":")[2]
        raise _mismatch(path, f"a {shortened(name)} of {listed(fields)}", value)
    return [getattr(value, name) for name in fields]


def _is_named(tree: Tree, value: object) -> bool:
    """Whether a value is of a class with the name that a tree says."""
    kind = value.__class__
    return f"{kind.__module__}:{kind.__qualname__}" == tree.name


def _is_fallback(tree: Tree, value: Any) -> bool:
    """Whether a value is the dictionary that takes the place of a dataclass."""
    is_other = tree.kind == "dataclass" and not _is_named(tree, value)
    return is_other and isinstance(value, dict)


def _check_constant(tree: Tree, value: Any, path: str) -> None:
    """Raises an error for another value than the model was compiled for."""
    known = tree.value
    is_equal = known is value or (
        isinstance(value, bool | int | float | str)
        and isinstance(value, bool) == isinstance(known, bool)
        and (value == known or (value != value and known != known))
    )
    if not is_equal:
        expected = f"{shortened(repr(known))}, for which the model was compiled"
        if type(value) is not type(known):
            raise _mismatch(path, expected, value)
        raise ValueError(f"{path}: expected {expected}, got {shortened(repr(value))}")


def _mismatch(path: str, expected: str, value: Any) -> TypeError:
    """The error that something else was expected at a place of a tree."""
    got = "None" if value is None else type(value).__name__
    return TypeError(f"{path}: expected {expected}, got {got}")
