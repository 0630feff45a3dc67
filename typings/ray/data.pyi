"""Datasets of Ray."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

class ActorPoolStrategy:
    def __init__(self, *, size: int | None = None) -> None: ...

class Schema:
    @property
    def names(self) -> list[str]: ...
    @property
    def types(self) -> list[Any]: ...

class Dataset:
    def to_pandas(self) -> pd.DataFrame: ...
    def schema(self) -> Schema | None: ...
    def map_batches(
        self,
        fn: Any,
        *,
        batch_size: int | None = None,
        compute: ActorPoolStrategy | None = None,
        batch_format: str | None = "default",
        fn_constructor_args: Iterable[Any] | None = None,
        **ray_remote_args: Any,
    ) -> Dataset: ...
