"""Spark, whose frames are scored."""
