"""The function that runs a program, and the one that Python calls."""
