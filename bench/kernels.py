"""
Time each kernel of a model by itself, on the memory that a run leaves behind.

    python -m bench.kernels model.onnx [SYMBOL=NUMBER ...] [--precision bf16]

A line for each call, in the order of the program: its microseconds (best of several),
billions of multiplications and additions a second in the register tiles, how much that
is of what the machine can do, the tiles (loops around them, rows, columns and what is
summed up), how they are computed (`compiler/cost/strategy.py`), the name.
"""

from __future__ import annotations

import ctypes
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from static_runtime.compiler.building import make_module
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.profiling.limits import Limits
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.dims import Dim, evaluate, product
from static_runtime.dialects.loop.ops.for_loop import ForOp
from static_runtime.dialects.loop.ops.kernel import KernelOp
from static_runtime.dialects.loop.ops.program import ProgramOp
from static_runtime.dialects.loop.ops.program_calls import CallOp, ViewOp
from static_runtime.dialects.loop.ops.tile import TileOp
from static_runtime.dialects.loop.strategy import strategies_of
from static_runtime.lowering.loop_to_llvm import kernel_function, lower_kernels
from static_runtime.runtime.call.context import Context
from static_runtime.runtime.inputs import random_inputs, sizes_of
from static_runtime.runtime.machine.code import link_functions

REPEATS = 7


def tiles(kernel: KernelOp) -> Iterator[tuple[Dim, tuple[Dim, ...]]]:
    """How often each tile of a kernel is computed, and its sizes."""
    for op in kernel.walk():
        if isinstance(op, TileOp):
            around: list[Dim] = []
            outer: Operation | None = op.parent_op()
            while outer is not None:
                if isinstance(outer, ForOp):
                    around.append(outer.size)
                outer = outer.parent_op()
            yield product(around), op.sizes


def address(view: ViewOp, program: ProgramOp, frame: Context) -> int:
    """The address of a view."""
    number, layout, context = view.number.value.data, frame.layout, frame.words
    match view.region.data:
        case "inputs":
            return int(context[layout.HEAD + number])
        case "outputs":
            return int(context[layout.first_output + number])
        case "constants":
            return int(context[layout.CONSTANTS]) + (program.offset_of(view) or 0)
        case _:
            offset = program.offset_of(view)
            if offset is None:
                offset = frame.plan.offsets[number]
            return int(context[layout.ACTIVATIONS]) + offset


def call_arguments(
    call: CallOp,
    program: ProgramOp,
    frame: Context,
    symbols: Mapping[str, int],
) -> list[ctypes.c_void_p | ctypes.c_int64]:
    """What a call passes to its kernel."""
    kernel = program.kernels[call.kernel_name]
    values: list[ctypes.c_void_p | ctypes.c_int64] = []
    for buffer in call.buffers:
        assert isinstance(buffer.owner, ViewOp)
        values.append(ctypes.c_void_p(address(buffer.owner, program, frame)))
    for each in call.sizes:
        values.append(ctypes.c_int64(number(each, symbols)))
    if kernel.work is not None:
        # All of the work is one part.
        values += [ctypes.c_int64(0), ctypes.c_int64(1)]
    if kernel.may_fail:
        values.append(ctypes.c_void_p(frame.address + 8 * frame.layout.ERROR))
    return values


def number(size: Dim, symbols: Mapping[str, int]) -> int:
    """The value of a dimension."""
    return int(str(evaluate(size, symbols)))


def parser() -> ArgumentParser:
    """What the command takes."""
    made = ArgumentParser("python -m bench.kernels", description=__doc__)
    made.add_argument("model", type=Path, help=".onnx, .pt2 or .mlir")
    made.add_argument("sizes", nargs="*", metavar="SYMBOL=NUMBER", help="open sizes")
    made.add_argument("--precision", default="f32", help="f32 (the default) or bf16")
    made.add_argument("--algorithms", default="exact", help="exact, fast or fastest")
    return made


def main(arguments: Namespace) -> None:
    """Prints the table of one model."""
    options = Options(
        precision=arguments.precision, algorithms=arguments.algorithms, cache=False
    )
    compilation = Compilation(arguments.model, options=options)
    ctx = context()
    module: ModuleOp = compilation.front_end(compilation.source())(ctx)
    artifact, report = Driver(ctx, options, "host", None).compile(module)
    made = make_module(artifact, report)
    symbols = sizes_of(made.program, arguments.sizes)
    inputs = list(random_inputs(made.program, 0, symbols).values())
    frame = made.context
    # Kernels are timed on the memory of this run, so its arrays must stay alive.
    outputs = frame.run(inputs, symbols)
    first = frame.layout.first_defined
    for at, name in enumerate(made.program.defined):
        symbols[name] = int(frame.words[first + at])
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    names = {
        name: kernel_function(each.name) for name, each in lower_kernels(module).items()
    }
    # The objects of kernels come first, then the program, then what programs share.
    objects = artifact.objects[: report.distinct_kernels]
    functions = link_functions(objects, list(dict.fromkeys(names.values())))
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    machine, total = Limits(), 0.0
    limit = max(machine.operations_a_second() for _ in range(REPEATS))
    for call in program.body.block.ops:
        if not isinstance(call, CallOp):
            continue
        kernel = kernels[name := call.kernel_name]
        passed = call_arguments(call, program, frame, symbols)
        function = ctypes.CFUNCTYPE(None, *map(type, passed))(functions[names[name]])
        best = float("inf")
        for _ in range(REPEATS):
            start = time.thread_time()
            function(*passed)
            best = min(best, time.thread_time() - start)
        total += best
        inner = dict(zip([s.data for s in kernel.symbols], call.sizes, strict=True))
        local = {key: number(each, symbols) for key, each in inner.items()}
        work, shapes = 0, list[str]()
        for count, sizes in tiles(kernel):
            work += 2 * number(product((count, *sizes)), local)
            shape = "x".join(str(number(each, local)) for each in sizes)
            shapes.append(f"{number(count, local)}*({shape})")
        rate = work / best
        speed = f"{rate / 1e9:7.1f} {rate / limit:4.0%}" if work else " " * 12
        kinds = " ".join(each.kind.data for each in strategies_of(kernel))
        how = f"{' '.join(shapes):>40} {kinds:12}"
        print(f"{best * 1e6:9.1f} {speed} {how} {name}")
    print(f"{total * 1e6:9.1f} together, {len(outputs)} outputs")


if __name__ == "__main__":
    main(parser().parse_args())
