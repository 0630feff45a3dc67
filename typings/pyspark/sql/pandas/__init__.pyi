"""Spark and pandas."""
