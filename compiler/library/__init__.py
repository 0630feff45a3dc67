"""Models as data, and the libraries of kernels that they run over."""

from .c_library import build_c_library
from .catalogue import catalogue
from .folder import build_data_model, build_library_folder

__all__ = [
    "build_c_library",
    "build_data_model",
    "build_library_folder",
    "catalogue",
]
