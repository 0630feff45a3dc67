"""Ahead-of-time bundles: a model as an object, a header and weights for C programs."""

from .bundle import Bundle, make_bundle, write_bundle

__all__ = ["Bundle", "make_bundle", "write_bundle"]
