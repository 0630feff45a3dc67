"""
Lower a program to bytecode (`runtime/bytecode.py`): a model as data, without code of
its own.
"""

from .program import write_bytecode

__all__ = ["write_bytecode"]
