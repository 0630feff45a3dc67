"""The ops of the loop dialect, a file for each thing they are about."""
