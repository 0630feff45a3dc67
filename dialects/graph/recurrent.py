"""
The base of recurrent layers: one direction of one layer, run over all time steps.

The product of the input with its weights is computed for all time steps at once, before
the loop, so that a step is one product with the recurrent weights, and the gates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import (
    ArrayAttr,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Block, SSAValue
from xdsl.irdl import opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from ..agreement import agreed_shape
from ..dims import Dim
from ..shape import Array, Tensor, sizes, tensor, tensor_type
from .compose.number import number_like
from .compose.parts import cut
from .compose.shaping import reshaped
from .families.elementwise import require
from .gate import Gate
from .literal import to_names
from .op import GraphOp
from .ops.binary import AddOp, SubOp
from .ops.cast import CastOp
from .ops.clamp import ClampOp
from .ops.compare import LtOp
from .ops.control_flow import LoopOp, unstacked_type
from .ops.fusion import YieldOp
from .ops.iota import IotaOp
from .ops.matmul import MatmulOp
from .ops.permute import PermuteOp
from .ops.reshape import ReshapeOp
from .ops.where import WhereOp


class RecurrentOp(GraphOp, ABC):
    """
    A recurrent layer: each time step takes the states of the step before.

    The operands are the input TxBxI; for each gate a weight HxI, a recurrent weight
    HxP, and a bias for each of the two; the initial states, BxP then BxH; and the
    optional operands named by `given`. P is H unless the state is a `projection`. With
    `lengths`, a row of the batch ends after its own number of steps: its states stay,
    and its output is zero. A `backward` layer begins at the last step, or at the last
    step of each row.
    """

    GATES: ClassVar[int]
    """The number of gates."""

    FUNCTION_COUNT: ClassVar[int]
    """The number of functions that the gates have together."""

    STATES: ClassVar[tuple[str, ...]] = ("state",)
    """The states; the first is the output."""

    OPTIONAL: ClassVar[tuple[str, ...]] = ("lengths",)
    """The names of the optional operands."""

    inputs = var_operand_def(TensorType)
    functions = prop_def(ArrayAttr[StringAttr])
    backward = prop_def(IntegerAttr.constr(i1))
    clip = opt_prop_def(FloatAttr[Float64Type])
    given = opt_prop_def(ArrayAttr[StringAttr])

    @classmethod
    def operand_names(cls, given: Sequence[str]) -> tuple[str, ...]:
        """The name of each operand; raises `VerifyException` for an unknown name."""
        if any(each not in cls.OPTIONAL for each in given):
            known, got = ", ".join(cls.OPTIONAL), ", ".join(given)
            raise VerifyException(f"expected some of {known} to be given, got {got}")
        weights = ("weight", "recurrent_weight", "bias", "recurrent_bias")
        return ("input", *weights, *cls.STATES, *given)

    @classmethod
    def infer(
        cls,
        *operands: Tensor,
        functions: tuple[str, ...],
        backward: bool,
        clip: float | None = None,
        given: tuple[str, ...] = (),
        **_: object,
    ) -> tuple[Tensor, ...]:
        names = cls.operand_names(given)
        if len(operands) != len(names):
            wanted = ", ".join(names)
            raise VerifyException(f"expected operands {wanted}, got {len(operands)}")
        if len(functions) != cls.FUNCTION_COUNT:
            raise VerifyException(
                f"expected {cls.FUNCTION_COUNT} functions, got {functions}"
            )
        if clip is not None and not clip > 0:
            raise VerifyException(f"expected a clip above zero, got {clip}")
        for each in functions:
            Gate.of(each)
        types = dict(zip(names, operands, strict=True))
        require(types["input"], "float")
        shapes = cls.operand_shapes(types)
        for name, type in types.items():
            if name == "lengths":
                require(type, "integer")
                wanted = tensor(type.element_type, *shapes[name])
            else:
                wanted = tensor(types["input"].element_type, *shapes[name])
            fits = agreed_shape(sizes(type), sizes(wanted)) is not None
            if not fits or type.element_type != wanted.element_type:
                raise VerifyException(f"expected {name} of {wanted}, got {type}")
        element, steps = types["input"].element_type, shapes["input"][0]
        states = [tensor(element, *shapes[each]) for each in cls.STATES]
        return (tensor(element, steps, *shapes["state"]), *states)

    @classmethod
    def operand_shapes(cls, types: Mapping[str, Tensor]) -> dict[str, tuple[Dim, ...]]:
        """
        The dimensions that operands must have, derived from the input and the recurrent
        weight.
        """
        match sizes(types["input"]), sizes(types["recurrent_weight"]):
            case (steps, batch, width), (_, hidden, out):
                pass
            case _:
                raise VerifyException(
                    f"expected an input of TxBxI and a recurrent weight of GxHxP, got "
                    f"{types['input']} and {types['recurrent_weight']}"
                )
        if "projection" not in types:
            out = hidden
        return {
            "input": (steps, batch, width),
            "weight": (cls.GATES, hidden, width),
            "recurrent_weight": (cls.GATES, hidden, out),
            "bias": (cls.GATES, hidden),
            "recurrent_bias": (cls.GATES, hidden),
            "state": (batch, out),
            "cell": (batch, hidden),
            "peepholes": (3, hidden),
            "projection": (out, hidden),
            "lengths": (batch,),
        }

    def named(self) -> dict[str, SSAValue]:
        """The operands by name."""
        names = self.operand_names(self.values().get("given", ()))
        return dict(zip(names, self.operands, strict=True))

    @property
    def gates(self) -> list[Gate]:
        """The functions of the gates."""
        return [Gate.of(each) for each in self.values()["functions"]]

    @abstractmethod
    def step(
        self, x: Array, states: Sequence[Array], operands: Mapping[str, Array]
    ) -> Sequence[Array]:
        """
        The states after a step in numpy; `x` is the input part BxGxH of the gates with
        bias.
        """

    @abstractmethod
    def captured(self, operands: Mapping[str, SSAValue]) -> dict[str, SSAValue]:
        """Builds the values outside the loop that every step uses."""

    @abstractmethod
    def build_step(
        self, x: SSAValue, states: Sequence[SSAValue], captured: Mapping[str, SSAValue]
    ) -> Sequence[SSAValue]:
        """
        Builds the states after a step; `x` is the input part Bx(G*H) of the gates.
        """

    def folded_bias(self, operands: Mapping[str, SSAValue]) -> SSAValue:
        """Builds the bias GxH that is added before the loop."""
        return AddOp(operands["bias"], operands["recurrent_bias"]).result

    def held(self, x: SSAValue) -> SSAValue:
        """Builds a tensor clamped to the clip, if there is one."""
        if self.clip is None:
            return x
        most = self.clip.value.data
        return ClampOp(x, min=-most, max=most).result

    def held_array(self, x: Array) -> Array:
        """An array clamped to the clip, if there is one."""
        if self.clip is None:
            return x
        most = x.dtype.type(self.clip.value.data)
        return np.clip(x, -most, most)

    def reference(
        self, *operands: Array, given: tuple[str, ...] = (), **_: object
    ) -> tuple[Array, ...]:
        values = dict(zip(self.operand_names(given), operands, strict=True))
        states = [values[name] for name in self.STATES]
        with np.errstate(all="ignore"):
            gates = np.tensordot(values["input"], values["weight"], (2, 2))
            gates = gates + values["bias"]
            output = np.zeros((len(gates), *states[0].shape), gates.dtype)
            order = range(len(gates))
            for trip in reversed(order) if self.backward.value.data else order:
                new = self.step(gates[trip], states, values)
                lengths = values.get("lengths", np.array([trip + 1]))
                within = (trip < lengths)[:, None]
                output[trip] = np.where(within, new[0], gates.dtype.type(0))
                states = [np.where(within, *pair) for pair in zip(new, states)]
        return (output, *states)

    def decompose(self) -> Sequence[SSAValue]:
        given = self.named()
        shapes = self.operand_shapes({name: tensor_type(given[name]) for name in given})
        operands = {name: reshaped(given[name], shapes[name]) for name in given}
        steps, *_ = sizes(tensor_type(operands["input"]))
        scanned = [self.before_loop(operands)]
        if "lengths" in operands:
            scanned.append(_within(operands["lengths"], steps))
        states = [operands[name] for name in self.STATES]
        captured = self.captured(operands)
        if steps == 1:
            elements = [_without_first(each) for each in scanned]
            last, output = self.build_trip(elements, states, captured)
            whole = ReshapeOp(
                output, shape=to_names(sizes(tensor_type(self.results[0])))
            )
            return [whole.result, *last]
        types = [each.type for each in (*states, *captured.values())]
        types[len(states) : len(states)] = [unstacked_type(each) for each in scanned]
        body = Block(arg_types=types)
        taken = iter(body.args)
        with ImplicitBuilder(body):
            before = [next(taken) for _ in states]
            elements = [next(taken) for _ in scanned]
            inner = dict(zip(captured, taken, strict=True))
            last, output = self.build_trip(elements, before, inner)
            YieldOp(*last, output)
        loop = LoopOp.of(
            body,
            steps,
            carried=states,
            scanned=scanned,
            captured=list(captured.values()),
            backward=[bool(self.backward.value.data)] * (len(scanned) + 1),
        )
        return [loop.results[-1], *loop.results[:-1]]

    def before_loop(self, operands: Mapping[str, SSAValue]) -> SSAValue:
        """Builds the input part TxBx(G*H) of the gates of all steps, as one product."""
        steps, batch, width = sizes(tensor_type(operands["input"]))
        flat = ReshapeOp(operands["input"], shape=to_names([steps * batch, width]))
        product = MatmulOp(flat, columns(operands["weight"]))
        bias = self.folded_bias(operands)
        gates = product.shape[1]
        shifted = AddOp(product, ReshapeOp(bias, shape=to_names([gates])))
        return ReshapeOp(shifted, shape=to_names([steps, batch, gates])).result

    def build_trip(
        self,
        elements: Sequence[SSAValue],
        states: Sequence[SSAValue],
        captured: Mapping[str, SSAValue],
    ) -> tuple[list[SSAValue], SSAValue]:
        """
        Builds the states and the output of a step; rows that have ended keep their
        states.
        """
        new = list(self.build_step(elements[0], states, captured))
        if len(elements) == 1:
            return new, new[0]
        goes_on = elements[1]
        output = WhereOp(goes_on, new[0], number_like(0, new[0])).result
        pairs = zip(new, states, strict=True)
        return [WhereOp(goes_on, *pair).result for pair in pairs], output


def _within(lengths: SSAValue, steps: Dim) -> SSAValue:
    """Builds TxBx1: whether a row of the batch is still running at a step."""
    (batch,) = sizes(tensor_type(lengths))
    each = ReshapeOp(IotaOp(size=str(steps)), shape=to_names([steps, 1, 1]))
    ends = ReshapeOp(CastOp(lengths, to=i64), shape=to_names([1, batch, 1]))
    return LtOp(each, ends).result


def columns(weight: SSAValue) -> SSAValue:
    """Builds the matrix Ix(G*H) of a weight GxHxI."""
    gates, hidden, width = sizes(tensor_type(weight))
    turned = PermuteOp(weight, order=(2, 0, 1))
    return ReshapeOp(turned, shape=to_names([width, hidden * gates])).result


def part(x: SSAValue, axis: int, number: int, size: Dim) -> SSAValue:
    """
    Builds part `number` of a tensor that is split into parts of `size` along an axis.
    """
    return cut(x, {axis: (size * number, size, 1)})


def column_blocks(x: SSAValue, count: int, hidden: Dim) -> list[SSAValue]:
    """Builds the parts of Bx(G*H), each of `hidden` columns."""
    return [part(x, 1, each, hidden) for each in range(count)]


def complement(x: SSAValue) -> SSAValue:
    """One minus `x`, for a gate that is coupled to another."""
    return SubOp(number_like(1, x), x).result


def _without_first(x: SSAValue) -> SSAValue:
    """Builds the only element along the first axis."""
    return ReshapeOp(x, shape=to_names(sizes(tensor_type(x))[1:])).result
