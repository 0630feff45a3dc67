"""What a user is told of a model that cannot be read: all of it, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402

from static_runtime.compiler.frontends.torch import read_torch  # noqa: E402
from static_runtime.compiler.ir.context import context  # noqa: E402
from static_runtime.compiler.session.errors import (  # noqa: E402
    CompileError,
    UnsupportedModelError,
)

from .case import Function, Wrapped, floats, truths  # noqa: E402

pytestmark = pytest.mark.torch


def refused(model: Any, *inputs: Any, dynamic_shapes: Any = None) -> str:
    """The message of the error that reading a model ends in."""
    with pytest.raises(CompileError) as error:
        read_torch(model, context(), inputs, dynamic_shapes)
    return str(error.value)


def unsupported(model: Any, *inputs: Any, dynamic_shapes: Any = None) -> Any:
    """Everything that is unsupported in a model."""
    with pytest.raises(UnsupportedModelError) as error:
        read_torch(model, context(), inputs, dynamic_shapes)
    return error.value


def factored(x: Any) -> Any:
    """What has no reader: factors of a symmetric matrix."""
    return torch.linalg.ldl_factor_ex(x @ x.T).LD


class Strange(nn.Module):
    """Calls operators that have no reader, one after the other."""

    def forward(self, x: Any) -> Any:
        """f32[n, n] -> f16[n, n]."""
        x = factored(factored(x))
        return x.to(torch.complex32).real


class Packed(nn.Module):
    """A recurrent layer of sequences of several lengths."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Any, lengths: Any) -> Any:
        """f32[n, length, 3], i64[n] -> f32[n, length, 4]."""
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        return nn.utils.rnn.pad_packed_sequence(self.layer(packed)[0])[0]


@pytest.mark.parametrize("layer", [nn.GRU(3, 4), nn.LSTM(3, 4)])
def test_packed_sequences_are_refused_with_what_to_do(layer: nn.Module):
    message = refused(Packed(layer), floats(2, 5, 3), torch.tensor([5, 3]))
    assert message.startswith("torch.export of Packed: ")
    assert "torch.export does not trace packed sequences: give recurrent" in message


def test_all_that_is_unsupported_is_told_at_once():
    error = unsupported(Strange(), floats(3, 3))
    assert [each.op for each in error.ops] == [
        "aten.linalg_ldl_factor_ex.default",
        "aten.linalg_ldl_factor_ex.default",
        "aten._to_copy.default",
    ]
    assert "got 3 other nodes in Strange" in str(error)
    assert "elements of complex32, not of float32, float64" in str(error)
    assert f"'linalg_ldl_factor_ex at {__file__}:" in str(error)


def test_a_module_needs_example_inputs():
    with pytest.raises(CompileError, match=r"example_inputs=\(torch\.randn"):
        read_torch(nn.Linear(2, 3), context())


@pytest.mark.parametrize("inputs", [floats(2, 3), 3, "x"], ids=str)
def test_example_inputs_are_a_tuple_or_a_dictionary(inputs: Any):
    with pytest.raises(CompileError, match="expected example_inputs as a tuple"):
        read_torch(nn.Linear(3, 3), context(), inputs)


def test_a_program_has_its_own_inputs():
    program = torch.export.export(nn.Linear(3, 3), (floats(2, 3),))
    with pytest.raises(CompileError, match="expected an exported program by itself"):
        read_torch(program, context(), (floats(2, 3),))
    with pytest.raises(CompileError, match="expected an exported program by itself"):
        read_torch(program, context(), dynamic_shapes=({0: "n"},))


def test_a_model_is_of_torch():
    with pytest.raises(CompileError, match=r"expected a torch\.nn\.Module"):
        read_torch("model.pt2", context(), (floats(2, 3),))


@pytest.mark.parametrize("dim", [Dim("n"), "n", Dim.DYNAMIC])
def test_an_example_of_one_row_does_not_make_a_size_dynamic(dim: Any):
    message = refused(nn.Linear(3, 3), floats(1, 3), dynamic_shapes=({0: dim},))
    assert message.startswith("torch.export of Linear: ")
    assert "specialized" in message
    assert "give example inputs with a size of 2 or more" in message
    assert "draft_export" not in message


