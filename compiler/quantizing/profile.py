"""`Profile`: what was seen of a model's activations, and how they are quantised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from ...runtime.files import atomic_file, followed, reason
from ..session import CompileError
from .calibration import calibrated_range
from .histogram import Histogram
from .schemas import SCHEMAS, WINDOWED, StepsOf
from .settings import Settings
from .write import yaml_of

LEAST_SCALE, MOST_SCALE = 2.0**-40, 2.0**40
"""Scales between these have products and quotients that are normal numbers of f32."""


@dataclass(frozen=True)
class Profile:
    """
    What was seen of each value that is quantised, by name, for one model.

    `sr.Options(quantization=...)` takes it. Profiles of one model and one way add up
    by `merge_profiles`.
    """

    model: str
    """The digest of the model that it is of."""

    values: Mapping[str, Histogram]
    """What was seen of each value, in the order of the model."""

    products: tuple[str, ...]
    """The names of the products that may be quantised, in the order of the model."""

    settings: Settings = field(default_factory=Settings)

    def __repr__(self) -> str:
        return f"Profile({len(self.values)} values, {self.settings})"

    @cached_property
    def text(self) -> str:
        """The YAML of the profile."""
        return yaml_of(self.model, self.settings, self.products, self.values)

    def save(self, path: str | Path) -> None:
        """Writes the YAML; all of it or nothing. Raises `CompileError` if it cannot."""
        try:
            with atomic_file(followed(Path(path))) as file:
                file.write(self.text.encode())
        except OSError as error:
            raise CompileError(f"cannot write {path}: {reason(error)}") from error

    def with_settings(self, settings: Settings) -> Profile:
        """What was seen, quantised in another way; `CompileError` for unknown names."""
        made = replace(self, settings=settings)
        made.check_kept()
        return made

    def check_kept(self) -> None:
        """Raises `CompileError` for a name that is kept and is none of the model."""
        known = (*self.products, *self.values)
        for name in sorted(self.settings.kept):
            if name not in known:
                nearest = get_close_matches(name, known, 1, 0.0)
                like = f" like {nearest[0]!r}" if nearest else ", which has none"
                raise CompileError(
                    f"expected a product or a value of the model{like} to be kept in "
                    f"f32, got {name!r:.200}"
                )

    def steps_of(self, name: str) -> StepsOf | None:
        """The steps of a value; None where none would do (see `why_not`)."""
        return self._found[name][0]

    def why_not(self, name: str) -> str:
        """Why a value stays in f32, or nothing where it has steps."""
        return self._found[name][1]

    def range_of(self, name: str) -> tuple[float, float]:
        """The numbers that do not saturate of a value that was seen."""
        seen, settings = self.values[name], self.settings
        if settings.calibration == "none" or not any((seen.least, seen.greatest)):
            return seen.least, seen.greatest
        is_symmetric = settings.schema != WINDOWED and (
            settings.schema != "symmetric_with_uint8" or seen.least < 0
        )
        levels = 255 if is_symmetric else 256
        return calibrated_range(seen, levels, is_symmetric)

    @cached_property
    def _found(self) -> Mapping[str, tuple[StepsOf | None, str]]:
        """The steps of each value, or why it has none."""
        return {name: self._steps(name) for name in self.values}

    def _steps(self, name: str) -> tuple[StepsOf | None, str]:
        """The steps of a value, or why it has none."""
        if not self.values[name].elements:
            return None, "it was never seen"
        if name in self.settings.kept and name not in self.products:
            return None, "it is kept"
        steps = SCHEMAS[self.settings.schema](*self.range_of(name))
        if not LEAST_SCALE <= steps.scale <= MOST_SCALE:
            return None, f"its scale would be {float(steps.scale):.3g}"
        return steps, ""


def merge_profiles(profiles: Iterable[Profile]) -> Profile:
    """
    What all of some profiles have seen; the order does not matter.

    Raises `CompileError` for none, or of several models or ways.
    """
    given = [*profiles]
    if not given:
        raise CompileError("expected a profile, got none")
    first, *others = given
    values = dict(first.values)
    for each in others:
        if each.model != first.model or [*each.values] != [*first.values]:
            raise CompileError(
                f"expected profiles of one model, {first.model[:12]}, got one of "
                f"{each.model[:12]}"
            )
        for key in fields(Settings):
            one, other = (getattr(p.settings, key.name) for p in (first, each))
            if one != other:
                raise CompileError(
                    f"expected profiles with {key.name}={one!r}, as the first has it, "
                    f"got one with {other!r}; say which for all of them"
                )
        for name, seen in each.values.items():
            values[name] = values[name].merged(seen)
    return replace(first, values=values)
