"""What PyTorch tests itself with."""