def test_what_the_model_raises_is_told():
    message = refused(nn.Linear(3, 3), floats(2, 4))
    assert message.startswith("torch.export of Linear: ")
    assert "2x4" in message or "[2, 4]" in message


def test_names_of_sizes_are_identifiers():
    message = refused(nn.Linear(3, 3), floats(2, 3), dynamic_shapes=({0: "a b"},))
    assert message.startswith("torch.export of Linear: ")
    assert "a b" in message


def test_shapes_that_do_not_fit_the_inputs():
    message = refused(nn.Linear(3, 3), floats(2, 3), dynamic_shapes=({}, {}))
    assert "`inputs` has 1 elements, but `dynamic_shapes` has 2" in message


def test_two_names_for_what_must_be_one_size():
    shapes = (({0: Dim("n")}, {0: Dim("m")}),)
    message = refused(Wrapped(torch.add), floats(4), floats(4), dynamic_shapes=shapes)
    assert "must always be equal" in message


def test_a_name_for_a_size_that_the_model_fixes():
    model = Wrapped(lambda x: x + torch.ones(4))
    message = refused(model, floats(4), dynamic_shapes=(({0: Dim("n")},),))
    assert "specialized it to be a constant (4)" in message


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("dtype", [torch.complex32])
def test_dtypes_of_inputs(dtype: Any):
    error = unsupported(Wrapped(torch.neg), floats(2, 3).to(dtype))
    assert [each.op for each in error.ops] == ["user input"]
    name = str(dtype).removeprefix("torch.")
    known = "float32, float64, int32, int64, bool, int8, uint8, int16, uint16"
    assert f"elements of {name}, not of {known}" in str(error)


def test_dtypes_in_between():
    error = unsupported(
        Wrapped(lambda x: (x.to(torch.complex32) * 2).real), floats(2, 3)
    )
    assert error.ops[0].op == "aten._to_copy.default"
    assert "elements of complex32" in str(error)


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_dtypes_of_weights():
    class Shifted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.shift = nn.Parameter(torch.ones(3, dtype=torch.complex32))

        def forward(self, x: Any) -> Any:
            return x + self.shift

    model = Shifted()
    error = unsupported(model, floats(2, 3).to(torch.complex32))
    assert {each.op for each in error.ops} == {"user input", "parameter"}


REMEDIES: dict[str, tuple[Any, Any, str]] = {
    "an element type": (
        Wrapped(lambda x: x.to(torch.complex32).real),
        floats(4, 3),
        "element types: convert them outside of the module",
    ),
    "training": (
        Wrapped(lambda x: nn.functional.dropout(x, 0.5, True)),
        floats(4, 3),
        "training: export the model in eval mode, and leave training=True out",
    ),
    "a size": (
        Wrapped(lambda x: nn.functional.group_norm(x, 3)),
        floats(4, 9, 2),
        "sizes that vary: leave 'inputs_0_dim1' out of dynamic_shapes",
    ),
    "an operator": (
        Wrapped(factored),
        floats(4, 3),
        "ops: compute the same by operators that docs/ops.md lists",
    ),
}


@pytest.mark.parametrize("name", REMEDIES)
def test_what_to_do_is_said_in_words_of_torch(name: str):
    model, x, wanted = REMEDIES[name]
    shapes = {1: Dim.AUTO} if x.dim() > 2 else None
    is_wrapped = isinstance(model, Wrapped)
    error = unsupported(model, x, dynamic_shapes=((shapes,),) if is_wrapped else None)
    (line,) = [each for each in str(error).splitlines()[1:] if each[:1] != " "]
    assert line.startswith(wanted)


def test_a_mask_among_indices():
    model = Wrapped(lambda x, m, i: x.index_put((m, i), x[0, 0]))
    error = unsupported(model, floats(4, 3), truths(4), torch.tensor([1]))
    assert "a mask, which makes a size depend on data" in str(error)


def test_a_number_from_data_as_an_attribute():
    model = Wrapped(lambda x, f: nn.functional.leaky_relu(x, f.item()))
    error = unsupported(model, floats(4), torch.tensor(3.5))
    assert "a number that the run computes" in str(error)


