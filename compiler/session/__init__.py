"""What a compile is asked and told: options, sources, host, errors, report."""

from __future__ import annotations

from .errors import (
    MOST_OF_NAME,
    CompileError,
    ModelFileError,
    UnsupportedModelError,
    UnsupportedOp,
)
from .given import Given
from .graph_model import GraphModel, digest_of_arrays, digest_of_model
from .host import check_runs_here, machine_text, target_text
from .options import Options, check_is
from .remedies import Cause
from .report import NODES, NOTED, CompileReport, warm_report, with_constants
from .source_file import SourceFile, digest_of
from .source_hash import version
from .weight_file import WeightFile, is_as_noted

__all__ = [
    "Cause",
    "CompileError",
    "CompileReport",
    "Given",
    "GraphModel",
    "MOST_OF_NAME",
    "ModelFileError",
    "NODES",
    "NOTED",
    "Options",
    "SourceFile",
    "UnsupportedModelError",
    "UnsupportedOp",
    "WeightFile",
    "check_is",
    "check_runs_here",
    "digest_of",
    "digest_of_arrays",
    "digest_of_model",
    "is_as_noted",
    "machine_text",
    "target_text",
    "version",
    "warm_report",
    "with_constants",
]
