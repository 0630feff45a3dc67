"""Instruction sets: one file for each that contractions have instructions of."""
