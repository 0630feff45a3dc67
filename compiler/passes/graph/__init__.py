"""The passes on the graph dialect, one file each."""
