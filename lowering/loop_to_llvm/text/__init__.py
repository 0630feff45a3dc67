"""LLVM text: functions, types, numbers and scalar ops."""
