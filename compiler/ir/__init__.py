"""The IR of a compile: context, weights, texts and checks of modules, targets."""

from __future__ import annotations

from .context import SrContext, context, fewer_products_of, weights_of
from .executed import Executed, Traced, note_of, selection_of
from .interpret import interpret
from .noted_ops import (
    addresses_of,
    are_as_noted,
    note_of_functions,
    note_of_ops,
    packages_of,
)
from .parse_ir import parse_module
from .printed import printed
from .references import references_of
from .registry import Registered, find_spelled, recorded, versions_of
from .signature import (
    INPUT_NAMES,
    OUTPUT_NAMES,
    SYMBOLS,
    plain,
    structure_of,
    tensor_info,
)
from .target import TARGETS, find_target, isa_name, without_matrices
from .verify import verify
from .weights import WEIGHTS, WeightStore, load_sidecar

__all__ = [
    "INPUT_NAMES",
    "OUTPUT_NAMES",
    "SYMBOLS",
    "Executed",
    "Registered",
    "SrContext",
    "TARGETS",
    "Traced",
    "WEIGHTS",
    "WeightStore",
    "addresses_of",
    "are_as_noted",
    "context",
    "fewer_products_of",
    "find_spelled",
    "find_target",
    "interpret",
    "isa_name",
    "load_sidecar",
    "note_of",
    "note_of_functions",
    "note_of_ops",
    "packages_of",
    "parse_module",
    "plain",
    "printed",
    "recorded",
    "references_of",
    "structure_of",
    "tensor_info",
    "selection_of",
    "verify",
    "versions_of",
    "weights_of",
    "without_matrices",
]
