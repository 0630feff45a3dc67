"""`Options`: the options of a compile, and of its runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Any, Self

from ...runtime.machine import usable_threads
from .errors import CompileError
from .option_names import (
    Scope,
    check_names,
    check_planners,
    names_of,
    planner_of,
)
from .option_values import (
    ALWAYS_GIVEN,
    CHOICES,
    SWITCHES,
    ProfileText,
    check_is,
    check_one_of,
    check_planner,
    names_of_classes,
    text_of_profile,
    whole_bounds,
    whole_seed,
    whole_threads,
)


@dataclass(frozen=True)
class Options:
    """
    How a model is compiled and run; raises `CompileError` for a value that is not
    known, and `TypeError` for a name that is not.

    Each option is of compile scope or of run scope, as it says: one of run scope may
    be chosen anew for a runtime or a pool (`docs/options.md`).
    """

    planner: str = "conflict-driven"
    """
    How activations share memory: a name of `static_runtime.runtime.planning`
    (`docs/memory.md`). Compile scope.
    """

    cache: bool = True
    """
    Whether compiled code is kept on disk, and taken from there. Compile scope; a
    runtime with options of its own has this one of its module.
    """

    tier: str = "full"
    """
    What answers first: the "full" code, or with "fast-start" code that is compiled
    sooner and runs longer, until a thread has compiled the full code, of equal bits
    (`docs/fast_start.md`). Compile scope; a runtime has the one of its module.
    """

    tune: bool = False
    """
    Whether contractions are measured on this machine, to choose how they are computed.
    What was found is kept on disk, and used again by what is compiled with this option.
    It takes some seconds a kernel, once. Bits do not depend on it. Compile scope.
    """

    threads: int | None = None
    """
    How many threads a run may use, and LLVM when the model is compiled; None for all
    that the process may run at once. More than these are of no use: who asks for more
    gets as many, or eight where they are fewer; and where the system refuses a thread,
    the others do its work. Small kernels are run by the caller alone. Bits do not
    depend on it. Run scope.
    """

    inter_op_threads: int | None = None
    """
    How many branches of a model may run at once, where they have no order: None for as
    many as gain by it, which needs chains of kernels too small for several threads
    each, as the two directions of an LSTM; 1 for none. A run of fewer threads runs them
    in turn. Bits do not depend on it, and memory is planned for it. Compile scope.
    """

    precision: str = "f32"
    """
    How exactly a model of f32 is computed: "f32" as it is; "bf16" with the weights of
    products rounded to bf16, which is half of their memory (`docs/precision.md`).
    Compile scope.
    """

    algorithms: str = "exact"
    """
    How f32 convolutions with windows of 3x3 are computed: "exact" sums up all products;
    "fast" may take 2.25 times fewer, and is as exact; "fastest" 4 times fewer, within
    1e-4 of the largest element of a result (`docs/precision.md`). Compile scope.
    """

    weights: str | None = None
    """
    What the weights of products of matrices are quantised to: "int8" or "int4" numbers,
    with a scale for each group of 64 rows, or None for not at all. They take so much
    less memory, which is what a model waits for that computes a row at a time
    (`docs/quantization.md`). Compile scope.
    """

    activations: str | None = None
    """
    What products round their other factor to where a weight has few bits: "int8"
    numbers, with a scale for each 32 of a row, or None for not at all, unless a model
    says so. They are computed of bytes then (`docs/quantization.md`). Compile scope.
    """

    quantization: Any = None
    """
    What `sr.quantize` found of the model's activations, or the path of such a profile,
    by which products and convolutions are computed of bytes; None for not at all
    (`docs/quantization.md`). Compile scope.
    """

    bounds: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """
    The most that symbols of the model are. A size that the run computes from data needs
    one, for its memory; the error that asks for it has its name. A call in which a
    symbol is greater ends with an error. Compile scope.
    """

    grow: str | tuple[str, ...] = ()
    """
    The symbols of sizes that grow from call to call, such as the length of caches that
    the model takes, concatenates with new rows and returns. Their rows are then written
    where the cache is: a call returns a part of a buffer with room for more, and takes
    it back (`docs/memory.md`). One symbol may be given as its name alone. Compile
    scope.
    """

    seed: int | str | None = None
    """
    What numbers at random are drawn by: a number, by which each call draws the same;
    "input" for one more input of the model, `seed`, an i64; or None, which refuses
    models that draw some (`docs/options.md`). Compile scope.
    """

    bind: str = "refuse"
    """
    What becomes of a model with an op that needs a value when it is compiled, such as
    an axis or a shape, and has it from an input: "refuse" it, or compile it at the
    "first-call" with each value of that input. Compile scope.
    """

    fallback: str = "error"
    """
    What becomes of a node that no op of ours computes: an "error" that lists all of
    them, or a "foreign" call of the framework that the model is from, which must then
    be installed where the model runs (`docs/coverage.md`). Types of results must be
    known. Compile scope.
    """

    foreign_ops: Sequence[Any] = field(default=(), hash=False)
    """
    Python implementations of an ONNX model's nodes of other domains: subclasses of
    `onnx.reference.op_run.OpRun`, or the names "module:class" of some, which a process
    imports that runs such a node. Compile scope.
    """

    manage_output_tensors: bool = False
    """
    Whether the module keeps the outputs of its last calls, and returns their arrays
    again once nobody has them: no view, tensor or buffer of them either. It is worth it
    for large outputs, whose pages are new to the process otherwise (`docs/memory.md`).
    Run scope.
    """

    optimize_memory: bool = True
    """
    Whether activations share memory. If not, each has bytes of its own, as with the
    planner "naive", whatever `planner` is. Compile scope.
    """

    enable_out_variant: bool = True
    """
    Whether the model is compiled. If not, each of its ops is run by its reference in
    numpy, one after the other, and nothing is planned: an oracle, and slow. It needs
    `optimize_memory=False`. Compile scope.
    """

    enable_tensorexpr_fusion: bool = True
    """
    Whether ops are fused into one kernel where their loops allow it. If not, each op is
    a kernel of its own. Compile scope.
    """

    use_maybe_copy_variants: bool = True
    """
    Whether an op that for some sizes only copies its operand, such as a slice of all,
    is not run in calls of such sizes (`docs/skip.md`). If not, it copies in each call.
    Compile scope.
    """

    check_memory: bool = False
    """
    Whether each call of a kernel is checked: that it writes to its result alone, and
    reads what it is given alone (`docs/memory.md`). It is for finding faults: a run
    takes many times as long. Compile scope.
    """

    strict: bool = False
    """
    Whether calls are refused that would be slow: if they would copy an input, or
    are of greater sizes than were planned (`docs/options.md`). Run scope.
    """

    memory_planner_algorithm: InitVar[str | None] = None
    """
    Another name of `planner`, which has the value. It takes the same names, among them
    "standard_resizing" and "precomputed_offsets".
    """

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Options of these names; raises for names that there are not."""
        check_names(named)
        if given or "planner" in named:
            planner = given[0] if given else named["planner"]
            check_planners(planner, named.get("memory_planner_algorithm"))
        return super().__new__(cls)

    def __post_init__(self, memory_planner_algorithm: str | None) -> None:
        algorithm = memory_planner_algorithm
        planner = planner_of(self.planner if algorithm is None else algorithm)
        object.__setattr__(self, "planner", planner)
        for name in SWITCHES:
            check_is(f"True or False for {name}", bool, getattr(self, name))
        object.__setattr__(self, "bounds", whole_bounds(self.bounds))
        object.__setattr__(self, "quantization", text_of_profile(self.quantization))
        self._check_growing()
        self._check_references()
        if self.strict and self.growing:
            raise CompileError(
                f"expected no symbols that grow with strict=True, got {self.grow!r}, "
                "whose caches are planned anew as they grow; leave one of them out"
            )
        if self.strict and self.bind != "refuse":
            raise CompileError(
                f"expected bind='refuse' with strict=True, got {self.bind!r}, by which "
                "a call may compile; leave one of them out"
            )
        object.__setattr__(self, "seed", whole_seed(self.seed))
        for name, (what, values) in CHOICES.items():
            if (value := getattr(self, name)) != getattr(Options, name):
                check_one_of(what, values, value)
        object.__setattr__(self, "foreign_ops", names_of_classes(self.foreign_ops))
        check_planner(self.planner)
        for name in ("threads", "inter_op_threads"):
            object.__setattr__(self, name, whole_threads(getattr(self, name)))
        if self.tune and self.tier != "full":
            raise CompileError(
                f"expected tier='full' with tune=True, got {self.tier!r}, and what is "
                "measured takes longer than a compile; leave one of them out"
            )

    def _check_growing(self) -> None:
        """Raises `CompileError` unless what grows are names; keeps each once."""
        check_is("names of symbols that grow", tuple | list | str, self.grow)
        for each in self.growing:
            check_is("the name of a symbol that grows", str, each)
        object.__setattr__(self, "grow", self.growing)

    def _check_references(self) -> None:
        """Raises `CompileError` for what only a compiled model has."""
        if self.enable_out_variant:
            return
        # In the words of PyTorch, which users may look for.
        for name in ("manage_output_tensors", "optimize_memory"):
            if getattr(self, name):
                raise CompileError(
                    f"When {name} is true, enable_out_variant must be set to true"
                )
        others = (
            *("precision", "algorithms", "weights", "activations", "quantization"),
            *("tune", "strict", "grow", "tier"),
        )
        for name in others:
            value = getattr(Options, name)
            if (got := getattr(self, name)) != value:
                raise CompileError(
                    f"expected {name}={value!r} with enable_out_variant=False, got "
                    f"{got!r}, which is of compiled code; leave one of them out"
                )

    def check_built(self) -> None:
        """
        Raises `CompileError` for what only a module has that `compile` makes, and not
        what is built for other processes.
        """
        names = "check_memory", "strict", "manage_output_tensors", "bind", "tier"
        for name in names:
            if (got := getattr(self, name)) != (usual := getattr(Options(), name)):
                raise CompileError(
                    f"expected {name}={usual!r} for what is built, got {got!r}; "
                    "compile the model with it, and run it here"
                )

    def for_a_run(self, other: Any) -> Options:
        """
        `other`, which differs from these options in what a run may change alone.

        Raises `CompileError` where it differs in anything else.
        """
        check_is("options as Options(...)", Options, other)
        for name in (*names_of(Scope.CODE), *names_of(Scope.COMPILE)):
            mine, its = getattr(self, name), getattr(other, name)
            if mine != its:
                *first, last = names_of(Scope.RUN)
                free = f"{', '.join(first)} and {last}"
                raise CompileError(
                    f"expected {name}={mine!r} as the module was compiled with, "
                    f"got {its!r}; a run may change {free} alone, "
                    "so compile the model with the other options"
                )
        return replace(other, **{n: getattr(self, n) for n in names_of(Scope.OWN)})

    @property
    def usable_threads(self) -> int:
        """How many threads may run, or compile, side by side."""
        usable = usable_threads()
        return min(self.threads or usable, max(usable, ALWAYS_GIVEN))

    @property
    def growing(self) -> tuple[str, ...]:
        """The symbols that grow, each once."""
        grow = (self.grow,) if isinstance(self.grow, str) else self.grow
        return tuple(dict.fromkeys(grow))

    @property
    def placement(self) -> str:
        """The planner that places activations."""
        return self.planner if self.optimize_memory else "naive"

    @property
    def key(self) -> str:
        """What of the options the compiled code depends on."""
        values = {name: getattr(self, name) for name in names_of(Scope.CODE)}
        if isinstance(profile := self.quantization, ProfileText):
            values["quantization"] = profile.digest
        return json.dumps(values, sort_keys=True)
