"""
Compile a model to data: bytecode over kernels whose sizes are all symbols.

What depends on a machine is in the kernels alone, but for the layout of weights, which
is as one target likes it; kernels of other targets read it so as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from ...dialects import Dim
from ...dialects.loop import CallOp, KernelOp, ProgramOp
from ...lowering.host_to_bytecode import (
    lower_plan_to_bytecode,
    lower_program_to_bytecode,
)
from ...lowering.host_to_llvm import reach_in
from ...lowering.program_to_host import length_of
from ...runtime.abi import WORTH_RELEASING
from ...runtime.library import IS_DATA, WORK, Artifact, Operator, Selection, to_json
from ..building import alone
from ..compile import Compilation
from ..driver import CALLS, Driver, constant_block, describe, program_of
from ..ir import context, note_of_functions, packages_of, selection_of
from ..passes import (
    executed_of,
    graph_passes,
    library_passes,
    number_of,
    schedule_passes,
)
from ..runtime_folder import refuse_fallbacks, refuse_functions
from ..session import FUNCTIONS_NOTE, CompileError, Options
from .image import Called, write_image

_MAX_WORK_TEXT = 1000
"""Characters of what is computed to tell short runs from long ones."""

_LAYOUTS = "x86-64-v4"
"""The target whose layout of weights models have."""


@dataclass(frozen=True)
class GenericModel:
    """A model as data, and the kernels that it calls."""

    artifact: Artifact
    kernels: Mapping[str, KernelOp]
    """The kernels before anything is chosen for a target, by their names."""

    uses: Mapping[str, Sequence[Selection]]
    """What is used of each kernel, by its calls."""

    packages: Sequence[str] = ()
    """The packages of ops that users brought."""


def make_data_model(
    model: Any,
    options: Options = Options(),
    library: Set[str] | None = None,
    computed: dict[str, tuple[Dim, ...]] | None = None,
) -> GenericModel:
    """
    Compiles a model to data; fusions whose kernels a `library` lacks are taken apart.
    What the code of kernels computes is noted in `computed`, for other models that have
    them.

    Raises `CompileError` for kernels that the library lacks all the same, for a model
    with ops that run by their numpy reference, and for precisions other than f32 and
    algorithms that are not exact.
    """
    if options.precision != "f32":
        raise CompileError(
            "expected precision f32 for a model as data, got "
            f"{options.precision}; its kernels are those of a library"
        )
    if options.algorithms != "exact":
        raise CompileError(
            "expected algorithms exact for a model as data, got "
            f"{options.algorithms}; its kernels are those of a library"
        )
    options.check_built()
    compilation = Compilation(model, target=_LAYOUTS, options=options)
    apart: frozenset[int] = frozenset()
    with alone():
        while True:
            made = _Made(compilation, apart)
            missing = made.missing(library)
            if not missing:
                return made.model({} if computed is None else computed)
            more = {each for each in missing.values() if each is not None}
            if len(more) < len(missing) or more <= apart:
                names = sorted(name for name, at in missing.items() if at is None)
                raise CompileError(
                    "expected a library with the kernels of the model, got one without "
                    f"{', '.join(names or missing)}; build it with the model"
                )
            apart |= more


class _Made:
    """A module that is compiled to data."""

    def __init__(self, compilation: Compilation, apart: Set[int]):
        """
        Runs the passes up to the schedules of kernels, and notes the kernels; the
        fusions of the numbers `apart` are none.
        """
        self.ctx, self.roots = context(), set[str]()
        self.ctx.operators = self.roots
        self.module = compilation.front_end(compilation.source())(self.ctx)
        self.packages = packages_of(self.module)
        options = compilation.options
        driver = Driver(self.ctx, options, _LAYOUTS, None)
        passes = graph_passes(options, _LAYOUTS, apart=apart, is_traced=True)
        for each in (*passes, *library_passes()):
            driver.run_pass(each, self.module)
        self.kernels: dict[str, KernelOp] = {
            op.sym_name.data: op.clone()
            for op in self.module.ops
            if isinstance(op, KernelOp)
        }
        for each in schedule_passes():
            driver.run_pass(each, self.module)
        self.executed = executed_of(self.module)

    def missing(self, library: Set[str] | None) -> dict[str, int | None]:
        """The kernels that a library lacks, each with a fusion that it is, if any."""
        found: dict[str, int | None] = {}
        for op in program_of(self.module).walk():
            if library is not None and isinstance(op, CallOp):
                if op.kernel_name not in library:
                    found[op.kernel_name] = self.executed[number_of(op)].fusion
        return found

    def model(self, computed: dict[str, tuple[Dim, ...]]) -> GenericModel:
        """
        The model as data; raises `CompileError`. What the code of kernels computes is
        noted by their names.
        """
        program = program_of(self.module)
        known = describe(program)
        refuse_fallbacks(known)
        refuse_functions(note_of_functions(self.module).get(FUNCTIONS_NOTE, ()))
        reach = reach_in(self.module, computed)
        bytecode = lower_program_to_bytecode(program)
        arguments = [arguments_of(self.kernels[name]) for name in bytecode.kernels]
        calls = [*self._uses(program)]
        texts = [json.dumps(to_json(used)) for _, used in calls]
        table = [*dict.fromkeys(texts)]
        uses: dict[str, list[Selection]] = {}
        for kernel, used in calls:
            uses.setdefault(kernel, []).append(used)
        is_dynamic = bool(known.symbols or known.defined)
        notes: dict[str, Any] = {
            "kernels": bytecode.kernels,
            "arguments": arguments,
            IS_DATA: to_json(_needs(self.roots, is_dynamic, self.packages)),
            "uses": [*map(json.loads, table)],
            "calls": [*map(table.index, texts)],
            WORK: _work(program),
        }
        constants = constant_block(program, self.ctx.weights)
        called = Called(
            *(bytecode.code, bytecode.registers, bytecode.kernels, arguments),
            calls,
        )
        plans = lower_plan_to_bytecode(program, reach, is_placed=True)
        image = write_image(program, known, called, plans, constants)
        return GenericModel(
            *(Artifact(known, [image], constants, notes), self.kernels, uses),
            self.packages,
        )

    def _uses(self, program: ProgramOp) -> Iterator[tuple[str, Selection]]:
        """
        The kernel of each op of a program that may end a run, in their order, and what
        it uses of a library; no kernel and nothing where the op calls none.
        """
        for op in program.walk():
            if isinstance(op, CallOp):
                used = self.executed[number_of(op)]
                yield op.kernel_name, selection_of((), [used])
            elif isinstance(op, CALLS):
                yield "", Selection()


def _work(program: ProgramOp) -> int | str:
    """The points of the loops of a run, a number or a size of symbols."""
    length = length_of(program)
    if length.is_endless:
        return WORTH_RELEASING
    if isinstance(length.work, int):
        return length.work
    text = str(length.work)
    return text if len(text) <= _MAX_WORK_TEXT else WORTH_RELEASING


def arguments_of(kernel: KernelOp) -> int:
    """How many words a call gives a kernel: its buffers, and its sizes."""
    return len(kernel.body.block.args) + len(kernel.symbols)


def _needs(
    roots: set[str], is_dynamic: bool, packages: Iterable[str] = ()
) -> Selection:
    """What a model of these operators and packages needs when it is loaded."""
    features = {"python_entry", *(["dynamic_shapes"] if is_dynamic else [])}
    return Selection(
        operators=dict.fromkeys(sorted(roots), Operator(False, True, False)),
        build_features=frozenset(features),
        custom_classes=frozenset(packages),
    )
