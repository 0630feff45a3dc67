"""Steps of formulas that are repeated while they are not done for some element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from ..looping import while_any
from .real import Real

Step: TypeAlias = Callable[[list[Real], list[Real]], list[Real]]
Test: TypeAlias = Callable[[list[Real], list[Real]], SSAValue]


def repeated_while(
    goes_on: Test, step: Step, states: Sequence[Real], captured: Sequence[Real]
) -> list[Real]:
    """Builds states after steps that are done while a test is true of some element."""

    def numbers(values: Sequence[SSAValue]) -> list[Real]:
        return [*map(Real, values)]

    found = while_any(
        lambda own, others: goes_on(numbers(own), numbers(others)),
        lambda own, others: [
            each.value for each in step(numbers(own), numbers(others))
        ],
        [each.value for each in states],
        [each.value for each in captured],
    )
    return numbers(found)
