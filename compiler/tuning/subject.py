"""
One contraction by itself: its key, and its code for a preference.

It is a function of just the op, with weights of its own that hold nothing, and goes
through the passes from `pack-weights` on as a model does. So what is measured is what
will run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import dropwhile

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import dtype, product, tensor_type
from ...dialects.graph import ConstantOp, GraphOp, WeightOp
from ...dialects.kernel import group_of
from ...dialects.loop import (
    OWN,
    PREFERENCE,
    TARGET,
    CallOp,
    KernelOp,
    PreferenceAttr,
    TargetAttr,
    TileOp,
    ViewOp,
)
from ...lowering.graph_to_loop import build_kernel
from ...lowering.llvm_to_object import machine_of, objects
from ...lowering.loop_to_llvm import kernel_function, lower_kernels
from ...runtime import Cache
from ..cost import size_or_open
from ..driver import constant_block, describe, program_of
from ..ir import SrContext, context
from ..passes import PackWeights, pipeline, work_of
from ..session import Options

LEAST = 1 << 18
"""Multiply-adds below which a contraction is not measured: some five microseconds."""


def subject_text(op: GraphOp) -> str | None:
    """
    What an op is known by, whatever model it is part of; None where it is left alone.

    Measured are contractions with enough work whose sizes are all known, and which
    look up nothing: then any numbers will do to run them on.
    """
    group = group_of(op)
    if group is None or group.checks:
        return None
    if not any(nest.is_contraction for nest in group.nests):
        return None
    kernel = build_kernel(group, "kernel")
    work = work_of(kernel.op.body.block)
    if kernel.symbols or not isinstance(work, int) or work < LEAST:
        return None
    constant = [isinstance(each.owner, WeightOp) for each in kernel.buffers]
    return f"{kernel.op} {constant}"


@dataclass(frozen=True)
class Operand:
    """Memory that a kernel takes: its region, element type and size."""

    region: str
    dtype: np.dtype[np.generic]
    count: int


@dataclass(frozen=True)
class Build:
    """The code of a contraction for one preference."""

    preference: PreferenceAttr
    tile: TileOp
    """The largest of its contractions, with its schedule."""

    function: str
    """The name of its function, after its text: equal code has equal names."""

    text: str
    operands: tuple[Operand, ...]
    is_shared: bool
    """Whether threads may share it: then it takes which part it computes."""

    target: TargetAttr

    def object(self, cache: Cache | None) -> bytes:
        """Its machine code."""
        (code,), _ = objects([self.text], machine_of(self.target), cache)
        return code


def build(op: GraphOp, target: TargetAttr, preference: PreferenceAttr = OWN) -> Build:
    """The code of an op as it will be in a model that prefers this."""
    module, ctx = alone(op, target, preference)
    passes = pipeline(Options(), "host")
    for each in dropwhile(lambda each: not isinstance(each, PackWeights), passes):
        each.apply(ctx, module)
    (kernel,) = (each for each in module.ops if isinstance(each, KernelOp))
    (lowered,) = lower_kernels(module).values()
    tiles = [each for each in kernel.walk() if isinstance(each, TileOp)]
    return Build(
        preference,
        max(tiles, key=lambda each: size_or_open(product(each.sizes))),
        kernel_function(lowered.name),
        lowered.text,
        _operands_of(module, ctx),
        kernel.work is not None,
        target,
    )


def alone(
    op: GraphOp, target: TargetAttr, preference: PreferenceAttr
) -> tuple[ModuleOp, SrContext]:
    """A module with just this op, and the context of its weights."""
    ctx, body = context(), Block()
    copies: dict[SSAValue, SSAValue] = {}
    for operand in dict.fromkeys(op.operands):
        type = tensor_type(operand)
        match operand.owner:
            case WeightOp():
                array = np.zeros(type.get_shape(), dtype(type))
                copies[operand] = add(body, WeightOp(ctx.weights.put("w", array), type))
            case ConstantOp() as constant:
                copies[operand] = add(body, constant.clone())
            case _:
                copies[operand] = body.insert_arg(type, len(body.args))
    copy = op.clone(copies)
    if preference != OWN:
        copy.attributes[PREFERENCE] = preference
    result = add(body, copy)
    body.add_op(func.ReturnOp(result))
    function = func.FuncOp("main", (body.arg_types, [result.type]))
    function.body.detach_block(0)
    function.body.add_block(body)
    return ModuleOp([function], {TARGET: target}), ctx


def add(body: Block, op: Operation) -> SSAValue:
    """Adds an op to a block; its result."""
    body.add_op(op)
    return op.results[0]


def _operands_of(module: ModuleOp, ctx: SrContext) -> tuple[Operand, ...]:
    """The memory that the only call of a program passes."""
    program = program_of(module)
    described = describe(program)
    constants = [each for _, each in constant_block(program, ctx.weights).arrays]
    (call,) = (each for each in program.walk() if isinstance(each, CallOp))

    def operand(view: ViewOp) -> Operand:
        region, number = view.region.data, view.number.value.data
        if region == "constants":
            return Operand(region, constants[number].dtype, constants[number].size)
        info = {"inputs": described.inputs, "outputs": described.outputs}[region][
            number
        ]
        return Operand(region, np.dtype(info.dtype), math.prod(info.sizes({})))

    views = [each.owner for each in call.buffers]
    return tuple(operand(each) for each in views if isinstance(each, ViewOp))
