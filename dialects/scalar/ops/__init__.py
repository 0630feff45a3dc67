"""The ops of the scalar dialect."""
