"""
Functions that are several ops of the graph dialect, each written once.

Front ends read an operator of a framework as one of these, and ops decompose to them.
Each takes and returns values, and builds its ops where the builder stands.
"""
