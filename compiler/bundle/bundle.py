"""Make a bundle of a model, and write its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...dialects.loop import target_of
from ...runtime import ConstantBlock, Program, atomic_file
from ..building import alone
from ..codegen import Places, linked_object, lower_bundle, machine_of
from ..compile import Compilation
from ..errors import CompileError
from .header import APIS, Memory, header, table_text
from .placeholder import ALIGNMENT, place

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_ROW = 16
"""Bytes in a line of the weights as text."""


@dataclass(frozen=True)
class Bundle:
    """The contents of the files of a bundle."""

    network: str
    code: bytes
    header: str
    weights: ConstantBlock


def make_bundle(
    compilation: Compilation,
    network: str,
    entry: str | None = None,
    api: str = "static",
) -> Bundle:
    """
    The bundle of a model whose sizes are all known.

    `network` names its files and macros, `entry` its function, which is the same where
    none is given. Raises `CompileError` for a model that a bundle cannot hold.
    """
    entry = entry or network
    for each in (network, entry):
        if not _NAME.fullmatch(each):
            raise CompileError(f"expected a name that C has for a bundle, got {each}")
        if each.startswith("sr_"):
            raise CompileError(
                f"expected a name that does not begin with sr_ for a bundle, got {each}"
            )
    if api not in APIS:
        raise CompileError(f"expected an API of {' or '.join(APIS)}, got {api}")
    from ..context import context
    from ..describe import constant_block, describe, program_of
    from ..driver import Driver

    with alone():
        ctx = context()
        module = compilation.front_end(compilation.source())(ctx)
        Driver(ctx, compilation.options, compilation.target, None).run_passes(module)
        program = program_of(module)
        known = describe(program)
        _check(known)
        placed = place((*known.inputs, *known.outputs))
        weights = constant_block(program, ctx.weights)
        end = max((each.offset + each.nbytes for each in placed), default=0)
        memory = Memory(weights.nbytes, -(-end // ALIGNMENT) * ALIGNMENT, known.bytes)
        offsets = [each.offset for each in placed]
        count = len(known.inputs)
        places = Places(tuple(offsets[:count]), tuple(offsets[count:]))
        texts = lower_bundle(module, entry, places)
        if api == "dynamic":
            texts = (*texts, table_text(entry, memory, placed))
        machine = machine_of(target_of(module))
        code = linked_object(texts, [entry], machine, compilation.cache)
    return Bundle(network, code, header(network, entry, api, memory, placed), weights)


def _check(program: Program) -> None:
    """Raises `CompileError` for what a bundle cannot hold."""
    if program.call_outs:
        sources = ", ".join(_fallbacks(program))
        raise CompileError(
            "expected a bundle of ops that have kernels, got ops that run their "
            f"reference in Python: {sources}"
        )
    if symbols := (*program.symbols, *program.defined):
        raise CompileError(
            "expected a bundle of a model whose sizes are all numbers, got the symbols "
            f"{', '.join(symbols)}; export the model with sizes that are numbers"
        )


def _fallbacks(program: Program) -> Iterator[str]:
    """The fallback ops, each with its node."""
    for each in program.call_outs:
        yield each.op.partition("\n")[0]


def write_bundle(bundle: Bundle, folder: Path) -> None:
    """
    Writes the files of a bundle, each whole, into a folder, which is made; others in it
    stay. Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = bundle.network
    with atomic_file(folder / f"{name}.weights.bin") as file:
        for piece in bundle.weights.pieces():
            file.write(piece)
    known = np.array([f"0x{byte:02X}," for byte in range(256)], "S5")
    with atomic_file(folder / f"{name}.weights.txt") as file:
        for piece in bundle.weights.pieces():
            for row in known[piece].reshape(-1, _ROW):
                file.write(row.tobytes() + b"\n")
    with atomic_file(folder / f"{name}.h") as file:
        file.write(bundle.header.encode())
    with atomic_file(folder / f"{name}.o") as file:
        file.write(bundle.code)
