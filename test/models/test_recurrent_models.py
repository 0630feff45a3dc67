"""Models with recurrent layers compute what torch does: a tagger, and a decoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from .difference import difference

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

pytestmark = pytest.mark.torch

TOLERANCE = 1e-5

WORDS, TAGS, WIDTH = 30, 5, 12


class Tagger(nn.Module):
    """A tag for every word of a sentence, which is read from both ends."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.LSTM(WIDTH, 9, 2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(18, TAGS)

    def forward(self, words: Tensor) -> Tensor:
        """i64[batch, length] -> f32[batch, length, TAGS]."""
        return self.head(self.layers(self.embedding(words))[0])


class Decoder(nn.Module):
    """The scores of the word after one word, and the states to go on with."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.GRU(WIDTH, WIDTH, 2)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, word: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
        """i64[batch], f32[2, batch, WIDTH] -> f32[batch, WORDS], the states after."""
        output, last = self.layers(self.embedding(word)[None], states)
        return self.head(output[0]), last


def words(*shape: int) -> Tensor:
    """Numbers of words."""
    return torch.randint(0, WORDS, shape)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    """A tagger with random numbers."""
    torch.manual_seed(0)
    return Tagger().eval()


def check_tagger(compiled: sr.StaticModule, module: Tagger, *shapes: Any) -> None:
    """What is compiled computes what the module does, for sentences of these shapes."""
    for shape in shapes:
        given = words(*shape)
        with torch.inference_mode():
            expected = module(given).numpy()
        assert difference(compiled(given.numpy()), expected) <= TOLERANCE


def test_a_tagger_reads_sentences_of_any_length(tagger: Tagger):
    shapes = {"words": {0: "batch", 1: "length"}}
    compiled = sr.compile(tagger, (words(3, 7),), dynamic_shapes=shapes)
    check_tagger(compiled, tagger, (3, 7), (1, 1), (2, 40), (5, 2))


@pytest.mark.filterwarnings("ignore")  # of torch's own
def test_a_tagger_from_an_onnx_file(tagger: Tagger, tmp_path: Path):
    pytest.importorskip("onnxscript")
    path = tmp_path / "tagger.onnx"
    shapes = {"words": {0: torch.export.Dim("batch")}}
    torch.onnx.export(
        tagger,
        (words(3, 7),),
        path,
        dynamic_shapes=shapes,
        external_data=False,
        verbose=False,
    )
    check_tagger(sr.compile(path), tagger, (3, 7), (1, 7), (9, 7))


def test_a_decoder_goes_on_from_its_own_states():
    torch.manual_seed(0)
    module = Decoder().eval()
    example = words(4), torch.zeros(2, 4, WIDTH)
    shapes = {"word": {0: "batch"}, "states": {1: "batch"}}
    compiled = sr.compile(module, example, dynamic_shapes=shapes)
    for batch in (4, 1):
        theirs = torch.zeros(2, batch, WIDTH)
        mine: Any = theirs.numpy()
        for _ in range(6):
            word = words(batch)
            with torch.inference_mode():
                scores, theirs = module(word, theirs)
            result: Any = compiled(word.numpy(), mine)
            mine = np.asarray(result[1])
            assert difference(result[0], scores.numpy()) <= TOLERANCE
            assert difference(mine, theirs.numpy()) <= TOLERANCE
