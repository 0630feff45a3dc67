"""How a runtime is put before ONNX's conformance tests."""
