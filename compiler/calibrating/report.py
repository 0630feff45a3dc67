"""What a profile makes of a model: steps of values, what stays in f32, the error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..quantizing import Profile
from .calibration import Calibration, outputs_of
from .samples import Array, Sample, calls_of

_ROW = "{:<32} {:>11} {:>11} {:>11} {:>11} {:>11} {:>5} {:>3}"


def report(
    calibration: Calibration, profile: Profile, samples: Sequence[Sample]
) -> str:
    """
    A table of values, the products in f32 with the reasons, and for each output how far
    the quantised model is from the one in f32 on samples.
    """
    reasons = calibration.reasons(profile)
    count = len(profile.products)
    lines = [*_table(profile), ""]
    lines.append(f"products of bytes: {count - len(reasons)} of {count}")
    lines += [f"in f32: {name}: {reason}" for name, reason in reasons.items()]
    lines.append("")
    for name, error in _errors(calibration, profile, samples).items():
        lines.append(f"{name}: {error}")
    return "\n".join(lines)


def _table(profile: Profile) -> list[str]:
    """A row for each value."""
    titles = ("value", "least", "greatest", "from", "to", "scale", "zero", "")
    lines = [_ROW.format(*titles).rstrip()]
    for name, seen in profile.values.items():
        steps = profile.steps_of(name)
        if steps is None:
            lines.append(f"{name:<32} in f32: {profile.why_not(name)}")
            continue
        numbers = (seen.least, seen.greatest, *profile.range_of(name), steps.scale)
        lines.append(
            _ROW.format(
                name,
                *(f"{float(each):.4g}" for each in numbers),
                steps.zero_point,
                "i8" if steps.signed else "u8",
            )
        )
    return lines


@dataclass
class _Error:
    """How far an output is from the one in f32, in all calls up to now."""

    elements: int = 0
    squares: float = 0.0
    squares_of_errors: float = 0.0
    greatest: float = 0.0
    rows: int = 0
    same_rows: int = 0
    """Rows whose greatest element is at the same place."""

    not_finite: int = field(default=0)

    def add(self, exact: Array, found: Array) -> None:
        """Takes an output of a call into account."""
        a, b = exact.astype(np.float64), found.astype(np.float64)
        is_finite = np.isfinite(a) & np.isfinite(b)
        self.not_finite += int(a.size - is_finite.sum())
        error = np.where(is_finite, a - b, 0)
        self.elements += a.size
        self.squares += float((np.where(is_finite, a, 0) ** 2).sum())
        self.squares_of_errors += float((error**2).sum())
        self.greatest = max(self.greatest, float(np.abs(error).max(initial=0)))
        if a.ndim and a.shape[-1] > 1 and a.size:
            same = a.argmax(axis=-1) == b.argmax(axis=-1)
            self.rows += same.size
            self.same_rows += int(same.sum())

    def __str__(self) -> str:
        ratio = np.sqrt(self.squares_of_errors / (self.squares or 1))
        text = f"error {ratio:.4g} of its root mean square, at most {self.greatest:.4g}"
        if self.rows:
            part = self.same_rows / self.rows
            text += f"; greatest element at the same place in {part:.2%} of rows"
        if self.not_finite:
            text += f"; {self.not_finite} of {self.elements} elements are not finite"
        return text


def _errors(
    calibration: Calibration, profile: Profile, samples: Sequence[Sample]
) -> dict[str, _Error]:
    """The errors of outputs, by name."""
    exact, found = (calibration.compiled(each) for each in (None, profile))
    errors = {name: _Error() for name in exact.output_names}
    for call in calls_of(samples, exact.program):
        results = outputs_of(found, call)
        for name, array in outputs_of(exact, call).items():
            if array.dtype.kind in "fiub":
                errors[name].add(array, results[name])
    return errors
