"""`graph.get_attr`: a parameter or buffer of the model, until the model is frozen."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from ..storage.stored import StoredOp


@irdl_op_definition
class GetAttrOp(StoredOp):
    """
    The attribute of the model under a key; `freeze` makes it a weight.

    ```mlir
    %0 = graph.get_attr "fc.weight" : tensor<2x3xf32>
    ```
    """

    name = "graph.get_attr"
