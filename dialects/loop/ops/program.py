"""
`loop.program`: the whole model as a list of calls, and the memory that they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim, symbols_of
from ...op_class import OpClass
from ...ranges import Ranges, resolved
from ...shape import Tensor, sizes
from ..interface import CheckAttr, DonationAttr, SymbolAttr, TensorAttr
from ..skip import SkipAttr
from ..storage import ConstantAttr, PlanAttr, SlotAttr
from ..subscript import DIM
from .kernel import KernelOp
from .program_calls import CallOp, CallOutOp, ViewOp
from .program_flow import DefineOp, ElementOp, RepeatOp, RequireOp
from .program_memory import verify_donations, verify_memory, verify_skips

NONE: ArrayAttr[Attribute] = ArrayAttr([])

PROFILED = "loop.profiled"
"""The attribute of a program whose calls of kernels note how long they took."""

CHECKED = "loop.checked"
"""
The attribute of a program whose memory is checked before and after each call
(`instrument-memory`).
"""

CALLS = (CallOp, CallOutOp, DefineOp, RequireOp)
"""The ops of a program that may end a run, in whose order they are counted."""


@irdl_custom_directive
class Body(CustomDirective):
    """A region of one block without arguments, which may be empty."""

    region: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.region.set(state, parser.parse_region([]))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        region = self.region.get(op)
        printer.print_region(
            region, print_entry_block_args=False, print_empty_block=False
        )


@irdl_op_definition
class ProgramOp(IRDLOperation, metaclass=OpClass):
    """
    The model: what calls of it give and get, the memory it needs, and what it runs.

    `inputs` and `outputs` are tensors with names; `symbols` are those that a call gives
    values, in the order in which the runtime keeps them, and `checks` what must hold of
    them. `constants` and `slots` are the memory of weights and of activations, and
    `plan` says how well slots share it. `donations` are the inputs in whose memory a call
    may want an output, and `skips` the slots that may alias other memory, when the
    calls that name them are not made. `folded` counts ops of the model that move
    elements at no cost, whatever the sizes. `work` is how many points of loops a run
    is.

    ```mlir
    loop.program @main inputs [#loop.tensor<"x" : tensor<4xf32>>]
        outputs [#loop.tensor<"y" : tensor<4xf32>>] work "4" {
      %0 = loop.view inputs 0 : memref<?xf32>
      %1 = loop.view outputs 0 : memref<?xf32>
      loop.call @relu(%0, %1) symbols [] : memref<?xf32>, memref<?xf32>
    }
    ```
    """

    name = "loop.program"

    sym_name = prop_def(SymbolNameConstraint())
    inputs = prop_def(ArrayAttr[TensorAttr], default_value=NONE)
    outputs = prop_def(ArrayAttr[TensorAttr], default_value=NONE)
    symbols = prop_def(ArrayAttr[SymbolAttr], default_value=NONE)
    constants = prop_def(ArrayAttr[ConstantAttr], default_value=NONE)
    slots = prop_def(ArrayAttr[SlotAttr], default_value=NONE)
    plan = prop_def(PlanAttr, default_value=PlanAttr.of("naive", 0, 0, 0))
    checks = prop_def(ArrayAttr[CheckAttr], default_value=NONE)
    donations = prop_def(ArrayAttr[DonationAttr], default_value=NONE)
    skips = prop_def(ArrayAttr[SkipAttr], default_value=NONE)
    folded = prop_def(IntegerAttr.constr(i64), default_value=IntegerAttr(0, i64))
    work = prop_def(DIM, default_value=StringAttr("0"))
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    custom_directives = (Body,)
    assembly_format = (
        "$sym_name (`inputs` $inputs^)? (`outputs` $outputs^)? (`symbols` $symbols^)? "
        "(`constants` $constants^)? (`slots` $slots^)? (`plan` $plan^)? "
        "(`checks` $checks^)? (`donations` $donations^)? (`skips` $skips^)? "
        "(`folded` $folded^)? (`work` $work^)? attr-dict-with-keyword custom<Body>($body)"
    )

    def __init__(
        self,
        name: str,
        body: Block,
        *,
        inputs: Sequence[TensorAttr],
        outputs: Sequence[TensorAttr],
        symbols: Sequence[SymbolAttr],
        constants: Sequence[ConstantAttr],
        slots: Sequence[SlotAttr],
        plan: PlanAttr,
        checks: Sequence[CheckAttr],
        skips: Sequence[SkipAttr],
        folded: int,
        work: Dim,
    ):
        """The program of this name, whose calls are `body`."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "inputs": ArrayAttr(inputs),
                "outputs": ArrayAttr(outputs),
                "symbols": ArrayAttr(symbols),
                "constants": ArrayAttr(constants),
                "slots": ArrayAttr(slots),
                "plan": plan,
                "checks": ArrayAttr(checks),
                "donations": NONE,
                "skips": ArrayAttr(skips),
                "folded": IntegerAttr(folded, i64),
                "work": StringAttr(str(work)),
            },
            regions=[Region(body)],
        )

    @property
    def input_types(self) -> list[Tensor]:
        """The types of the inputs."""
        return [each.tensor for each in self.inputs]

    @property
    def output_types(self) -> list[Tensor]:
        """The types of the outputs."""
        return [each.tensor for each in self.outputs]

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """The symbols that a call gives values, in the order of the context."""
        return tuple(each.label.data for each in self.symbols)

    @property
    def defined(self) -> dict[str, DefineOp]:
        """The symbols that a run defines, in the order of the context."""
        return {op.symbol.data: op for op in self.walk() if isinstance(op, DefineOp)}

    @property
    def ranges(self) -> Ranges:
        """The range of each symbol that a run defines, by the sizes of inputs."""
        return resolved({name: op.range for name, op in self.defined.items()})

    @property
    def skipped_slots(self) -> tuple[int, ...]:
        """The slots that may be other memory, by the numbers that calls have."""
        return tuple(dict.fromkeys(each.slot.data for each in self.skips))

    @property
    def points(self) -> Dim:
        """How many points of loops a run is."""
        return dim(self.work.data)

    @property
    def kernels(self) -> dict[str, KernelOp]:
        """The kernels beside the program, by their names."""
        module = self.parent_op()
        ops = module.ops if isinstance(module, ModuleOp) else ()
        return {op.sym_name.data: op for op in ops if isinstance(op, KernelOp)}

    def offset_of(self, view: ViewOp) -> int | None:
        """
        The byte of its block at which a constant or a slot begins; None where that
        depends on symbols, and 0 of an input or an output.
        """
        number = view.number.value.data
        match view.region.data:
            case "constants":
                return self.constants.data[number].offset.data
            case "activations":
                slot = self.slots.data[number]
                return slot.offset.data if slot.is_planned else None
            case _:
                return 0

    def verify_(self) -> None:
        """Memory is where the plan says, and each op works on what there is."""
        verify_memory(self.constants, self.slots, self.plan)
        verify_donations(self.donations, self.input_types, self.output_types)
        verify_skips(self.skips, self.body.block, self.slots)
        _verify_symbols(self)
        elements = _elements(self)
        kernels = self.kernels
        fallbacks = 0
        for op in self.walk():
            match op:
                case ViewOp():
                    _verify_view(op, elements)
                case CallOp():
                    _verify_call(op, kernels.get(op.kernel_name))
                case CallOutOp():
                    if op.number.value.data != fallbacks:
                        raise VerifyException(
                            f"expected fallback op {fallbacks}, in order, got "
                            f"{op.number.value.data}"
                        )
                    fallbacks += 1
                case _:
                    pass


