"""`Settings`: in which way the values of a profile are quantised."""

from __future__ import annotations

from dataclasses import dataclass

from ..session import CompileError, check_is
from .schemas import CALIBRATIONS, SCHEMAS

_BITS = (7, 8)
"""How many bits a weight may have."""

_KEPT = "f32:"
"""How what is kept begins: the type that it is kept in."""


@dataclass(frozen=True)
class Settings:
    """How values are quantised that a profile has; raises `CompileError` for others."""

    schema: str = "asymmetric"
    """Which steps: a name of `SCHEMAS`."""

    calibration: str = "none"
    """How the range is found: "none" for all that was seen, or "kl"."""

    keep: tuple[str, ...] = ()
    """What stays in floats: "f32:NAME" of a product, or of a value."""

    weight_bits: int = 8
    """How many bits weights get: 8, or 7, which all processors multiply fast."""

    def __post_init__(self) -> None:
        for what, name, known in (
            ("schema", self.schema, tuple(SCHEMAS)),
            ("calibration", self.calibration, CALIBRATIONS),
        ):
            if name not in known:
                raise CompileError(
                    f"expected a {what} of {' or '.join(known)}, got {name!r:.80}"
                )
        if self.weight_bits not in _BITS:
            raise CompileError(
                f"expected weights of 7 or 8 bits, got {self.weight_bits!r:.80}"
            )
        check_is('names such as "f32:conv1" of what is kept', tuple, self.keep)
        for each in self.keep:
            check_is("a name of what is kept", str, each)
            if not each.startswith(_KEPT) or each == _KEPT:
                raise CompileError(
                    f"expected f32:NAME for what is kept, got {each!r:.80}; f32 is "
                    "what there is beside steps"
                )
        object.__setattr__(self, "keep", tuple(sorted({*self.keep})))

    @property
    def kept(self) -> frozenset[str]:
        """The names of what stays in f32."""
        return frozenset(each.removeprefix(_KEPT) for each in self.keep)
