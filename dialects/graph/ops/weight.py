"""`graph.weight`: a tensor that never changes, kept in the weight store."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from ...dims import Dim, product
from ...shape import dtype, tensor_type
from ..storage.buffer import byte_size
from ..storage.panels import PanelsAttr, panels_of
from ..storage.stored import StoredOp


@irdl_op_definition
class WeightOp(StoredOp):
    """
    The constant entry of the weight store under a key.

    ```mlir
    %0 = graph.weight "fc.weight" : tensor<2x3xf32>
    ```

    With `panels` it is packed in the store (`panels.py`).
    """

    name = "graph.weight"

    @property
    def panels(self) -> PanelsAttr | None:
        """The panels in which the store has the tensor; None when it is not packed."""
        return panels_of(self.result)

    @property
    def bytes(self) -> Dim:
        """The size of the entry in the store, in bytes."""
        type = tensor_type(self.result)
        if self.panels is None:
            return byte_size(type)
        return product(self.panels.shape) * dtype(type).itemsize
