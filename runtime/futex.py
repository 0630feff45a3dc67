"""The numbers of the system call that threads wait by."""

FUTEX = {"x86_64": 202, "aarch64": 98}
"""The number of the system call `futex`, for each machine that has a pool."""
