"""
The networks of arXiv 2001.03288 as records of memory, and what planners make of them.

    python -m bench.networks    what docs/memory.md shows

Each is built here from the description of its architecture, with batch 1, f32 and
channels last; a norm and an activation belong to the convolution before them. Inputs
and outputs of the network are not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, prod

from static_runtime.runtime.planning import (
    Record,
    lower_bound,
    plan,
    shared_lower_bound,
)

MIB = 2**20

BYTES = 4
"""Bytes of an element."""

COLUMNS = (
    *("naive", "in-order", "shared-greedy-by-breadth", "shared-greedy-by-size"),
    *("size-improved", "min-cost-flow"),
    *("greedy-by-size", "greedy-by-breadth", "conflict-driven"),
)
"""The planners of the table: of shared objects, then of offsets."""

Tensor = int
"""The number of a tensor; 0 is the input."""


@dataclass
class Network:
    """Ops in order, each of some tensors to one."""

    shapes: list[tuple[int, ...]]
    ops: list[tuple[tuple[Tensor, ...], Tensor]] = field(
        default_factory=list[tuple[tuple[Tensor, ...], Tensor]]
    )

    def op(self, inputs: Sequence[Tensor], *shape: int) -> Tensor:
        """The result of an op, of this shape."""
        self.shapes.append(shape)
        self.ops.append((tuple(inputs), len(self.shapes) - 1))
        return len(self.shapes) - 1

    def conv(
        self,
        x: Tensor,
        channels: int,
        kernel: int | tuple[int, int] = 1,
        stride: int = 1,
        is_padded: bool = True,
    ) -> Tensor:
        """A convolution; padded, its result has a pixel for each stride."""
        height, width, _ = self.shapes[x]
        rows, columns = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        if not is_padded:
            height, width = height - rows + 1, width - columns + 1
        return self.op([x], ceil(height / stride), ceil(width / stride), channels)

    def depthwise(self, x: Tensor, stride: int = 1) -> Tensor:
        """A depthwise convolution, or a pooling, with padding."""
        return self.conv(x, self.shapes[x][2], 3, stride)

    def pool(self, x: Tensor) -> Tensor:
        """A pooling of 3x3 by 2 without padding."""
        return self.conv(x, self.shapes[x][2], 3, 2, is_padded=False)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """A residual."""
        return self.op([x, y], *self.shapes[x])

    def concat(self, *parts: Tensor) -> Tensor:
        """Channels side by side."""
        height, width, _ = self.shapes[parts[0]]
        return self.op(parts, height, width, sum(self.shapes[x][2] for x in parts))

    def classes(self, x: Tensor) -> None:
        """The end of a classifier of 1001 classes."""
        x = self.op([x], 1, 1, self.shapes[x][2])
        x = self.conv(x, 1001)
        self.op([self.op([x], 1001)], 1001)

    @property
    def records(self) -> list[Record]:
        """A record for each tensor that is neither the input nor an output."""
        last: dict[Tensor, int] = {}
        for at, (inputs, _) in enumerate(self.ops):
            last |= dict.fromkeys(inputs, at)
        return [
            Record(BYTES * prod(self.shapes[result]), at, last[result])
            for at, (_, result) in enumerate(self.ops)
            if result in last
        ]


def mobilenet_v1() -> Network:
    """MobileNet v1 of 224 x 224 pixels."""
    made = Network([(224, 224, 3)])
    x = separable(made, made.conv(0, 32, 3, 2), 2, lambda channels: channels)
    made.classes(x)
    return made


def separable(
    made: Network, x: Tensor, stride: int, scaled: Callable[[int], int]
) -> Tensor:
    """The separable convolutions of MobileNet v1; the last stage has this stride."""
    stages = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)]
    for channels, step in (*stages, *[(512, 1)] * 5, (1024, stride), (1024, 1)):
        x = made.conv(made.depthwise(x, step), scaled(channels))
    return x


def mobilenet_v2() -> Network:
    """MobileNet v2 of 224 x 224 pixels."""
    made = Network([(224, 224, 3)])
    x = bottlenecks(made, lambda channels: channels, (1, 2, 2, 2, 1, 2, 1))
    made.classes(made.conv(x, 1280))
    return made


def bottlenecks(
    made: Network, scaled: Callable[[int], int], strides: Sequence[int]
) -> Tensor:
    """The stem and inverted residuals of MobileNet v2, with a stride for each stage."""
    x = made.conv(0, scaled(32), 3, 2)
    channels, repeats = (16, 24, 32, 64, 96, 160, 320), (1, 2, 3, 4, 3, 3, 1)
    for stage, (wide, times) in enumerate(zip(channels, repeats, strict=True)):
        for block in range(times):
            inside = x
            if stage:
                inside = made.conv(x, 6 * made.shapes[x][2])
            inside = made.depthwise(inside, 1 if block else strides[stage])
            inside = made.conv(inside, scaled(wide))
            x = made.add(inside, x) if block else inside
    return x


def inception_v3() -> Network:
    """Inception v3 of 299 x 299 pixels."""
    made = Network([(299, 299, 3)])
    conv = made.conv
    x = conv(conv(0, 32, 3, 2, False), 32, 3, 1, False)
    x = made.pool(conv(x, 64, 3))
    x = made.pool(conv(conv(x, 80, 1), 192, 3, 1, False))
    for pooled in (32, 64, 64):
        a, b = conv(x, 64), conv(conv(x, 48), 64, 5)
        c = conv(conv(conv(x, 64), 96, 3), 96, 3)
        x = made.concat(a, b, c, conv(made.depthwise(x), pooled))
    a, b = conv(x, 384, 3, 2, False), conv(conv(x, 64), 96, 3)
    x = made.concat(a, conv(b, 96, 3, 2, False), made.pool(x))
    wide, tall = (1, 7), (7, 1)
    for inner in (128, 160, 160, 192):
        a = conv(x, 192)
        b = conv(conv(conv(x, inner), inner, wide), 192, tall)
        c = conv(conv(conv(x, inner), inner, tall), inner, wide)
        c = conv(conv(c, inner, tall), 192, wide)
        x = made.concat(a, b, c, conv(made.depthwise(x), 192))
    a = conv(conv(x, 192), 320, 3, 2, False)
    b = conv(conv(conv(conv(x, 192), 192, wide), 192, tall), 192, 3, 2, False)
    x = made.concat(a, b, made.pool(x))
    for _ in range(2):
        a, b = conv(x, 320), conv(x, 384)
        parts = [a, conv(b, 384, (1, 3)), conv(b, 384, (3, 1))]
        c = conv(conv(x, 448), 384, 3)
        parts += [conv(c, 384, (1, 3)), conv(c, 384, (3, 1))]
        x = made.concat(*parts, conv(made.depthwise(x), 192))
    made.classes(x)
    return made


def deeplab_v3() -> Network:
    """DeepLab v3 of 257 x 257 pixels on half of MobileNet v2, of output stride 8."""
    made = Network([(257, 257, 3)])
    x = bottlenecks(made, lambda wide: eighths(wide / 2), (1, 2, 2, 1, 1, 1, 1))
    height, width, channels = made.shapes[x]
    pooled = made.conv(made.op([x], 1, 1, channels), 256)
    pooled = made.op([pooled], height, width, 256)
    x = made.concat(pooled, made.conv(x, 256))
    x = made.conv(made.conv(x, 256), 21)
    made.op([made.op([x], height, width, 21)], 257, 257, 21)
    return made


def posenet() -> Network:
    """PoseNet of 353 x 257 pixels on three quarters of MobileNet v1."""
    made = Network([(353, 257, 3)])
    x = made.conv(0, eighths(24), 3, 2)
    x = separable(made, x, 1, lambda wide: eighths(0.75 * wide))
    for channels in (17, 34, 32, 32):
        made.conv(x, channels)
    return made


def eighths(channels: float) -> int:
    """The nearest multiple of 8 that is no more than a tenth less."""
    nearest = max(8, int(channels + 4) // 8 * 8)
    return nearest + 8 if nearest < 0.9 * channels else nearest


def blazeface() -> Network:
    """BlazeFace of 128 x 128 pixels as it was published as a model."""
    made = Network([(128, 128, 3)])
    x = made.conv(0, 24, 5, 2)
    first = [(24, 1), (28, 1), (32, 2), (36, 1), (42, 1), (48, 2)]
    for channels, stride in (*first, *((wide, 1) for wide in range(56, 96, 8))):
        x = face_block(made, x, channels, stride)
    fine = x
    for stride in (2, 1, 1, 1, 1):
        x = face_block(made, x, 96, stride)
    heads = [made.conv(each, wide) for each, wide in zip((fine, x) * 2, (2, 6, 32, 96))]
    flat = [made.op([each], prod(made.shapes[each])) for each in heads]
    made.op(flat[:2], 896)
    made.op(flat[2:], 896 * 16)
    return made


def face_block(made: Network, x: Tensor, channels: int, stride: int) -> Tensor:
    """A block of BlazeFace, whose residual is pooled and padded to more channels."""
    inside, residual = made.conv(made.depthwise(x, stride), channels), x
    if stride == 2:
        residual = made.depthwise(residual, 2)
    if channels != made.shapes[x][2]:
        residual = made.op([residual], *made.shapes[inside])
    return made.add(inside, residual)


NETWORKS: Mapping[str, Callable[[], Network]] = {
    "MobileNet v1": mobilenet_v1,
    "MobileNet v2": mobilenet_v2,
    "Inception v3": inception_v3,
    "DeepLab v3": deeplab_v3,
    "PoseNet": posenet,
    "BlazeFace": blazeface,
}


def main() -> None:
    """Prints a line for each network."""
    heads = [f"`{name}`" for name in COLUMNS]
    print(f"| MiB | {' | '.join(heads)} | bound, shared | bound |")
    print(f"| --- |{' --- |' * (len(COLUMNS) + 2)}")
    for name, network in NETWORKS.items():
        records = network().records
        sizes = [plan(records, planner, 1).size for planner in COLUMNS]
        sizes += [shared_lower_bound(records), lower_bound(records)]
        print(f"| {name} | {' | '.join(f'{size / MIB:.3f}' for size in sizes)} |")


if __name__ == "__main__":
    main()
