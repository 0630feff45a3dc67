"""Ahead-of-time bundles for C: an object, and a header and weights of each model."""

from .bundle import Network, make_bundle, write_bundle
from .c_names import identifier_of

__all__ = ["Network", "identifier_of", "make_bundle", "write_bundle"]
