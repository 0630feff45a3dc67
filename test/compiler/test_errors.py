"""What the errors of the compiler say."""

from static_runtime.compiler.errors import (
    CompileError,
    ModelFileError,
    UnsupportedModelError,
    UnsupportedOp,
)


def test_every_unsupported_op_is_named_at_once():
    error = UnsupportedModelError(
        [
            UnsupportedOp("Loop", "loop_1"),
            UnsupportedOp("Cast", "cast_1", "to string"),
            UnsupportedOp("Loop", "loop_2"),
            UnsupportedOp("Scan"),
        ],
        "model.onnx",
    )
    assert [each.node for each in error.ops] == ["loop_1", "cast_1", "loop_2", ""]
    assert str(error).splitlines() == [
        "expected ops that the compiler knows, got 4 other nodes in model.onnx:",
        "  Loop: 'loop_1', 'loop_2'",
        "  Cast (to string): 'cast_1'",
        "  Scan: 1 without a name",
        "register an op for each of them, or export the model without them",
    ]


def test_a_thousand_nodes_of_one_op_are_counted():
    error = UnsupportedModelError(UnsupportedOp("Loop", f"n{i}") for i in range(1000))
    (line,) = (each for each in str(error).splitlines() if "Loop" in each)
    assert line.startswith("  Loop: 'n0', 'n1', ")
    assert line.endswith("'n7', 992 more")


def test_users_may_catch_all_of_them_as_one():
    for each in (ModelFileError, UnsupportedModelError):
        assert issubclass(each, CompileError)
        assert issubclass(each, ValueError)
