"""
Lower how a kernel is called: alone, by threads that share its work, or by words.

    void share.k(context, buffers, sizes)        all its arguments
    void part.k(arguments, part, parts)          what one thread does of it
    i32 sr_e_k(arguments, context)               what an interpreter calls
"""

from __future__ import annotations

from collections.abc import Mapping

from ...dialects.loop import KernelOp
from ...runtime.abi import GRAIN, ContextLayout
from ...runtime.hostcode import (
    ADDRESS,
    INT32,
    WORD,
    Builder,
    Callee,
    Function,
    Signature,
)
from .sizes import SizeBuilder

FORK = Signature("", (ADDRESS, ADDRESS, ADDRESS, WORD))
"""The pool's function that lets threads run the parts of something."""


def _arguments_of(kernel: KernelOp) -> tuple[str, ...]:
    """The types of what a call gives a kernel: its buffers, and its sizes."""
    buffers = (ADDRESS for _ in kernel.body.block.args)
    return (*buffers, *(WORD for _ in kernel.symbols))


def callee_of(kernel: KernelOp, name: str) -> Callee:
    """How a program calls a kernel that is the function of a name."""
    types = _arguments_of(kernel)
    if kernel.work is not None:
        return Callee(Signature(f"share.{name}", (ADDRESS, *types)), is_shared=True)
    if kernel.may_fail:
        return Callee(Signature(name, (*types, ADDRESS), INT32))
    return Callee(Signature(name, types))


def lower_sharing(kernels: Mapping[str, KernelOp]) -> list[Function]:
    """The functions by which threads share kernels, by the names of their functions."""
    made: list[Function] = []
    for name, kernel in kernels.items():
        if kernel.work is not None:
            made += (_part(kernel, name), _share(kernel, name))
    return made


def _whole(kernel: KernelOp, name: str) -> Signature:
    """The function of a shared kernel, which takes a part and how many there are."""
    return Signature(name, (*_arguments_of(kernel), WORD, WORD))


def _part(kernel: KernelOp, name: str) -> Function:
    """The function that runs one part of a kernel, on arguments in memory."""
    b = Builder(
        Signature(f"part.{name}", (ADDRESS, WORD, WORD)), "nounwind", "internal"
    )
    words, part, parts = b.parameters
    types = _arguments_of(kernel)
    arguments = [b.load(words, at, type) for at, type in enumerate(types)]
    b.call(_whole(kernel, name), *arguments, part, parts)
    b.leave()
    return b.function


def _share(kernel: KernelOp, name: str) -> Function:
    """The function that lets threads share a kernel if there is enough work."""
    types = _arguments_of(kernel)
    b = Builder(Signature(f"share.{name}", (ADDRESS, *types)), "nounwind", "internal")
    context, *arguments = b.parameters
    assert kernel.work is not None, "it is shared"
    sizes = arguments[len(kernel.body.block.args) :]
    symbols = (each.data for each in kernel.symbols)
    work = SizeBuilder(b, dict(zip(symbols, sizes, strict=True))).size(kernel.work)
    shares = b.binary("lshr", work, GRAIN.bit_length() - 1)
    parts = b.min(shares, b.load(context, ContextLayout.THREADS))
    b.store(parts, context, ContextLayout.PARTS)
    with b.when(b.lt(1, parts)) as several:
        words = b.alloca(len(arguments))
        for at, each in enumerate(arguments):
            b.store(each, words, at)
        pool = b.load(context, ContextLayout.POOL, ADDRESS)
        fork = b.load(context, ContextLayout.FORK, ADDRESS)
        b.call_address(fork, FORK, pool, b.outside(f"part.{name}"), words, parts)
    with several.otherwise():
        b.call(_whole(kernel, name), *arguments, 0, 1)
    b.leave()
    return b.function


def lower_kernel_entry(kernel: KernelOp, key: str, name: str) -> list[Function]:
    """
    The function of a name by which an interpreter calls the kernel `key`, and what it
    needs; the arguments, buffers and then sizes, are words in memory.
    """
    b = Builder(Signature(name, (ADDRESS, ADDRESS), INT32), "nounwind")
    words, context = b.parameters
    types = _arguments_of(kernel)
    b.kernel(
        key, 0, context, *(b.load(words, at, type) for at, type in enumerate(types))
    )
    b.leave(0)
    return [b.function]
