"""Modules become code of the target that they name, once for all who need it."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.loop.set_target import SetTarget
from static_runtime.compiler.passes.loop.size_tiles import SizeTiles
from static_runtime.compiler.passes.loop.unroll_loops import UnrollLoops
from static_runtime.compiler.passes.loop.vectorize_loops import VectorizeLoops
from static_runtime.dialects.loop.target import target_of
from static_runtime.lowering import llvm_to_object
from static_runtime.lowering.llvm_to_object import (
    QUICK,
    Machine,
    assembly,
    borrowed_machine,
    compile_text,
    kept_object,
    machine_of,
    objects,
)
from static_runtime.lowering.loop_to_llvm import lower_kernels
from static_runtime.runtime.cache import Cache

from .listing import loops

KERNELS = """
loop.kernel @matmul(%lhs: memref<?xf32>, %rhs: memref<?xf32>, %out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 k_loop (%sum) {
    %a = loop.load %lhs[%i * 32 + %k] : memref<?xf32>
    %b = loop.load %rhs[%k * 64 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %out[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = loop.load %b[%i] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    loop.store %z, %c[%i] : memref<?xf32>
    loop.yield
  }
}
"""


def kernels(cpu: str, text: str = KERNELS) -> tuple[dict[str, str], Machine]:
    """The LLVM text of each kernel for a target, and its machine."""
    ctx = context()
    module: ModuleOp = Parser(ctx, text).parse_module()
    for each in (SetTarget(cpu=cpu), SizeTiles(), VectorizeLoops(), UnrollLoops()):
        each.apply(ctx, module)
    texts = {name: each.text for name, each in lower_kernels(module).items()}
    return texts, machine_of(target_of(module))


def assemblies(cpu: str, text: str = KERNELS) -> dict[str, str]:
    """The assembly of each kernel for a target."""
    texts, machine = kernels(cpu, text)
    return {name: assembly(text, machine) for name, text in texts.items()}


def test_baseline_x86_has_no_later_instructions():
    for text in assemblies("x86-64").values():
        assert "xmm" in text
        assert not re.search(r"ymm|zmm|vfmadd|\bv(add|mul)ps", text)


def test_avx2_computes_in_256_bits_and_fuses():
    texts = assemblies("x86-64-v3")
    assert re.search(r"vfmadd\w+ps.*%ymm", texts["matmul"])
    assert re.search(r"vaddps.*%ymm", texts["add"])
    assert not any("zmm" in text for text in texts.values())


def test_avx_512_computes_in_512_bits():
    texts = assemblies("x86-64-v4")
    assert re.search(r"vfmadd\w+ps.*%zmm", texts["matmul"])
    assert re.search(r"vaddps.*%zmm", texts["add"])


def test_a_tile_keeps_its_totals_in_registers():
    text = assemblies("x86-64-v3")["matmul"]
    # Six rows of two vectors; each accumulator is accumulated in place.
    assert len(set(re.findall(r"vfmadd231ps.*, (%ymm\d+)$", text, re.MULTILINE))) == 12
    inner = [each for each in loops(text) if "vfmadd231ps" in each]
    assert inner
    assert not any("(%rsp)" in each for each in inner)


PAIRS = """
loop.kernel @dots(%a: memref<?xf32>, %b: memref<?xbf16>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 52, %j to 64, reduce %k to 256 from %zero : f32 k_loop (%sum) {
    %x = loop.load %a[%i * 256 + %k] : memref<?xf32>
    %r = arith.truncf %x : f32 to bf16
    %s = arith.extf %r : bf16 to f32
    %y = loop.load %b[%k blocked 2 * 64 + %j blocked 32 by 2 * 8192] : memref<?xbf16>
    %t = arith.extf %y : bf16 to f32
    %next = math.fma %s, %t, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}
"""


def test_avx_512_bf16_adds_up_products_of_pairs():
    text = assemblies("cooperlake", PAIRS)["dots"]
    inner = [each for each in loops(text) if "vdpbf16ps" in each]
    accumulators = re.compile(r"vdpbf16ps\s+%zmm\d+, %zmm\d+, (%zmm\d+)$", re.MULTILINE)
    # The rows are dealt out to tiles of 11 and of 10, of two vectors; each accumulator
    # is accumulated in place.
    assert sorted(len(set(accumulators.findall(each))) for each in inner) == [20, 22]
    # A step of an accumulator is that instruction, and no other arithmetic.
    assert not any(re.search(r"vfmadd|vpsll|vmovup\w+\s+%zmm", each) for each in inner)


MATRICES = (
    PAIRS.replace(
        "blocked 2 * 64 + %j blocked 32 by 2 * 8192", "blocked 2 * 32 + %j PANEL"
    )
    .replace("PANEL", "blocked 16 by 2 * 4096")
    .replace("%i to 52", "%i to 40")
)


def blocks_with_products(text: str) -> list[str]:
    """The blocks of an assembly that multiply matrices, up to their first jump."""
    found = re.split(r"^\.LBB\S+:|^\tj\w+\s", text, flags=re.MULTILINE)
    return [each for each in found if "tdpbf16ps" in each]


def test_amx_adds_up_products_of_matrices():
    text = assemblies("sapphirerapids", MATRICES)["dots"]
    inner = blocks_with_products(text)
    products = [len(re.findall("tdpbf16ps", each)) for each in inner]
    loads = [len(re.findall("tileloadd", each)) for each in inner]
    # 32 by 32 accumulators take two registers of each factor, 16 by 64 one and four.
    assert sorted(zip(products, loads, strict=True)) == [(4, 4), (4, 5)]
    assert not any(re.search(r"tilestored|%[xyz]mm", each) for each in inner)
    # The epilogue is written twice: in the loop over tiles, and after it.
    assert len(re.findall(r"vmovups\s+%zmm\d+, ", text)) == 2 * len(inner)
    # They are set up once, and given back.
    assert text.count("ldtilecfg") == 1
    assert re.search(r"tilerelease(\n\s+vzeroupper)?(\n\s+\S+.*)*\n\s+retq", text)


@pytest.mark.parametrize(("wide", "products"), [(16, 4), (32, 4), (48, 3), (64, 4)])
def test_amx_takes_panels_of_several_registers(wide: int, products: int):
    text = MATRICES.replace("blocked 2 * 32", f"blocked 2 * {2 * wide}")
    text = text.replace("blocked 16 by 2 * 4096", f"blocked {wide} by 2 * {256 * wide}")
    inner = blocks_with_products(assemblies("sapphirerapids", text)["dots"])
    assert {len(re.findall("tdpbf16ps", each)) for each in inner} == {products}


def test_other_targets_do_without():
    for target in ("x86-64", "x86-64-v3", "x86-64-v4", "aarch64"):
        assert "bf16" not in assemblies(target, PAIRS)["dots"].partition("dots")[2]


def test_aarch64_is_written_on_any_machine():
    texts = assemblies("aarch64")
    assert re.search(r"\bfmla\s+v\d+\.4s", texts["matmul"])
    assert re.search(r"\bfadd\s+v\d+\.4s", texts["add"])


def test_objects_are_of_the_machine():
    texts, machine = kernels("aarch64")
    code = compile_text(texts["add"], machine)
    # The header of an ELF file: its mark, and at byte 18 its machine.
    assert code.startswith(b"\x7fELF")
    assert int.from_bytes(code[18:20], "little") == 183


def test_refuses_what_is_not_llvm():
    _, machine = kernels("x86-64")
    with pytest.raises(RuntimeError, match="expected top-level entity"):
        compile_text("no module", machine)


def test_the_second_time_all_are_in_the_cache(tmp_path: Path):
    texts, machine = kernels("x86-64-v3")
    first, hits = objects(texts.values(), machine, Cache(tmp_path))
    assert hits == 0
    again, hits = objects(texts.values(), machine, Cache(tmp_path))
    assert hits == 2
    assert again == first


def test_another_machine_has_other_objects(tmp_path: Path):
    texts, machine = kernels("x86-64-v3")
    first, _ = objects(texts.values(), machine, Cache(tmp_path))
    older = Machine(machine.triple, "x86-64", machine.features)
    others, hits = objects(texts.values(), older, Cache(tmp_path))
    assert hits == 0
    assert others != first


def test_an_entry_that_was_damaged_is_made_again(tmp_path: Path):
    texts, machine = kernels("x86-64-v3")
    first, _ = objects(texts.values(), machine, Cache(tmp_path))
    for damaged in list(tmp_path.iterdir()):
        damaged.write_bytes(damaged.read_bytes()[:-1] + b"\0\1")
    again, hits = objects(texts.values(), machine, Cache(tmp_path))
    assert hits == 0
    assert again == first
    assert objects(texts.values(), machine, Cache(tmp_path))[1] == 2


def test_without_a_cache_all_are_made():
    texts, machine = kernels("x86-64")
    codes, hits = objects(texts.values(), machine, None)
    assert (len(codes), hits) == (2, 0)


def texts_of(count: int) -> list[str]:
    """Modules that LLVM takes, each with a function of its own."""
    texts, _ = kernels("x86-64-v3")
    return [
        text.replace("@sr_k_", f"@sr_{number}_")
        for number in range(count)
        for text in texts.values()
    ]


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(threads: int, tmp_path: Path):
    texts, (_, machine) = texts_of(4), kernels("x86-64-v3")
    # One that was compiled before, and one that is there twice.
    objects(texts[3:4], machine, Cache(tmp_path / "many"))
    objects(texts[3:4], machine, Cache(tmp_path / "one"))
    again = [*texts, texts[0]]
    alone = objects(again, machine, Cache(tmp_path / "one"))
    assert objects(again, machine, Cache(tmp_path / "many"), threads) == alone
    assert objects(again, machine, None, threads) == (alone[0], 0)
    assert alone == ([compile_text(text, machine) for text in again], 2)
    assert len(set(alone[0])) == len(texts)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_error_is_that_of_the_first_in_order(threads: int):
    texts, (_, machine) = texts_of(4), kernels("x86-64-v3")
    # The later one is longer, and is begun before the other.
    texts[5] = "first mistake"
    texts[6] = "second mistake" + 10000 * " "
    with pytest.raises(RuntimeError, match="first mistake"):
        objects(texts, machine, None, threads)
    assert objects(texts[:5], machine, None, threads)[1] == 0


def test_who_compiles_in_threads_of_its_own(tmp_path: Path):
    texts, (_, machine) = texts_of(3), kernels("x86-64-v3")
    expected = objects(texts, machine, None)[0]
    caches = [None, None, Cache(tmp_path), Cache(tmp_path)]

    def compiled(cache: Cache | None) -> list[bytes]:
        return objects(texts, machine, cache, 2)[0]

    with ThreadPoolExecutor(len(caches)) as pool:
        assert list(pool.map(compiled, caches)) == 4 * [expected]


@pytest.mark.soak
def test_many_compile_for_long():
    texts, (_, machine) = texts_of(2), kernels("x86-64-v3")
    expected = objects(texts, machine, None)

    def work(threads: int) -> bool:
        return all(
            objects(texts, machine, None, threads) == expected for _ in range(50)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, (1, 2, 2, 4)))


def test_a_machine_is_used_again_by_one_at_a_time():
    _, machine = kernels("x86-64-v3")
    with borrowed_machine(machine) as one, borrowed_machine(machine) as other:
        assert one is not other
    with borrowed_machine(machine) as again:
        assert again in (one, other)


def test_a_machine_that_met_an_error_is_not_used_again():
    _, machine = kernels("x86-64-v3")
    kept: list[object] = []
    with pytest.raises(RuntimeError), borrowed_machine(machine) as broken:
        raise RuntimeError("what LLVM did not take")
    with borrowed_machine(machine) as one, borrowed_machine(machine) as other:
        kept += [one, other]
    assert broken not in kept


def test_quick_code_of_what_programs_share_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(llvm_to_object, "_kept", {})
    texts, machine = kernels("x86-64-v3")
    text, cache = texts["add"], Cache(tmp_path)
    quick = kept_object(text, replace(machine, code=QUICK), cache)
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]
    full = kept_object(text, machine, cache)
    assert full != quick
    assert full == compile_text(text, machine)
    monkeypatch.setattr(llvm_to_object, "_kept", {})
    # Better code is there, and takes no time.
    assert kept_object(text, replace(machine, code=QUICK), cache) == full
