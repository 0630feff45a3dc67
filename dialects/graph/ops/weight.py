"""`graph.weight`: a tensor that never changes, kept in the weight store."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from ..stored import StoredOp


@irdl_op_definition
class WeightOp(StoredOp):
    """
    The entry of the weight store under a key, which no run changes.

    ```mlir
    %0 = graph.weight "fc.weight" : tensor<2x3xf32>
    ```
    """

    name = "graph.weight"
