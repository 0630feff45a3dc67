"""
The host dialect: what `func`, `arith` and `scf` lack for what a call does besides
kernels.

Integers and addresses alike are i64, and what is true or false is i1.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from .ops.call_address import CallAddressOp
from .ops.kernel import KernelOp
from .ops.leave import LeaveOp
from .ops.memory import AllocaOp, LoadOp, StoreOp, TableOp, WordsOp

__all__ = [
    "CallAddressOp",
    "Host",
    "KernelOp",
    "LeaveOp",
    "LoadOp",
    "AllocaOp",
    "StoreOp",
    "TableOp",
    "WordsOp",
]


Host = Dialect(
    "host",
    [
        CallAddressOp,
        KernelOp,
        LeaveOp,
        LoadOp,
        AllocaOp,
        StoreOp,
        TableOp,
        WordsOp,
    ],
)
