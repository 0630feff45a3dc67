"""
Ops that build containers of values, and that take values out of them.

`graph.list_construct`, `list_unpack`, `tuple_construct`, `tuple_get`, `dict_construct`,
`dict_get`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ...shape import Array
from ..container import DictType, ListType, TupleType
from ..op import GraphOp


@irdl_op_definition
class ListConstructOp(GraphOp):
    """
    The list of the operands.

    ```mlir
    %2 = graph.list_construct %0, %1 : tensor<2xf32>, tensor<3xf32> -> !graph.list<tensor<2xf32>, tensor<3xf32>>
    ```
    """

    name = "graph.list_construct"

    elements = var_operand_def()
    result = result_def(ListType)

    @classmethod
    def infer(cls, *elements: Attribute) -> ListType:
        return ListType(ArrayAttr(elements))

    def reference(self, *elements: Any) -> Any:
        return list(elements)


@irdl_op_definition
class ListUnpackOp(GraphOp):
    """
    The elements of a list, each a result.

    ```mlir
    %1, %2 = graph.list_unpack %0 : !graph.list<tensor<2xf32>, tensor<3xf32>> -> tensor<2xf32>, tensor<3xf32>
    ```
    """

    name = "graph.list_unpack"

    list = operand_def(ListType)
    elements = var_result_def()

    @classmethod
    def infer(cls, list: ListType) -> tuple[Attribute, ...]:
        return tuple(list.elements)

    def reference(self, list: Sequence[Array]) -> tuple[Array, ...]:
        return tuple(list)


@irdl_op_definition
class TupleConstructOp(GraphOp):
    """
    The tuple of the operands.

    ```mlir
    %2 = graph.tuple_construct %0, %1 : tensor<2xf32>, tensor<3xf32> -> !graph.tuple<tensor<2xf32>, tensor<3xf32>>
    ```
    """

    name = "graph.tuple_construct"

    elements = var_operand_def()
    result = result_def(TupleType)

    @classmethod
    def infer(cls, *elements: Attribute) -> TupleType:
        return TupleType(ArrayAttr(elements))

    def reference(self, *elements: Any) -> Any:
        return (tuple(elements),)


@irdl_op_definition
class TupleGetOp(GraphOp):
    """
    The element of a tuple at `index`.

    ```mlir
    %1 = graph.tuple_get %0 {index = 1 : i64} : !graph.tuple<tensor<2xf32>, tensor<3xf32>> -> tensor<3xf32>
    ```
    """

    name = "graph.tuple_get"

    tuple_ = operand_def(TupleType)
    index = prop_def(IntegerAttr.constr(i64))
    result = result_def()

    @classmethod
    def infer(cls, tuple_: TupleType, index: int) -> Attribute:
        if not 0 <= index < len(tuple_.elements):
            raise VerifyException(
                f"expected an index below {len(tuple_.elements)}, got {index}"
            )
        return tuple_.elements.data[index]

    def reference(self, tuple_: Sequence[Array], index: int) -> Array:
        return tuple_[index]


@irdl_op_definition
class DictConstructOp(GraphOp):
    """
    The dictionary from `keys` to the operands.

    ```mlir
    %2 = graph.dict_construct %0, %1 {keys = ["a", "b"]} : tensor<2xf32>, tensor<3xf32> -> !graph.dict<"a", tensor<2xf32>, "b", tensor<3xf32>>
    ```
    """

    name = "graph.dict_construct"

    elements = var_operand_def()
    keys = prop_def(ArrayAttr[StringAttr])
    result = result_def(DictType)

    @classmethod
    def infer(cls, *elements: Attribute, keys: tuple[str, ...]) -> DictType:
        return DictType(ArrayAttr(map(StringAttr, keys)), ArrayAttr(elements))

    def reference(self, *elements: Any, keys: tuple[str, ...]) -> Any:
        return dict(zip(keys, elements, strict=True))


@irdl_op_definition
class DictGetOp(GraphOp):
    """
    The element of a dictionary under `key`.

    ```mlir
    %1 = graph.dict_get %0 {key = "b"} : !graph.dict<"a", tensor<2xf32>, "b", tensor<3xf32>> -> tensor<3xf32>
    ```
    """

    name = "graph.dict_get"

    dict_ = operand_def(DictType)
    key = prop_def(StringAttr)
    result = result_def()

    @classmethod
    def infer(cls, dict_: DictType, key: str) -> Attribute:
        keys = [each.data for each in dict_.keys]
        if key not in keys:
            raise VerifyException(f"expected a key among {keys}, got {key!r}")
        return dict_.elements.data[keys.index(key)]

    def reference(self, dict_: Mapping[str, Array], key: str) -> Array:
        return dict_[key]
