"""Models as data, and the libraries of kernels that they run over."""

from .folder import build_data_model, build_library_folder

__all__ = [
    "build_data_model",
    "build_library_folder",
]
