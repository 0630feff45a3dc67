"""The cases of ONNX's conformance tests."""
