"""
`Measured`: what a profiler times, kernel by kernel.

A profiler compiles a model again, so it is the compiler's, which hands it over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO


class Measured:
    """What is timed by the profiler of the compiler that made it."""

    profiler: Callable[..., Any] | None = None
    """What measures calls of it; None where no compiler has set that."""

    def benchmark(
        self,
        args_list: Sequence[Sequence[Any]],
        kwargs_list: Sequence[Mapping[str, Any] | None] | None = (),
        warmup_runs: int = 10,
        main_runs: int = 10,
        print_per_node_time: bool = False,
        file: TextIO | None = None,
    ) -> Any:
        """
        Times calls with each list of arguments, each kernel of them, and the steps of a
        call; prints the report to `file` or to standard output, and returns the figures
        as `IndividualMetrics`.

        `kwargs_list` has the named arguments of each list, or is empty or None. Without
        lists there are the statistics alone. Raises `TypeError` for a module that was
        loaded without the compiler, `CompileError` where the model is not there any
        more, and what calls raise.
        """
        measured = self._measured()
        if measured.profiler is None:
            raise TypeError(
                "expected a module that static_runtime.compile made of one model, to "
                f"benchmark it, got {measured!r}; compile the model here for it"
            )
        given = (args_list, kwargs_list, warmup_runs, main_runs, print_per_node_time)
        return measured.profiler(measured, *given, file)

    def _measured(self) -> Measured:
        """What is called."""
        return self
