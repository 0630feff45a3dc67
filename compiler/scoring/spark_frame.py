"""`score_spark`: a module over a DataFrame of Spark, by `predict_batch_udf`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from ...runtime.call import StaticModule
from ...runtime.program import TensorInfo
from .columns import row_shape
from .scorer import BATCH_SIZE, Scorer, scorer_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

_RESULT = "static_runtime_result"
"""A column that stands for all outputs until they are apart."""

_TYPES = {
    "float32": "FloatType",
    "float64": "DoubleType",
    "int32": "IntegerType",
    "int64": "LongType",
    "bool": "BooleanType",
    "int8": "ByteType",
}
"""The types of Spark that have all values of a dtype, and no others."""


def score_spark(
    module: StaticModule,
    frame: DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    batch_size: int = BATCH_SIZE,
) -> DataFrame:
    """
    The frame, with a column for each output of the module, computed when the frame is
    used; more than a number in a row is a flat array.

    Columns are inputs by name, or by `columns={"input": "column"}`; a call of the
    module takes up to `batch_size` rows.

    Raises `ValueError` for other columns than the module takes, and for outputs of a
    dtype that Spark has not, before any row is scored; `TypeError` for a module that
    cannot be pickled.
    """
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql.pandas.types import to_arrow_schema

    scorer = scorer_of(module, columns, batch_size)
    taken = scorer.columns
    taken.check(to_arrow_schema(frame.schema))
    score = predict_batch_udf(
        _Predictor(scorer),
        return_type=_type(taken.outputs),
        batch_size=batch_size,
        input_tensor_shapes=[[*row_shape(each)] for each in taken.inputs],
    )
    inputs = [_present(frame, each) for each in taken.names]
    whole = frame.withColumn(_RESULT, score(*inputs))
    added = {each.name: whole[_RESULT][each.name] for each in taken.outputs}
    return whole.withColumns(added).drop(_RESULT)


class _Predictor:
    """What gives a worker of Spark its function, once in its process."""

    def __init__(self, scorer: Scorer):
        self._scorer = scorer

    def __call__(self) -> Callable[..., dict[str, Any]]:
        """Takes an array for each input, and gives one for each output by name."""
        scorer = self._scorer
        scorer.carried.module()
        names = [each.name for each in scorer.columns.outputs]

        def predict(*inputs: Any) -> dict[str, Any]:
            found = scorer.outputs(inputs)
            flat = [x.reshape(len(x), -1) if x.ndim > 1 else x for x in found]
            return dict(zip(names, flat, strict=True))

        # Spark counts the parameters.
        kind = Parameter.POSITIONAL_ONLY
        count = len(scorer.columns.inputs)
        parameters = [Parameter(f"input_{each}", kind) for each in range(count)]
        setattr(predict, "__signature__", Signature(parameters))
        return predict


def _type(outputs: Sequence[TensorInfo]) -> StructType:
    """The type of all outputs; raises `ValueError` where Spark has none."""
    from pyspark.sql import types

    made = types.StructType()
    for info in outputs:
        if info.dtype not in _TYPES:
            raise ValueError(
                f"expected outputs of {', '.join(_TYPES)}, which Spark has too, got "
                f"{info.shown}: {info}; cast it in the model"
            )
        kind = getattr(types, _TYPES[info.dtype])()
        made.add(info.name, types.ArrayType(kind) if row_shape(info) else kind)
    return made


def _present(frame: DataFrame, name: str) -> Column:
    """A column whose missing values end the query: pandas would make NaN of them."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import ArrayType

    column = f.col(f"`{name}`")
    kind = frame.schema[name].dataType
    is_missing = f.isnull(column)
    if isinstance(kind, ArrayType) and kind.containsNull:
        is_missing = is_missing | f.exists(column, f.isnull)
    text = f"expected column {name} without missing values, got one"
    return f.when(is_missing, f.raise_error(f.lit(text))).otherwise(column)
