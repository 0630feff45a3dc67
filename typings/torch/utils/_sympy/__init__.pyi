"""Sizes as expressions of sympy."""
