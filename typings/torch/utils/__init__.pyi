"""PyTorch's helpers."""
