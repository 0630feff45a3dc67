"""A warning is an error, save one about what the code of others does."""

import warnings

import pytest

OURS = ("static_runtime", "static_runtime.compiler", "test.test_warnings", "bench")
OTHERS = ("onnx", "onnx.backend.test", "google.protobuf", "ml_dtypes", "torch.fx")
NAMED_ALIKE = ("onnxed", "torchless.fx", "my.onnx", "_pytest.unraisableexception")


def warn(module: str, kind: type[Warning]) -> None:
    """Warns of a line of a module."""
    warnings.warn_explicit("some warning", kind, "file.py", 1, module, {})


@pytest.mark.parametrize("module", OURS + NAMED_ALIKE)
@pytest.mark.parametrize("kind", [DeprecationWarning, RuntimeWarning, ResourceWarning])
def test_a_warning_is_an_error(module: str, kind: type[Warning]):
    with pytest.raises(kind):
        warn(module, kind)


@pytest.mark.parametrize("module", OTHERS)
def test_a_warning_of_others_is_none(module: str):
    warn(module, DeprecationWarning)
