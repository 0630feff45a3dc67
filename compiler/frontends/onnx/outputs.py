"""What a model of ONNX returns: tensors, lists of them, texts and dictionaries."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace

from onnx import GraphProto, ValueInfoProto
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from ....dialects import Tensor, sizes, tensor_type
from ....runtime.program import (
    ARRAY,
    CONSTANT,
    RECORDS,
    STRUCTURE,
    TEXTS,
    Structure,
    Tree,
)
from ...session import CompileError
from .graph_builder import GraphBuilder
from .scope import Records, Scope, Several, Texts


@dataclass
class Outputs:
    """The results of the function of a model, and how a caller gets them."""

    values: list[SSAValue] = field(default_factory=list[SSAValue])
    names: list[str] = field(default_factory=list[str])
    trees: list[Tree] = field(default_factory=list[Tree])
    """What is returned for each output of the model."""

    def add(self, name: str, value: SSAValue) -> Tree:
        """Adds a tensor; returns its place."""
        self.values.append(value)
        self.names.append(name)
        return Tree(ARRAY, number=len(self.values) - 1)

    def structure(
        self, parameters: Tree | None, texts: tuple[str, ...] = ()
    ) -> dict[str, StringAttr]:
        """
        The attribute of a function that takes or returns more than tensors; inputs that
        are texts are places among these.
        """
        is_plain = all(each.kind == ARRAY for each in self.trees)
        if is_plain and parameters is None:
            return {}
        result = None if is_plain else Tree("tuple", tuple(self.trees))
        if len(self.trees) == 1 and self.trees[0].kind in (RECORDS, TEXTS):
            (result,) = self.trees
        found = asdict(Structure(parameters, result))
        # There may be more texts than are worth a copy each.
        return {STRUCTURE: StringAttr(json.dumps({**found, "texts": texts}))}


def outputs_of(graph: GraphProto, builder: GraphBuilder, scope: Scope) -> Outputs:
    """The outputs of a model, as far as they are supported."""
    found = Outputs()
    for output in graph.output:
        if output.name not in scope.entries:
            raise CompileError(
                f"expected a node that computes the output {output.name!r}, got none"
            )
        entry = scope.entries[output.name]
        if entry is None:
            found.trees.append(Tree(CONSTANT))
        elif isinstance(entry, Several):
            values = [builder.tensor(each) for each in entry.values]
            parts = [
                found.add(f"{output.name}_{at}", each)
                for at, each in enumerate(values)
                if each is not None
            ]
            found.trees.append(Tree("list", tuple(parts)))
        elif isinstance(entry, Texts | Records):
            is_text = isinstance(entry, Texts)
            kind, keys = (TEXTS, entry.texts) if is_text else (RECORDS, entry.keys)
            value = builder.tensor(entry.numbers if is_text else entry.rows)
            if value is not None:
                made = replace(found.add(output.name, value), kind=kind, keys=keys)
                found.trees.append(replace(made, name=output.name))
        elif (result := builder.tensor(entry)) is not None:
            _check_rank(output, tensor_type(result), builder)
            found.trees.append(found.add(output.name, result))
    return found


def _check_rank(output: ValueInfoProto, type: Tensor, builder: GraphBuilder) -> None:
    """
    Raises `CompileError` where branches were taken by which an output has other axes
    than the model declares.
    """
    declared = output.type.tensor_type
    if not builder.forks or not declared.HasField("shape"):
        return
    if len(declared.shape.dim) != len(sizes(type)):
        raise CompileError(
            f"output {output.name!r}: expected {len(declared.shape.dim)} axes, as the "
            f"model declares, got {type}"
        )
