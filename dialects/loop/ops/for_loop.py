"""`loop.for` and its end, `loop.yield`: one loop from zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, cast

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim
from ...op_class import OpClass
from ..subscript import DIM, parse_counts, parse_number, print_counts, print_number
from .clamp_index import ClampIndexOp
from .memory import LoadOp

Kind: TypeAlias = Literal["parallel", "ordered", "reduce"]
_KINDS = ("parallel", "ordered", "reduce")
_COMBINERS = ("add", "mul", "max", "min")

_NUMBERS = ("lanes", "vectors", "partials", "unroll", "transposed")
"""The properties that are numbers, as they are printed."""

_ROUNDS = 4
"""How many times its partial results a loop has while there are as many bodies left."""


@irdl_op_definition
class YieldOp(IRDLOperation, metaclass=OpClass):
    """
    The end of a region, and the values that it has.

    ```mlir
    loop.yield %x : f32
    ```
    """

    name = "loop.yield"

    values = var_operand_def()

    traits = traits_def(IsTerminator())

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue):
        """The end of a region that has these values."""
        Operation.__init__(self, operands=values)


@irdl_op_definition
class ForOp(IRDLOperation, metaclass=OpClass):
    """
    The body once for every index from zero up to the bound.

    Bodies of a parallel loop may run in any order. Bodies of an ordered loop read or write
    what others wrote, or take what the one before yields. In a loop that reduces, the
    body takes what was combined so far and yields it with one more element combined, by
    `add`, `mul`, `max` or `min`; it starts from the identity, so that it may be split.
    A loop with `lanes` runs that number of bodies at once in the lanes of a vector, and
    with `vectors` that number of vectors in one step, each with its own accumulators.
    Bodies left over run one by one, or where they are `masked` as the first lanes of
    one vector. Where the body of a loop with lanes has a reduction with as many lanes,
    each of the outer lanes is a row: its bodies run in vectors along the row. The indices
    of a loop that is `split` are shared by threads. A loop around one with lanes that is
    `transposed` runs as many bodies at once: what they load across the lanes
    (`across.py`) is loaded along this loop, in squares that are transposed.

    The order of a sum of floats tells. Where a loop has `partials`, as many as its lanes
    if it has any, the order depends on the number of bodies only, and not on how they are
    run: elements are added up in four times as many partial sums, each those whose index
    has the same remainder, as far as whole rounds of these go; then, as far as whole rounds
    go, in as many as it has; and the last elements one by one. Partial sums are added
    in halves, the first to the last. Without lanes `unroll` bodies of such a loop are written
    one after the other, each with an accumulator of its own.

    ```mlir
    loop.for parallel %i to 64 lanes 8 {
      loop.yield
    }
    loop.for ordered %i to 64 {
      loop.yield
    }
    %sum = loop.for reduce(add) %k to "seq" partials 8 (%so_far = %zero : f32) {
      %next = arith.addf %so_far, %one : f32
      loop.yield %next : f32
    }
    ```
    """

    name = "loop.for"

    initial = var_operand_def()
    bound = prop_def(DIM)
    combine = opt_prop_def(StringAttr)
    ordered = opt_prop_def(UnitAttr)
    lanes = opt_prop_def(IntegerAttr.constr(i64))
    vectors = opt_prop_def(IntegerAttr.constr(i64))
    partials = opt_prop_def(IntegerAttr.constr(i64))
    unroll = opt_prop_def(IntegerAttr.constr(i64))
    transposed = opt_prop_def(IntegerAttr.constr(i64))
    masked = opt_prop_def(UnitAttr)
    split = opt_prop_def(UnitAttr)
    """Whether threads share the indices."""
    body = region_def("single_block")
    accumulators = var_result_def()

    def __init__(
        self,
        bound: Dim,
        body: Block,
        combine: str | None = None,
        initial: Sequence[SSAValue] = (),
        is_ordered: bool = False,
    ):
        """The loop up to `bound`; `body` takes the index, then what is combined."""
        properties: dict[str, Attribute] = {"bound": StringAttr(str(bound))}
        if is_ordered:
            properties["ordered"] = UnitAttr()
        if combine is not None:
            properties["combine"] = StringAttr(combine)
        Operation.__init__(
            self,
            operands=initial,
            properties=properties,
            regions=[Region(body)],
            result_types=[each.type for each in initial],
        )

    @property
    def looked_up(self) -> list[Operation]:
        """What loads indices for a body, and puts them in range."""
        return [e for e in self.body.block.ops if isinstance(e, LoadOp | ClampIndexOp)]

    @property
    def size(self) -> Dim:
        """How many indices there are."""
        return dim(self.bound.data)

    @property
    def kind(self) -> Kind:
        """What is between the bodies: nothing, their order, or an accumulator."""
        if self.combine is not None:
            return "reduce"
        return "parallel" if self.ordered is None else "ordered"

    @property
    def width(self) -> int:
        """How many bodies run at once."""
        return 1 if self.lanes is None else self.lanes.value.data

    @property
    def several(self) -> int:
        """How many vectors run in one step, as far as there are."""
        return 1 if self.vectors is None else self.vectors.value.data

    @property
    def counts(self) -> tuple[int, ...]:
        """
        How many vectors have accumulators of their own: several, and of those left over
        one.
        """
        return (
            (_ROUNDS, 1) if self.partials else tuple(dict.fromkeys((self.several, 1)))
        )

    @property
    def units(self) -> tuple[int, ...]:
        """How many partial results there are: of many bodies, and of those left over."""
        few = 0 if self.partials is None else self.partials.value.data
        return tuple(few * count for count in self.counts)

    @property
    def side(self) -> int:
        """How many bodies run at once in squares with the lanes of the loop inside."""
        return 1 if self.transposed is None else self.transposed.value.data

    @property
    def vectors_inside(self) -> ForOp:
        """The loop of lanes in a loop that is transposed, the only one."""
        return cast(ForOp, self.body.block.first_op)

    @property
    def index(self) -> SSAValue:
        """The index that the body takes."""
        return self.body.block.args[0]

    @property
    def end(self) -> YieldOp:
        """The end of the body."""
        return cast(YieldOp, self.body.block.last_op)

    def verify_(self) -> None:
        """The body takes the index and what is combined, and yields the latter."""
        types = tuple(each.type for each in self.initial)
        got = tuple(each.type for each in self.body.block.args)
        if got != (IndexType(), *types):
            raise VerifyException(f"expected a body of index and {types}, got {got}")
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("expected a body that ends in loop.yield")
        if (yields := tuple(each.type for each in self.end.values)) != types:
            raise VerifyException(f"expected a yield of {types}, got {yields}")
        if self.width < 1:
            raise VerifyException(f"expected one lane or more, got {self.width}")
        self._verify_rows()
        if self.vectors is not None and self.lanes is None:
            got = self.vectors.value.data
            raise VerifyException(f"expected vectors of lanes, got {got} of none")
        if self.partials is not None:
            few = self.partials.value.data
            if self.combine is None or few < 1 or self.width not in (1, few):
                raise VerifyException(
                    f"expected a reduction of {few} lanes or none beside as many "
                    f"partials, got {self.kind} of {self.width}"
                )
        if self.masked is not None and (self.combine is not None or self.width == 1):
            raise VerifyException("expected masked lanes without accumulators")
        if self.unroll is not None and self.partials is None:
            got = self.unroll.value.data
            raise VerifyException(f"expected partials to unroll, got {got} of none")
        if self.transposed is not None:
            self._verify_squares()
        if self.split is not None and self.kind != "parallel":
            raise VerifyException(f"expected to split a parallel loop, got {self.kind}")
        if self.ordered is not None:
            if self.combine is not None or self.width > 1:
                raise VerifyException(
                    "expected an ordered loop without lanes or accumulators"
                )
        elif (self.combine is None) != (not types):
            raise VerifyException("expected values to combine just where one reduces")
        if self.combine is not None and self.combine.data not in _COMBINERS:
            raise VerifyException(
                f"expected a reduction by {', '.join(_COMBINERS)}, got "
                f"{self.combine.data}"
            )

    def _verify_rows(self) -> None:
        """What has lanes in a loop with lanes combines rows, as many as each has."""
        for inner in self.body.walk() if self.width > 1 else ():
            if not isinstance(inner, ForOp) or inner.width == 1:
                continue
            if inner.combine is None or inner.width != self.width:
                raise VerifyException(
                    f"expected a reduction of {self.width} lanes in each of as many, got "
                    f"{inner.kind} of {inner.width}"
                )

    def _verify_squares(self) -> None:
        """A loop that is transposed is around one of as many lanes, and no more."""
        inner, *others = self.body.block.ops
        if not isinstance(inner, ForOp) or len(others) > 1 or self.width > 1:
            raise VerifyException("expected to transpose around one loop of lanes")
        is_power = self.side > 1 and not self.side & (self.side - 1)
        is_square = is_power and self.side == inner.width
        if {self.kind, inner.kind} != {"parallel"} or not is_square:
            raise VerifyException(
                f"expected squares of parallel loops whose side is a power of two, got "
                f"{self.side} of {self.kind} around {inner.width} of {inner.kind}"
            )

    def print(self, printer: Printer) -> None:
        """Prints the kind, the index, the bound, what is combined, and the body."""
        combine = "" if self.combine is None else f"({self.combine.data})"
        printer.print_string(f" {self.kind}{combine} ")
        index, *arguments = self.body.block.args
        printer.print_ssa_value(index)
        printer.print_string(" to ")
        print_number(printer, self.bound)
        print_counts(printer, self, _NUMBERS)
        if self.masked is not None:
            printer.print_string(" masked")
        if self.split is not None:
            printer.print_string(" split")
        if arguments:
            printer.print_string(" (")
            for number, (inner, value) in enumerate(
                zip(arguments, self.initial, strict=True)
            ):
                printer.print_string(", " if number else "")
                printer.print_ssa_value(inner)
                printer.print_string(" = ")
                printer.print_ssa_value(value)
                printer.print_string(" : ")
                printer.print_attribute(value.type)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        """Reads what `print` prints."""
        combine: str | None = None
        is_ordered = parser.parse_optional_keyword("ordered") is not None
        if not is_ordered and parser.parse_optional_keyword("parallel") is None:
            parser.parse_keyword("reduce")
            with parser.in_parens():
                combine = parser.parse_identifier()
        index = parser.parse_argument(expect_type=False).resolve(IndexType())
        parser.parse_keyword("to")
        bound = parse_number(parser)
        found = parse_counts(parser, _NUMBERS)
        for name in ("masked", "split"):
            if parser.parse_optional_keyword(name) is not None:
                found[name] = UnitAttr()
        arguments: list[Parser.Argument] = []
        initial: list[SSAValue] = []

        def combined() -> None:
            inner = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            value = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            type = parser.parse_type()
            arguments.append(inner.resolve(type))
            initial.append(parser.resolve_operand(value, type))

        if combine is not None:
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, combined)
        elif is_ordered:
            parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, combined)
        body = parser.parse_region([index, *arguments])
        op = cls(dim(bound.data), Block(), combine, initial, is_ordered)
        op.detach_region(op.body)
        op.add_region(body)
        op.properties |= found
        return op
