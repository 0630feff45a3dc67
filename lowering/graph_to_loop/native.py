"""Build the kernel of an op that a function computes which is not made of loops."""

from __future__ import annotations

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...dialects import Dim, product, sizes, tensor_type
from ...dialects.graph import GraphOp, describe
from ...dialects.graph.custom import Native, argument_type
from ...dialects.loop import KernelOp, NativeOp, buffer_type
from .renaming import Renaming


def build_native(
    op: GraphOp, native: Native, name: str
) -> tuple[KernelOp, list[SSAValue], Renaming]:
    """The kernel that calls a function; its buffers and its symbols."""
    # Each operand, however often it is passed: the function counts its parameters.
    buffers = [*op.operands]
    types = [tensor_type(each) for each in (*buffers, *op.results)]
    try:
        arguments = [argument_type(each) for each in native.arguments]
        text = native.text
        if text:
            # LLVM reads it, which nobody loads who only looks at loops.
            from ..llvm_to_object.outside_text import internal_text

            pointers = ["ptr"] * len(types)
            text = internal_text(text, native.symbol, [*pointers, *arguments])
    except VerifyException as error:
        raise VerifyException(f"{describe(op)}: {error}") from error
    body = Block(arg_types=[buffer_type(each.element_type) for each in types])
    rename = Renaming()
    given = [
        each if isinstance(each, float | np.floating) else rename(each)
        for each in native.arguments
    ]
    with ImplicitBuilder(body):
        NativeOp(native.symbol, text, body.args, given, rename(work_of(op)))
    kernel = KernelOp(name, [str(each) for each in rename.names.values()], body)
    return kernel, buffers, rename


def work_of(op: GraphOp) -> Dim:
    """The points of loops that a function is taken to be: an element each."""
    total: Dim = 0
    for each in (*op.operands, *op.results):
        total = total + product(sizes(tensor_type(each)))
    return total
