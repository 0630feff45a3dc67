"""
Parse the text of a pipeline into passes, in MLIR's nested form or in xDSL's flat one.

    builtin.module(fold-constants,func.func(graph-to-loop{x=1}))
    fold-constants,graph-to-loop{x=1}

Both say the same. Every pass here runs on the whole module, so an anchor such as
`func.func(...)` only groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from xdsl.passes import ModulePass, get_pass_option_infos
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError

from ..session import CompileError

Passes = Mapping[str, type[ModulePass]]
"""Every pass there is, by name."""

_ANCHOR = r"(?:any|builtin\.module|func\.func)\s*\("
_DEEPEST = 16
"""The most anchors around a pass; two mean something."""

_PASS = r'[\w.-]+\s*(?:\{(?:"[^"]*"|[^"{}])*\})?'


Targets = Mapping[str, Callable[..., Any]]
"""What makes the class of each target there is, by name."""


class PipelineError(CompileError):
    """The text of a pipeline is not one; says where, and what was expected."""


def parse_pipeline(text: str, passes: Passes) -> tuple[ModulePass, ...]:
    """The passes that `text` names, in order; raises `PipelineError`."""
    return tuple(_Reader(text, passes).elements("$", "the end"))


def pipeline_text(passes: Sequence[ModulePass]) -> str:
    """The text in MLIR's nested form that `parse_pipeline` reads as `passes`."""
    return f"builtin.module({','.join(str(each.spec()) for each in passes)})"


def check_target(text: str, targets: Targets) -> None:
    """Raises `PipelineError` unless `text` is a target, with options that it has."""
    reason = ""
    try:
        if (spec := parse_spec(text)).name in targets:
            targets[spec.name]().from_spec(spec)
            return
    except ArgSpecParseError:
        pass
    except ValueError as error:
        reason = f" ({error})"
    names = ", ".join(targets)
    raise PipelineError(f"expected a target of {names}, got {text or 'none'}{reason}")


@dataclass
class _Reader:
    """A position in the text of a pipeline, which moves right as things are taken."""

    text: str
    passes: Passes
    position: int = 0
    depth: int = 0
    """Anchors around this position."""

    def elements(self, end: str, its_name: str) -> Iterator[ModulePass]:
        """Elements with commas between them, or none, up to `end`."""
        if self.take(end) is not None:
            return
        yield from self.element()
        while self.take(","):
            yield from self.element()
        self.expect(end, f"`,` or {its_name}")

    def element(self) -> Iterator[ModulePass]:
        """An anchor with its elements, or one pass."""
        if self.take(_ANCHOR):
            self.depth += 1
            if self.depth > _DEEPEST:
                raise PipelineError(
                    f"pipeline: expected at most {_DEEPEST} anchors around a pass, "
                    "got more"
                )
            yield from self.elements(r"\)", "`)`")
            self.depth -= 1
        else:
            yield _make_pass(self.expect(_PASS, "a pass"), self.passes)

    def take(self, pattern: str) -> str | None:
        """The text here when it matches `pattern`, and moves past it."""
        match = re.compile(rf"\s*({pattern})\s*").match(self.text, self.position)
        if match is None:
            return None
        self.position = match.end()
        return match[1]

    def expect(self, pattern: str, what: str) -> str:
        """The text here, which must match `pattern`."""
        taken = self.take(pattern)
        if taken is None:
            rest = self.text[self.position :] or "the end"
            raise PipelineError(f"pipeline: expected {what}, got {rest}")
        return taken


def _make_pass(text: str, passes: Passes) -> ModulePass:
    """The pass that `text` names, with the options it gives; raises `PipelineError`."""
    name, _, options = (part.strip() for part in text.rstrip("} ").partition("{"))
    if name not in passes:
        nearest = get_close_matches(name, passes, cutoff=0.4) or sorted(passes)
        raise PipelineError(f"expected a pass like {', '.join(nearest)}, got {name}")
    try:
        return passes[name].from_spec(parse_spec(f"{name}{{{options}}}"))
    except (ArgSpecParseError, ValueError) as error:
        reason = "" if isinstance(error, ArgSpecParseError) else f" ({error})"
        raise PipelineError(
            f"expected {_signature(passes[name])}, got {text}{reason}"
        ) from error


def _signature(each: type[ModulePass]) -> str:
    """How a pass is written with all of its options, and the type of each."""
    given = {field.name for field in fields(each) if field.init} - {"name"}
    options = [
        f"{option.name}=<{option.expected_type}>"
        for option in get_pass_option_infos(each)
        if option.name in given
    ]
    return f"{each.name}{{{' '.join(options)}}}" if options else each.name
