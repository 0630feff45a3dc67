"""The backends of `torch.compile`."""
