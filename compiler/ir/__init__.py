"""The IR of a compile: context, weights, texts and checks of modules, targets."""

from __future__ import annotations

from .context import SrContext, context, weights_of
from .executed import Executed, Traced, note_of, selection_of
from .parse_ir import parse_module
from .references import references_of
from .target import TARGETS, described, find_target, isa_name
from .verify import verify
from .weights import WEIGHTS, WeightStore, load_sidecar

__all__ = [
    "Executed",
    "SrContext",
    "TARGETS",
    "Traced",
    "WEIGHTS",
    "WeightStore",
    "context",
    "described",
    "find_target",
    "isa_name",
    "load_sidecar",
    "note_of",
    "parse_module",
    "references_of",
    "selection_of",
    "verify",
    "weights_of",
]
