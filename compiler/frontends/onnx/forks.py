"""Which branch a model continues with, where two have results of different types."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """

    _forks: list[_Fork] = field(default_factory=list[_Fork])
    readings: int = 1
    _place: int = 0

    def takes_first(self, likely: bool) -> bool:
        """Whether the next fork takes its first branch, which may be the likely one."""
        if self._place == len(self._forks):
            self._forks.append(_Fork(likely))
        self._place += 1
        return self._forks[self._place - 1].takes_first

    def __bool__(self) -> bool:
        """Whether the model has forks."""
        return bool(self._forks)

    def turn(self) -> bool:
        """Chooses other branches for the next reading; false where there are none."""
        while self._forks and self._forks[-1].is_last:
            self._forks.pop()
        if not self._forks or self.readings == _MOST_READINGS:
            return False
        self._forks[-1] = _Fork(not self._forks[-1].takes_first, is_last=True)
        self.readings += 1
        self._place = 0
        return True
