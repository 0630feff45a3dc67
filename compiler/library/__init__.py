"""Models as data, and the libraries of kernels that they run over."""

from .data_model import LAYOUTS, GenericModel, make_data_model
from .folder import build_data_model, build_library_folder
from .kernels import build_library, covered

__all__ = [
    "LAYOUTS",
    "GenericModel",
    "build_data_model",
    "build_library",
    "build_library_folder",
    "covered",
    "make_data_model",
]
