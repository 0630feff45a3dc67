"""What a compile is asked and told: options, sources, host, errors, report."""

from __future__ import annotations

from .errors import (
    MOST_OF_NAME,
    CompileError,
    ModelFileError,
    UnsupportedModelError,
    UnsupportedOp,
)
from .form import CONTAINER, Form
from .given import Given
from .graph_model import GraphModel, digest_of_arrays, digest_of_model
from .host import check_runs_here, machine_text, target_text
from .option_names import ALIAS, check_names, check_planners
from .option_values import (
    BITS_OF_WEIGHTS,
    TILES_OF_ALGORITHMS,
    ProfileText,
    check_is,
    text_of_profile,
)
from .options import Options
from .progress import Progress, progress_line, silent, told
from .remedies import Cause, how_to_register
from .report import (
    FUNCTIONS_NOTE,
    MEMORY,
    NODES,
    NOTED,
    OPS_NOTE,
    PACKAGES_NOTE,
    SPELLED_NOTE,
    CompileReport,
    FewerProducts,
    warm_report,
    with_constants,
)
from .source_file import SourceFile, digest_of
from .source_hash import version
from .weight_file import WeightFile, is_as_noted

__all__ = [
    "BITS_OF_WEIGHTS",
    "TILES_OF_ALGORITHMS",
    "ALIAS",
    "check_names",
    "check_planners",
    "Cause",
    "CompileError",
    "CompileReport",
    "FUNCTIONS_NOTE",
    "FewerProducts",
    "CONTAINER",
    "Form",
    "Given",
    "GraphModel",
    "MOST_OF_NAME",
    "ModelFileError",
    "MEMORY",
    "NODES",
    "NOTED",
    "OPS_NOTE",
    "PACKAGES_NOTE",
    "Options",
    "ProfileText",
    "Progress",
    "SPELLED_NOTE",
    "SourceFile",
    "UnsupportedModelError",
    "UnsupportedOp",
    "WeightFile",
    "check_is",
    "check_runs_here",
    "digest_of",
    "digest_of_arrays",
    "digest_of_model",
    "how_to_register",
    "is_as_noted",
    "machine_text",
    "progress_line",
    "silent",
    "target_text",
    "text_of_profile",
    "told",
    "version",
    "warm_report",
    "with_constants",
]
