"""The passes on the loop dialect, one file each."""
