"""
`benchmark`: time a module, each of its kernels, and the steps of a call.

The call of the module is timed as it is. Kernels are timed in its twin (`twin.py`),
where each takes some 20 ns longer. What is fused into one kernel has one time.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any, TextIO

from ...runtime.call import (
    COMPILED,
    Profile,
    StaticModule,
    Steps,
    by_name,
    positional,
    profiled_run,
)
from ...runtime.program import evaluate
from .limits import bytes_a_second, operations_a_second
from .metrics import IndividualMetrics, Node, PlannedMemory
from .placement import placed, reused
from .report import report
from .twin import Call, Twin, twin_of

_Arguments = tuple[Sequence[Any], Mapping[str, Any]]
"""What one call is given: by position, and by name."""


def benchmark(
    module: StaticModule,
    args_list: Sequence[Sequence[Any]],
    kwargs_list: Sequence[Mapping[str, Any] | None] | None = (),
    warmup_runs: int = 10,
    main_runs: int = 10,
    print_per_node_time: bool = False,
    file: TextIO | None = None,
) -> IndividualMetrics:
    """
    Measures a module on each list of arguments, and prints the report.

    `kwargs_list` has the named arguments of each list, or is empty or None. Without
    lists there are no times. Raises `CompileError` for a module whose model is not at
    hand, and what calls of the module do.
    """
    found = measure(module, args_list, kwargs_list, warmup_runs, main_runs)
    print(report(found, print_per_node_time), file=file or sys.stdout)
    return found


def measure(
    module: StaticModule,
    args_list: Sequence[Sequence[Any]],
    kwargs_list: Sequence[Mapping[str, Any] | None] | None = (),
    warmup_runs: int = 10,
    main_runs: int = 10,
) -> IndividualMetrics:
    """What `benchmark` prints."""
    if not isinstance(module, StaticModule):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected a StaticModule, got {type(module).__name__}")
    if index(warmup_runs) < 0:
        raise ValueError(f"expected no warm-up runs or more, got {warmup_runs}")
    if index(main_runs) < 1:
        raise ValueError(f"expected one main run or more, got {main_runs}")
    lists = positional(args_list)
    named = positional(kwargs_list or ()) or [None] * len(lists)
    if len(named) != len(lists):
        raise ValueError(
            f"expected named arguments for each of {len(lists)} lists, or none, "
            f"got {len(named)}"
        )
    pairs = zip(lists, named, strict=True)
    given = [(positional(args), by_name(kwargs)) for args, kwargs in pairs]
    # Quick code would be exchanged meanwhile.
    module.wait()
    twin = twin_of(module)
    with twin.lock:
        return _Measurement(module, twin, given).measured(warmup_runs, main_runs)


class _Measurement:
    """The runs of one benchmark."""

    def __init__(self, module: StaticModule, twin: Twin, given: Sequence[_Arguments]):
        self.module, self.twin, self.given = module, twin, given
        self.profile = Profile(len(twin.module.program.calls))

    def run(self) -> list[Steps]:
        """One run on each list of arguments."""
        twin, profile = self.twin.module, self.profile
        return [profiled_run(twin, profile, *each) for each in self.given]

    def measured(self, warmup_runs: int, main_runs: int) -> IndividualMetrics:
        """All that was found."""
        calls = self.twin.calls
        if not self.given:
            return self.metrics([_node(each, 0.0, 0.0, _Work()) for each in calls], {})
        time_per_iter = self.time_of_call(warmup_runs, main_runs)
        first, *_ = self.run()
        for _ in range(warmup_runs):
            self.run()
        work = self.work()
        self.profile.clear()
        steps = [each for _ in range(main_runs) for each in self.run()]
        times, counts = (
            each / len(steps) for each in (self.profile.times, self.profile.counts)
        )
        nodes = [
            self.beside_limits(
                _node(
                    each,
                    float(times[at := each.number]) / 1e6,
                    float(counts[at]),
                    found,
                )
            )
            for each, found in zip(calls, work, strict=True)
        ]
        return replace(
            self.metrics(nodes, steps[-1].symbols),
            memory_alloc_time=_mean(each.prepare for each in steps),
            memory_dealloc_time=_mean(each.give_back for each in steps),
            output_dealloc_time=_mean(each.drop for each in steps),
            run_time=_mean(each.run for each in steps),
            first_iter_time=_mean([first.prepare + first.run + first.give_back]),
            time_per_iter=time_per_iter,
        )

    def beside_limits(self, node: Node) -> Node:
        """A node with the share that its rates are of what the machine can do."""
        fma = bandwidth = None
        threads = self.twin.threads
        of_floats, of_integers = node.operations or 0, node.integer_operations or 0
        if of_floats > of_integers and node.gflops is not None:
            fma = node.gflops * 1e9 / operations_a_second(threads)
        if node.bytes and node.gigabytes is not None:
            limit = bytes_a_second(threads, node.bytes / node.runs)
            bandwidth = node.gigabytes * 1e9 / limit
        return replace(node, fma_share=fma, bandwidth_share=bandwidth)

    def time_of_call(self, warmup_runs: int, main_runs: int) -> float:
        """The milliseconds of a call of the module itself."""
        module, given = self.module, self.given
        for _ in range(warmup_runs):
            for arguments, named in given:
                module(*arguments, **named)
        start = time.perf_counter()
        for _ in range(main_runs):
            for arguments, named in given:
                module(*arguments, **named)
        seconds = time.perf_counter() - start
        return seconds / main_runs / len(given) * 1e3

    def work(self) -> list[_Work]:
        """What each call does in an iteration, by the sizes that it meets."""
        found = [_Work() for _ in self.twin.calls]
        for each in self.given:
            self.profile.clear()
            symbols = profiled_run(self.twin.module, self.profile, *each).symbols
            counts = self.profile.counts
            for call, work in zip(self.twin.calls, found, strict=True):
                share = float(counts[call.number]) / len(self.given)
                if (count := call.operations) is not None:
                    done = evaluate(count, symbols) * share
                    work.operations = (work.operations or 0.0) + done
                if (count := call.integer_operations) is not None:
                    done = evaluate(count, symbols) * share
                    work.integer_operations = (work.integer_operations or 0.0) + done
                if call.bytes is not None:
                    moved = sum(evaluate(each, symbols) for each in call.bytes) * share
                    work.bytes = (work.bytes or 0.0) + moved
        return found

    def metrics(
        self, nodes: Sequence[Node], symbols: Mapping[str, int]
    ) -> IndividualMetrics:
        """The sums over nodes, and the memory."""
        total = sum(each.time for each in nodes)
        kinds = dict.fromkeys(each.kind for each in nodes)
        times = {
            kind: sum(each.time for each in nodes if each.kind == kind)
            for kind in kinds
        }
        compiled = [each for each in nodes if each.way == COMPILED]
        return IndividualMetrics(
            setup_time=self.twin.setup_seconds * 1e3,
            total_time=total,
            out_nodes_count=len(compiled),
            total_nodes_count=len(nodes),
            time_per_node=tuple(each.time for each in nodes),
            time_per_node_type=times,
            percent_per_node_type={
                kind: 100 * each / total if total else 0.0
                for kind, each in times.items()
            },
            instances_per_node_type=dict(Counter(each.kind for each in nodes)),
            out_nodes=tuple(dict.fromkeys(each.kind for each in compiled)),
            nodes=tuple(nodes),
            memory=self.memory(symbols),
            input_size=len(self.given),
        )

    def memory(self, symbols: Mapping[str, int]) -> PlannedMemory:
        """What of the last run was in planned memory."""
        module = self.twin.module
        outputs = len(module.program.outputs)
        is_known = bool(self.given) or not module.program.symbols
        slots = placed(self.twin, symbols) if is_known else ()
        return PlannedMemory(
            managed_tensors=len(module.program.slots),
            unmanaged_values=outputs,
            bytes=module.plan.size if is_known else 0,
            reused_tensors=reused(slots),
        )


@dataclass
class _Work:
    """What a call does in an iteration, as far as it is known."""

    operations: float | None = None
    integer_operations: float | None = None
    bytes: float | None = None


def _node(call: Call, milliseconds: float, runs: float, work: _Work) -> Node:
    """A node of the report."""
    return Node(
        name=call.name,
        kind=call.kind,
        source=call.source,
        ops=call.ops,
        way=call.way,
        time=milliseconds,
        runs=runs,
        operations=work.operations,
        integer_operations=work.integer_operations,
        bytes=work.bytes,
    )


def _mean(nanoseconds: Iterable[int]) -> float:
    """The mean in milliseconds."""
    found = [*nanoseconds]
    return sum(found) / len(found) / 1e6
