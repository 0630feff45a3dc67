"""
Tests stand at the path of their source, or a table says which tests try it, and why.

The test of `runtime/call/module.py` is `runtime/call/test_module.py` below `test/`, or
such as `test_module_threads.py` when there are several; that of `passes/graph/fuse.py`
is `fuse.mlir`, and that of a folder is named after the folder. `test_house.py` asks
more of ops, passes and lowerings: each has a test of its own.
"""

from pathlib import Path

from .house import ROOMS, ROOT, modules, refuse

TESTS = ROOT / "test"

TESTED_ELSEWHERE = {
    "compiler/artifact_cache.py": (
        "finds and keeps what a compile makes",
        "compiler/test_compile.py",
    ),
    "compiler/kept_model.py": (
        "is where a recipe has its model",
        "compiler/test_recipe.py",
    ),
    "compiler/origin.py": (
        "is what a recipe and a key are made of",
        "compiler/test_recipe.py",
        "compiler/test_compile.py",
    ),
    "compiler/session/graph_model.py": (
        "is what a recipe pickles",
        "compiler/test_recipe.py",
    ),
    "lowering/loop_to_llvm/text/element_width.py": (
        "is what loads and stores do to elements",
        "lowering/loop_to_llvm/text/test_memory_access.py",
    ),
    "compiler/sibling.py": (
        "is a module with options of a run",
        "runtime/call/test_runtime.py",
    ),
    "compiler/building.py": (
        "is the last step of a compile",
        "compiler/test_compile.py",
        "runtime/library/test_artifact.py",
    ),
    "compiler/quantizing/write.py": (
        "writes what is read again",
        "compiler/quantizing/test_read.py",
    ),
    "dialects/graph/compose/random": (
        "is what front ends draw by",
        "compiler/frontends/onnx/test_random.py",
        "compiler/frontends/torch/test_random.py",
    ),
    "compiler/cost/around.py": (
        "says which loops a schedule takes into its blocks",
        "compiler/passes/loop/size_tiles.mlir",
    ),
    "compiler/passes/candidates.py": (
        "are the rules of a pass, each with a function of its text",
        "compiler/passes/graph/fuse.mlir",
    ),
    "compiler/passes/loop_bodies.py": (
        "is how two passes write bodies of loops out",
        "compiler/passes/loop/weave_stores.mlir",
        "compiler/passes/loop/hold_rows.mlir",
    ),
    "compiler/passes/by_profile.py": (
        "the options of two passes, each with a test of its text",
        "compiler/passes/graph/insert_quantization.mlir",
        "compiler/passes/graph/verify_profile.mlir",
    ),
    "compiler/passes/axis_orders.py": (
        "does what one pass plans",
        "compiler/passes/graph/assign_layouts.mlir",
    ),
    "compiler/passes/narrow_reads.py": (
        "is how several passes let ops read fewer bits",
        "compiler/passes/graph/narrow_weights.mlir",
        "compiler/passes/graph/narrow_activations.mlir",
        "compiler/passes/graph/sink_casts.mlir",
    ),
    "compiler/passes/product_rows.py": (
        "is what two passes ask of products",
        "compiler/passes/graph/split_sums.mlir",
        "compiler/passes/graph/widen_activations.mlir",
    ),
    "compiler/passes/moved_factors.py": (
        "is what a pass asks of factors",
        "compiler/passes/graph/fuse.mlir",
        "lowering/loop_to_llvm/contraction/test_packing.py",
    ),
    "compiler/passes/steps.py": (
        "is what passes ask of scales",
        "compiler/passes/graph/sink_dequantize.mlir",
        "compiler/passes/graph/fold_quantization.mlir",
        "compiler/passes/graph/fold_requantization.mlir",
    ),
    "compiler/frontends/onnx/contributed_attention.py": (
        "is a family of ops",
        "compiler/frontends/onnx/test_contributed.py",
    ),
    "compiler/frontends/onnx/loop_trips.py": (
        "is what loops of ONNX are limited by",
        "compiler/frontends/onnx/test_control_flow.py",
        "compiler/frontends/onnx/test_loop_appends.py",
    ),
    "compiler/frontends/onnx/fitted.py": (
        "is how ops of ONNX Runtime say which shapes they expect",
        "compiler/frontends/onnx/test_contributed_bits.py",
        "compiler/frontends/onnx/test_contributed_grouped_attention.py",
    ),
    "compiler/frontends/torch/sample_tree.py": (
        "is what trees and names of inputs and outputs are read off",
        "compiler/frontends/torch/test_structure.py",
        "compiler/frontends/torch/test_inputs_and_outputs.py",
    ),
    "compiler/frontends/onnx/contributed_forms.py": (
        "has the signatures of ops of ONNX Runtime",
        "compiler/frontends/onnx/test_contributed.py",
    ),
    "compiler/frontends/onnx/contributed_layers.py": (
        "is a family of ops",
        "compiler/frontends/onnx/test_contributed.py",
    ),
    "compiler/frontends/onnx/contributed_products.py": (
        "is a family of ops",
        "compiler/frontends/onnx/test_contributed.py",
    ),
    "compiler/frontends/onnx/contributed_steps.py": (
        "is a family of ops",
        "compiler/frontends/onnx/test_contributed.py",
    ),
    "compiler/frontends/onnx/contributed_twins.py": (
        "is a family of ops",
        "compiler/frontends/onnx/test_contributed.py",
    ),
    "compiler/ir/executed.py": (
        "is what a trace and a model as data know of calls",
        "compiler/tracing/test_trace.py",
        "compiler/library/test_kernels.py",
    ),
    "compiler/library/cases.py": (
        "is what a catalogue and the samples of tests are made of",
        "dialects/graph/test_every_op.py",
        "compiler/library/test_catalogue.py",
    ),
    "compiler/library/archive.py": (
        "is what a linker reads",
        "compiler/library/test_c_library.py",
    ),
    "compiler/library/image.py": (
        "is what C reads",
        "compiler/library/test_c_library.py",
        "runtime/library/test_data_model.py",
    ),
    "compiler/library/data_model.py": (
        "is what a library runs",
        "compiler/library/test_kernels.py",
        "lowering/test_host_to_bytecode.py",
    ),
    "compiler/cost/packing.py": (
        "says what one pass then does",
        "compiler/passes/graph/pack_weights.mlir",
    ),
    "compiler/driver/describe.py": (
        "what it writes is what runs",
        "lowering/graph_to_loop/test_program.py",
        "runtime/library/test_artifact.py",
    ),
    "compiler/cost/register_tile.py": (
        "is what one pass then does",
        "compiler/passes/loop/size_tiles.mlir",
    ),
    "compiler/driver/driver.py": ("is a compile", "compiler/test_compile.py"),
    "compiler/front_end.py": (
        "is the first step of a compile",
        "compiler/test_compile.py",
    ),
    "compiler/frontends": (
        "is what both front ends say of an op, each of which is tried",
        "compiler/frontends/onnx/test_operators.py",
        "compiler/frontends/torch/test_operators.py",
    ),
    "compiler/frontends/onnx": (
        "a file is rows of one table, each tried by models that have the op",
        "compiler/frontends/onnx/test_node_cases.py",
        "compiler/frontends/onnx/test_operators.py",
        "compiler/frontends/onnx/test_control_flow.py",
        "compiler/frontends/onnx/test_refusals.py",
        "compiler/tools/test_ops_table.py",
    ),
    "compiler/frontends/torch": (
        "a file is rows of one table, each tried by models that have the operator",
        "compiler/frontends/torch/test_operators.py",
        "compiler/frontends/torch/test_errors.py",
    ),
    "compiler/passes/defined_functions.py": (
        "is what passes go over",
        "compiler/passes/graph/fuse.mlir",
        "compiler/passes/graph/fold_constants.mlir",
    ),
    "compiler/passes/layers.py": (
        "is read by one pass",
        "compiler/passes/graph/fold_batch_norm.mlir",
    ),
    "compiler/ir/references.py": (
        "is used when a model runs",
        "runtime/call/test_module_fallbacks.py",
    ),
    "compiler/session/report.py": (
        "is what a command prints",
        "compiler/tools/test_run.py",
    ),
    "compiler/observers.py": (
        "is what a trace sees compilations by",
        "compiler/tracing/test_trace.py",
    ),
    "compiler/selective/yaml_nodes.py": (
        "is how a selection is read",
        "compiler/selective/test_read.py",
    ),
    "compiler/session/source_hash.py": (
        "is part of every key",
        "compiler/test_compile.py",
    ),
    "compiler/ir/target.py": (
        "is asked by one pass",
        "compiler/passes/loop/set_target.mlir",
    ),
    "compiler/tools/benchmark.py": (
        "is an option of a command",
        "compiler/tools/test_run.py",
    ),
    "compiler/tools/cold.py": (
        "is an option of a command",
        "compiler/tools/test_run.py",
    ),
    "compiler/session/given.py": (
        "is what a front end is told",
        "compiler/frontends/onnx/test_run_time_sizes.py",
    ),
    "compiler/passes/symbol_ranges.py": (
        "is read by passes",
        "compiler/passes/graph/bound_symbols.mlir",
        "compiler/passes/graph/solve_symbols.mlir",
    ),
    "compiler/tools/output.py": (
        "is an option of commands",
        "compiler/tools/test_trace.py",
        "compiler/tools/test_yaml.py",
    ),
    "compiler/driver/memory_notes.py": (
        "describes the calls whose memory is checked",
        "runtime/checking/test_memory_check.py",
    ),
    "runtime/checking/memory_notes.py": (
        "is what an artifact keeps for checks",
        "runtime/checking/test_memory_check.py",
    ),
    "compiler/driver/nodes.py": (
        "describes the calls that a benchmark times",
        "compiler/profiling/test_benchmark.py",
    ),
    "compiler/profiling": (
        "are parts of one benchmark",
        "compiler/profiling/test_benchmark.py",
        "compiler/profiling/test_memory_picture.py",
    ),
    "compiler/tracing": (
        "is what a trace is made of",
        "compiler/tracing/test_trace.py",
    ),
    "compiler/tools/expected_errors.py": (
        "is an option of a command",
        "compiler/tools/opt_diagnostics.mlir",
    ),
    "compiler/tools/script.py": (
        "is how a command ends",
        "compiler/tools/test_run.py",
        "compiler/tools/test_build.py",
    ),
    "compiler/tools/reproducer.py": (
        "is what a command says of a crash",
        "compiler/tools/test_opt.py",
    ),
    "compiler/tuning": ("are steps of the tuner", "compiler/tuning/test_tuner.py"),
    "dialects/graph": (
        "is what ops are made of",
        "dialects/graph/test_every_op.py",
        "dialects/graph/ops/control_flow.mlir",
        "dialects/graph/ops/containers.mlir",
    ),
    "dialects/graph/compose/looping.py": (
        "is what divisors and special functions repeat by",
        "dialects/graph/compose/special/test_divisors.py",
        "dialects/graph/compose/special/test_special.py",
    ),
    "dialects/graph/compose/special": (
        "has formulas, which mpmath checks together",
        "dialects/graph/compose/special/test_special.py",
    ),
    "dialects/graph/compose/matrices": (
        "has factors of matrices, whose products are checked together",
        "dialects/graph/compose/matrices/test_matrices.py",
    ),
    "dialects/graph/families": (
        "is what several ops share",
        "dialects/graph/test_every_op.py",
    ),
    "dialects/graph/storage": (
        "is written by passes and checked by one",
        "compiler/passes/graph/verify_buffers.mlir",
        "compiler/passes/graph/pack_weights.mlir",
        "compiler/passes/graph/narrow_weights.mlir",
    ),
    "dialects/kernel": (
        "what fits together and what becomes of it, two passes show",
        "compiler/passes/graph/fuse.mlir",
        "lowering/graph_to_loop.mlir",
        "compiler/passes/graph/pack_weights.mlir",
    ),
    "dialects/loop": (
        "are attributes of ops",
        "dialects/loop/ops/memory.mlir",
        "dialects/loop/ops/tile.mlir",
    ),
    "dialects/shape.py": (
        "every op infers types by it",
        "dialects/graph/test_every_op.py",
    ),
    "lowering/graph_to_loop": (
        "are parts of the way from ops to kernels and a program",
        "lowering/graph_to_loop.mlir",
        "lowering/graph_to_loop/test_kernel.py",
        "lowering/graph_to_loop/test_program.py",
    ),
    "lowering/loop_to_llvm/contraction": (
        "are parts of one loop nest, tried in every schedule",
        "compiler/cost/test_blocking.py",
        "compiler/tuning/test_tuner.py",
        "compiler/passes/graph/test_narrow_weights.py",
    ),
    "lowering/loop_to_llvm/isa": (
        "is chosen by the target of a contraction",
        "compiler/passes/graph/test_narrow_weights.py",
    ),
    "lowering/loop_to_llvm/kernel": (
        "is seen in the text of a kernel",
        "lowering/loop_to_llvm.mlir",
    ),
    "lowering/loop_to_llvm/math": (
        "a file is rows of one table, each tried in all formats and targets",
        "lowering/loop_to_llvm/math/test_accuracy.py",
        "lowering/loop_to_llvm/math/test_special_values.py",
    ),
    "lowering/program_to_host": (
        "is what a call of a module does",
        "runtime/call/test_module.py",
        "runtime/machine/test_vectorcall.py",
    ),
    "lowering/loop_to_llvm/text": (
        "is seen in the text of a kernel",
        "lowering/loop_to_llvm.mlir",
    ),
    "runtime/abi": (
        "is what programs and caches read",
        "runtime/library/test_artifact.py",
        "runtime/machine/test_thread_pool.py",
    ),
    "runtime/hostcode": (
        "are what a builder is made of, and functions that every run calls",
        "runtime/hostcode/test_builder.py",
        "runtime/machine/test_thread_pool.py",
        "runtime/plan/test_plan_code.py",
    ),
    "runtime/call/compiled.py": (
        "is the module that a compile makes",
        "runtime/call/test_module.py",
        "runtime/call/test_module_outputs.py",
        "runtime/call/test_module_threads.py",
        "runtime/machine/test_vectorcall.py",
    ),
    "runtime/call/program_module.py": (
        "is what a compiled module and an oracle share",
        "runtime/call/test_module.py",
        "compiler/test_reference_module.py",
    ),
    "runtime/call/pending.py": (
        "is what runtimes launch",
        "runtime/call/test_runtime.py",
    ),
    "runtime/call/pool.py": (
        "is what calls borrow of",
        "runtime/call/test_runtime.py",
        "runtime/call/test_module_threads.py",
    ),
    "runtime/plan/kept_error.py": (
        "is what becomes of an error below compiled code",
        "runtime/call/test_module_fallbacks.py",
        "runtime/plan/test_plan_code.py",
    ),
    "runtime/call/fallback.py": (
        "is what a call of a fallback op does",
        "runtime/call/test_module_fallbacks.py",
    ),
    "runtime/machine/interpreter.py": (
        "links the interpreter, and calls it",
        "runtime/hostcode/test_interpreter.py",
        "lowering/test_host_to_bytecode.py",
    ),
    "runtime/call/statistics.py": (
        "is what a module tells",
        "runtime/call/test_module.py",
    ),
    "runtime/program/program_json.py": (
        "is what a program is read by",
        "runtime/program/test_program.py",
    ),
    "runtime/machine/cpuid.py": (
        "is a table that C reads",
        "compiler/library/test_c_library.py",
    ),
    "runtime/library/model_image.py": (
        "is what a model as data has",
        "runtime/library/test_data_model.py",
        "compiler/library/test_c_library.py",
    ),
    "runtime/files/safetensors_header.py": (
        "is the head of a file",
        "runtime/files/test_safetensors.py",
    ),
    "runtime/planning": (
        "a planner is a row of one table, each tried on the same plans",
        "runtime/planning/test_planners.py",
    ),
    "runtime/elf": (
        "are the kinds of what is linked",
        "runtime/elf/test_linker.py",
        "runtime/elf/test_object_file.py",
    ),
    "runtime/inputs.py": (
        "is an option of commands",
        "compiler/tools/test_run.py",
        "compiler/tools/test_trace.py",
    ),
    "runtime/machine/llvm_text.py": (
        "is what tests link",
        "runtime/machine/test_code.py",
    ),
    "compiler/passes/few_bits.py": (
        "is what two passes build of weights",
        "compiler/passes/graph/keep_steps.mlir",
        "models/test_few_bits.py",
    ),
    "runtime/output_file.py": (
        "is an option of commands",
        "compiler/tools/test_run.py",
        "compiler/test_runtime_folder.py",
    ),
    "runtime/run.py": (
        "is the command of a folder that was built",
        "compiler/test_runtime_folder.py",
    ),
}
"""
Files, and folders of files, that have no test of their name: why, and which tests try
them. In such a folder a test may have a name of its own, that of what it tries.
"""


