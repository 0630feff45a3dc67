"""What is stored: artifacts, kernel libraries, models as data, selections."""

from __future__ import annotations

from .artifact import Artifact, ArtifactError, load, save, written_constants
from .coverage import refusal_of_call, refusals
from .data_model import IS_DATA, WORK
from .kernel_library import (
    LIBRARY_SUFFIX,
    KernelLibrary,
    Stored,
    library_name,
    read_about,
    save_library,
    to_json,
)
from .model_image import FOOT as IMAGE_FOOT
from .model_image import Head as ImageHead
from .model_image import counts_of
from .not_selected import (
    NotSelectedError,
    missing_dtype,
    missing_feature,
    missing_kernel,
    missing_operator,
    missing_structure,
)
from .selection import (
    DEFAULT_KERNEL,
    Operator,
    Selection,
    SelectionError,
    without_overload,
)
from .standalone import KEY_FILE, file_name, load_model

__all__ = [
    "Artifact",
    "ArtifactError",
    "DEFAULT_KERNEL",
    "IMAGE_FOOT",
    "IS_DATA",
    "ImageHead",
    "KEY_FILE",
    "KernelLibrary",
    "LIBRARY_SUFFIX",
    "NotSelectedError",
    "Operator",
    "Selection",
    "SelectionError",
    "Stored",
    "counts_of",
    "file_name",
    "library_name",
    "load",
    "load_model",
    "missing_dtype",
    "missing_feature",
    "missing_kernel",
    "missing_operator",
    "missing_structure",
    "read_about",
    "refusal_of_call",
    "refusals",
    "save",
    "save_library",
    "WORK",
    "to_json",
    "without_overload",
    "written_constants",
]
