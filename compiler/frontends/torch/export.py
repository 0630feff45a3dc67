"""Export a module: tracing, and decomposition with some operators kept whole."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from typing import Any, TypeGuard

import numpy as np
import torch
from torch import fx
from torch._dynamo.exc import UserError, UserErrorType
from torch.export import Dim, ExportedProgram
from torch.nn import Module
from torch.utils import _pytree as pytree
from xdsl.utils.hints import isa

from ....dialects import Array
from ...session import CompileError
from .custom import find_custom
from .guards import was_stored
from .kept_layers import kept_layers
from .readers import READERS

_exported: Any = import_module("torch.export.exported_program")
_make_fx: Any = import_module("torch.fx.experimental.proxy_tensor").make_fx
_shapes_by_python: Any = import_module(
    "torch._dispatch.python"
).enable_python_dispatcher
_tracing: Any = import_module("torch.export._trace")

FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""The exceptions of torch, or of the model's own code, while a module is traced."""

_TAIL = "\n\nThe error above occurred when calling torch.export"
"""The beginning of advice in a message of torch that is not about the model."""


def export_module(
    module: Module, example_inputs: Any, dynamic_shapes: Any
) -> ExportedProgram:
    """The exported program of `module` in eval mode; the module is left unchanged."""
    held = {id(each) for each in (*module.parameters(), *module.buffers())}
    args, kwargs = arguments(example_inputs, held)
    try:
        shapes = _named_dims(dynamic_shapes)
        with _eval_mode(module), torch.no_grad(), quiet(), kept_layers():
            return trace(module, args, kwargs, shapes)
    except FAILURES as error:
        said = f"{type(error).__name__}: {str(error).partition(_TAIL)[0]}"
        advice = ""
        if "specialized" in said and _has_size_one([args, kwargs]):
            advice = (
                "\ngive example inputs with a size of 2 or more along every dynamic "
                "dimension: torch.export takes a size of 0 or 1 for a constant"
            )
        elif _is_of_packed_sequences(error):
            advice = (
                "\ntorch.export does not trace packed sequences: give recurrent layers "
                "padded ones, and mask results by the lengths; of two directions, run "
                "the second on sequences that are flipped within their lengths"
            )
        raise CompileError(
            f"torch.export of {type(module).__name__}: {said}{advice}"
        ) from error


def _is_of_packed_sequences(error: BaseException) -> bool:
    """Whether an error came out of torch's own code for packed sequences."""
    for frame, _ in walk_tb(error.__traceback__):
        place = Path(frame.f_code.co_filename).parts[-4:]
        if place == ("torch", "nn", "utils", "rnn.py"):
            return True
        if place == ("torch", "nn", "modules", "rnn.py"):
            return frame.f_locals.get("batch_sizes") is not None
    return False


def trace(
    module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], shapes: Any
) -> ExportedProgram:
    """
    The program that `torch.export` makes.

    Torch at first refuses assumptions on named sizes that it cannot prove. Then it is
    asked to leave them in the program as assertions, which the reader proves or
    refuses.
    """
    try:
        return torch.export.export(module, args, kwargs, dynamic_shapes=shapes)
    except UserError as refused:
        if refused.error_type is not UserErrorType.CONSTRAINT_VIOLATION:
            raise
        try:
            return torch.export.export(
                module,
                args,
                kwargs,
                dynamic_shapes=shapes,
                prefer_deferred_runtime_asserts_over_guards=True,
            )
        except FAILURES:
            raise refused from None


class Whole(Exception):
    """Raised for a program that is to be decomposed as a whole, with the reason."""


def decompose(program: ExportedProgram) -> ExportedProgram:
    """
    The program without mutation, in operators of the core set and those that are kept
    whole.
    """
    with torch.no_grad(), quiet(), kept_layers():
        return _unchecked(program).run_decompositions(decompositions())


def _unchecked(program: ExportedProgram) -> ExportedProgram:
    """
    The program without the code by which torch checks sizes, since the reader knows the
    conditions; a stored program has them there alone.

    Torch 2.14 cannot run the code that it writes for inputs named by `**kwargs`.
    """
    if was_stored(program) or not getattr(program, "_guards_code", ()):
        return program
    unchecked: Any = copy(program)
    unchecked._guards_code = []
    return unchecked


