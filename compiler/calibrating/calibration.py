"""`Calibration`: the profile of a model, found by running it on samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ...runtime import as_outputs
from ...runtime.call import StaticModule
from ..building import alone
from ..compile import Compilation
from ..quantizing import Histogram, Profile, Settings
from ..session import CompileError, Options
from .samples import Array, Sample, calls_of

if TYPE_CHECKING:
    from ..passes import Quantizable


class Calibration:
    """One model, read once to find what could be quantised of it."""

    def __init__(
        self,
        model: Any,
        example_inputs: Any = None,
        dynamic_shapes: Any = None,
        target: str = "host",
        options: Options = Options(),
    ):
        """
        Reads and compiles a model as `compile` takes it; raises `CompileError` as that
        does, where there is nothing to quantise, and for options by which activations
        are not those of the model in f32.
        """
        self._check(options)
        self.compilation = Compilation(
            model, example_inputs, dynamic_shapes, target, options
        )
        self.compilation.check()
        self.digest, self.found = self._read()
        if not self.found.values:
            why = [f"{each.name}: {each.refusal}" for each in self.found.products]
            raise CompileError(
                "expected a model with products of matrices or convolutions that bytes "
                f"could compute, got {'; '.join(why) or 'one without any'}"
            )
        observed = copy(self.compilation)
        observed.observes = True
        self.module = observed.make(observed.key_of_file())
        """The model, whose results are its own and the values that products read."""

    @staticmethod
    def _check(options: Options) -> None:
        """Raises `CompileError` for options by which no activations are seen in f32."""
        own = Options()
        for name in ("quantization", "weights", "precision", "bind", "grow"):
            if (got := getattr(options, name)) != (usual := getattr(own, name)):
                raise CompileError(
                    f"expected {name}={usual!r} to make a profile, got {got!r}; "
                    "compile with it, and with the profile, later"
                )
        if not options.enable_out_variant:
            raise CompileError(
                "expected enable_out_variant=True to make a profile, got False"
            )

    def _read(self) -> tuple[str, Quantizable]:
        """The digest of the model, and what of it could be quantised."""
        with alone():
            from ..ir import context
            from ..passes import digest_of_module, opening_passes, quantizable

            made, ctx = self.compilation, context()
            module = made.front_end(made.source())(ctx)
            digest = digest_of_module(module, ctx.weights)
            try:
                for each in opening_passes(made.options, folds=True):
                    each.apply(ctx, module)
            except VerifyException as error:
                raise CompileError(str(error).splitlines()[0]) from error
            self._module = module  # It owns the values.
            return digest, quantizable(module, ctx.weights)

    def profile(self, samples: Sequence[Sample], settings: Settings) -> Profile:
        """
        What was seen of all values in calls on samples.

        Raises `CompileError` where a value is not finite, and for samples that are not
        those of the inputs; and what calls raise.
        """
        made = Profile(
            model=self.digest,
            values=dict.fromkeys(self.found.values, Histogram.empty()),
            products=tuple(each.name for each in self.found.products),
        ).with_settings(settings)
        values = dict(made.values)
        for number, results in enumerate(self.observed(samples)):
            for name, array in results.items():
                try:
                    values[name] = values[name].merged(Histogram.of(array))
                except ValueError as error:
                    raise CompileError(
                        f"value {name!r} in call {number} of the samples: {error}"
                    ) from error
        return replace(made, values=values)

    def observed(self, samples: Sequence[Sample]) -> Iterator[Mapping[str, Array]]:
        """All values in each call, by name."""
        from ..passes import OBSERVED

        for call in calls_of(samples, self.module.program):
            outputs = outputs_of(self.module, call)
            yield {
                name.removeprefix(OBSERVED): array
                for name, array in outputs.items()
                if name.startswith(OBSERVED)
            }

    def reasons(self, profile: Profile) -> Mapping[str, str]:
        """Why products stay in f32 by a profile, by their names."""
        from ..passes import reason_against

        found = {
            each.name: reason_against(each, profile) for each in self.found.products
        }
        return {name: reason for name, reason in found.items() if reason}

    def compiled(self, profile: Profile | None) -> StaticModule:
        """The model, by a profile or in f32."""
        made = copy(self.compilation)
        made.options = replace(made.options, quantization=profile)
        return made.make(made.key_of_file())


def outputs_of(module: StaticModule, call: Mapping[str, Array]) -> dict[str, Array]:
    """What a module computes of the arrays of a call, by name."""
    results = as_outputs(module, module(**call))
    arrays = [np.asarray(each) for each in results]
    return dict(zip(module.output_names, arrays, strict=True))
