"""The front ends: each reads models of one kind into the graph dialect."""
