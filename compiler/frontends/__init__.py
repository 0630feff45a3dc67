"""The front ends: each reads models of one format into the graph dialect."""
