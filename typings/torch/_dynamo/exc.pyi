"""What is raised while a model is traced."""

from enum import Enum

class UserErrorType(Enum):
    CONSTRAINT_VIOLATION = ...
    DYNAMIC_CONTROL_FLOW = ...

class UserError(RuntimeError):
    error_type: UserErrorType
