"""Contractions: packing, cache blocking, and the microkernels."""
