"""
What a model continues with where two ranks are possible: one of two branches, or an
axis of open size that `Squeeze` removes or keeps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ....dialects import Dim

_MOST_READINGS = 16
"""The most readings of a model in search of the branches that the rest of it fits."""


@dataclass
class _Fork:
    """The branch that was taken at a fork."""

    takes_first: bool
    is_last: bool = False
    """Whether the other branch has been tried."""


@dataclass
class Forks:
    """
    The branches that a reading of a model takes, in the order of its nodes.

    A reading takes the branch that is likely. Where the rest of the model does not fit
    it, the model is read again, with the other branch of the last fork that has one.
    Whether an open size is 1, on which ranks may depend, is a fork too: where the rest
    fits neither, the size is taken for another.
    """

    _forks: list[_Fork] = field(default_factory=list[_Fork])
    readings: int = 1
    checks_ranks: bool = True
    """Whether outputs must have the axes that the model declares, if it has forks."""
    _place: int = 0
    _ones: dict[Dim, bool] = field(default_factory=dict[Dim, bool])
    _has_branches: bool = False

    def takes_first(self, likely: bool) -> bool:
        """Whether the next fork takes its first branch, which may be the likely one."""
        self._has_branches = True
        return self._next(likely)

    def is_one(self, size: Dim) -> bool:
        """Whether the reading takes an open size for 1, which is not likely."""
        if size not in self._ones:
            self._ones[size] = self._next(False)
        return self._ones[size]

    def _next(self, likely: bool) -> bool:
        """What is chosen at the next fork."""
        if self._place == len(self._forks):
            self._forks.append(_Fork(likely))
        self._place += 1
        return self._forks[self._place - 1].takes_first

    def __bool__(self) -> bool:
        """Whether the model has forks by which ranks of outputs tell."""
        return self.checks_ranks and bool(self._forks)

    def turn(self) -> bool:
        """Chooses other branches for the next reading; false where there are none."""
        while self._forks and self._forks[-1].is_last:
            self._forks.pop()
        if not self or self.readings == _MOST_READINGS:
            return False
        self._forks[-1] = _Fork(not self._forks[-1].takes_first, is_last=True)
        self._begin()
        return True

    def settle(self) -> bool:
        """
        Chooses what is likely for the last reading, in which the declared ranks do not
        tell; false where the model has branches, since one of two must fit.
        """
        if not self.checks_ranks or self._has_branches or self.readings == 1:
            return False
        self._forks.clear()
        self.checks_ranks = False
        self._begin()
        return True

    def _begin(self) -> None:
        """Begins the next reading."""
        self.readings += 1
        self._place = 0
        self._ones.clear()
