"""What one kernel computes: loop nests over expressions, built from a group of ops."""
