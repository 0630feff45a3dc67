"""
Refuse the profile of another model.

With `verify-profile{profile="m.yaml"}`:

Before:

    %0 = graph.weight "w" : tensor<8x64xf32>
    %1 = graph.linear %x, %0 : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>

After:

    the same, or an error with the digests of both models

A profile has the digest of the model that it was made of: of the names of its ops in
order, of constants and of weights, as the front end gave them. Shapes are no part of
it, so a model with other sizes may have the same one. The pass changes nothing; it runs
first, before anything is folded, where a user has a profile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ....dialects.graph import ConstantOp, GraphOp, to_array
from ...ir import WeightStore, weights_of
from ...quantizing import parse_profile, read_profile
from ...session import ProfileText, digest_of_arrays


@dataclass(frozen=True)
class VerifyProfile(ModulePass):
    """Raises an error for the profile of another model."""

    name = "verify-profile"

    profile: str = ""
    """The file of a profile."""

    given: ProfileText | None = field(default=None, init=False)
    """The profile where no file is named; no option itself, so not in any text."""

    @classmethod
    def of(cls, source: ProfileText) -> VerifyProfile:
        """The pass that looks at the profile of an option."""
        made = cls()
        object.__setattr__(made, "given", source)
        return made

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        given = self.given
        name = given.name if given else self.profile
        profile = parse_profile(given) if given else read_profile(self.profile)
        if profile.model != (own := digest_of_module(op, weights_of(ctx))):
            raise VerifyException(
                f"{name}: expected a profile of this model, {own[:12]}, got one of "
                f"{profile.model[:12]}; make one of this by sr-quantize"
            )


def digest_of_module(module: ModuleOp, weights: WeightStore) -> str:
    """A hash of the names of ops, of constants and of weights, but not of shapes."""
    result = sha256(digest_of_arrays(weights.arrays).encode())
    for op in module.walk():
        if isinstance(op, GraphOp):
            result.update(f"{op.name}\n".encode())
        if isinstance(op, ConstantOp):
            result.update(np.ascontiguousarray(to_array(op.value)).tobytes())
    return result.hexdigest()
