"""What `sr-run` prints and writes of a profile: the report, a trace, a picture."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...runtime.call import StaticModule, bind_symbols
from ..profiling import chrome_trace, measure, memory_picture, report
from .benchmark import Inputs
from .output import write_text

_WARMUP_RUNS, _MAIN_RUNS, _SHOWN_RUNS = 20, 100, 3


def add_profile(parser: ArgumentParser) -> None:
    """Adds the options of a profile."""
    parser.add_argument(
        "--profile", action="store_true", help="print the time of each kernel"
    )
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="print what is compiled and what Python runs; with --profile, of the time",
    )
    for name, help in (
        ("--profile-json", "write what --profile prints, and more, as JSON"),
        ("--profile-trace", "write the calls of some runs, for ui.perfetto.dev"),
        ("--memory-plan", "write a picture of the plan of memory, as SVG"),
    ):
        parser.add_argument(name, metavar="FILE", help=help)


def profile(arguments: Namespace, module: StaticModule, inputs: Inputs) -> None:
    """Does what the options ask for."""
    found = None
    if arguments.profile or arguments.profile_json is not None:
        # By position, as calls by name are converted by Python.
        arrays = [inputs[name] for name in module.input_names]
        found = measure(module, [arrays], (), _WARMUP_RUNS, _MAIN_RUNS)
        if arguments.profile:
            print(f"\n{report(found, is_per_node=True)}")
        if arguments.profile_json is not None:
            write_text(arguments.profile_json, f"{found.to_json()}\n")
    if arguments.coverage:
        arrays = [inputs[name] for name in module.input_names]
        sizes = bind_symbols(module.program, arrays)
        print(f"\n{module.coverage(found, **sizes)}")
    if arguments.profile_trace is not None:
        trace = chrome_trace(module, (), inputs, runs=_SHOWN_RUNS)
        write_text(arguments.profile_trace, f"{trace}\n")
    if arguments.memory_plan is not None:
        write_text(arguments.memory_plan, memory_picture(module, (), inputs))
