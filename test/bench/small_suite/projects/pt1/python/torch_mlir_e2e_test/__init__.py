"""A suite of the form of torch-mlir's, of three tests, for `bench.torch_mlir`."""
