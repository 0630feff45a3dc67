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

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from ....dialects.graph import ConstantOp, GraphOp, to_array
from ...ir import WeightStore, weights_of
from ...session import digest_of_arrays
from ..by_profile import ByProfile


@dataclass(frozen=True)
class VerifyProfile(ByProfile):
    """Raises an error for the profile of another model."""

    name = "verify-profile"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        profile = self.read()
        if profile.model != (own := digest_of_module(op, weights_of(ctx))):
            raise VerifyException(
                f"{self.source}: expected a profile of this model, {own[:12]}, got "
                f"one of {profile.model[:12]}; make one of this by sr-quantize"
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
