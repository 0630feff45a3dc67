"""Models as data, and the libraries of kernels that they run over."""

from .catalogue import catalogue
from .folder import build_data_model, build_library_folder

__all__ = [
    "build_data_model",
    "build_library_folder",
    "catalogue",
]
