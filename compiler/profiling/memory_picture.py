"""A picture of a plan of memory as SVG: steps to the right, bytes upwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from ...runtime.call import StaticModule, profiled_run
from .placement import Placed, placed
from .twin import twin_of

_WIDTH, _HEIGHT, _MARGIN = 960, 540, 40
_COLORS = ("#7aa6da", "#f0a35e", "#8fc98f", "#d98f9f", "#b39ddb", "#c9b458")
_LEAST_NAMED = 14
"""The height from which on there is a name in a rectangle; all have a tooltip."""


def memory_picture(
    module: StaticModule,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
) -> str:
    """
    Runs a module, and returns the picture of its plan: a rectangle for each slot, from
    the first step in which it lives to the last. A slot that aliases another one in
    this run, as a kernel is skipped, lies on it.

    Raises as `benchmark` does.
    """
    twin = twin_of(module)
    with twin.lock:
        steps = profiled_run(twin.module, None, args, kwargs or {})
        slots, size = placed(twin, steps.symbols), twin.module.plan.size
    return _svg(twin.module.program.name, slots, size)


def _svg(name: str, slots: Sequence[Placed], size: int) -> str:
    """The picture of some slots in a block of a size."""
    steps = max((each.last + 1 for each in slots), default=1)
    title = f"{name}: {size} bytes, {len(slots)} slots, {steps} steps"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH + 2 * _MARGIN}" '
        f'height="{_HEIGHT + 2 * _MARGIN}" font-family="sans-serif" font-size="11">',
        f'<text x="{_MARGIN}" y="{_MARGIN - 12}">{escape(title)}</text>',
        f'<path d="M{_MARGIN} {_MARGIN} v{_HEIGHT} h{_WIDTH}" fill="none" '
        'stroke="black"/>',
        f'<text x="{_MARGIN}" y="{_HEIGHT + _MARGIN + 16}">step 0</text>',
        f'<text x="{_WIDTH + _MARGIN}" y="{_HEIGHT + _MARGIN + 16}" '
        f'text-anchor="end">step {steps - 1}</text>',
    ]
    for each in slots:
        lines += _rectangle(each, steps, max(size, 1))
    return "\n".join([*lines, "</svg>", ""])


def _rectangle(slot: Placed, steps: int, size: int) -> list[str]:
    """One slot: its rectangle, with a tooltip, and its name if there is room."""
    x = _MARGIN + slot.first / steps * _WIDTH
    width = (slot.last + 1 - slot.first) / steps * _WIDTH
    height = slot.bytes / size * _HEIGHT
    y = _MARGIN + _HEIGHT - slot.offset / size * _HEIGHT - height
    color = _COLORS[slot.number % len(_COLORS)]
    tip = (
        f"{slot.name}: {slot.bytes} bytes from {slot.offset}, steps {slot.first} to "
        f"{slot.last}"
    )
    lines = [
        f'<rect x="{x:.3f}" y="{y:.3f}" width="{width:.3f}" height="{height:.3f}" '
        f'fill="{color}" fill-opacity="0.8" stroke="#333" stroke-width="0.5">'
        f"<title>{escape(tip)}</title></rect>"
    ]
    if height >= _LEAST_NAMED:
        lines.append(
            f'<text x="{x + 3:.3f}" y="{y + 11:.3f}" pointer-events="none">'
            f"{escape(slot.name)}</text>"
        )
    return lines
