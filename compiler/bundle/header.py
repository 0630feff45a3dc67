"""Write the C header of a bundle, and the table of symbols that its object holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .placeholder import ALIGNMENT, Placeholder, identifier_of

APIS = ("static", "dynamic")
"""Where a C program finds sizes and offsets: in macros, or in a table at run time."""

_SHARED = """\
#ifndef GLOW_BUNDLE_COMMON
#define GLOW_BUNDLE_COMMON
#define GLOW_SUCCESS 0
#define GLOW_MEM_ALIGN(size) __attribute__((aligned(size)))
#define GLOW_GET_ADDR(mutableBaseAddr, placeholderOff) \\
  (((uint8_t *)(mutableBaseAddr)) + (placeholderOff))
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
    """The bytes of the three buffers."""

    constants: int
    mutable: int
    activations: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """In the order of the arguments."""
        return self.constants, self.mutable, self.activations


def header(
    network: str, entry: str, api: str, memory: Memory, placed: Sequence[Placeholder]
) -> str:
    """The header of a bundle."""
    upper = identifier_of(network).upper()
    lines = [f"#ifndef {upper}_BUNDLE_H", f"#define {upper}_BUNDLE_H"]
    lines += ["#include <stdint.h>", "", _SHARED]
    if api == "static":
        names = ("CONSTANT", "MUTABLE", "ACTIVATIONS")
        for name, size in zip(names, memory.sizes, strict=True):
            lines.append(f"#define {upper}_{name}_MEM_SIZE {size}")
        lines.append(f"#define {upper}_MEM_ALIGN {ALIGNMENT}")
        for each in placed:
            shape = " x ".join(map(str, each.shape)) or "scalar"
            lines.append(f"/* {each.dtype}, {shape} */")
            lines.append(f"#define {upper}_{each.identifier} {each.offset}")
    else:
        lines.append(_TABLE)
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    if api == "dynamic":
        lines.append(f"extern const BundleConfig {entry}_config;")
    lines += [
        "/* Returns GLOW_SUCCESS, or what went wrong; may run in several threads, each",
        "   with mutable and activation buffers of its own. */",
        f"int {entry}(uint8_t *constantWeight, uint8_t *mutableWeight,",
        f"{' ' * len(f'int {entry}(')}uint8_t *activations);",
        *("#ifdef __cplusplus", "}", "#endif", "#endif", ""),
    ]
    return "\n".join(lines)


def table_text(entry: str, memory: Memory, placed: Sequence[Placeholder]) -> str:
    """The `BundleConfig` of the dynamic API as LLVM text."""
    entries: list[str] = []
    lines: list[str] = []
    for at, each in enumerate(placed):
        name = each.name.encode()
        text = "".join(f"\\{byte:02X}" for byte in (*name, 0))
        lines.append(f'@name.{at} = internal constant [{len(name) + 1} x i8] c"{text}"')
        entries.append(
            f"{{ptr, i64, i64, i8}} {{ptr @name.{at}, i64 {each.offset}, "
            f"i64 {each.elements}, i8 1}}"
        )
    table = f"[{len(placed)} x {{ptr, i64, i64, i8}}]"
    lines.append(f"@table = internal constant {table} [{', '.join(entries)}]")
    sizes = (*memory.sizes, ALIGNMENT, len(placed))
    fields = ", ".join(f"i64 {each}" for each in sizes)
    types = ", ".join(["i64"] * len(sizes))
    lines.append(
        f"@{entry}_config = constant {{{types}, ptr}} {{{fields}, ptr @table}}"
    )
    return "\n".join([*lines, ""])
