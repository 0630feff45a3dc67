"""
`GraphOp`: the base class of every op of the graph dialect.

A graph op is a pure function from tensors to tensors. Its class answers a few
questions, and the rest of the compiler is derived from the answers:

    infer       which types do the results have?     builder, verifier, shape inference
    reference   what does it compute, in numpy?      constant folding, the test oracle,
                                                     the fallback without a kernel
    nests       in which loops is it computed?       the lowering to loops, fusion
    choice      what is compared, if it is a         the lowering to loops
                greedy choice?
    ranking     its keys, if it is an order?         the lowering to loops
    descent     its walks, if it looks up places?    the lowering to loops
    below       which size are its indices below?    look-ups without a check
    decompose   which other ops replace it?          the pass `decompose`
    carry       how on operands whose axes are in    the pass `assign-layouts`
                another order?
    copies      when does it copy an operand, which  the pass `mark-runtime-skippable`
                its loops do not show?
    SPELLINGS   what do ONNX and ATen call it?       the front ends

`nests`, `choice`, `ranking`, `descent`, `decompose` or none: an op with none is a
*fallback*, which runs its reference from inside the program. To add an op, add one file
with one such class to `dialects/graph/ops/`. Nothing else in the compiler names it.

Properties arrive in these methods as Python values (`axis=1`, not an `IntegerAttr`),
and a dimension among them, listed in `DIM_PROPERTIES`, as its text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from inspect import getdoc
from typing import Any, ClassVar

from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ..agreement import noting
from ..dims import Dim, dim, evaluate
from ..op_class import OpClass
from ..shape import Array, Tensor, sizes, tensor_type
from .choice import Choice
from .descent import Descent
from .element_array import as_computed, computed, stored_type
from .literal import texts, to_attribute, to_values
from .nest import Nest, only_moves
from .order import Carried, Order, carry_elements
from .ranking import Ranking
from .requirement import Requirement

_STATIC = NoneAttr()
"""The encoding of a tensor type that has only numbers as sizes."""


class GraphOp(IRDLOperation, ABC, metaclass=OpClass):
    """A pure function from tensors to tensors; most have one result."""

    traits = traits_def(Pure())

    SPELLINGS: ClassVar[tuple[str, ...]] = ()
    """The framework names of this op, such as `onnx.Relu` and `aten.relu.default`."""

    DIM_PROPERTIES: ClassVar[tuple[str, ...]] = ()
    """The properties that hold dimensions as text."""

    IS_VIEW: ClassVar[bool] = False
    """Whether the result is a view of the first operand's memory with another shape."""

    TAKES_ELEMENTS: ClassVar[bool] = False
    """Whether floats of 16 bits are not f32 to the reference, and rounded by us."""

    TAKES_STORED: ClassVar[bool] = False
    """Whether operands may have elements that are only stored; a move takes them."""

    def __init__(self, *operands: SSAValue | Operation, **properties: Any):
        """The op on `operands`; the types of its results are inferred."""
        attributes = {name: to_attribute(each) for name, each in properties.items()}
        values = [SSAValue.get(operand) for operand in operands]
        types = [value.type for value in values]
        with noting():  # what the op assumes is no assumption of who builds it
            results = self.infer_types(types, attributes)
        self._set(values, results, attributes)
        self._verify_stored()

    def _set(
        self,
        operands: Sequence[SSAValue],
        results: Sequence[Attribute],
        properties: Mapping[str, Attribute],
    ) -> None:
        """Sets what the op has, without the groups of operands that xDSL counts."""
        Operation.__init__(
            self, operands=operands, result_types=results, properties=properties
        )

    @classmethod
    def infer_types(
        cls, operands: Sequence[Attribute], properties: Mapping[str, Attribute]
    ) -> tuple[Attribute, ...]:
        """The types of the results, always as a tuple."""
        types: Attribute | tuple[Attribute, ...]
        try:
            types = cls.infer(*operands, **to_values(properties))
        except ValueError as error:
            # A text property that is not a dimension.
            raise VerifyException(str(error)) from error
        return types if isinstance(types, tuple) else (types,)

    @classmethod
    @abstractmethod
    def infer(cls, *operands: Any, **properties: Any) -> Any:
        """
        The types of the results; raises `VerifyException` when the operands clash.
        """

    @abstractmethod
    def reference(self, *operands: Any, **properties: Any) -> Any:
        """The meaning of the op in numpy: an array, or a tuple of arrays."""

    @classmethod
    def examples(cls) -> list[str]:
        """The examples of its docstring: lines with the op on typed operands."""
        _, _, rest = (getdoc(cls) or "").partition("```mlir\n")
        return rest.partition("```")[0].splitlines()

    def nests(self) -> Sequence[Nest] | None:
        """The loop nests that compute the only result, or None when there are none."""
        return None

    def choice(self) -> Choice | None:
        """The greedy choice that computes the only result, or None when it is none."""
        return None

    def ranking(self) -> Ranking | None:
        """The order that the only result is the first of, or None when it is none."""
        return None

    def descent(self) -> Descent | None:
        """The walks that the only result is the ends of, or None when it is none."""
        return None

    def below(self) -> Dim | None:
        """The size that every integer of the result is below, and none is negative."""
        return None

    @property
    def has_kernel(self) -> bool:
        """Whether the op itself says how a kernel computes it."""
        found = (self.nests(), self.choice(), self.ranking(), self.descent())
        return any(each is not None for each in found)

    def decompose(self) -> Sequence[SSAValue] | None:
        """Builds the ops that this one is made of; what replaces its results."""
        return None

    @property
    def preferred(self) -> Order | None:
        """The preferred axis order of the first operand, if any."""
        return None

    def carry(self, operand: int, order: Order) -> Carried | None:
        """
        How the op is computed when an operand is in this order; None when it cannot be.
        """
        if self.DIM_PROPERTIES:
            return None
        ranks = [len(sizes(tensor_type(each))) for each in self.operands]
        return carry_elements(self.nests(), ranks, operand, order, self.properties)

    def layouts(self) -> Sequence[Order]:
        """The order of the axes in memory of each operand, then of each result."""
        values = (*self.operands, *self.results)
        return [tuple(range(len(sizes(tensor_type(each))))) for each in values]

    def copies(self) -> Sequence[tuple[int, Sequence[Dim]]]:
        """
        The numbers of operands that the result may copy, each with quantities: it
        copies the operand when one of these is zero. What the nests show is left out.
        """
        return ()

    def requirements(self) -> Sequence[Requirement]:
        """Conditions on sizes known only at run time, but for agreements."""
        return ()

    def all_requirements(self) -> list[Requirement]:
        """
        The conditions on sizes that are known only at run time, first that those agree
        which `infer` assumes to.
        """
        return [*self.agreements(), *self.requirements()]

    def agreements(self) -> Sequence[Requirement]:
        """The conditions that sizes agree which `infer` assumes to."""
        types = (*self.operand_types, *self.result_types)
        if all(isinstance(e, TensorType) and e.encoding == _STATIC for e in types):
            return ()
        with noting() as found:
            self.infer_types(self.operand_types, self.properties)
        return list(dict.fromkeys(map(Requirement.of, found)))

    def defines(self, operands: Sequence[Array]) -> Mapping[str, int]:
        """The symbols that the op defines, with their values for these operands."""
        return {}

    def verify_(self) -> None:
        """The results have the types that the op infers, and every size is known."""
        self.verify_elements()
        expected = self.infer_types(self.operand_types, self.properties)
        got = self.result_types
        if got != expected:
            wanted, have = (", ".join(map(str, each)) for each in (expected, got))
            raise VerifyException(f"expected result type {wanted}, got {have}")

    def verify_elements(self) -> None:
        """Raises `VerifyException` for operands and sizes that the op cannot take."""
        try:
            self.dimensions()
        except ValueError as error:
            raise VerifyException(str(error)) from error
        for operand in self.operands:
            if isinstance(operand.type, TensorType):
                sizes(tensor_type(operand))
        self._verify_stored()

    def _verify_stored(self) -> None:
        """Raises `VerifyException` for elements that the op cannot compute with."""
        type = None if self.TAKES_STORED else stored_type(self.operands)
        if type is None or self.TAKES_ELEMENTS or self.regions or self.IS_VIEW:
            return
        # There are nests of an op that is right but for what its elements are.
        self.infer_types([*map(as_computed, self.operand_types)], self.properties)
        if not self._takes_elements:
            problem = f"expected elements that are computed with, got {type}"
            raise VerifyException(f"{problem}: convert it")

    @property
    def _takes_elements(self) -> bool:
        """Whether the reference takes elements as they are."""
        takes = self.TAKES_ELEMENTS or bool(self.regions) or self.IS_VIEW
        return takes or only_moves(self.nests())

    def print(self, printer: Printer) -> None:
        """Prints operands, properties and attributes, types, and regions."""
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        entries = {**self.properties, **self.attributes}
        if entries:
            printer.print_string(" ")
            printer.print_attr_dict(entries)
        if self.operands or self.results:
            printer.print_string(" : ")
        if self.operands:
            printer.print_list(self.operand_types, printer.print_attribute)
        if self.results:
            printer.print_string(" -> " if self.operands else "-> ")
            printer.print_list(self.result_types, printer.print_attribute)
        for region in self.regions:
            printer.print_string(" ")
            printer.print_region(region, print_entry_block_args=True)

    @classmethod
    def parse(cls, parser: Parser) -> GraphOp:
        """Reads what `print` prints."""
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        entries = parser.parse_optional_dictionary_attr_dict()
        has_types = parser.parse_optional_punctuation(":") is not None
        position = parser.pos

        def listed() -> list[Attribute]:
            return parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_type
            )

        types = listed() if unresolved and has_types else []
        has_results = parser.parse_optional_punctuation("->") is not None
        results = listed() if has_results else []
        operands = parser.resolve_operands(unresolved or (), types, position)
        regions: list[Region] = []
        while (region := parser.parse_optional_region()) is not None:
            regions.append(region)
        own = entries.keys() & cls.get_irdl_definition().properties.keys()
        return cls.create(
            operands=operands,
            result_types=results,
            properties={name: entries[name] for name in entries if name in own},
            attributes={name: entries[name] for name in entries if name not in own},
            regions=regions,
        )

    def values(self) -> dict[str, Any]:
        """The properties as Python values."""
        return to_values(self.properties)

    def operand_sizes(self) -> list[tuple[Dim, ...]]:
        """The dimensions of every operand."""
        return [sizes(tensor_type(operand)) for operand in self.operands]

    def dimensions(self) -> list[Dim]:
        """The dimensions that the properties hold."""
        values = self.values()
        return [
            dim(text)
            for name in self.DIM_PROPERTIES
            if name in values
            for text in texts(values[name])
        ]

    def run_reference(
        self, operands: Sequence[Array], symbols: Mapping[str, int]
    ) -> tuple[Array, ...]:
        """Runs the reference, with symbols replaced by their values."""
        values, stored = self.reference_values(symbols), self._takes_elements
        return computed(self.reference, operands, values, None if stored else self)

    def reference_values(self, symbols: Mapping[str, int]) -> dict[str, Any]:
        """The properties for the reference: symbols are replaced by their values."""
        values = self.values()
        for name in {*self.DIM_PROPERTIES} & values.keys():
            dims = map(dim, texts(values[name]))
            values[name] = tuple(evaluate(each, symbols) for each in dims)
        return values


class SingleResultOp(GraphOp, ABC):
    """A pure function from tensors to one tensor."""

    result = result_def()

    @property
    def type(self) -> Tensor:
        """The type of the result."""
        return tensor_type(self.result)

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The dimensions of the result."""
        return sizes(self.type)
