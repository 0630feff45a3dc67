"""Nested lists, tuples and dicts, and the leaves of them."""

from collections.abc import Callable, Iterable
from typing import Any

class TreeSpec:
    type: Any
    @property
    def context(self) -> Any: ...
    @property
    def num_children(self) -> int: ...
    @property
    def num_leaves(self) -> int: ...
    def child(self, index: int) -> TreeSpec: ...
    def children(self) -> list[TreeSpec]: ...
    def is_leaf(self) -> bool: ...
    def unflatten(self, leaves: Iterable[Any]) -> Any: ...

class SequenceKey:
    idx: int

class MappingKey:
    key: Any
    def __init__(self, key: Any) -> None: ...

class GetAttrKey:
    name: str

def register_pytree_node(
    cls: type[Any],
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    *,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]]
    | None = None,
) -> None: ...
def tree_flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]: ...
def tree_flatten_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[
    list[tuple[tuple[SequenceKey | MappingKey | GetAttrKey, ...], Any]], TreeSpec
]: ...
def tree_leaves(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> list[Any]: ...
def tree_map(
    func: Callable[..., Any],
    tree: Any,
    *rests: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any: ...
def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any: ...
