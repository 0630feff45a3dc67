"""The numbers of the system call that threads wait by."""

FUTEX = {"x86_64": 202, "aarch64": 98}
"""The number of the system call `futex`, for each machine that has a pool."""

WAIT, WAKE = 128, 129
"""The operations on a futex of one process."""

EVERYONE = 2**31 - 1
"""Threads to wake, when all are meant."""
