"""The example of a Llama computes what numpy does without a cache, from its folder."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from examples.decoder import Sizes
from static_runtime.runtime.files import write

from .plain_decoder import Array, logits

FOLDER = Path(__file__).parents[2] / "examples" / "llama"

NAMES = {
    "before_attention": "input_layernorm",
    "before_gate": "post_attention_layernorm",
    "query": "self_attn.q_proj",
    "key": "self_attn.k_proj",
    "value": "self_attn.v_proj",
    "attended": "self_attn.o_proj",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
}
"""What the weights of a layer are called in numpy, and in the folder."""


def loaded(name: str) -> Any:
    """A file of the example, which finds the others as it does when it is run."""
    spec = spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made: ModuleType = module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def example():
    """The files of the example: of its folder, and of its text."""
    names = ("checkpoint", "generate")
    yield tuple(map(loaded, names))
    for name in names:
        del sys.modules[name]


def weights_of(
    module: sr.StaticModule, folder: Path, checkpoint: Any
) -> dict[str, Any]:
    """The weights of a folder, as the decoder in numpy calls them."""
    from static_runtime.compiler.ir.weights import WeightStore

    store, config = WeightStore(), checkpoint.Config.read(folder)
    store.load(folder, checkpoint.WEIGHTS)
    found: dict[str, Any] = {
        "embedding": store["model.embed_tokens.weight"],
        "last": store["model.norm.weight"],
        "logits": store["lm_head.weight"].T,
    }
    for at in range(config.layers):
        for own, name in NAMES.items():
            found[f"{own}.{at}"] = store[f"model.layers.{at}.{name}.weight"].T
    half, theta = int(config.head) // 2, float(config.theta)
    turns = theta ** -(np.arange(half) / half)
    angles = np.arange(64)[:, None] * turns
    return {**found, "cosine": np.cos(angles), "sine": np.sin(angles)}


def check_printed(text: str) -> None:
    """What the example prints: two rates, and the tokens."""
    assert text.count("tokens/s") == 2
    assert len(text.splitlines()[-1].split()) == 33


@pytest.mark.full(beside="test_logits_are_those_of_a_whole_text")
def test_the_example_runs(runs_host: None):
    command = [sys.executable, FOLDER / "generate.py"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check_printed(done.stdout)


@pytest.mark.full(
    beside="models/test_few_bits.py::test_steps_have_the_bits_of_their_numbers"
)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("weights", ["int8", "int4"])
@pytest.mark.parametrize(
    "arguments", [["--activations=int8"], ["--top-p=0.9", "--temperature=0.7"]]
)
def test_it_takes_weights_of_few_bits_and_a_nucleus(
    example: Any,
    weights: str,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    checkpoint, generate = example
    tiny = checkpoint.Config(50, 64, 96, 1, 4, 2, 16, 1e-5, 1e4, False)
    monkeypatch.setattr(generate, "TINY", tiny)
    monkeypatch.setattr(
        sys, "argv", ["generate.py", f"--weights={weights}", *arguments]
    )
    assert generate.main() == 0
    check_printed(capsys.readouterr().out)


def test_logits_are_those_of_a_whole_text(example: Any, tmp_path: Path):
    checkpoint, generate = example
    config = checkpoint.Config(50, 48, 80, 1, 6, 3, 8, 1e-5, 5e3, False)
    checkpoint.write_random(tmp_path, config)
    graph = checkpoint.write_graph(tmp_path)
    module = sr.compile(graph, options=sr.Options(cache=False, grow="past"))
    weights = weights_of(module, tmp_path, checkpoint)
    sizes = Sizes(1, 6, 3, 8, 80, 50, 64)
    tokens = np.random.default_rng(0).integers(0, 50, (2, 12))
    wanted = logits(tokens, weights, sizes)
    caches: list[Array] = [np.zeros((2, 3, 0, 8), np.float32) for _ in range(2)]
    at = 0
    for count in (5, 1, 1, 4, 1):
        found, *caches = module(tokens[:, at : at + count], *caches)
        at += count
        np.testing.assert_allclose(found, wanted[:, at - 1], atol=3e-5)
    text, _, _ = generate.generate(module, config, [*tokens[0]], 3)
    assert text[0] == wanted[0, -1].argmax()


@pytest.mark.full(beside="test_logits_are_those_of_a_whole_text")
def test_weights_of_16_bits_and_a_tied_head_are_read(example: Any, tmp_path: Path):
    checkpoint, generate = example
    config = checkpoint.Config(50, 64, 96, 1, 4, 4, 16, 1e-5, 1e4, True)
    checkpoint.write_random(tmp_path, config)
    from static_runtime.compiler.ir.weights import WeightStore

    store = WeightStore()
    store.load(tmp_path, checkpoint.WEIGHTS)
    halves = {name: store[name].astype(np.float16) for name in store}
    write(tmp_path / checkpoint.WEIGHTS, halves, {})
    graph, texts = checkpoint.write_graph(tmp_path), list[list[int]]()
    sizes = list[int]()
    for weights in (None, "int8"):
        options = sr.Options(cache=False, grow="past", weights=weights)
        module = sr.compile(graph, options=options)
        texts.append(generate.generate(module, config, [3, 4, 5], 1)[0])
        sizes.append(module.report.constant_bytes)
    assert texts[0] == texts[1]
    assert sizes[1] < 0.7 * sizes[0]


def test_a_nucleus_has_the_likeliest_tokens(example: Any):
    _, generate = example
    scores = np.log(np.array([0.1, 0.5, 0.3, 0.1]))
    drawn = generate.from_nucleus(0.7, 1.0, 0)
    assert {drawn(scores) for _ in range(50)} == {1, 2}
    narrow = generate.from_nucleus(0.4, 1.0, 0)
    assert {narrow(scores) for _ in range(20)} == {1}
    assert generate.most_likely(scores) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "gpt2"}, "expected a llama without rope_scaling, got gpt2"),
        ({"rope_scaling": {"factor": 8}}, "expected a llama without rope_scaling"),
        ({"attention_bias": True}, "expected a llama without biases"),
    ],
)
def test_other_families_are_refused(
    example: Any, tmp_path: Path, changes: dict[str, Any], message: str
):
    import json

    checkpoint, _ = example
    config = checkpoint.Config(50, 48, 80, 1, 6, 3, 8, 1e-5, 1e4, False)
    checkpoint.write_random(tmp_path, config)
    file = tmp_path / checkpoint.CONFIG
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    with pytest.raises(ValueError, match=message):
        checkpoint.write_graph(tmp_path)
