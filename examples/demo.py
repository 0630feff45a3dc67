"""Compile the digits model, check it on held-out images, and tell what was done."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

import static_runtime as sr

DIGITS = Path(__file__).parent / "digits"
TOLERANCE = 1e-4
"""On logits, whose magnitudes reach about 30."""
CALLS = 2000
SHADES = " .:-=+*#%@"
SHOWN = 7

Array = npt.NDArray[np.float32]


def pictures(images: Array, answers: list[int]) -> str:
    """The images side by side in characters, above what the model reads in each."""
    shades = np.rint(images[:, 0] * (len(SHADES) - 1)).astype(int)
    rows = [
        "   ".join("".join(SHADES[each] for each in row) for row in rows)
        for rows in shades.swapaxes(0, 1)
    ]
    return "\n".join([*rows, "   ".join(f"{answer:^8}" for answer in answers)])


def milliseconds(seconds: float) -> str:
    """A time, in a column of its own."""
    return f"{seconds * 1e3:9.2f} ms"


def summary(model: sr.StaticModule) -> str:
    """How the model was compiled, one line per step."""
    report, plan = model.report, model.plan
    verdict = "no plan is smaller" if plan.is_optimal else "the lower bound is less"
    lines = [
        f"{'compiled':22}{milliseconds(report.seconds)}",
        *(f"  {name:20}{milliseconds(took)}" for name, _, took in report.pass_totals),
        f"  {'llvm':20}{milliseconds(report.llvm_seconds)}",
        f"kernels   {report.kernels}, of which {report.distinct_kernels} differ",
        f"memory    {plan.size:,} bytes planned for activations, "
        f"at least {plan.lower_bound:,} needed: {verdict}",
        f"constants {report.constant_bytes:,} bytes",
    ]
    return "\n".join(lines)


def latency(model: sr.StaticModule, image: Array) -> float:
    """The median time of a call, in seconds."""
    times = list[int]()
    for _ in range(CALLS):
        start = time.perf_counter_ns()
        model(image)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e9


def main() -> int:
    """Runs the demo; 1 when the model does not compute what it should, else 0."""
    with np.load(DIGITS / "digits_test.npz") as arrays:
        images, labels, expected = arrays["images"], arrays["labels"], arrays["logits"]
    # Not from the cache, so that there is something to tell of compiling.
    model = sr.compile(DIGITS / "digits.onnx", options=sr.Options(cache=False))
    logits = model(images)
    answers = logits.argmax(1)
    error, right = np.abs(logits - expected).max(), int((answers == labels).sum())
    print(pictures(images[:SHOWN], answers[:SHOWN].tolist()), end="\n\n")
    print(summary(model))
    print(f"latency   {latency(model, images[:1]) * 1e6:.1f} µs for one image")
    print(f"accuracy  {right / len(labels):.1%} of {len(labels)} held-out images")
    print(f"error     {error:.1e} from the logits of PyTorch")
    # A comparison with `not` also catches an error that is no number.
    if not error <= TOLERANCE or right < len(labels):
        print(
            f"demo: expected {len(labels)} right answers and an error of at most "
            f"{TOLERANCE}, got {right} and {error:.1e}",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
