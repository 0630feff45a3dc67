"""What each input and output of an exported program is."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any, TypeAlias

class TensorArgument:
    name: str
    def __init__(self, name: str) -> None: ...

class SymIntArgument:
    name: str
    def __init__(self, name: str) -> None: ...

class SymFloatArgument:
    name: str

class SymBoolArgument:
    name: str

class ConstantArgument:
    name: str
    value: int | float | bool | str | None

class CustomObjArgument:
    name: str
    class_fqn: str

class TokenArgument:
    name: str

ArgumentSpec: TypeAlias = (
    TensorArgument
    | SymIntArgument
    | SymFloatArgument
    | SymBoolArgument
    | ConstantArgument
    | CustomObjArgument
    | TokenArgument
)

class InputKind(Enum):
    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()

class InputSpec:
    kind: InputKind
    arg: ArgumentSpec
    target: str | None
    persistent: bool | None
    def __init__(
        self,
        kind: InputKind,
        arg: ArgumentSpec,
        target: str | None,
        persistent: bool | None = None,
    ) -> None: ...

class OutputKind(Enum):
    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    PARAMETER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()

class OutputSpec:
    kind: OutputKind
    arg: ArgumentSpec
    target: str | None

class ExportGraphSignature:
    input_specs: list[InputSpec]
    output_specs: list[OutputSpec]
    @property
    def buffers(self) -> Sequence[str]: ...
    @property
    def buffers_to_mutate(self) -> Mapping[str, str]: ...
    @property
    def inputs_to_buffers(self) -> Mapping[str, str]: ...
    @property
    def inputs_to_lifted_tensor_constants(self) -> Mapping[str, str]: ...
    @property
    def inputs_to_parameters(self) -> Mapping[str, str]: ...
    @property
    def parameters(self) -> Sequence[str]: ...
    @property
    def user_inputs(self) -> Sequence[Any]: ...
    @property
    def user_outputs(self) -> Sequence[Any]: ...