UNLIMITED: dict[str, Function] = {
    "slice": lambda x, n: x[: n.item()],
    "tensor_split": lambda x, n: torch.tensor_split(x, n.reshape(1))[0],
}


@pytest.mark.parametrize("name", UNLIMITED)
def test_a_number_from_data_as_a_size_without_a_range(name: str):
    error = unsupported(Wrapped(UNLIMITED[name]), floats(4), torch.tensor(3))
    assert "as a size it needs a range" in str(error)
    (line,) = [each for each in str(error).splitlines()[1:] if each[:1] != " "]
    assert re.search(r"torch\._check\((u\d) >= 0\) and .*bounds={'\1': 4096}", line)


EYE = torch.eye(4)


def multi_head(x: Any, dropout_p: float) -> Any:
    """Attention of a sequence to itself, in training."""
    given = (x, x, x, 4, 2, EYE.repeat(3, 1), None, None, None, False)
    return nn.functional.multi_head_attention_forward(
        *given, dropout_p, EYE, None, training=True
    )


DROPS: dict[str, Callable[[Any, float], Any]] = {
    "dropout": lambda x, p: nn.functional.dropout(x, p, True),
    "native_dropout": lambda x, p: torch.native_dropout(x, p, True)[0],
    "alpha_dropout": lambda x, p: nn.functional.alpha_dropout(x, p, True),
    "feature dropout": lambda x, p: nn.functional.dropout2d(x, p, True),
    "attention": lambda x, p: nn.functional.scaled_dot_product_attention(
        x, x, x, dropout_p=p
    ),
    "multi-head attention": lambda x, p: multi_head(x[0], dropout_p=p)[0],
}


@pytest.mark.parametrize("name", DROPS)
def test_dropout_in_training_is_refused(name: str):
    model = Wrapped(lambda x: DROPS[name](x, 0.5))
    (found, *_) = unsupported(model, floats(2, 3, 4, 4)).ops
    is_random = "dropout" in found.op or "bernoulli" in found.op
    assert is_random or found.reason == "elements dropped at random, as in training"


def test_a_program_exported_in_training_is_refused():
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).train()
    program = torch.export.export(model, (floats(2, 3),))
    with pytest.raises(UnsupportedModelError, match="export the model in eval mode"):
        read_torch(program, context())


functional: Any = nn.functional

FORMS: dict[str, Function] = {
    "antialias with align_corners": lambda x: functional.interpolate(
        x, size=(3, 3), mode="bilinear", antialias=True, align_corners=True
    ),
    "2147483648 places in memory, of 134217728 at most": lambda x: x.as_strided(
        (1 << 31,), (1,)
    ),
}


@pytest.mark.parametrize("reason", FORMS)
def test_forms_of_operators_that_have_none_here(reason: str):
    (found,) = unsupported(Wrapped(FORMS[reason]), floats(2, 3, 7, 7)).ops
    assert found.reason.startswith(reason)


def quantized(zero: int, most: int) -> Function:
    """The steps of i8 around a zero point, up to a greatest one."""
    return lambda x: torch.ops.quantized_decomposed.quantize_per_tensor(
        x, 0.5, zero, -128, most, torch.int8
    )


def test_zero_points_and_limits_that_are_no_steps():
    import_module("torch.ao.quantization.fx._decomposed")
    (found,) = unsupported(Wrapped(quantized(128, 127)), floats(2, 3)).ops
    assert found.reason == "a zero point of 128, outside of -128 to 127"
    (found,) = unsupported(Wrapped(quantized(0, 2**31)), floats(2, 3)).ops
    assert found.reason == f"a limit of {2**31}, outside of -128 to 127"


def test_heads_that_share_no_heads_of_keys():
    shared = nn.functional.scaled_dot_product_attention
    model = Wrapped(lambda q, k, v: shared(q, k, v, enable_gqa=True))
    heads = [floats(1, each, 5, 8)[:0] for each in (4, 0, 0)]
    (found,) = unsupported(model, *heads).ops
    assert found.reason == "4 heads that share 0 heads of keys"
