"""
Tell which factors a contraction reads in panels, and how these lie.

Contractions, and which of their axes are columns, are recognised by their nests. A
factor is packed for a contraction that reads it as B, each element at one index of the
nest, where nothing else in the kernel reads it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import (
    compute_type,
    product,
    sizes,
    tensor_type,
)
from ...dialects.graph import WeightOp
from ...dialects.graph.storage import Axis, PanelsAttr
from ...dialects.kernel import (
    Apply,
    Expression,
    KernelNest,
    Load,
    choose_rows_and_columns,
    elements,
    group_of,
    loads,
)
from ...dialects.loop import OWN, Isa, PreferenceAttr, TargetAttr
from .register_tile import choose_nr
from .tile_registers import MOST_KC


def contractions_of(op: Operation, *, weights: bool = True) -> dict[int, KernelNest]:
    """
    The nests of an op by the number of the operand, where that is a weight, or computed
    by the run, which one nest reads that is a contraction.
    """
    group = group_of(op)
    if group is None:
        return {}
    reading: dict[SSAValue, list[KernelNest]] = {}
    for nest in group.nests:
        for value in {each.buffer for each in loads(nest.element, nest.epilogue)}:
            reading.setdefault(value, []).append(nest)
    return {
        number: nests[0]
        for number, value in enumerate(op.operands)
        if isinstance(value.owner, WeightOp) == weights
        and len(nests := reading.get(value, [])) == 1
        and nests[0].is_contraction
    }


def panels_in(
    nest: KernelNest,
    factor: SSAValue,
    target: TargetAttr,
    preference: PreferenceAttr = OWN,
) -> PanelsAttr | None:
    """The panels of a factor that a contraction reads across its columns."""
    assert isinstance(nest.element, Apply)
    mine = [_load_of(each, factor) for each in nest.element.operands]
    # Its tail may read the factor too, element by element.
    count = sum(load.buffer is factor for load in loads(nest.epilogue))
    if len(mine) != 2 or count:
        return None
    load, *another = [each for each in mine if each is not None] or [None]
    if load is None or another:
        return None
    row, column = choose_rows_and_columns(nest, len(nest.bounds) - nest.reductions)
    axes: dict[int, Axis] = {}
    # What is looked up is outermost, one panel of a matrix beside that of the next.
    found = [(-1 - n, i.bound, stride) for n, (i, stride) in enumerate(load.lookups)]
    found += [(axis, nest.bounds[axis], stride) for axis, stride in load.at.factors]
    for axis, bound, stride in found:
        if not isinstance(stride, int) or not isinstance(bound, int) or stride < 1:
            return None
        axes[axis] = (bound, stride)
    size = product(sizes(tensor_type(factor)))
    if column is None or column not in axes or row in axes:
        return None
    if load.at.offset != 0 or product(each for each, _ in axes.values()) != size:
        return None
    if len({stride for _, stride in axes.values()}) < len(axes) or size == 0:
        return None
    rows = [axes[axis] for axis in sorted(axes) if axis != column]
    group = 1
    isa = target.isa(tensor_type(factor).element_type)
    if isa is not None and suits(isa, nest, factor):
        group = isa.k_group
        if isa.tiles is not None:
            return PanelsAttr.of(isa.tiles.columns, rows, axes[column], group)
    wanted = preference.nr.data
    width, _ = choose_nr(axes[column][0], _bits_of(nest.type), target, wanted)
    return PanelsAttr.of(width, rows, axes[column], group)


def suits(isa: Isa, nest: KernelNest, factor: SSAValue) -> bool:
    """
    Whether a factor of the elements of an instruction set can lie in the VNNI layout:
    it moves with the innermost k, whose number is a multiple of a group, or is filled
    up with zeros.
    """
    if not nest.reductions:
        return False  # a product of one k is an outer one, whose last axis is a column
    last = len(nest.bounds) - 1
    size = nest.bounds[last]
    if nest.type != isa.accumulator or not isinstance(size, int):
        return False
    if size == 0 or (size % isa.k_group and not _fills_up(isa, nest)):
        return False
    found = [*elements(nest.element)]
    if isa.is_exact:
        # Bytes are multiplied with bytes; nothing rounds the other factor to them.
        types = (tensor_type(each.buffer).element_type for each in found)
        if not all(each in isa.elements for each in types):
            return False
    _, column = choose_rows_and_columns(nest, len(nest.bounds) - nest.reductions)
    for each in found:
        moving = dict(each.at.factors)
        # The other factor of a convolution within each channel moves along the columns:
        # its elements are multiplied one by one.
        if column in moving if each.buffer is not factor else last not in moving:
            return False
    return True


def _fills_up(isa: Isa, nest: KernelNest) -> bool:
    """
    Whether zeros fill up the last word of a row: not in tile registers, which multiply
    packed rows alone, where rows are too long to be packed whole.
    """
    reduced = product(nest.bounds[len(nest.bounds) - nest.reductions :])
    is_short = isinstance(reduced, int) and reduced <= MOST_KC
    return isa.is_exact or isa.tiles is None or is_short


def reads_alone(nest: KernelNest, weight: SSAValue) -> bool:
    """Whether a factor is made of a weight alone, and not of a scale as well."""
    assert isinstance(nest.element, Apply)
    found = ([*elements(each)] for each in nest.element.operands)
    return any(len(e) == 1 and e[0].buffer is weight for e in found)


def _load_of(value: Expression, factor: SSAValue) -> Load | None:
    """The element of the factor that an operand is, or is computed from."""
    found = [each for each in loads(value) if each.buffer is factor]
    return found[0] if len(found) == 1 else None


def _bits_of(type: Attribute) -> int:
    """The bits of what a kernel computes elements with."""
    type = compute_type(type)
    assert isinstance(type, FixedBitwidthType)
    return type.bitwidth
