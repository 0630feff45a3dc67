"""The trees of what an exported program takes and returns, as data for its callers."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind
from torch.utils import _pytree as pytree
from torch.utils._pytree import TreeSpec
from xdsl.dialects.builtin import StringAttr

from ....runtime.program import (
    ARRAY,
    COMPLEX,
    CONSTANT,
    MOST_DEEP,
    STRUCTURE,
    Constant,
    Structure,
    Tree,
)
from ...session import CompileError
from .outputs import constant_leaf, key_of
from .pairs import has_complex
from .sample_tree import sample_inputs, sample_outputs

_SEQUENCES = {tuple: "tuple", list: "list", deque: "deque"}
_MAPPINGS = {dict: "dict", OrderedDict: "OrderedDict", defaultdict: "dict"}


def structure_of(
    program: ExportedProgram, outputs: Sequence[Tree], names: Sequence[str]
) -> dict[str, StringAttr]:
    """
    The attribute of a function that says what callers give and get, with these leaves
    of outputs and these names of inputs; nothing where both are lists of tensors.

    What is left of either are states. Results that are one tensor, or a tuple of such,
    are a tuple with them, and other trees are its first element.
    """
    inputs = _parameters(program, names)
    spec = program.call_spec.out_spec
    assert spec is not None, "torch.export notes what a program returns"
    leaves = iter(outputs)
    results = _tree(spec, leaves, sample_outputs(program))
    if states := tuple(leaves):
        own = (results,) if results.kind == ARRAY else results.parts
        is_flat = results.kind == ARRAY or _is_flat(results)
        results = Tree("tuple", (*(own if is_flat else (results,)), *states))
    found = Structure(
        None if _is_list(inputs, names) else inputs,
        None if _is_plain(results) else results,
    )
    if found == Structure(None, None):
        return {}
    return {STRUCTURE: StringAttr(json.dumps(asdict(found)))}


def _parameters(program: ExportedProgram, names: Sequence[str]) -> Tree:
    """The parameters of the model, with inputs of these names as their leaves."""
    rest = iter(names)
    kinds = {
        each.name: COMPLEX if has_complex(each) else ARRAY
        for each in program.graph.find_nodes(op="placeholder")
    }
    leaves = iter(
        [
            constant_leaf(each.arg.value, "an input")
            if isinstance(each.arg, ConstantArgument)
            else Tree(kinds[each.arg.name], name=next(rest))
            for each in program.graph_signature.input_specs
            if each.kind is InputKind.USER_INPUT
        ]
    )
    spec = program.call_spec.in_spec
    assert spec is not None, "torch.export notes what a program takes"
    positional, named = sample_inputs(program)
    args, kwargs = spec.children()
    parts = [
        _tree(each, leaves, value)
        for each, value in [
            *zip(args.children(), positional, strict=True),
            *zip(kwargs.children(), named.values(), strict=True),
        ]
    ]
    keys = [f"args_{at}" for at in range(len(positional))]
    signature = program.module_call_graph[0].signature
    known = (None if signature is None else signature.forward_arg_names) or []
    keys = [*known[: len(keys)], *keys[len(known) :], *named]
    states = [*rest]
    parts += [Tree(ARRAY, name=each) for each in states]
    return Tree("dict", tuple(parts), (*keys, *states))


def _tree(
    spec: TreeSpec, leaves: Iterator[Tree], sample: Any, depth: int = MOST_DEEP
) -> Tree:
    """The tree of a specification with these leaves; `sample` is such a tree."""
    if depth == 0:
        raise CompileError(f"expected at most {MOST_DEEP} nested containers, got more")
    if spec.is_leaf():
        return next(leaves)
    steps = _steps(spec, sample)
    parts = tuple(
        _tree(child, leaves, value, depth - 1)
        for child, (_, value) in zip(spec.children(), steps, strict=True)
    )
    keys = tuple(key for key, _ in steps)
    kind: Any = spec.type
    if kind in _SEQUENCES:
        return Tree(_SEQUENCES[kind], parts)
    if kind in _MAPPINGS:
        return Tree(_MAPPINGS[kind], parts, tuple(map(_key, keys)))
    if kind is namedtuple:
        return Tree("namedtuple", parts, tuple(map(_key, keys)), _path(spec.context))
    if isinstance(kind, type) and is_dataclass(kind):
        # Fields that are None are no children.
        unset = [
            each.name
            for each in fields(kind)
            if each.init
            and each.name not in keys
            and getattr(sample, each.name, 0) is None
        ]
        parts += (Tree(CONSTANT),) * len(unset)
        return Tree("dataclass", parts, (*map(_key, keys), *unset), _path(kind))
    # A class that torch or somebody else registered, such as torch.return_types.max.
    if keys and all(isinstance(each, str) for each in keys):
        return Tree("dict", parts, tuple(map(_key, keys)))
    return Tree("tuple", parts)


def _steps(spec: TreeSpec, sample: Any) -> list[tuple[Any, Any]]:
    """The keys and the values of the children of a node."""
    is_top = id(sample)
    found, _ = pytree.tree_flatten_with_path(
        sample, is_leaf=lambda each: id(each) != is_top
    )
    return [(key_of(path[0]), value) for path, value in found]


def _key(key: Any) -> Constant:
    """A key of a dictionary, if it is one that a program can hold."""
    if not isinstance(key, bool | int | float | str | None):
        raise CompileError(
            "expected dictionaries with numbers or texts as keys, got "
            f"{type(key).__name__}"
        )
    return key


def _path(kind: type[Any]) -> str:
    """Where a class is found."""
    return f"{kind.__module__}:{kind.__qualname__}"


def _is_list(tree: Tree, names: Sequence[str]) -> bool:
    """Whether parameters are just the inputs of these names."""
    is_bare = all(each.kind == ARRAY for each in tree.parts)
    return is_bare and tree.keys == tuple(names)


def _is_plain(tree: Tree) -> bool:
    """Whether a result is an array, or a tuple of none or several."""
    if tree.kind == ARRAY:
        return True
    return _is_flat(tree) and len(tree.parts) != 1


def _is_flat(tree: Tree) -> bool:
    """Whether a result is a tuple of arrays."""
    return tree.kind == "tuple" and all(each.kind == ARRAY for each in tree.parts)
