"""What one kernel computes: nests of loops over expressions, put together of ops."""
