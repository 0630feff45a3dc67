"""`quantize`: the profile by which a model is quantised, found on samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..quantizing import Profile, Settings
from ..session import Options
from .calibration import Calibration
from .samples import checked_samples


def quantize(
    model: Any,
    samples: Any,
    *,
    example_inputs: Sequence[Any] | dict[str, Any] | None = None,
    dynamic_shapes: Any = None,
    schema: str = "asymmetric",
    calibration: str = "none",
    keep: Sequence[str] = (),
    weight_bits: int = 8,
    target: str = "host",
    options: Options = Options(),
) -> Profile:
    """
    A profile of the activations of `model`, for `Options(quantization=profile)`.

    `model`, `example_inputs`, `dynamic_shapes`, `target` and `options` are as `compile`
    takes them. The model is run in f32 on `samples`: an .npz file, a mapping of arrays
    by the names of inputs, or a list of such, or of tuples of arrays in order. An array
    with as many axes as its input is for one call, or, where the first size of the
    input is fixed, for calls of that size; one with an axis more is a stack of calls.

    `schema` is "asymmetric", "symmetric", "symmetric_with_uint8" or
    "symmetric_with_power2_scale"; `calibration` is "none", by which the range of a
    value is all that was seen, or "kl", which lets outliers saturate. `keep` names
    products, or values, that stay in floats, such as "f32:conv1". Weights get
    `weight_bits`, 8 or 7 (`docs/quantization.md`). `profile.save(path)` writes the
    profile as YAML.

    Raises `CompileError` for a model that cannot be compiled, or has nothing to
    quantise, for samples that are not those of its inputs, and for values that are not
    finite.
    """
    settings = Settings(
        schema,
        calibration,
        tuple(keep) if not isinstance(keep, str) else (keep,),
        weight_bits,
    )
    several = checked_samples(samples)
    made = Calibration(model, example_inputs, dynamic_shapes, target, options)
    return made.profile(several, settings)
