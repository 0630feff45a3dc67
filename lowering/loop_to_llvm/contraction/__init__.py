"""Contractions: packing, blocks of the cache, and register tiles."""