def below_test(*folders: str) -> list[Path]:
    """The tests anywhere below `folders`, as paths within `test/`."""
    found = (path for each in folders for path in (TESTS / each).rglob("*.*"))
    tests = (p for p in found if p.suffix == ".mlir" or p.match("test_*.py"))
    return sorted(path.relative_to(TESTS) for path in tests)


def source_of(test: Path) -> Path | None:
    """
    The file or folder after which a test is named, the longest such name; None where
    there is none.
    """
    words = test.stem.removeprefix("test_").split("_")
    for count in range(len(words), 0, -1):
        path = test.parent / "_".join(words[:count])
        if (ROOT / path.with_suffix(".py")).exists():
            return path.with_suffix(".py")
        if (ROOT / path / "__init__.py").exists():
            return path
    return None


def elsewhere(path: Path) -> str | None:
    """The entry of the table that a file belongs to: its own, or its folder's."""
    entries = (path.as_posix(), path.parent.as_posix())
    return next((each for each in entries if each in TESTED_ELSEWHERE), None)


TESTED = {source_of(test) for test in below_test(*ROOMS)}
SOURCES = [path.relative_to(ROOT) for path in modules(*ROOMS)]


def test_every_file_has_a_test_of_its_name_or_an_entry():
    refuse(
        f"no test: {path}"
        for path in SOURCES
        if path not in TESTED and elsewhere(path) is None
    )


def test_every_test_has_a_source_of_its_name_or_a_folder_with_an_entry():
    refuse(
        f"no source: test/{test}"
        for test in below_test(*ROOMS)
        if source_of(test) is None and test.parent.as_posix() not in TESTED_ELSEWHERE
    )


def test_every_entry_is_needed():
    needed = {elsewhere(path) for path in SOURCES if path not in TESTED}
    refuse(TESTED_ELSEWHERE.keys() - needed)


def test_the_tests_of_every_entry_are_there():
    refuse(
        f"{entry}: {test}"
        for entry, (_, *tests) in TESTED_ELSEWHERE.items()
        for test in tests
        if not (TESTS / test).is_file()
    )
