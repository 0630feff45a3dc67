"""Read a selection from YAML, by the exact names of its keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ...runtime.files import open_regular, read_bytes, reason, size_of
from ...runtime.library import Operator, Selection, SelectionError
from .kernel_key import is_kernel_key
from .known_names import DTYPES, FEATURES
from .yaml_nodes import MOST_BYTES, Fields, Items, Node, Scalar, read_nodes, shown

_TRUE = {"yes", "true", "on"}
"""What YAML 1.1 takes for true; what else is a boolean is false."""


def read_selection(path: Path) -> Selection:
    """The selection in a file; raises `SelectionError`, or `OSError` for no file."""
    try:
        with open_regular(path) as file:
            data = bytes(read_bytes(file, 0, min(size_of(file), MOST_BYTES + 1)))
    except OSError as error:
        raise SelectionError(f"{path}: expected a file, got {reason(error)}") from error
    return parse_selection(data, str(path))


def parse_selection(data: bytes, name: str = "selection") -> Selection:
    """
    The selection that YAML says, called `name` in messages.

    A list of names is a legacy list: each is a root operator with all its overloads,
    and every dtype, class and feature is selected.
    Raises `SelectionError` with the line for whatever is no selection.
    """
    node = read_nodes(data, name)
    schema = _Schema(name)
    if isinstance(node, Items):
        return of_legacy_list(schema.names(node, "operators"))
    return schema.selection(node)


def of_legacy_list(names: Iterable[str]) -> Selection:
    """The selection of root operators, each with all its overloads."""
    root = Operator(is_used_for_training=False)
    return Selection(
        include_all_non_op_selectives=True, operators=dict.fromkeys(names, root)
    )


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that is most like another, if one is like it."""
    return next(iter(get_close_matches(name[:100], known, 1, 0.5)), None)


