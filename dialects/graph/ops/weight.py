"""`graph.weight`: a tensor that never changes, kept in the weight store."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from ...dims import Dim, product
from ...shape import dtype, tensor_type
from ..storage.buffer import byte_size
from ..storage.panels import PanelsAttr
from ..storage.stored import StoredOp


@irdl_op_definition
class WeightOp(StoredOp):
    """
    The entry of the weight store under a key, which no run changes.

    ```mlir
    %0 = graph.weight "fc.weight" : tensor<2x3xf32>
    ```

    With `panels` it lies in the store in another order (`panels.py`).
    """

    name = "graph.weight"

    @property
    def panels(self) -> PanelsAttr | None:
        """The panels that the store has of the tensor; None where it lies as it is."""
        panels = self.attributes.get("panels")
        return panels if isinstance(panels, PanelsAttr) else None

    @property
    def bytes(self) -> Dim:
        """How many bytes the store has of it."""
        type = tensor_type(self.result)
        if self.panels is None:
            return byte_size(type)
        return product(self.panels.shape) * dtype(type).itemsize
