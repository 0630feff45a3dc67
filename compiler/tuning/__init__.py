"""Choosing between ways to compute a contraction by running them on this machine."""
