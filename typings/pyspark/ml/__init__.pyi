"""Machine learning in Spark."""
