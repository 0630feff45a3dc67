"""Ahead-of-time bundles: a model as an object, a header and weights for C programs."""

from .bundle import make_bundle, write_bundle
from .placeholder import identifier_of

__all__ = ["identifier_of", "make_bundle", "write_bundle"]
