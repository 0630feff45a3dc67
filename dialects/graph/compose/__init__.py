"""
Functions that are compositions of several graph ops, each written once.

Front ends and the `decompose` of ops build them. Each takes and returns values, and
inserts its ops at the implicit builder's insertion point.
"""
