"""Types of Spark."""

class DataType: ...

class ArrayType(DataType):
    def __init__(self, elementType: DataType) -> None: ...
    containsNull: bool

class StructField(DataType):
    dataType: DataType

class StructType(DataType):
    def add(self, field: str, data_type: DataType) -> StructType: ...
    def __getitem__(self, key: str) -> StructField: ...
