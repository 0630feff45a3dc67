"""Models of one `GroupQueryAttention`, inputs for them, and what they compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, parser

from .interpreter import Array


@dataclass(frozen=True)
class Call:
    """The sizes of one call: rows of these lengths, as long as the mask at most."""

    lengths: Sequence[int]
    count: int
    """New positions."""

    past: int
    """Positions of the given cache."""

    total: int


CALLS = {
    "prompt": Call([5], 5, 0, 5),
    "padded prompt": Call([5, 2, 3], 5, 0, 5),
    "prompt in a given cache": Call([4, 2], 4, 8, 4),
    "one position": Call([1], 1, 0, 1),
    "a step": Call([7, 3, 4], 1, 6, 7),
    "a step in a longer cache": Call([5, 3], 1, 8, 5),
    "a chunk": Call([7], 3, 4, 7),
    "a chunk in a longer cache": Call([5], 2, 8, 5),
}


@dataclass(frozen=True)
class Form:
    """An op with these heads, on which inputs, and with which attributes."""

    heads: int = 4
    groups: int = 2
    depth: int = 16
    attributes: str = ""
    is_packed: bool = False
    has_past: bool = True
    pairs: int = 0
    """Pairs of elements that are turned; none without rotations."""

    more: Mapping[int, tuple[str, str]] | None = None
    """Further inputs by their places, each a name and a type."""

    element: str = "float"
    sizes: tuple[str | int, ...] = ("b", "s", "p", "t")
    """The batch, its new positions, the cache, and the mask."""

    def inputs(self) -> dict[str, str]:
        """The types of the inputs by their names."""
        batch, count, past, total = self.sizes
        keys = self.groups * self.depth
        width = self.heads * self.depth + 2 * keys * self.is_packed
        found = {"q": f"{self.element}[{batch},{count},{width}]"}
        if not self.is_packed:
            found |= dict.fromkeys("kv", f"{self.element}[{batch},{count},{keys}]")
        if self.has_past:
            cache = f"{self.element}[{batch},{self.groups},{past},{self.depth}]"
            found |= {"pk": cache, "pv": cache}
        found["mask"] = f"int64[{batch},{total}]"
        if self.pairs:
            found |= dict.fromkeys(("c", "n"), f"{self.element}[32,{self.pairs}]")
        return found | dict((self.more or {}).values())

    @property
    def model(self) -> ModelProto:
        """The model, which counts lengths by a mask as onnxruntime-genai's do."""
        places = ["q", "k", "v", "pk", "pv", "l", "t", "c", "n"]
        given = self.inputs()
        names = [each if each in "lt" or each in given else "" for each in places]
        for place, (name, _) in sorted((self.more or {}).items()):
            names += [""] * (place - len(names)) + [name]
        rotary = ", do_rotary = 1" * bool(self.pairs)
        inputs = ", ".join(f"{kind} {name}" for name, kind in given.items())
        found = parser.parse_model(
            '<ir_version: 9, opset_import: ["": 21, "com.microsoft": 1]>'
            f"g ({inputs}) => ({self.element} y, {self.element} nk, {self.element} nv)"
            " <int64[1] one = {1}, int64 i = {1}> {"
            " m = ReduceSum<keepdims = 0>(mask, one) e = Sub(m, one)"
            " l = Cast<to = 6>(e) w = Shape(mask) u = Gather<axis = 0>(w, i)"
            " t = Cast<to = 6>(u) y, nk, nv = com.microsoft.GroupQueryAttention"
            f"<num_heads = {self.heads}, kv_num_heads = {self.groups}{rotary}"
            f"{self.attributes}>({', '.join(names).rstrip(', ')}) }}"
        )
        for each in found.graph.output:
            each.ClearField("type")
        return found

    def arrays(self, call: Call, seed: int = 0) -> dict[str, Array]:
        """Random inputs for a call, with a mask on the left of each row."""
        random = np.random.default_rng(seed)
        symbols = dict(zip("bspt", (len(call.lengths), *_sizes(call)), strict=True))
        found: dict[str, Array] = {}
        for name, kind in self.inputs().items():
            element, _, shape = kind.rstrip("]").partition("[")
            sizes = [int(symbols.get(each, each)) for each in shape.split(",")]
            if name == "mask":
                places = np.arange(sizes[1])
                found[name] = (places < np.array(call.lengths)[:, None]) * np.int64(1)
            elif element == "int64":
                found[name] = random.integers(0, 20, sizes)
            else:
                wanted = np.float16 if element == "float16" else np.float32
                found[name] = random.standard_normal(sizes).astype(wanted)
        return found


def _sizes(call: Call) -> tuple[int, int, int]:
    return call.count, call.past, call.total


@dataclass(frozen=True)
class Rule:
    """What the attributes and further inputs of a form mean, in numpy."""

    scale: float = 0.25
    softcap: float = 0.0
    window: int = 1 << 20
    is_interleaved: bool = False
    sinks: Sequence[float] | str | None = None
    """A number for each head, or the input that has them."""


