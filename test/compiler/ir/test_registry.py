"""Ops are registered by call and by entry points, each name once."""

import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import operand_def, result_def

import static_runtime as sr
from static_runtime.compiler.ir.registry import (
    find_op,
    find_spelled,
    forget_op,
    package_of,
    versions_of,
)

from ...custom_ops import NestOp, Unary, by_python, loops, model


def make(name: Any, kernel: Any = None, spellings: tuple[str, ...] = ()) -> Any:
    """A class of an op, not registered yet."""
    kernels = (sr.NestKernel(loops) if kernel is None else kernel,)

    class Made(Unary):
        SPELLINGS: ClassVar = spellings
        KERNELS: ClassVar = kernels

    Made.name = name
    return Made


def test_the_same_op_may_come_again_and_another_may_not():
    forget_op("test.again")
    first = sr.register_op(make("test.again"))
    assert sr.register_op(first) is first
    assert sr.register_op(make("test.again")) is first
    with pytest.raises(
        ValueError, match=r"expected one op test\.again, got another one"
    ):
        sr.register_op(make("test.again", sr.PythonKernel(by_python)))
    known = find_op("test.again")
    assert known is not None
    assert known.op is first


def test_a_spelling_means_one_op():
    forget_op("test.one")
    forget_op("test.two")
    sr.register_op(make("test.one", spellings=("onnx.test.One", "onnx.test.One@3")))
    with pytest.raises(ValueError, match=r"expected one op for onnx\.test\.One, got"):
        sr.register_op(make("test.two", spellings=("onnx.test.One",)))
    assert find_op("test.two") is None
    for wrong in ("onnx.test.One", "onnx.test.Half@x", "onnx.test.Half"):
        with pytest.raises(ValueError, match="expected"):
            sr.register_op(make("test.two", spellings=("onnx.test.Half", wrong)))
        assert find_spelled("onnx.test.Half") is None
    sr.register_op(make("test.two", spellings=("onnx.test.One@5",)))
    assert versions_of("onnx.test.One") == [0, 3, 5]
    found = [find_spelled("onnx.test.One", each) for each in (1, 4, 5, 9)]
    names = [each.op.name for each in found if each is not None]
    assert names == ["test.one", "test.one", "test.two", "test.two"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("scale", "expected a name such as mydomain.scale, got 'scale'"),
        ("my domain.scale", "expected a name such as"),
        ("graph.mine", "expected a dialect of your own, got graph, which is one of"),
        (None, "expected a name such as mydomain.scale, got None"),
    ],
)
def test_a_name_is_in_a_dialect_of_its_own(name: Any, message: str):
    with pytest.raises(ValueError, match=message):
        sr.register_op(make(name))


def test_what_is_no_op_is_refused():
    for wrong in (3, "test.x", object):
        with pytest.raises(ValueError, match="expected a class of an op, such as one"):
            sr.register_op(wrong)  # pyright: ignore[reportArgumentType, reportCallIssue]

    class Empty(Unary):
        name = "test.empty"

    with pytest.raises(
        ValueError, match="expected KERNELS or a reference, got neither"
    ):
        sr.register_op(Empty)

    class Untyped(sr.CustomOp):
        name = "test.untyped"
        x = operand_def(TensorType)
        result = result_def(TensorType)
        KERNELS: ClassVar = (sr.NestKernel(loops),)

    with pytest.raises(ValueError, match="expected an op with infer, got none"):
        sr.register_op(Untyped)

    class Unannotated(Unary):
        name = "test.unannotated"
        KERNELS = (sr.NestKernel(loops),)

    with pytest.raises(ValueError, match=r"expected the definition of an op, got .*Cl"):
        sr.register_op(Unannotated)


def test_a_package_is_named_or_found():
    forget_op("test.packed")
    sr.register_op(package="my-ops", version="1.2")(made := make("test.packed"))
    assert package_of(made) == "my-ops"
    assert package_of(NestOp) == "test-ops"