class _Schema:
    """What each key of a file holds."""

    def __init__(self, name: str):
        self.name = name
        self.selection_keys: dict[str, Callable[[Node, str], Any]] = {
            "include_all_non_op_selectives": self.flag,
            "include_all_operators": self.flag,
            "debug_info": self.names,
            "build_features": self.features,
            "operators": self.operators,
            "kernel_metadata": self.dtypes,
            "et_kernel_metadata": self.kernel_keys,
            "custom_classes": self.names,
        }
        self.operator_keys: dict[str, Callable[[Node, str], Any]] = {
            "is_used_for_training": self.flag,
            "is_root_operator": self.flag,
            "include_all_overloads": self.flag,
            "debug_info": self.names,
        }
        assert [*self.selection_keys] == [each.name for each in fields(Selection)]
        assert [*self.operator_keys] == [each.name for each in fields(Operator)]

    def selection(self, node: Node) -> Selection:
        """The selection that a document is."""
        known = self.selection_keys
        return Selection(**self.values(node, "a selection", known, "top-level keys"))

    def operators(self, node: Node, what: str) -> dict[str, Operator]:
        """The operators, by name."""
        return {
            name: Operator(
                **self.values(each, name, self.operator_keys, f"keys of {name}")
            )
            for name, each in self.members(node, what).items()
        }

    def values(
        self,
        node: Node,
        what: str,
        known: dict[str, Callable[[Node, str], Any]],
        keys: str,
    ) -> dict[str, Any]:
        """The values of a mapping that has known keys only."""
        found = self.mapping(node, what)
        unknown = [name for name in found.nodes if name not in known]
        if unknown:
            nearest = _nearest(unknown[0], [*known])
            raise self.error(
                found.lines[unknown[0]],
                f"expected {keys} {', '.join(known)}, got unexpected "
                f"{', '.join(map(shown, unknown))}"
                + (f"; did you mean {nearest}?" if nearest else ""),
            )
        return {name: known[name](each, name) for name, each in found.nodes.items()}

    def mapping(self, node: Node, what: str) -> Fields:
        """A mapping; an empty list is one too, as PyTorch's tracer writes it."""
        match node:
            case Fields():
                return node
            case Items(nodes=[]):
                return Fields(node.line)
            case _:
                raise self.unexpected(node, f"a mapping for {what}")

    def members(self, node: Node, what: str) -> dict[str, Node]:
        """A mapping whose keys are names."""
        found = self.mapping(node, what)
        for name, line in found.lines.items():
            self.check_name(name, line, what)
        return found.nodes

    def features(self, node: Node, what: str) -> frozenset[str]:
        """A list of features."""
        return self.known_names(node, what, FEATURES, "a feature")

    def dtypes(self, node: Node, what: str) -> dict[str, frozenset[str]]:
        """Lists of dtypes, by the names of kernels."""
        return {
            name: self.known_names(each, name, DTYPES, f"a dtype of {shown(name)}")
            for name, each in self.members(node, what).items()
        }

    def known_names(
        self, node: Node, what: str, known: Sequence[str], kind: str
    ) -> frozenset[str]:
        """A list of names that are known."""
        found = self.names(node, what)
        for each in node.nodes if isinstance(node, Items) else ():
            if isinstance(each, Scalar) and each.text not in known:
                nearest = _nearest(each.text, known)
                such = "" if nearest else f" such as {known[0]}"
                raise self.error(
                    each.line,
                    f"expected {kind}{such}, got {shown(each.text)}"
                    + (f"; did you mean {nearest}?" if nearest else ""),
                )
        return found

    def kernel_keys(self, node: Node, what: str) -> dict[str, frozenset[str]]:
        """Keys of kernels, by the names of operators."""
        found = self.members(node, what)
        made = {name: self.names(each, name) for name, each in found.items()}
        for name, keys in made.items():
            if wrong := sorted(each for each in keys if not is_kernel_key(each)):
                items = found[name]
                assert isinstance(items, Items)
                texts = (each for each in items.nodes if isinstance(each, Scalar))
                line = next(each.line for each in texts if each.text == wrong[0])
                raise self.error(
                    line,
                    f"expected keys such as v1/6;0,1|7; or default for {shown(name)}, "
                    f"got {shown(wrong[0])}",
                )
        return made

    def names(self, node: Node, what: str) -> frozenset[str]:
        """A list of names, in which the order means nothing."""
        if not isinstance(node, Items):
            raise self.unexpected(node, f"a list of names for {what}")
        for each in node.nodes:
            if not isinstance(each, Scalar) or each.tag != "str":
                raise self.unexpected(each, f"a name in {what}")
            self.check_name(each.text, each.line, what)
        return frozenset(each.text for each in node.nodes if isinstance(each, Scalar))

    def check_name(self, name: str, line: int, what: str) -> None:
        """Raises `SelectionError` for a name that is empty, or does not print."""
        if not name.strip() or not name.isprintable():
            raise self.error(
                line, f"expected a printable name in {what}, got {shown(name)}"
            )

    def flag(self, node: Node, what: str) -> bool:
        """True or false."""
        if not isinstance(node, Scalar) or node.tag != "bool":
            raise self.unexpected(node, f"true or false for {what}")
        return node.text.lower() in _TRUE

    def unexpected(self, node: Node, wanted: str) -> SelectionError:
        """The error of a node of another kind than is wanted."""
        match node:
            case Scalar(tag="null"):
                got = "nothing"
            case Scalar(tag="str", text=text):
                got = f"the text {shown(text)}"
            case Scalar(text=text, tag=tag):
                got = f"the {tag} {shown(text)}; quote a name that looks like one"
            case Items():
                got = "a list"
            case Fields():
                got = "a mapping"
        return self.error(node.line, f"expected {wanted}, got {got}")

    def error(self, line: int, message: str) -> SelectionError:
        """The error of a line."""
        return SelectionError(f"{self.name}:{line}: {message}")
