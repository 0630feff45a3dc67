"""Load an exported program from the file that `torch.export.save` wrote."""

from __future__ import annotations

from io import BytesIO
from pickle import UnpicklingError
from zipfile import BadZipFile, is_zipfile

import torch
from torch.export import ExportedProgram

from ...session import ModelFileError, SourceFile
from .export import FAILURES, quiet

_FAILURES = (*FAILURES, BadZipFile, EOFError, OSError, UnpicklingError)
"""The exceptions of torch while it loads a file."""


def load_program(source: SourceFile) -> ExportedProgram:
    """
    The program in a file; raises `ModelFileError` where there is none.

    Torch may unpickle what is in the file, which runs code of whoever wrote it.
    """
    data = BytesIO(source.data.data)
    if not is_zipfile(data):
        raise ModelFileError(
            f"{source.path}: expected a program that torch.export.save wrote, got no "
            "such archive"
        )
    data.seek(0)
    try:
        with quiet():
            return torch.export.load(data)
    except _FAILURES as error:
        said = str(error).strip().partition("\n")[0]
        raise ModelFileError(
            f"{source.path}: expected a program that torch.export.save wrote, got "
            f"{type(error).__name__}: {said}"
        ) from error
