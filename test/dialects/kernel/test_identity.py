"""What a kernel copies unchanged is what numpy leaves in place, for small sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any, TypeAlias

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute, Block

from static_runtime.dialects.dims import Dim, dim, evaluate, symbols_of
from static_runtime.dialects.dims import product as product_of
from static_runtime.dialects.graph.literal import to_attribute
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.cast import CastOp
from static_runtime.dialects.graph.ops.concat import ConcatOp
from static_runtime.dialects.graph.ops.copy import CopyOp
from static_runtime.dialects.graph.ops.cumulative import CumprodOp, CumsumOp
from static_runtime.dialects.graph.ops.expand import ExpandOp
from static_runtime.dialects.graph.ops.pad import PadOp
from static_runtime.dialects.graph.ops.permute import PermuteOp
from static_runtime.dialects.graph.ops.reduce import (
    ProdOp,
    ReduceMaxOp,
    ReduceMinOp,
    SumOp,
)
from static_runtime.dialects.graph.ops.scatter import ScatterOp
from static_runtime.dialects.graph.ops.slice import SliceOp
from static_runtime.dialects.kernel.identity import (
    MOST_CLAUSES,
    Identity,
    conjunction,
    holds,
    identities_of,
)
from static_runtime.dialects.kernel.known_groups import group_of
from static_runtime.dialects.shape import Array, Element, sizes, tensor, tensor_type

from ..graph.samples import (
    Case,
    accepted,
    at_sizes,
    make_inputs,
    shapes,
    symbolic_cases,
)
from ..graph.test_every_op import OPS

SIZES = range(4)
"""The values of each symbol, in all combinations."""

# OpenVINO's table of permutations: whether its run-time skip leaves them out.
GOLDEN = (
    ((8, 8), (1, 0), False),
    ((8, 1), (1, 0), True),
    ((8, 2, 8), (2, 1, 0), False),
    ((8, 2, 1), (2, 1, 0), False),
    ((1, 12, 1), (2, 1, 0), True),
    ((2, 3, 1, 14), (1, 0, 2, 3), False),
    ((1, 3, 1, 14), (1, 0, 2, 3), True),
    ((20, 1, 30, 1), (1, 0, 3, 2), True),
    ((12, 3, 1, 14), (0, 2, 1, 3), True),
    ((12, 3, 2, 14), (0, 2, 1, 3), False),
    ((12, 1, 1, 14), (0, 3, 1, 2), True),
    ((1, 1, 1, 14), (0, 3, 1, 2), True),
    ((1, 3, 2, 14), (0, 3, 1, 2), False),
    ((1, 1, 4, 14), (2, 0, 1, 3), True),
    ((1, 4, 4, 1), (2, 0, 1, 3), False),
    ((1, 10, 1, 1, 11), (3, 2, 1, 0, 4), True),
    ((1, 10, 2, 1, 10), (3, 2, 1, 0, 4), False),
    ((1, 4, 1, 3, 4, 1), (0, 2, 1, 3, 5, 4), True),
    ((1, 4, 2, 3, 4, 1), (0, 2, 1, 3, 5, 4), False),
    ((1, 1, 1, 1, 4, 1), (4, 5, 2, 3, 0, 1), True),
    ((1, 1, 1, 1, 4, 2), (4, 5, 2, 3, 0, 1), True),
    ((1, 1, 3, 1, 4, 2), (4, 5, 2, 3, 0, 1), False),
)


def case(op: type[GraphOp], *operands: Attribute, **properties: Any) -> Case:
    """An op on operands of symbolic sizes."""
    found = {name: to_attribute(each) for name, each in properties.items()}
    made = Case(op, operands, found).build(Block(arg_types=operands).args)
    known = (
        *made.dimensions(),
        *(size for each in made.operand_sizes() for size in each),
    )
    names = sorted({name for size in known for name in symbols_of(size)})
    return Case(op, operands, found, tuple(names))


def of(*shape: str, element: Element = f32) -> Attribute:
    """A tensor of these sizes."""
    return tensor(element, *map(dim, shape))


X, Y, Z, W = of("a", "b", "c"), of("a", "d", "c"), of("a", "1", "c"), of("d", "b", "c")
INDICES = of("d", "b", "c", element=i64)

MOVES = [
    *(case(PermuteOp, X, order=order) for order in permutations(range(3))),
    *(
        case(SliceOp, X, starts=(start, "0", "0"), sizes=("d", "b", "c"), steps=steps)
        for start in ("0", "1", "a - d", "d - 1")
        for steps in ((1, 1, 1), (-1, 1, 1), (2, 1, 1))
    ),
    case(SliceOp, X, starts=("1", "1", "0"), sizes=("1", "d", "c"), steps=(1, 1, 1)),
    case(SliceOp, X, starts=("0", "d", "0"), sizes=("a", "1", "c"), steps=(1, 1, 1)),
    case(
        SliceOp,
        X,
        starts=("0", "b - 1", "c - 1"),
        sizes=("a", "b", "c"),
        steps=(1, -1, -1),
    ),
    case(ExpandOp, Z, shape=("a", "b", "c")),
    case(ExpandOp, Z, shape=("a", "1", "c")),
    case(ExpandOp, Z, shape=("d", "a", "b", "c")),
    case(ConcatOp, X, Y, axis=1),
    case(ConcatOp, Y, X, Y, axis=1),
    case(ConcatOp, X, W, axis=0),
    case(PadOp, X, low=(0, 0, 0), high=(0, 0, 0), value=7.5),
    case(CopyOp, X),
    case(CastOp, X, to=f32),
]
"""Ops that move elements, and compute nothing."""

PADDED = case(PadOp, X, low=(0, 1, 0), high=(0, 0, 0), value=7.5)
"""Some element is always added."""

AXES = ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2))

OTHERS = [
    *(
        case(op, of("a", "b", "c", element=element), axes=axes, keepdims=keeps)
        for op in (SumOp, ProdOp, ReduceMaxOp, ReduceMinOp)
        for element in (f32, i64)
        for axes in AXES
        for keeps in (True, False)
        if op is not SumOp or element == i64
    ),
    *(case(CumprodOp, X, axis=axis) for axis in (0, 1, 2)),
    *(
        case(ScatterOp, X, INDICES, W, axis=0, wraps=False, reduction=reduction)
        for reduction in ("none", "add")
    ),
]
"""Ops that compute, but where there is only one element, or nothing to add."""

SUMS = [
    *(case(SumOp, X, axes=axes, keepdims=True) for axes in AXES),
    *(case(CumsumOp, X, axis=axis) for axis in (0, 1, 2)),
]
"""Sums of floats, which start from 0.0, so that -0.0 becomes that."""


def name_of(symbolic: Case) -> str:
    """The name of a case in the list of tests."""
    return symbolic.op.name


AtSizes: TypeAlias = tuple[Mapping[str, int], Case]
"""Values of the symbols of a case, and its result there."""


@pytest.fixture(scope="module")
def all_sizes(symbolic: Case) -> Sequence[AtSizes]:
    """A case at all sizes, found once for the tests of one case, which run in turn."""
    return [*at_all_sizes(symbolic)]


def at_all_sizes(symbolic: Case) -> Iterator[AtSizes]:
    """A case for each combination of small sizes that its op accepts."""
    for values in product(SIZES, repeat=len(symbolic.symbols)):
        symbols = dict(zip(symbolic.symbols, values, strict=True))
        try:
            known = at_sizes(symbolic, symbols)
        except ValueError:
            continue
        if accepted(known):
            yield symbols, known


def identities(of_case: Case) -> tuple[list[int], list[Identity]]:
    """The identities of a case, and which operand each is of."""
    op = of_case.build(Block(arg_types=of_case.operands).args)
    group = group_of(op)
    found = [] if group is None else list(identities_of(group))
    return [list(op.operands).index(each.source) for each in found], found


def results(of_case: Case, inputs: Sequence[Array]) -> Array:
    """What numpy computes, flat."""
    op = of_case.build(Block(arg_types=of_case.operands).args)
    with np.errstate(all="ignore"):
        (result,) = op.run_reference(inputs, {})
    return np.ascontiguousarray(result).ravel()


def is_empty(known: Case) -> bool:
    """Whether a case of known sizes has no element to store."""
    (result,) = known.build(Block(arg_types=known.operands).args).results
    return product_of(sizes(tensor_type(result))) == 0


def number(quantity: Dim, symbols: Mapping[str, int]) -> int:
    """A quantity for these sizes."""
    found = evaluate(quantity, symbols)
    assert isinstance(found, int)
    return found


def numbered(known: Case) -> list[Array]:
    """Inputs without two equal elements."""
    start, found = 1, list[Array]()
    for shape, kind in shapes(known):
        count = int(np.prod(shape))
        found.append(np.arange(start, start + count, dtype=kind).reshape(shape))
        start += count
    return found


def is_within(part: Array, whole: Array) -> bool:
    """Whether the elements of an array are side by side in another."""
    return any(
        np.array_equal(whole[start : start + part.size], part)
        for start in range(whole.size - part.size + 1)
    )


def check_bits(symbolic: Case, cases: Iterable[AtSizes]) -> int:
    """
    Checks every size at which a condition holds, and counts them: the result has the
    bits of the operand.
    """
    count = 0
    operands, found = identities(symbolic)
    for symbols, known in cases if found else ():
        pairs = zip(operands, found, strict=True)
        holding = [each for each in pairs if holds(each[1].when, symbols)]
        for seed in range(3) if holding and not is_empty(known) else ():
            inputs = make_inputs(known, seed, special=True)
            if inputs is None:
                continue
            result = results(known, inputs)
            for operand, identity in holding:
                source = inputs[operand].ravel()
                start = number(identity.offset, symbols)
                part = source[start : start + result.size]
                assert start >= 0, (str(known), identity)
                assert part.dtype == result.dtype, (str(known), identity)
                assert part.tobytes() == result.tobytes(), (str(known), identity)
                count += 1
    return count


@pytest.mark.parametrize(("shape", "order", "is_skipped"), GOLDEN)
def test_golden_permutations(
    shape: Sequence[int], order: Sequence[int], is_skipped: bool
):
    names = [f"d{number}" for number in range(len(shape))]
    _, (found,) = identities(case(PermuteOp, of(*names), order=tuple(order)))
    assert holds(found.when, dict(zip(names, shape, strict=True))) == is_skipped
    known = case(PermuteOp, of(*map(str, shape)), order=tuple(order))
    _, at_compile_time = identities(known)
    assert [each.when for each in at_compile_time] == ([()] if is_skipped else [])


@pytest.mark.sampled(every=9)
@pytest.mark.parametrize("symbolic", [*MOVES, *OTHERS], ids=name_of, scope="module")
def test_what_is_copied_has_the_bits_of_the_operand(
    symbolic: Case, all_sizes: Sequence[AtSizes]
):
    assert check_bits(symbolic, all_sizes) > 0


@pytest.mark.parametrize("symbolic", SUMS, ids=name_of)
def test_a_sum_of_one_float_is_not_that(symbolic: Case):
    assert identities(symbolic) == ([], [])
    one = at_sizes(symbolic, dict.fromkeys("abcd", 1))
    assert identities(one) == ([], [])


@pytest.mark.sampled(every=9)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_no_op_is_a_copy_where_numpy_computes(op: type[GraphOp]):
    for symbolic in symbolic_cases(op):
        check_bits(symbolic, at_all_sizes(symbolic))


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("symbolic", [*MOVES, PADDED], ids=name_of, scope="module")
def test_where_no_condition_holds_some_element_moves(
    symbolic: Case, all_sizes: Sequence[AtSizes]
):
    operands, found = identities(symbolic)
    for symbols, known in all_sizes:
        inputs = numbered(known)
        result = results(known, inputs)
        if not result.size or any(holds(each.when, symbols) for each in found):
            continue
        for operand in {*operands}:
            assert not is_within(result, inputs[operand].ravel()), str(known)


@pytest.mark.sampled(every=9)
@pytest.mark.parametrize("symbolic", [*MOVES, *OTHERS], ids=name_of, scope="module")
def test_what_holds_for_symbols_holds_for_their_values(
    symbolic: Case, all_sizes: Sequence[AtSizes]
):
    _, found = identities(symbolic)
    for symbols, known in all_sizes:
        if is_empty(known):
            continue
        _, at_sizes = identities(known)
        expected = [
            number(each.offset, symbols) for each in found if holds(each.when, symbols)
        ]
        got = [each.offset for each in at_sizes if holds(each.when, {})]
        assert got == expected, str(known)


def test_a_condition_has_no_clause_that_another_implies():
    a, b = dim("a"), dim("b")
    assert conjunction([(a * b,), (a,), (b - 1, a * 4)]) == ((a,),)
    assert conjunction([(a,), (a * -2,), (2 * a,)]) == ((a,),)
    assert conjunction([(a, 0), ()]) is None
    assert conjunction([(3, a), (0, b)]) == ((a,),)
    assert conjunction([(3, a), (-2,)]) is None


def test_a_condition_has_a_bounded_number_of_clauses():
    clauses = [(dim(f"n{at}"),) for at in range(MOST_CLAUSES + 1)]
    assert len(conjunction(clauses[1:]) or ()) == MOST_CLAUSES
    assert conjunction(clauses) is None
    assert conjunction([*clauses[1:], clauses[1], (0,)]) is not None


def test_clauses_are_not_multiplied():
    a, b = dim("a"), dim("b")
    assert conjunction([(a,), (b,)]) == ((a,), (b,))
    assert holds(((a,), (b,)), {"a": 0, "b": 0})
    assert not holds(((a,), (b,)), {"a": 0, "b": 2**32})
    assert holds(((a, b),), {"a": 0, "b": 2**32})
    assert not holds(((a, b),), {"a": 2**32, "b": 2**32})
