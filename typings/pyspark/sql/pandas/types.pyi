"""Types of Spark as those of Arrow."""

import pyarrow as pa

from ..types import StructType

def to_arrow_schema(schema: StructType) -> pa.Schema: ...
