"""The class of the classes of ops."""

from __future__ import annotations

from abc import ABCMeta


class OpClass(ABCMeta):
    """
    Ops are instances of the classes that they are made of, and of no others.

    An abstract class looks its registry up, in Python, before it says no, which took a
    twelfth of a compile; these are asked as any other class is.
    """

    __instancecheck__ = type.__instancecheck__