def _verify_symbols(program: ProgramOp) -> None:
    """Each symbol is given or defined, once, and no other is used."""
    given = set(_once("symbol", program.symbol_names))
    defines = (op.symbol.data for op in program.walk() if isinstance(op, DefineOp))
    known = set(_once("symbol", (*program.symbol_names, *defines)))
    of_call = [each.size for each in program.slots]
    of_call += [each.size for each in program.checks]
    of_call.append(program.points)
    for skip in program.skips:
        of_call += [skip.offset, skip.count]
        of_call += (q for clause in skip.when for q in clause)
    of_call += (size for each in program.input_types for size in sizes(each))
    _refuse_unknown(of_call, given)
    of_run = [size for each in program.output_types for size in sizes(each)]
    of_run += (size for op in program.walk() for size in sizes_used(op))
    _refuse_unknown(of_run, known)


def _once(what: str, names: Iterable[str]) -> dict[str, None]:
    """The names; raises `VerifyException` for one that comes twice."""
    found: dict[str, None] = {}
    for name in names:
        if name in found:
            raise VerifyException(f"expected each {what} once, got {name} again")
        found[name] = None
    return found


def _refuse_unknown(sizes: Iterable[Dim], known: set[str]) -> None:
    for size in sizes:
        if unknown := symbols_of(size) - known:
            raise VerifyException(
                f"expected symbols of {', '.join(sorted(known)) or 'no name'}, got "
                f"{', '.join(sorted(unknown))} in {size}"
            )


def sizes_used(op: Operation) -> Iterator[Dim]:
    """The sizes that an op of a program computes with."""
    match op:
        case ViewOp():
            yield dim(op.start.data)
        case CallOp():
            yield from op.sizes
        case RepeatOp():
            yield op.limit
        case ElementOp():
            yield dim(op.stride.data)
            yield dim(op.backward.data)
        case DefineOp():
            yield from op.range
        case RequireOp():
            yield dim(op.quantity.data)
            yield from op.shown
        case _:
            pass


def _elements(program: ProgramOp) -> Mapping[str, Sequence[Attribute | None]]:
    """The elements of all memory that there is, by its region; None for any."""
    return {
        "inputs": [each.element_type for each in program.input_types],
        "outputs": [each.element_type for each in program.output_types],
        "constants": [None for _ in program.constants],
        "activations": [None for _ in program.slots],
    }


def _verify_view(
    view: ViewOp, elements: Mapping[str, Sequence[Attribute | None]]
) -> None:
    """There is what is viewed, and it has elements of this type."""
    region, number = view.region.data, view.number.value.data
    known = elements[region]
    if not 0 <= number < len(known):
        raise VerifyException(
            f"expected one of {len(known)} {region}, got number {number}"
        )
    element, found = known[number], view.result.type.get_element_type()
    if element is not None and found != element:
        raise VerifyException(
            f"expected elements of {element} in {region} {number}, got {found}"
        )


def _verify_call(call: CallOp, kernel: KernelOp | None) -> None:
    """The kernel takes such buffers, and as many symbols; it may be elsewhere."""
    if kernel is None:
        return
    expected = list(kernel.body.block.arg_types)
    found = list(call.buffers.types)
    if found != expected:
        raise VerifyException(
            f"expected buffers {', '.join(map(str, expected))} for "
            f"@{call.kernel_name}, got {', '.join(map(str, found))}"
        )
    if len(call.symbols) != len(kernel.symbols):
        raise VerifyException(
            f"expected {len(kernel.symbols)} symbols for @{call.kernel_name}, got "
            f"{len(call.symbols)}"
        )
