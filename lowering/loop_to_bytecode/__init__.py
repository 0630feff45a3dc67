"""
Lower a program to bytecode (`runtime/bytecode.py`): a model as data, without code of
its own; and what plans its calls.
"""

from .planning import write_row_plan
from .program import write_bytecode
from .tensor_plan import write_tensor_plan

__all__ = ["write_bytecode", "write_row_plan", "write_tensor_plan"]
