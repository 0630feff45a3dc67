"""`IndividualMetrics`: the times of a model, and of each of its nodes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Node:
    """A call of the program: a kernel, with the ops of the model that it computes."""

    name: str
    kind: str
    """The names of its ops; nodes of a kind are summed up."""

    source: str
    """The op, as messages name it."""

    ops: tuple[str, ...]
    """The ops that it was fused from, and where they are in the model."""

    way: str
    """How it runs: compiled, fallback or foreign, as coverage counts it."""

    time: float
    """Milliseconds in an iteration."""

    runs: float
    """Calls in an iteration: none where it is skipped, several in a loop."""

    operations: float | None = None
    """Floating-point operations in an iteration, where they are known."""

    bytes: float | None = None
    """Bytes in an iteration, of memory that it touches, each once for each call."""

    fma_share: float | None = None
    """
    Its operations a second, over what multiply-adds of f32 on registers reach; None
    where most of its operations are of integers, which have other limits.
    """

    bandwidth_share: float | None = None
    """Its bytes a second, over what is read or copied in a memory of that size."""

    integer_operations: float | None = None
    """
    Multiplications of integers in an iteration whose products are added, and these
    additions, where they are known.
    """

    @property
    def gflops(self) -> float | None:
        """Billions of operations a second; None where nothing is known, or ran."""
        return None if self.operations is None else _rate(self.operations, self.time)

    @property
    def integer_gops(self) -> float | None:
        """Billions of operations on integers a second, as `gflops` of floats."""
        count = self.integer_operations
        return None if count is None else _rate(count, self.time)

    @property
    def gigabytes(self) -> float | None:
        """Billions of bytes a second, from caches or memory."""
        return None if self.bytes is None else _rate(self.bytes, self.time)


def _rate(amount: float, milliseconds: float) -> float | None:
    """Billions in a second."""
    return amount / milliseconds / 1e6 if milliseconds else None


@dataclass(frozen=True)
class PlannedMemory:
    """What of a run is in planned memory, and what is not."""

    managed_tensors: int = 0
    """The slots of the plan."""

    managed_outputs: int = 0
    """None: outputs are arrays of the caller."""

    unmanaged_values: int = 0
    """The outputs."""

    values_to_clean_up: int = 0
    """None: the caller drops the outputs."""

    bytes: int = 0
    """The block of the plan."""

    reused_tensors: int = 0
    """The slots in memory that a slot before them had."""


@dataclass(frozen=True)
class IndividualMetrics:
    """
    What a benchmark found. Times are milliseconds; nodes and steps have the means of
    all runs.
    """

    setup_time: float = 0.0
    """To link the profiled module, and to make it."""

    memory_alloc_time: float = 0.0
    """To find or make the plan of a run, its memory, and its outputs."""

    memory_dealloc_time: float = 0.0
    """To give the memory of a run back to the module, which keeps it."""

    output_dealloc_time: float = 0.0
    """To drop the outputs."""

    first_iter_time: float = 0.0
    """The first run of the profiled module."""

    total_time: float = 0.0
    """All nodes together."""

    out_nodes_count: int = 0
    """Nodes that are compiled."""

    total_nodes_count: int = 0
    time_per_node: tuple[float, ...] = ()
    time_per_node_type: dict[str, float] = field(default_factory=dict[str, float])
    percent_per_node_type: dict[str, float] = field(default_factory=dict[str, float])
    instances_per_node_type: dict[str, int] = field(default_factory=dict[str, int])
    out_nodes: tuple[str, ...] = ()
    """The kinds whose nodes are compiled."""

    native_nodes: tuple[str, ...] = ()
    """None: what needs no kernel, such as a view, is no call."""

    nodes: tuple[Node, ...] = ()
    memory: PlannedMemory = PlannedMemory()
    run_time: float = 0.0
    """The compiled program with all nodes, while it is profiled."""

    time_per_iter: float = 0.0
    """A call of the module itself, which is not profiled."""

    input_size: int = 0
    """Lists of arguments."""

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(asdict(self), indent=1)
