"""Every peer that is installed computes a tiny model of the suite as torch does."""

from pathlib import Path

import pytest

from bench.__main__ import main
from bench.cases import Case, several, suite_case
from bench.peers import PEERS, limit_of
from bench.results import Results

pytestmark = pytest.mark.torch

LIBRARIES = {
    "onnxruntime": "onnxruntime",
    **dict.fromkeys(("openvino", "openvino-default"), "openvino"),
}
"""What a peer needs beside torch."""


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return suite_case("deep_wide_b1", tmp_path_factory.mktemp("suite"))


# The other checkout takes the place of this one: it runs in a process of its own only.
@pytest.mark.parametrize("peer", sorted({*PEERS} - {"torch-compile", "before"}))
def test_a_peer_computes_what_torch_does(peer: str, case: Case):
    pytest.importorskip(LIBRARIES.get(peer, "torch"))
    assert case.error(several(PEERS[peer](case, 1)())) <= limit_of(peer)


def test_the_command_prints_and_keeps_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "results.json"
    plan = ["--threads", "1", "--peers", "ours,torch", "--rounds", "2", "--ms", "2"]
    main(["add16", *plan, "--json", str(path)])
    (row,) = Results.read(path).rows
    assert (row.model, row.threads) == ("add16", 1)
    assert all(each.is_right for each in row.timings.values())
    assert row.ratio is not None
    text = capsys.readouterr().out
    assert "\n| add16 | 1 | " in text
    assert "\n| calls | 1 | " in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["nothing"], "expected models of add16, .* got nothing"),
        (["add16", "--peers", "ours,x"], "2"),
        (["add16", "--rounds", "0"], "2"),
    ],
)
def test_what_is_not_known_is_refused(given: list[str], message: str):
    with pytest.raises(SystemExit, match=message):
        main(given)
