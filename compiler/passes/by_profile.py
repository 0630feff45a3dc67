"""`ByProfile`: a pass that goes by a profile of a model's activations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from xdsl.passes import ModulePass

from ..quantizing import Profile, parse_profile, read_profile
from ..session import CompileError, ProfileText


@dataclass(frozen=True)
class ByProfile(ModulePass):
    """A pass whose profile is a file that its text names, or that of an option."""

    profile: str = ""
    """The file of a profile."""

    given: ProfileText | None = field(default=None, init=False)
    """The profile where no file is named; no option itself, so not in any text."""

    @classmethod
    def by(cls, source: ProfileText) -> Self:
        """The pass that goes by the profile of an option."""
        made = cls()
        object.__setattr__(made, "given", source)
        return made

    @property
    def source(self) -> str:
        """What errors call the profile."""
        return self.given.name if self.given else self.profile

    def read(self) -> Profile:
        """The profile; raises `CompileError` for no file, or one that has none."""
        if self.given:
            return parse_profile(self.given)
        if not self.profile:
            raise CompileError(
                f'expected {self.name}{{profile="FILE"}}, got no profile'
            )
        return read_profile(self.profile)
