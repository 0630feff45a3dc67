"""llvmlite: what we use of it, which has no types of its own."""

__version__: str
