"""`sr-opt` when things go wrong: crashes, refusals, files, and what it loads."""

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import ReturnOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import (
    PassFailedException,
    ShrinkException,
    VerifyException,
)

from static_runtime.compiler.ir.context import weights_of
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.tools import opt
from static_runtime.compiler.tools.reproducer import CrashError
from static_runtime.runtime.files import safetensors

INPUT = """// RUN: this line is no part of what is reproduced
func.func @f(%x : f32) -> f32 {
  return %x : f32
}
"""


@dataclass(frozen=True)
class Mark(ModulePass):
    """Notes on the module that it ran."""

    name = "mark"

    label: str = "marked"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["label"] = StringAttr(self.label)


@dataclass(frozen=True)
class Crash(ModulePass):
    """Has a bug, after it has changed the module."""

    name = "crash"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["label"] = StringAttr("half changed")
        raise KeyError("a bug\nin two lines")


@dataclass(frozen=True)
class Spoil(ModulePass):
    """Leaves a function that returns nothing where it should return a value."""

    name = "spoil"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in op.walk():
            if isinstance(each, ReturnOp):
                each.operands = []


@dataclass(frozen=True)
class Refuse(ModulePass):
    """Tells the user what it cannot do."""

    name = "refuse"

    how: str = "model"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        match self.how:
            case "model":
                raise CompileError("expected less, got more")
            case "shrink":
                raise ShrinkException
            case "ir":
                raise VerifyException("expected less, got more")
            case _:
                raise PassFailedException("expected less, got more")


@dataclass(frozen=True)
class PutAside(ModulePass):
    """Adds one weight to those that the module has."""

    name = "put-aside"

    key: str = "one"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights_of(ctx).put(self.key, np.ones(2, np.float32))


