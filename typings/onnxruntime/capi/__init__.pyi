"""What the extension modules of ONNX Runtime define."""
