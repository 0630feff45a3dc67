"""
Lower a program to bytecode (`runtime/bytecode.py`): a model as data, without code of
its own; and what plans its calls.
"""

from .planning import plan_words
from .program import write_bytecode

__all__ = ["plan_words", "write_bytecode"]
