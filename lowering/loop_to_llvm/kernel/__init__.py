"""The functions of kernels, but for their contractions."""
