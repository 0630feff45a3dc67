"""The ops of the host dialect, a file for each thing they are about."""
