"""
Lower a program to bytecode (`runtime/bytecode.py`): a model as data, without code of
its own.
"""

from .program import Bytecode, write_bytecode

__all__ = ["Bytecode", "write_bytecode"]