def attention(
    form: Form, call: Call, arrays: Mapping[str, Array], rule: Rule
) -> list[Array]:
    """
    The means of values, zeros for queries that are padding, and the new caches, in f64.

    Row by row, position by position: as ONNX Runtime's documents say.
    """
    given = {name: array.astype(np.float64) for name, array in arrays.items()}
    batch, heads, groups, depth = len(call.lengths), form.heads, form.groups, form.depth
    if form.is_packed:
        every = given["q"].reshape(batch, call.count, -1, depth)
        q, k, v = np.split(every, [heads, heads + groups], axis=2)
    else:
        q, k, v = (given[each].reshape(batch, call.count, -1, depth) for each in "qkv")
    length = max(call.total, call.past)
    y = np.zeros((batch, call.count, heads, depth))
    keys, values = np.zeros((2, batch, groups, length, depth))
    for b, total in enumerate(call.lengths):
        before = 0 if call.count == call.total else total - call.count
        if form.has_past:
            keys[b, :, :before] = given["pk"][b, :, :before]
            values[b, :, :before] = given["pv"][b, :, :before]
        for i in range(call.count):
            here = before + i
            place = _place(given, b, i, here, call)
            keys[b, :, here] = _turned(form, rule, given, k[b, i], place)
            values[b, :, here] = v[b, i]
            turned = _turned(form, rule, given, q[b, i], place)
            if here < total:
                seen = slice(max(0, here + 1 - rule.window), here + 1)
                for h in range(heads):
                    kv = h * groups // heads
                    scores = keys[b, kv, seen] @ turned[h] * rule.scale
                    if rule.softcap:
                        scores = rule.softcap * np.tanh(scores / rule.softcap)
                    if "bias" in given:
                        bias = np.broadcast_to(
                            given["bias"], (batch, heads, call.count, call.total)
                        )
                        scores = scores + bias[b, h, i, seen]
                    weights = np.exp(scores)
                    sinks = rule.sinks
                    if isinstance(sinks, str):
                        sinks = [*given[sinks]]
                    rest = 0 if sinks is None else np.exp(sinks[h])
                    weights /= weights.sum() + rest
                    y[b, i, h] = weights @ values[b, kv, seen]
    return [y.reshape(batch, call.count, -1), keys, values]


def _place(
    given: Mapping[str, Array], row: int, new: int, here: int, call: Call
) -> int:
    """The position by which a row is turned."""
    if "pos" not in given:
        return here
    if call.count == call.total:
        return int(given["pos"][0, 0]) + new
    return int(given["pos"][row, new])


def _turned(
    form: Form, rule: Rule, given: Mapping[str, Array], x: Array, place: int
) -> Array:
    """The pairs of elements of heads turned, each as a complex number."""
    if not form.pairs:
        return x
    angle = given["c"][place] + 1j * given["n"][place]
    found, pairs = x.copy(), form.pairs
    first, second = (
        (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2))
        if rule.is_interleaved
        else (slice(0, pairs), slice(pairs, 2 * pairs))
    )
    turned = (x[:, first] + 1j * x[:, second]) * angle
    found[:, first], found[:, second] = turned.real, turned.imag
    return found


FORMS: dict[str, tuple[Form, Rule]] = {
    "plain": (Form(), Rule()),
    "one group": (Form(groups=1), Rule()),
    "a head each": (Form(groups=4, depth=32), Rule(32**-0.5)),
    "packed": (Form(is_packed=True), Rule()),
    "without a past": (Form(has_past=False, pairs=8), Rule()),
    "turned": (Form(pairs=8), Rule()),
    "turned neighbours": (
        Form(pairs=8, attributes=", rotary_interleaved = 1", is_packed=True),
        Rule(is_interleaved=True),
    ),
    "turned in part": (Form(depth=32, pairs=8), Rule(32**-0.5)),
    "given positions": (
        Form(pairs=8, more={9: ("pos", "int64[b,s]")}),
        Rule(),
    ),
    "a window": (Form(attributes=", local_window_size = 2"), Rule(window=2)),
    "a cap": (
        Form(attributes=", softcap = 0.5, scale = 0.7"),
        Rule(scale=0.7, softcap=0.5),
    ),
    "a bias": (
        Form(attributes=", softcap = 1.5", more={10: ("bias", "float[b,4,s,t]")}),
        Rule(softcap=1.5),
    ),
    "a bias for all": (Form(more={10: ("bias", "float[1,1,s,t]")}), Rule()),
    "a sink": (Form(attributes=", smooth_softmax = 1"), Rule(sinks=[0] * 4)),
    "sinks of heads": (Form(more={11: ("sink", "float[4]")}), Rule(sinks="sink")),
}
"""Forms of the op, each with its meaning."""


def can_be(form: Form, call: Call) -> bool:
    """Whether a form has such calls: without a past, prompts into none."""
    return form.has_past or (call.past == 0 and call.count == call.total)


def without_padding(results: Sequence[Array], call: Call) -> list[Array]:
    """Results with zeros for queries that are padding, which nothing says."""
    y = np.array(results[0])
    if call.count == call.total:
        for row, length in enumerate(call.lengths):
            y[row, length:] = 0
    return [y, *results[1:]]
