"""Write the C header of a model in a bundle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...lowering.loop_to_llvm import text_constant
from ...lowering.program_to_host import MAX_SIZE, NOT_PLANNED, OTHER_WEIGHTS
from ...runtime.abi import ALIGNMENT, INDEX_ERROR
from ...runtime.program import Program
from ..session import CompileError
from .c_names import comment, identifier_of, member_of
from .placeholder import MACROS, Placeholder
from .texts import text_macros

APIS = ("static", "dynamic")
"""Where a C program finds sizes and offsets: in macros, or in a table at run time."""

_SHARED = """\
#ifndef GLOW_BUNDLE_COMMON
#define GLOW_BUNDLE_COMMON
#define GLOW_SUCCESS 0
#define GLOW_MEM_ALIGN(size) __attribute__((aligned(size)))
#define GLOW_GET_ADDR(mutableBaseAddr, placeholderOff) \\
  (((uint8_t *)(mutableBaseAddr)) + (placeholderOff))
/* Lets threads share the work of a call. */
typedef struct BundleThreads {
  /* Calls body(data, part, parts) for each part from 0 to parts - 1, in any threads
     and any order, and returns when all of these have returned. */
  void (*parallel_for)(void *user,
                       void (*body)(void *data, int64_t part, int64_t parts),
                       void *data, int64_t parts);
  void *user;
  int64_t threads; /* the most parts that work is split in */
} BundleThreads;
#endif
"""

_TABLE = """\
#ifndef GLOW_BUNDLE_TABLE
#define GLOW_BUNDLE_TABLE
typedef struct SymbolTableEntry {
  const char *name;
  uint64_t offset; /* in bytes, in the mutable buffer */
  uint64_t size;   /* in elements */
  char kind;       /* 1: in the mutable buffer */
} SymbolTableEntry;
typedef struct BundleConfig {
  uint64_t constantWeightVarsMemSize;
  uint64_t mutableWeightVarsMemSize;
  uint64_t activationsMemSize;
  uint64_t alignment;
  uint64_t numSymbols;
  const SymbolTableEntry *symbolTable;
} BundleConfig;
#endif
"""


@dataclass(frozen=True)
class Memory:
    """The bytes of the three buffers; zero where a plan says it."""

    constants: int
    mutable: int
    activations: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """In the order of the arguments."""
        return self.constants, self.mutable, self.activations


@dataclass(frozen=True)
class Described:
    """What a header says of a model."""

    network: str
    entry: str
    memory: Memory
    placed: Sequence[Placeholder]
    program: Program
    refusals: Sequence[str] = ()
    """What was expected of sizes that a plan refuses, from the status 1 on."""

    @property
    def is_open(self) -> bool:
        """Whether sizes are those of a call."""
        return bool(self.program.symbols)

    @property
    def functions(self) -> tuple[str, ...]:
        """All that the object has of the model."""
        stems = ("", "_parallel", "_check", *(("_plan",) if self.is_open else ()))
        return tuple(f"{self.entry}{stem}" for stem in stems)


def header(known: Described, api: str) -> str:
    """The header of a model; raises `CompileError` for names that are one in C."""
    upper = identifier_of(known.network).upper()
    lines = [f"#ifndef {upper}_BUNDLE_H", f"#define {upper}_BUNDLE_H"]
    lines += ["#include <stdint.h>", "", _SHARED]
    if api == "static":
        lines += _macros(known, upper)
    else:
        lines.append(_TABLE)
    taken = {*MACROS, *(each.identifier for each in known.placed)}
    lines += text_macros(known.program, upper, taken)
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    if api == "dynamic":
        lines.append(f"extern const BundleConfig {known.entry}_config;")
    if known.is_open:
        lines += _planning(known)
    lines += _functions(known)
    lines += ["#ifdef __cplusplus", "}", "#endif", "#endif", ""]
    return "\n".join(lines)


def _macros(known: Described, upper: str) -> Iterator[str]:
    """The macros of sizes and offsets."""
    names = ("CONSTANT", "MUTABLE", "ACTIVATIONS")
    for name, size in zip(names, known.memory.sizes, strict=True):
        if name == "CONSTANT" or not known.is_open:
            yield f"#define {upper}_{name}_MEM_SIZE {size}"
    yield f"#define {upper}_MEM_ALIGN {ALIGNMENT}"
    if not known.is_open:
        for each in known.placed:
            yield f"/* {comment(each.text)} */"
            yield f"#define {upper}_{each.identifier} {each.offset}"


def _planning(known: Described) -> Iterator[str]:
    """The sizes of a call, what is told of them, and the function that plans."""
    entry, program = known.entry, known.program
    yield "/* The sizes of a call. */"
    yield f"typedef struct {entry}_sizes {{"
    taken: dict[str, str] = {}
    for name in program.symbols:
        if (other := taken.setdefault(member := member_of(name), name)) != name:
            raise CompileError(
                f"expected sizes whose names differ in C, got {other} and {name}; "
                "rename one in the model"
            )
        least, most = program.ranges.get(name, (0, MAX_SIZE))
        limits = f"{least} or more" if most >= MAX_SIZE else f"{least} to {most}"
        yield f"  int64_t {member}; /* {limits} */"
    yield f"}} {entry}_sizes;"
    yield "/* What a call of these sizes needs: the bytes of its buffers, and in the"
    yield "   mutable one the offset in bytes and the elements of each tensor. */"
    yield f"typedef struct {entry}_memory {{"
    yield "  uint64_t mutableMemSize;"
    yield "  uint64_t activationsMemSize;"
    yield "  uint64_t activationsLowerBound; /* the least that any plan takes */"
    for what in ("offset", "elements"):
        yield "  struct {"
        for each in known.placed:
            yield f"    uint64_t {member_of(each.name)}; /* {comment(each.text)} */"
        yield f"  }} {what};"
    if ranks := sum(len(each.shape) for each in (*program.inputs, *program.outputs)):
        yield f"  int64_t shapes[{ranks}]; /* of all tensors, one after the other */"
    yield f"  uint64_t plan[{program.row_layout.size}]; /* where activations are */"
    yield f"}} {entry}_memory;"
    yield "/* Plans calls of these sizes. Returns GLOW_SUCCESS, or what was expected:"
    for number, each in enumerate(known.refusals, 1):
        yield f"   {number}: {comment(each)}"
    yield "   The plan may be used by many calls, also at once. */"
    yield f"int {entry}_plan(const {entry}_sizes *sizes, {entry}_memory *memory);"


def _functions(known: Described) -> Iterator[str]:
    """The functions that run the model, and what its weights are asked by."""
    entry = known.entry
    yield "/* Returns GLOW_SUCCESS where these are the weights of the model, or"
    yield f"   {OTHER_WEIGHTS}; a run with others may read outside of its buffers. */"
    yield f"int {entry}_check(const uint8_t *constantWeight);"
    arguments = ["uint8_t *constantWeight", "uint8_t *mutableWeight"]
    arguments.append("uint8_t *activations")
    if known.is_open:
        arguments.insert(0, f"const {entry}_memory *memory")
    yield f"/* Returns GLOW_SUCCESS; {INDEX_ERROR} where an index is out of its range;"
    if known.is_open:
        yield f"   {NOT_PLANNED} where memory is no plan of this model."
    yield "   May run in several threads, each with its own buffers for what is mutable"
    yield "   and for activations. */"
    yield _declared(f"int {entry}(", arguments)
    yield "/* The same by several threads; by one where threads is NULL. */"
    arguments.append("const BundleThreads *threads")
    yield _declared(f"int {entry}_parallel(", arguments)


def _declared(head: str, arguments: Sequence[str]) -> str:
    """The declaration of a function, with a line for each argument."""
    return head + f",\n{' ' * len(head)}".join(arguments) + ");"


def table_text(known: Described) -> str:
    """The `BundleConfig` of the dynamic API as LLVM text."""
    entries: list[str] = []
    lines: list[str] = []
    for at, each in enumerate(known.placed):
        lines.append(text_constant(f"name.{at}", each.name))
        entries.append(
            f"{{ptr, i64, i64, i8}} {{ptr @name.{at}, i64 {each.offset}, "
            f"i64 {each.elements}, i8 1}}"
        )
    count = len(known.placed)
    table = f"[{count} x {{ptr, i64, i64, i8}}]"
    lines.append(f"@table = internal constant {table} [{', '.join(entries)}]")
    sizes = (*known.memory.sizes, ALIGNMENT, count)
    fields = ", ".join(f"i64 {each}" for each in sizes)
    types = ", ".join(["i64"] * len(sizes))
    name = f"{known.entry}_config"
    lines.append(f"@{name} = constant {{{types}, ptr}} {{{fields}, ptr @table}}")
    return "\n".join([*lines, ""])
