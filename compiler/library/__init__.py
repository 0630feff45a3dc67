"""Models as data, and the libraries of kernels that they run over."""

from .data_model import LAYOUTS, GenericModel, make_data_model
from .kernels import build_library, covered

__all__ = [
    "LAYOUTS",
    "GenericModel",
    "build_library",
    "covered",
    "make_data_model",
]