@pytest.fixture(autouse=True)
def passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Passes of this file beside those of the compiler, and an empty folder."""
    for each in (Mark, Crash, Spoil, Refuse, PutAside):
        monkeypatch.setitem(opt.PASSES, each.name, each)
    monkeypatch.delenv("SR_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("input.mlir").write_text(INPUT)


def exit_message(*arguments: str) -> str:
    """What `sr-opt` says on stderr when it fails."""
    with pytest.raises(SystemExit) as raised:
        opt.main([*arguments])
    assert isinstance(raised.value.code, str), "told in words, which means status 1"
    return raised.value.code


def test_a_crash_leaves_the_ir_before_it_and_the_passes_that_remained(
    capsys: pytest.CaptureFixture[str],
):
    chain = 'mark,mark{label="two words"},crash,mark{label=last}'
    message = exit_message("input.mlir", "-p", chain)
    assert message == (
        "sr-opt: pass crash crashed: KeyError: 'a bug\\nin two lines'; "
        "crash-crash.mlir reproduces it"
    )
    text = Path("crash-crash.mlir").read_text()
    run, ir = text.split("\n", 1)
    assert "two words" in ir
    assert "half changed" not in text
    assert "RUN" not in ir
    assert capsys.readouterr() == ("", "")

    _, line = run.split("RUN: sr-opt %s ")
    assert line == """--pass-pipeline='builtin.module(crash,mark{label="last"})'"""
    again = exit_message("crash-crash.mlir", *shlex.split(line))
    assert again == message


def test_a_crash_in_one_section_reproduces_that_section():
    Path("two.mlir").write_text(INPUT + "// -----\n" + INPUT.replace("@f", "@g"))
    exit_message("two.mlir", "--split-input-file", "-p", "crash")
    assert "@f" in Path("crash-crash.mlir").read_text()


def test_the_reproducer_goes_where_it_is_told():
    message = exit_message("input.mlir", "-p", "crash", "--crash-reproducer=here.mlir")
    assert message.endswith("; here.mlir reproduces it")
    assert Path("here.mlir").exists()
    assert not Path("crash-crash.mlir").exists()


def test_a_reproducer_that_cannot_be_written_hides_no_crash():
    message = exit_message("input.mlir", "-p", "crash", "--crash-reproducer=no/x.mlir")
    assert "pass crash crashed: KeyError" in message
    assert message.endswith("; cannot write no/x.mlir: No such file or directory")


def test_invalid_ir_is_laid_to_the_pass_that_left_it():
    message = exit_message("input.mlir", "-p", "mark,spoil,mark")
    assert message.startswith("sr-opt: pass spoil left invalid IR: VerifyException: ")
    text = Path("crash-spoil.mlir").read_text()
    assert "'builtin.module(spoil,mark)'" in text
    assert "func.return %x" in text


def test_invalid_ir_is_a_diagnostic_where_a_test_expects_it():
    comment = "// expected-error {{Expected arguments}}\n"
    Path("input.mlir").write_text(comment + INPUT)
    opt.main(["input.mlir", "-p", "spoil", "--verify-diagnostics"])
    assert not Path("crash-spoil.mlir").exists()


def test_verification_after_each_pass_can_be_turned_off(
    capsys: pytest.CaptureFixture[str],
):
    opt.main(["input.mlir", "-p", "spoil", "--verify-each=false"])
    assert "func.return\n" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        opt.main(["input.mlir", "-p", "spoil", "--verify-each"])


@pytest.mark.parametrize("how", ["model", "pass", "ir"])
def test_what_a_pass_tells_the_user_is_no_crash(how: str):
    message = exit_message("input.mlir", "-p", f"refuse{{how={how}}}")
    assert message == "sr-opt: expected less, got more"
    assert list(Path().glob("crash-*")) == []


def test_what_a_pass_tells_the_user_can_be_expected():
    Path("input.mlir").write_text("// expected-error {{less, got more}}\n" + INPUT)
    opt.main(["input.mlir", "-p", "refuse", "--verify-diagnostics"])


@pytest.mark.parametrize("way", ["--debug", "SR_DEBUG"])
def test_the_traceback_is_shown_when_asked_for(
    way: str, monkeypatch: pytest.MonkeyPatch
):
    if way == "SR_DEBUG":
        monkeypatch.setenv("SR_DEBUG", "1")
    options = [way] if way == "--debug" else []
    with pytest.raises(CrashError, match=r"crash-crash\.mlir") as raised:
        opt.main(["input.mlir", "-p", "crash", *options])
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(CompileError):
        opt.main(["no_such.mlir", *options])


def test_the_text_of_llvm_is_printed_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def module_to_llvm(module: ModuleOp) -> str:
        return f"; {module.attributes['label']}\n"

    emitter = SimpleNamespace(module_to_llvm=module_to_llvm)
    monkeypatch.setitem(sys.modules, "static_runtime.lowering.host_to_llvm", emitter)
    opt.main(["input.mlir", "-p", "mark", "-t", "llvm"])
    assert capsys.readouterr().out == '; "marked"\n'


@pytest.mark.parametrize("target", ["[1]", "n=x", "", "mlir{x=1}"])
def test_what_is_no_target_is_refused(target: str):
    message = exit_message("input.mlir", f"-t={target}")
    assert message.startswith("sr-opt: expected a target of mlir, llvm, host, got ")
    assert [*Path().iterdir()] == [Path("input.mlir")]


def test_a_file_in_a_circle_of_links_is_an_error_of_the_system():
    Path("loop").symlink_to("loop")
    message = exit_message("input.mlir", "-o", "loop")
    assert message == "sr-opt: cannot write loop: Too many levels of symbolic links"


def test_a_crash_of_a_target_is_reproduced_with_it(monkeypatch: pytest.MonkeyPatch):
    def module_to_llvm(module: ModuleOp) -> str:
        raise NotImplementedError

    emitter = SimpleNamespace(module_to_llvm=module_to_llvm)
    monkeypatch.setitem(sys.modules, "static_runtime.lowering.host_to_llvm", emitter)
    message = exit_message("input.mlir", "-p", "mark", "-t", "llvm")
    assert message == (
        "sr-opt: target llvm crashed: NotImplementedError: no message; "
        "crash-llvm.mlir reproduces it"
    )
    text = Path("crash-llvm.mlir").read_text()
    assert text.startswith(
        "// RUN: sr-opt %s --pass-pipeline='builtin.module()' -t llvm"
    )
    assert "marked" in text


def test_a_crash_after_weights_were_put_aside_is_reproduced_with_them():
    exit_message("input.mlir", "-p", "put-aside,crash")
    text = Path("crash-crash.mlir").read_text()
    assert 'attributes {graph.weights = "crash-crash.safetensors"}' in text
    arrays, _ = safetensors.read(Path("crash-crash.safetensors"))
    assert arrays.keys() == {"one"}


def test_weights_are_written_beside_the_ir_that_names_them():
    opt.main(["input.mlir", "-p", "put-aside", "-o", "a.mlir", "--weights-out", "a.st"])
    assert 'graph.weights = "a.st"' in Path("a.mlir").read_text()
    again = ["-o", "b.mlir", "--weights-out", "b.st"]
    opt.main(["a.mlir", "-p", "put-aside{key=two}", *again])
    assert safetensors.read(Path("b.st"))[0].keys() == {"one", "two"}


def test_weights_that_cannot_be_written_leave_no_ir_either():
    options = ["-p", "put-aside", "-o", "a.mlir", "--weights-out", "no/a.st"]
    message = exit_message("input.mlir", *options)
    assert message == "sr-opt: cannot write no/a.st: No such file or directory"
    assert not Path("a.mlir").exists()


def test_weights_of_several_sections_are_refused():
    Path("input.mlir").write_text(INPUT + "// -----\n" + INPUT)
    options = ["--split-input-file", "--weights-out", "w"]
    message = exit_message("input.mlir", *options)
    assert message == "sr-opt: --weights-out: expected one section, got 2"


def test_sections_are_separated_where_a_line_says_so(
    capsys: pytest.CaptureFixture[str],
):
    heading = "// -----// IR Dump After Mark (mark) //----- //\n"
    Path("input.mlir").write_text(heading + INPUT + "// ----- \n" + INPUT)
    opt.main(["input.mlir", "--split-input-file"])
    out, _ = capsys.readouterr()
    assert out.count("@f") == 2
    assert out.count("// -----\n") == 1


def test_invalid_input_is_the_fault_of_no_pass():
    Path("input.mlir").write_text(INPUT.replace("-> f32", "-> f64"))
    message = exit_message("input.mlir", "-p", "mark")
    assert message.startswith("sr-opt: Expected arguments to have the same types")
    assert list(Path().glob("crash-*")) == []


def test_a_parse_error_says_its_line_of_the_file():
    Path("input.mlir").write_text(INPUT + "// -----\nfunc.func @g(\n")
    message = exit_message("input.mlir", "--split-input-file")
    assert re.match(r"sr-opt: input.mlir:[67]:", message)


def test_a_file_is_replaced_when_all_is_done_and_not_before():
    output = Path("output.mlir")
    output.write_text("before")
    Path("link.mlir").symlink_to(output)
    exit_message("input.mlir", "-p", "refuse", "-o", "output.mlir")
    Path("input.mlir").write_text(INPUT + "// expected-error {{never comes}}\n")
    exit_message("input.mlir", "--verify-diagnostics", "-o", "output.mlir")
    assert output.read_text() == "before"
    opt.main(["input.mlir", "-o", "link.mlir"])
    assert "@f" in output.read_text()
    assert Path("link.mlir").is_symlink()
    names = {path.name for path in Path().iterdir()}
    assert names == {"input.mlir", "link.mlir", "output.mlir"}


def test_a_file_that_is_no_text_is_refused():
    Path("input.mlir").write_bytes(b"ML\xefR\x01")
    assert exit_message("input.mlir") == (
        "sr-opt: input.mlir: expected text in UTF-8, got byte 0xef at offset 2"
    )


@pytest.mark.parametrize(("how", "status"), [("shrink", 0), ("model", 1)])
def test_shrinking_succeeds_when_the_marked_line_is_hit(how: str, status: int):
    with pytest.raises(SystemExit) as raised:
        opt.main(["input.mlir", "--shrink", "-p", f"refuse{{how={how}}}"])
    assert bool(raised.value.code) == bool(status)


def test_a_reader_that_goes_away_ends_it_quietly():
    code = "from static_runtime.compiler.tools.opt import main; main()"
    command = [sys.executable, "-c", code, "input.mlir"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_it_starts_without_what_only_some_runs_need():
    report = "import sys, static_runtime.compiler.tools.opt; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", report], text=True).split()
    assert {"llvmlite", "onnx", "safetensors", "torch"}.isdisjoint(loaded)
