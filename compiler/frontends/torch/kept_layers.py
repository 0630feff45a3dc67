"""
Keep torch from decomposing recurrent layers and attention while it traces.

Torch infers the shapes of a recurrent layer by running it step by step, which makes the
number of steps a constant of the program. Of attention it asks whether open sizes are
equal or one, which it cannot know. Here shapes are computed from those of the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import torch
from torch import Tensor

_Shapes = Callable[..., Any]


def output(x: Tensor, state: Tensor, bidirectional: bool) -> Tensor:
    """An empty tensor like the output of a layer."""
    width = state.shape[-1] * (2 if bidirectional else 1)
    return x.new_empty((*x.shape[:2], width))


def _of_lstm(
    x: Tensor,
    states: Sequence[Tensor],
    parameters: Sequence[Tensor],
    has_biases: bool,
    layers: int,
    dropout: float,
    trains: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, ...]:
    """Empty tensors like the results of an LSTM."""
    last = (torch.empty_like(each) for each in states)
    return (output(x, states[0], bidirectional), *last)


def _of_others(x: Tensor, state: Tensor, *options: Any) -> tuple[Tensor, ...]:
    """Empty tensors like the results of a GRU, or of a plain layer."""
    return _of_lstm(x, [state], *options)


def _of_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *_: Any,
    enable_gqa: bool = False,
    **__: Any,
) -> Tensor:
    """
    An empty tensor like the result of attention. Where the heads of the query lie
    within its tokens, so do those of the result, as a `view` of it may ask for.
    """
    outer = query.shape[:-2]
    if not enable_gqa:
        outer = torch.broadcast_shapes(outer, key.shape[:-2])
    shape = (*outer, query.shape[-2], value.shape[-1])
    if len(shape) == 4:
        alike = (a == b for a, b in zip(shape, query.shape, strict=True))
        steps: Sequence[Any] = query.stride()
        if all(map(_is_known, (*alike, steps[1] < steps[2]))):
            batch, count, length, size = shape
            return query.new_empty((batch, length, count, size)).transpose(1, 2)
    return query.new_empty(shape)


_OPS: dict[Any, _Shapes] = {
    torch.ops.aten.scaled_dot_product_attention.default: _of_attention,
    torch.ops.aten.lstm.input: _of_lstm,
    torch.ops.aten.gru.input: _of_others,
    torch.ops.aten.rnn_tanh.input: _of_others,
    torch.ops.aten.rnn_relu.input: _of_others,
}

_KEY: Any = torch._C.DispatchKey.CompositeImplicitAutograd  # pyright: ignore[reportPrivateUsage]
"""The dispatch key of operators that are made of others."""

_is_known: Any = import_module(
    "torch.fx.experimental.symbolic_shapes"
).statically_known_true
"""Whether something holds for all open sizes, as far as torch knows."""

_TABLE: Any = import_module("torch._decomp").decomposition_table
"""Torch's table of decompositions for symbolic sizes."""


@contextmanager
def kept_layers() -> Generator[None]:
    """
    A context in which torch infers the shapes of such operators without running them.
    """
    kernels = {op: dict(op.py_kernels) for op in _OPS}
    parts = {op: _TABLE.get(op) for op in _OPS}
    for op, shapes in _OPS.items():
        op.py_kernels.pop(_KEY, None)
        op.py_impl(_KEY)(shapes)
        _TABLE[op] = shapes
    try:
        yield
    finally:
        for op in _OPS:
            op.py_kernels.clear()
            op.py_kernels.update(kernels[op])
            op._dispatch_cache.clear()
            if (before := parts[op]) is None:
                del _TABLE[op]
            else:
                _TABLE[op] = before
