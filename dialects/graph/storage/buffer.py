"""
The buffer and the lifetime of a value: attributes that the planning passes write.

    #graph.lifetime<group = 2, first = 1, last = 3>
    #graph.buffer<activations, slot = 2, offset = 256, size = "8192">
    #graph.buffer<activations, slot = 0, offset = ?, size = "128 * batch">

A group is a set of values that share memory, because one is a view of another or is
computed in place. `first` and `last` count the ops of the function. A size is in bytes;
an offset is `?` while it depends on symbols, and is then an entry of a table that the
program reads.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias, cast, get_args

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import (
    BlockArgument,
    Operation,
    OpResult,
    SSAValue,
)
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ...dims import Dim, dim, product
from ...entries import IDENTIFIER, MAYBE, TEXT, EntriesAttr, bare, entry
from ...shape import Tensor, dtype, sizes, tensor_type, verified_dim

Region: TypeAlias = Literal["inputs", "constants", "activations", "outputs"]
_REGIONS = get_args(Region)

BUFFERS = "graph.buffers"
"""The attribute of an op that holds the buffer of each result."""

LIFETIMES = "graph.lifetimes"
"""The attribute of an op that holds the lifetime of each result."""

IN_PLACE = "graph.in_place"
"""The attribute of an op with the number of the operand that its result overwrites."""

DONATED = "graph.donated"
"""
The attribute of an op with the numbers of the inputs that its result, an output, may
overwrite if a call gives one memory for both.
"""


@irdl_attr_definition
class LifetimeAttr(EntriesAttr):
    """The group that a value belongs to, and the ops during which the group lives."""

    name = "graph.lifetime"

    group: IntAttr = param_def()
    first: IntAttr = param_def()
    last: IntAttr = param_def()

    FORM: ClassVar = (entry("group"), entry("first"), entry("last"))

    @staticmethod
    def of(group: int, first: int, last: int) -> LifetimeAttr:
        """The lifetime of a group from the op `first` to the op `last`."""
        return LifetimeAttr(IntAttr(group), IntAttr(first), IntAttr(last))


@irdl_attr_definition
class BufferAttr(EntriesAttr):
    """The memory of a value: a region, a slot of it, the slot's offset and its size."""

    name = "graph.buffer"

    region: StringAttr = param_def()
    slot: IntAttr = param_def()
    offset: IntAttr = param_def()
    bytes: StringAttr = param_def()

    FORM: ClassVar = (
        bare("region", IDENTIFIER),
        entry("slot"),
        entry("offset", MAYBE),
        entry("size", TEXT, of="bytes"),
    )

    @staticmethod
    def of(region: Region, slot: int, offset: int, size: Dim) -> BufferAttr:
        """The buffer of `size` bytes in `slot` of `region`."""
        name, text = StringAttr(region), StringAttr(str(size))
        return BufferAttr(name, IntAttr(slot), IntAttr(offset), text)

    @property
    def region_name(self) -> Region:
        """The region."""
        return cast(Region, self.region.data)

    @property
    def size(self) -> Dim:
        """The size in bytes."""
        return dim(self.bytes.data)

    def verify(self) -> None:
        """The region is one of the four, and the size is a dimension."""
        if self.region.data not in _REGIONS:
            raise VerifyException(
                f"expected a region of {', '.join(_REGIONS)}, got {self.region.data}"
            )
        verified_dim(self.bytes.data)


def buffer_of(value: SSAValue) -> BufferAttr:
    """The buffer assigned to `value`; a function argument has an input buffer."""
    if isinstance(value, BlockArgument):
        size = byte_size(tensor_type(value))
        return BufferAttr.of("inputs", value.index, 0, size)
    assert isinstance(value, OpResult)
    buffers = value.op.attributes.get(BUFFERS)
    if not isa(buffers, ArrayAttr):
        is_constant = value.op.has_trait(ConstantLike)
        needed = "outline-constants" if is_constant else "assign-buffers"
        raise VerifyException(
            f"expected {value.op.name} to have a buffer, got none; run {needed} first"
        )
    buffer = buffers.data[value.index]
    assert isinstance(buffer, BufferAttr)
    return buffer


def replaced_by(op: Operation) -> SSAValue | None:
    """The operand that an op overwrites with its result, if any."""
    number = op.attributes.get(IN_PLACE)
    # Most have none, and `isa` takes a while.
    if number is None or not isa(number, IntegerAttr):
        return None
    if not 0 <= number.value.data < len(op.operands) or len(op.results) != 1:
        raise VerifyException(
            f"expected {op.name} with one result in the memory of one of its "
            f"{len(op.operands)} operands, got {number}"
        )
    return op.operands[number.value.data]


def donated_to(op: Operation) -> tuple[int, ...]:
    """The numbers of the operands that a call may want the result in the memory of."""
    numbers = op.attributes.get(DONATED)
    if numbers is None:
        # Most have none, and `isa` of a parametrized type takes a while.
        return ()
    return numbers.get_values() if isa(numbers, DenseArrayBase[IntegerType]) else ()


def byte_size(type: Tensor) -> Dim:
    """The size of the elements of a tensor, in bytes."""
    return product(sizes(type)) * dtype(type).itemsize
