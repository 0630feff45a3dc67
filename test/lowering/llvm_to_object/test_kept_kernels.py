"""The object of a kernel is found by its loops, and by nothing less than these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from static_runtime.compiler.ir.context import context
from static_runtime.dialects.loop import KernelOp, target_of
from static_runtime.lowering.llvm_to_object import compile_text, machine_of, objects
from static_runtime.lowering.llvm_to_object.kept_kernels import KeptKernels
from static_runtime.lowering.loop_to_llvm import each_kernel
from static_runtime.runtime import Cache

TEXT = """
builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256,
    registers = 16, fma = true>} {
  loop.kernel @NAME(%x: memref<?xf32>, %y: memref<?xf32>) symbols ["n"] {
    %c = arith.constant VALUE : f32
    loop.for parallel %i to "3 * n" lanes 8 {
      %a = loop.load %x[%i] : memref<?xf32>
      %b = arith.addf %a, %c : f32
      loop.store %b, %y[%i + "n"] : memref<?xf32>
      loop.yield
    }
  }
}
"""


def parsed(name: str = "kernel", value: str = "0.1", registers: int = 16) -> ModuleOp:
    text = TEXT.replace("NAME", name).replace("VALUE", value)
    text = text.replace("registers = 16", f"registers = {registers}")
    return Parser(context(), text).parse_module()


def kernel_of(module: ModuleOp) -> KernelOp:
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    return kernel


def store_of(folder: Path, module: ModuleOp, version: str = "1") -> KeptKernels:
    target = target_of(module)
    return KeptKernels(Cache(folder), target, machine_of(target), version)


def kept(folder: Path) -> tuple[KeptKernels, bytes]:
    """A store that has compiled the kernel, and its object."""
    module = parsed()
    store = store_of(folder, module)
    texts = (each.given for _, each in each_kernel(module, store))
    (code,), hits = objects(texts, store.machine, store.cache)
    assert hits == 0
    return store, code


def test_a_kernel_of_another_name_is_found_without_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    _, code = kept(tmp_path)
    module = parsed("other")
    ((_, written),) = each_kernel(module)
    monkeypatch.delattr("static_runtime.lowering.loop_to_llvm.write_kernel")
    store = store_of(tmp_path, module)
    ((name, found),) = each_kernel(module, store)
    assert (name, found.name, found.sizes) == ("other", written.name, written.sizes)
    assert found.given == code == compile_text(written.text, store.machine)
    assert objects([found.given], store.machine, store.cache) == ([code], 1)


def test_an_object_that_is_gone_is_compiled_again(tmp_path: Path):
    store, code = kept(tmp_path)
    for each in tmp_path.iterdir():
        if code in each.read_bytes():
            each.unlink()
    ((_, found),) = each_kernel(parsed(), store)
    assert not found.code
    assert objects([found.given], store.machine, store.cache) == ([code], 0)
    ((_, found),) = each_kernel(parsed(), store)
    assert found.code == code


def test_what_decides_the_text_is_in_the_key(tmp_path: Path):
    module = parsed()
    store, kernel = store_of(tmp_path, module), kernel_of(module)
    wider = target_of(parsed(registers=32))
    others = [
        store_of(tmp_path, module, "2").key_of(kernel),
        replace(store, machine=replace(store.machine, cpu="other")).key_of(kernel),
        replace(store, target=wider).key_of(kernel),
        # The next float of 32 bits.
        store.key_of(kernel_of(parsed(value="0.10000000894069672"))),
        store.key_of(kernel_of(parsed(value="-0.1"))),
    ]
    kernel.attributes["few_passes"] = module.attributes["loop.target"]
    others.append(store.key_of(kernel))
    assert len({store.key_of(kernel_of(parsed())), *others}) == 7