def decompositions() -> dict[Any, Any]:
    """Torch's table of decompositions without the operators that are kept whole."""
    table = torch.export.default_decompositions()
    for op in list(table):
        if str(op) in READERS or find_custom(op) is not None:
            del table[op]
    return table


def split_table(table: Mapping[Any, Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The composite operators of a table that torch is to keep, and the rest of it."""
    return _exported._split_decomp_table_to_cia_and_python_decomp(table)


@contextmanager
def whole(composite: Mapping[Any, Any]) -> Generator[None]:
    """
    A context in which torch keeps composite operators, as `split_table` returns them,
    and as `torch.export` keeps others.
    """
    with (
        _tracing._ignore_backend_decomps(),
        _exported._override_composite_implicit_decomp(composite),
    ):
        yield


@contextmanager
def taking_apart() -> Generator[Mapping[Any, Callable[..., Any]]]:
    """A context in which `parts_of_call` may be called, with its table."""
    composite, table = split_table(decompositions())
    with torch.no_grad(), quiet(), kept_layers(), whole(composite):
        yield table


def parts_of_call(
    call: Callable[..., Any],
    operands: Sequence[Any],
    mode: Any,
    table: Mapping[Any, Callable[..., Any]],
) -> fx.GraphModule:
    """The graph of what a function does with fake tensors of a mode."""
    with mode, _shapes_by_python():
        return _make_fx(call, decomposition_table=table)(*operands)


def arguments(example: Any, held: set[int]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """
    Positional and keyword arguments, with torch's tensors in place of numpy's.

    Each argument gets a tensor of its own: torch would alias one that is given twice,
    or that the module holds (by the ids in `held`), in every run.
    """
    if example is None:
        raise CompileError(
            "expected example_inputs for a torch.nn.Module, got none: give the "
            "arguments of its forward, such as example_inputs=(torch.randn(2, 3),)"
        )
    if not isinstance(example, (tuple, list, dict)):
        raise CompileError(
            "expected example_inputs as a tuple of arguments or a dictionary of "
            f"keywords, got {type(example).__name__}"
        )
    seen = set(held)

    def apart(value: object) -> object:
        tensor = _as_tensor(value)
        if not isinstance(tensor, torch.Tensor):
            return tensor
        if id(tensor) in seen:
            tensor = tensor.detach().clone()
        seen.add(id(tensor))
        return tensor

    tree: Any = pytree.tree_map(apart, example)
    return (tuple(tree), {}) if isinstance(example, (tuple, list)) else ((), tree)


def _as_tensor(value: object) -> object:
    """The tensor with the elements of a numpy array; other values stay."""
    return torch.from_numpy(np.asarray(value).copy()) if _is_array(value) else value


def _is_array(value: object) -> TypeGuard[Array]:
    """Whether a value is a numpy array, of any element type."""
    return isinstance(value, np.ndarray)


def _named_dims(shapes: Any) -> Any:
    """Dynamic shapes with a `Dim` for each name that stands for a dimension."""
    dims: dict[str, Dim] = {}

    def replace(tree: Any) -> Any:
        if isinstance(tree, str):
            if tree not in dims:
                dims[tree] = Dim(tree)
            return dims[tree]
        if isa(tree, dict[Any, Any]):
            return {key: replace(value) for key, value in tree.items()}
        if isa(tree, list[Any]):
            return [replace(value) for value in tree]
        if isa(tree, tuple[Any, ...]):
            return tuple(replace(value) for value in tree)
        return tree

    return replace(shapes)


def _has_size_one(tree: object) -> bool:
    """
    Whether a tensor in a tree has a size of one, which torch takes for a constant.
    """
    leaves = pytree.tree_leaves(tree)
    tensors = [each for each in leaves if isinstance(each, torch.Tensor)]
    return any(size in (0, 1) for each in tensors for size in each.shape)


@contextmanager
def _eval_mode(module: Module) -> Generator[None]:
    """A context in which the module and its submodules are in eval mode."""
    training = {each: each.training for each in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for each, was in training.items():
            each.training = was


@contextmanager
def quiet() -> Generator[None]:
    """A context without torch's warnings about its own code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