def test_what_changes_an_op_changes_its_digest():
    def digest(kernel: Any, package: str, version: str) -> str:
        forget_op("test.digest")
        made = make("test.digest", kernel)
        sr.register_op(made, package=package, version=version)
        known = find_op("test.digest")
        assert known is not None
        return known.digest

    def other(op: Any) -> Any:
        return loops(op)[:1]

    kernels = [sr.NestKernel(loops), sr.NestKernel(other)]
    kernels += [sr.LlvmKernel("a", "f"), sr.LlvmKernel("b", "f")]
    found = [digest(each, "p", "1") for each in kernels]
    found += [digest(kernels[0], "p", "2"), digest(kernels[0], "q", "1")]
    assert len({*found}) == len(found)
    assert digest(kernels[0], "p", "1") == found[0]


def test_the_error_of_an_unknown_op_says_what_to_do():
    with pytest.raises(sr.CompileError) as error:
        sr.compile(model("elsewhere.op"))
    assert (
        "Operation elsewhere.op is not registered; register elsewhere.op with "
        "static_runtime.register_op, or install the package whose entry point in "
        "static_runtime.ops does so (docs/custom_ops.md)"
    ) in str(error.value)


PLUGIN = """
from typing import ClassVar
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import operand_def, result_def
import static_runtime as sr

class Op(sr.CustomOp):
    name = "plugged.op"
    x = operand_def(TensorType)
    result = result_def(TensorType)
    KERNELS: ClassVar = (sr.PythonKernel(lambda x: x * 2 + 1),)

    @classmethod
    def infer(cls, x):
        return x
"""

USE = """
import sys
import static_runtime as sr
import numpy as np
from static_runtime.compiler.ir.registry import package_of

text = '''
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
'''
sr.compile(text)
print("plug" in sys.modules)
module = sr.compile(text.replace("graph.neg", "plugged.op"))
print(module(np.ones(3, np.float32)), module.report.warm)
print(package_of(sys.modules["plug"].Op))
"""


def write_plugin(
    folder: Path, version: str, value: str = "plug:Op", text: str = PLUGIN
) -> None:
    """A package with an entry point, as it is installed."""
    name = value.partition(":")[0]
    (folder / f"{name}.py").write_text(text)
    info = folder / f"{name}_ops-1.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}-ops\nVersion: {version}\n"
    )
    (info / "entry_points.txt").write_text(f"[static_runtime.ops]\nop = {value}\n")


def use(folder: Path, text: str = USE) -> subprocess.CompletedProcess[str]:
    """What a process prints that finds the package."""
    run = f"import sys; sys.path.insert(0, {str(folder)!r})\n{text}"
    return subprocess.run(
        [sys.executable, "-c", run], capture_output=True, text=True, check=False
    )


def test_an_entry_point_is_loaded_when_an_op_is_looked_for(tmp_path: Path):
    check_versions(tmp_path, ("1.2", False), ("1.2", True))


@pytest.mark.full(beside="test_what_changes_an_op_changes_its_digest")
def test_another_version_of_a_package_compiles_again(tmp_path: Path):
    check_versions(tmp_path, ("1.3", False), ("1.4", False))


def check_versions(folder: Path, *versions: tuple[str, bool]) -> None:
    """For each version, a process finds what was compiled, or not."""
    for version, is_warm in versions:
        write_plugin(folder, version)
        found = use(folder)
        said = found.stdout.splitlines()
        assert said == ["False", f"[3. 3. 3.] {is_warm}", "plug-ops"], found.stderr


def test_an_entry_point_may_name_a_module_or_a_list(tmp_path: Path):
    write_plugin(tmp_path, "2", "plug:OPS", f"{PLUGIN}\nOPS = [Op]\n")
    other = PLUGIN.replace("plugged.op", "whole.op")
    write_plugin(tmp_path, "3", "whole", f"{other}\nsr.register_op(Op)\n")
    again = 'print(sr.compile(text.replace("graph.neg", "whole.op"))([1, 1, 1]))'
    found = use(tmp_path, f"{USE}\n{again}")
    assert found.stdout.count("[3. 3. 3.]") == 2, found.stderr


def test_a_broken_entry_point_is_named(tmp_path: Path):
    write_plugin(tmp_path, "4", "plug:Missing")
    found = use(tmp_path)
    assert "AttributeError" in found.stderr
    assert "in the entry point op = plug:Missing of static_runtime.ops" in found.stderr
