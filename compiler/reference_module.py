"""
`ReferenceModule`: a model whose ops are run by their references, one after the other.

It is what `Options(enable_out_variant=False)` makes: an oracle for the compiled model,
which takes and returns the same. Nothing is compiled, planned or kept on disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any, NoReturn, Protocol, SupportsIndex

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from ..dialects import sizes, symbols_of, tensor_type
from ..dialects.graph import defined_symbols, ranges_of, tensor_names
from ..runtime.abi import dtype_of, stored_dtype
from ..runtime.call import OUT, ProgramModule, Statistics, match_outputs
from ..runtime.files import Array
from ..runtime.planning import Plan
from ..runtime.program import Program, check_symbols
from .building import alone
from .ir import context, interpret, structure_of, tensor_info
from .origin import Source, graph_model
from .passes import reading_passes
from .recipe import Reduced, checked, opened, sealed
from .session import CompileError, CompileReport, GraphModel, Options


class Compilation(Source, Protocol):
    """What reads a model, and for what."""

    target: str
    options: Options


class ReferenceModule(ProgramModule):
    """A model that is run op by op, by one thread at a time."""

    def __init__(self, compilation: Compilation):
        """The model of a compilation; raises `CompileError` as that would."""
        start = time.perf_counter()
        self._compilation, self.options = compilation, compilation.options
        source, ctx = compilation.source(), context()
        read = compilation.front_end(source)
        begin = time.perf_counter()
        with alone():
            module = read(ctx)
            # A framework may write to what is its own.
            own = {name: each.copy() for name, each in ctx.weights.arrays.items()}
            ctx.weights.arrays.update(own)
            self._model = graph_model(module, ctx.weights)
            self._weights = ctx.weights
            try:
                for each in reading_passes(self.options):
                    each.apply(ctx, module)
                self._function = _main(module)
                program = _program(self._function)
            except (VerifyException, ValueError) as error:
                raise CompileError(str(error).splitlines()[0]) from error
        self._module = module  # It owns the function.
        super().__init__(program, is_strict=False)
        self._calls = 0
        self.maker = _with_options
        end = time.perf_counter()
        self.report = CompileReport(end - start, False, read_seconds=end - begin)

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """
        What the model computes, as the compiled one takes and returns it; `ValueError`,
        `IndexError` and `TypeError` as of that, with the op that refuses.
        """
        out = None if self._has_input_out else named.pop(OUT, None)
        arrays, symbols = self.bind_arguments(arguments, named)
        self._check_ranges(symbols)
        given = None if out is None else match_outputs(self._program, out, symbols)
        with alone():
            self._calls += 1
            results = self._interpret(arrays, symbols)
        # A result may be an input, a weight, or a view of one.
        results = [
            np.array(each, order="C").view(dtype_of(info.dtype))
            for each, info in zip(results, self._program.outputs, strict=True)
        ]
        if given is not None:
            for array, result in zip(given, results, strict=True):
                np.copyto(array, result)
            return out
        flat = results[0] if len(results) == 1 else tuple(results)
        return flat if self._build is None else self._build(flat)

    def _interpret(
        self, arrays: Sequence[Array], symbols: Mapping[str, int]
    ) -> Sequence[Array]:
        """What the model computes of arrays that a call takes."""
        given = [
            each.view(stored_dtype(info.dtype))
            for each, info in zip(arrays, self._program.inputs, strict=True)
        ]
        return interpret(self._function, self._weights, given, symbols)

    def _check_ranges(self, symbols: dict[str, int]) -> None:
        """Raises `ValueError` for a symbol that is not within its range."""
        for number, name in enumerate(self._program.symbols, 1):
            least, most = self._program.ranges.get(name, (0, 2**63))
            if not least <= symbols[name] <= most:
                raise self._program.refusal(number, symbols)

    @property
    def plan(self) -> Plan:
        """The plan of no memory."""
        return Plan((), 0, 0)

    def _measured(self) -> NoReturn:
        """Not there: nothing is compiled."""
        raise self.refusal("benchmark()")

    def statistics(self) -> Statistics:
        """What calls did: all of them were run by Python."""
        return Statistics(slow_calls=self._calls, plans=0)

    def repeater(self, *arguments: Any) -> Callable[[int], None]:
        """A function that runs the model on these inputs n times."""
        arrays, symbols = self.bind_arguments(arguments, {})
        self._check_ranges(symbols)

        def repeat(times: int) -> None:
            if index(times) < 1:
                raise ValueError(f"expected one time or more, got {times}")
            for _ in range(times):
                with alone():
                    self._interpret(arrays, symbols)

        return repeat

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> Reduced:
        """The model as its front end made it, and the options."""
        made = self._compilation
        facts = type(made), made.target, self.options, self._model.digest
        return _restored, (*sealed(facts), self._model.text, dict(self._model.weights))

    def __copy__(self) -> ReferenceModule:
        """One that answers alike."""
        return self.remade(self.options)

    def remade(self, options: Options) -> ReferenceModule:
        """The module of the same model with other options."""
        made: Any = self._compilation
        return type(made)(self._model, target=made.target, options=options).run()

    def refusal(self, what: str) -> ValueError:
        """The error that only compiled models have something."""
        return ValueError(
            f"expected a compiled module, to ask for {what}, got one that runs "
            "references; compile the model with enable_out_variant=True"
        )


def _with_options(module: ReferenceModule, options: Options) -> ReferenceModule:
    """One with other options of a run; raises `CompileError` for others."""
    own = module.options.for_a_run(options)
    return module.remade(own)


def _restored(
    facts: bytes, digest: str, text: str, weights: dict[str, Array]
) -> ReferenceModule:
    """The module that was pickled; raises `pickle.UnpicklingError` if it is damaged."""
    kind, target, options, known = opened(facts, digest)
    model = checked(GraphModel(text, weights, known))
    return kind(model, target=target, options=options).run()


def _main(module: ModuleOp) -> func.FuncOp:
    """The function of a model."""
    (function,) = (each for each in module.ops if isinstance(each, func.FuncOp))
    return function


def _program(function: func.FuncOp) -> Program:
    """What calls of a function take and return; raises `ValueError` as a compile."""
    block = function.body.block
    end = block.last_op
    assert end is not None
    inputs, outputs = (
        [*map(tensor_info, types, tensor_names(function, kind, len(types)))]
        for kind, types in (("input", block.arg_types), ("output", end.operand_types))
    )
    defined = defined_symbols(block)
    free = {
        name: None
        for type in (*block.arg_types, *end.operand_types)
        for size in sizes(tensor_type(type))
        for name in sorted(symbols_of(size))
        if name not in defined
    }
    names = {each.name for each in inputs}
    made = Program(
        name=function.sym_name.data,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        symbols=(*free,),
        ranges=ranges_of(function),
        checks=(),
        slots=(),
        planner="naive",
        bytes=0,
        lower_bound=0,
        calls=(),
        call_outs=(),
        defined=(*defined,),
        capacities=(0,) * len(outputs) if defined else (),
        structure=structure_of(function, names, len(outputs)),
    )
    check_symbols(made)
    return made
