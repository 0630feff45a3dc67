"""sr-size says where the bytes of a folder are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from static_runtime.compiler.tools.build import main as build
from static_runtime.compiler.tools.size import main

from ..tracing.models import MIXED, TURN

ALL_FEATURES = "include_all_non_op_selectives: true\n"
OPERATORS = """operators:
    graph::cast: {is_root_operator: true}
    graph::mul: {is_root_operator: true}
et_kernel_metadata:
    graph::cast: [default]
    graph::mul: [default]
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of some kernels of two models, and one of all."""
    folder = tmp_path_factory.mktemp("sizes")
    models: list[str] = []
    for name, text in (("mixed", MIXED), ("turn", TURN)):
        path = folder / f"{name}.mlir"
        path.write_text(text)
        models.append(str(path))
    (folder / "ops.yaml").write_text(ALL_FEATURES + OPERATORS)
    some, every = folder / "some", folder / "every"
    both, one = ("--target", "x86-64-v3,aarch64"), ("--target", "x86-64-v3")
    build([*models, "--yaml", str(folder / "ops.yaml"), *both, "-o", str(some)])
    build([*models, "--include-all", *one, "-o", str(every)])
    build([models[0], "-o", str(some / "mixed.sr")])
    return some, every


def test_bytes_by_operator_and_dtype(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
):
    some, _ = folders
    main([str(some)])
    out = capsys.readouterr().out
    for target in ("x86-64-v3", "aarch64"):
        found = re.search(rf"{target}: 1 kernels, (\d+) bytes", out)
        assert found is not None
        total = int(found[1])
        rows = out.split(f"{target}:")[1].split("\n\n")[0].splitlines()[2:]
        assert {row.split()[0] for row in rows} == {"graph::cast", "graph::mul"}
        assert sum(int(row.split()[-1]) for row in rows) == pytest.approx(total, abs=1)
        assert all("Double Float" in row for row in rows)
    assert "mixed.sr: " in out
    assert re.search(r"runtime: \d+ bytes", out)


def test_beside_what_there_was_before(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
):
    some, every = folders
    main([str(some), "--before", str(every)])
    out = capsys.readouterr().out
    less = re.search(r"before: 4 kernels, \d+ bytes; (\d+\.\d) % less", out)
    assert less is not None
    assert float(less[1]) > 50
    assert re.search(r"graph::matmul +Float +0 +\d+", out)


def test_a_chart(folders: tuple[Path, Path], tmp_path: Path):
    pytest.importorskip("matplotlib")
    main([str(folders[0]), "--svg", str(tmp_path / "sizes.svg")])
    assert "graph::cast" in (tmp_path / "sizes.svg").read_text()


def test_what_is_no_such_folder_is_refused(tmp_path: Path):
    with pytest.raises(SystemExit, match="expected a folder that sr-build wrote"):
        main([str(tmp_path)])
    (tmp_path / "key.txt").write_text("runtime")
    (tmp_path / "kernels.x86-64.srk").write_bytes(b"no library")
    with pytest.raises(SystemExit, match=r"sr-size: .*expected a library of kernels"):
        main([str(tmp_path)])
