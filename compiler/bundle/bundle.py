"""Make a bundle of models, and write its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...dialects.loop import target_of
from ...lowering.host_to_llvm import lower_bundle
from ...lowering.llvm_to_object import Machine, machine_of
from ...lowering.llvm_to_object.linked import linked_object
from ...lowering.program_to_host import Places, refusals
from ...runtime.abi import aligned
from ...runtime.files import atomic_file
from ...runtime.program import ConstantBlock, Program
from ..building import alone
from ..compile import Compilation
from ..session import FUNCTIONS_NOTE, CompileError
from .c_names import check_name
from .header import APIS, Described, Memory, header, table_text
from .placeholder import Placeholder, place

_BYTES_PER_LINE = 16
"""Bytes in a line of the weights as text."""


@dataclass(frozen=True)
class Network:
    """
    A model of a bundle. `name` is that of its files and macros, and `entry` that of its
    function, which is the same where none is given.
    """

    compilation: Compilation
    name: str
    entry: str | None = None

    @property
    def function(self) -> str:
        """The name of its function."""
        return self.entry or self.name


@dataclass(frozen=True)
class Bundle:
    """The contents of the files of a bundle."""

    name: str
    code: bytes
    headers: dict[str, str]
    """By the names of networks."""
    weights: dict[str, ConstantBlock]


@dataclass(frozen=True)
class _Part:
    """A model of a bundle, compiled to LLVM text."""

    network: str
    texts: tuple[str, ...]
    symbols: tuple[str, ...]
    """What others see."""
    header: str
    weights: ConstantBlock
    machine: Machine


def make_bundle(
    networks: Sequence[Network], name: str | None = None, api: str = "static"
) -> Bundle:
    """
    The bundle of models, in one object, in which kernels that are the same are there
    once. `name` is that of the object, that of the first model where none is given.

    Raises `CompileError` for a model that a bundle cannot hold.
    """
    if api not in APIS:
        raise CompileError(f"expected an API of {' or '.join(APIS)}, got {api}")
    if not networks:
        raise CompileError("expected models for a bundle, got none")
    name = networks[0].name if name is None else name
    for each in (name, *(n for one in networks for n in (one.name, one.function))):
        check_name(each)
    taken: dict[str, str] = {}
    parts: list[_Part] = []
    for network in networks:
        made = _compiled_part(network, api)
        for each in {f"{network.name}.h", *made.symbols}:
            if (other := taken.setdefault(each, network.name)) != network.name or (
                any(one.network == network.name for one in parts)
            ):
                raise CompileError(
                    f"expected models with names of their own, got {each} of {other} "
                    f"and of {network.name}; rename a file"
                )
        parts.append(made)
    texts = dict.fromkeys(text for each in parts for text in each.texts)
    names = [each for part in parts for each in part.symbols]
    cache = networks[0].compilation.cache
    code = linked_object([*texts], names, parts[0].machine, cache)
    headers = {each.network: each.header for each in parts}
    weights = {each.network: each.weights for each in parts}
    return Bundle(name, code, headers, weights)


def _compiled_part(network: Network, api: str) -> _Part:
    """A model, compiled to LLVM text."""
    from ..driver import Driver, constant_block, describe, program_of
    from ..ir import context, note_of_functions
    from ..runtime_folder import refuse_functions

    compilation, entry = network.compilation, network.function
    compilation.options.check_built()
    with alone():
        ctx = context()
        module = compilation.front_end(compilation.source())(ctx)
        # A bundle has no threads of its own that could run branches.
        options = replace(compilation.options, inter_op_threads=1)
        # Nor may it use registers that its process would have to ask Linux for.
        driver = Driver(ctx, options, compilation.target, None, matrices=False)
        driver.run_passes(module)
        program = program_of(module)
        known = describe(program)
        _check(known)
        refuse_functions(note_of_functions(module).get(FUNCTIONS_NOTE, ()))
        weights = constant_block(program, ctx.weights)
        is_open = bool(known.symbols)
        placed = place((*known.inputs, *known.outputs), is_open)
        described = Described(
            network=network.name,
            entry=entry,
            memory=_memory(weights, placed, known),
            placed=placed,
            program=known,
            refusals=refusals(program),
        )
        offsets, count = [each.offset for each in placed], len(known.inputs)
        places = Places(tuple(offsets[:count]), tuple(offsets[count:]))
        placed_at = None if is_open else places
        texts = lower_bundle(module, entry, placed_at, weights.pieces())
        symbols = described.functions
        if api == "dynamic":
            texts = (*texts, table_text(described))
            symbols = (*symbols, f"{entry}_config")
        machine = machine_of(target_of(module))
    text = header(described, api)
    return _Part(network.name, texts, symbols, text, weights, machine)


def _memory(
    weights: ConstantBlock, placed: Sequence[Placeholder], known: Program
) -> Memory:
    """The bytes of buffers."""
    if known.symbols:
        return Memory(weights.nbytes, 0, 0)
    end = max((each.offset + each.nbytes for each in placed), default=0)
    return Memory(weights.nbytes, aligned(end), known.bytes)


def _check(program: Program) -> None:
    """Raises `CompileError` for what a bundle cannot hold."""
    if program.call_outs:
        sources = ", ".join(each.source for each in program.call_outs)
        raise CompileError(
            "expected a bundle of ops that have kernels, got ops that run their "
            f"reference, or that of a framework, in Python: {sources}"
        )
    if program.defined:
        raise CompileError(
            "expected a bundle of a model whose sizes follow from those of its inputs, "
            f"got sizes that a run computes: {', '.join(program.defined)}"
        )


def write_bundle(bundle: Bundle, folder: Path) -> None:
    """
    Writes the files of a bundle, each whole, into a folder, which is made; others in it
    stay. Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = np.array([f"0x{byte:02X}," for byte in range(256)], "S5")
    for name, weights in bundle.weights.items():
        with atomic_file(folder / f"{name}.weights.bin") as file:
            for piece in weights.pieces():
                file.write(piece)
        with atomic_file(folder / f"{name}.weights.txt") as file:
            for piece in weights.pieces():
                for row in known[piece].reshape(-1, _BYTES_PER_LINE):
                    file.write(row.tobytes() + b"\n")
    for name, text in bundle.headers.items():
        with atomic_file(folder / f"{name}.h") as file:
            file.write(text.encode())
    with atomic_file(folder / f"{bundle.name}.o") as file:
        file.write(bundle.code)
