"""Whose the files are that this repository did not write as text."""

from __future__ import annotations

import re
from pathlib import Path

from .house import is_text, tracked

ROOT = Path(__file__).parent.parent
NOTICE = (ROOT / "NOTICE").read_text()

MADE_HERE = {
    r"examples/digits/digits\.(onnx|safetensors)": "examples/digits/train.py",
    r"docs/suites/onnx_nodes\.txt": "bench/onnx_nodes.py",
    r"docs/suites/opinfo_\w+\.txt": "bench/opinfo.py",
    r"docs/suites/torch_mlir\w*\.txt": "bench/torch_mlir.py",
    r"test/compiler/passes/graph/insert_quantization\.yaml": (
        "test/compiler/passes/graph/insert_quantization.mlir"
    ),
    r"test/models/onnx/\w+\.(onnx|npz)": "test/models/export_models.py",
    r"test/models/trained/[\w-]+\.npz": "test/models/trained/README.md",
}
"""Data of our own, by what makes it or says how it was made."""


def data() -> set[str]:
    """The files that hold data, by their paths in the repository."""
    suffixes = {".onnx", ".npz", ".npy", ".safetensors", ".txt", ".pt", ".bin"}
    suffixes |= {".yaml"}
    return {
        path.relative_to(ROOT).as_posix()
        for path in tracked()
        if path.suffix in suffixes or not is_text(path)
    }


def of_others() -> set[str]:
    """The files that NOTICE says others made."""
    return set(re.findall(r"^(?:test|examples|bench)/\S+$", NOTICE, re.MULTILINE))


def test_data_is_ours_or_in_the_notice():
    ours = {
        each for each in data() if any(re.fullmatch(form, each) for form in MADE_HERE)
    }
    assert data() - ours - {"constraints.txt", ".pre-commit-config.yaml"} == of_others()
    assert not ours & of_others()


def test_what_makes_our_data_is_there():
    assert all((ROOT / each).is_file() for each in MADE_HERE.values())
    assert all(any(re.fullmatch(form, each) for each in data()) for form in MADE_HERE)


def test_licences_that_the_notice_refers_to_are_there():
    texts = re.findall(r"text\s+is\s+in\s+([\w./]+?)\.?$", NOTICE, re.MULTILINE)
    assert len(texts) == 4
    assert all((ROOT / each).is_file() for each in texts)


def test_the_licence_is_the_whole_text():
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert text.rstrip().endswith("limitations under the License.")
