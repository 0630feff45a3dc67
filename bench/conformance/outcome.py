"""What became of the cases of a suite: outcomes, the list of them, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from static_runtime.compiler.session import CompileError, UnsupportedModelError

ROOT = Path(__file__).resolve().parents[2]

LISTS = ROOT / "docs" / "suites"
"""Where the lists are, one for each suite."""

KINDS = {
    "passed": "every node was compiled, and the results are what the suite asks for",
    "refused": "the compiler refused the model, with the reason",
    "wrong": "a result was another",
    "failed": "an error that no user should see, or a refusal of the run",
    "crashed": "the process ended",
    "hung": "the time limit was exceeded",
    "skipped": "the suite itself, or the exporter, has no such model",
}
"""The outcomes, and what each means."""

_LONGEST = 160
"""Characters of a reason."""


@dataclass(frozen=True)
class Outcome:
    """What became of one case, and why."""

    kind: str
    reason: str = ""


Outcomes = Mapping[str, Outcome]
"""The outcome of each case by its name."""


def short(text: object) -> str:
    """A reason in one line, without the folder in which this project is."""
    line = " ".join(str(text).split()).replace(f"{ROOT}/", "")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def refusal(error: CompileError) -> Outcome:
    """The outcome of a model that the compiler refused."""
    if not isinstance(error, UnsupportedModelError):
        return Outcome("refused", short(error))
    found = {
        f"{each.op} ({each.reason})" if each.reason else each.op: 0
        for each in error.ops
    }
    return Outcome("refused", short("; ".join(found)))


def failure(error: BaseException) -> Outcome:
    """The outcome of a case that raised what it should not."""
    return Outcome("failed", short(f"{type(error).__name__}: {error}"))


def write_list(name: str, about: str, outcomes: Outcomes) -> Path:
    """Writes a list of outcomes, which begins with what the suite is."""
    path = LISTS / f"{name}.txt"
    path.parent.mkdir(exist_ok=True)
    lines = [f"# {about}"]
    for case, each in sorted(outcomes.items()):
        lines.append("\t".join(filter(None, (case, each.kind, each.reason))))
    path.write_text("\n".join(lines) + "\n")
    return path


def read_list(path: Path) -> tuple[str, dict[str, Outcome]]:
    """What a list is of, and the outcomes that it has."""
    about, *lines = path.read_text().splitlines()
    rows = (line.split("\t") for line in lines)
    return about.removeprefix("# "), {name: Outcome(*rest) for name, *rest in rows}


def counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many cases have each outcome."""
    found = Counter(each.kind for each in outcomes)
    return {kind: found[kind] for kind in KINDS}


def table(rows: Mapping[str, Outcomes]) -> str:
    """The counts of several suites, as Markdown."""
    head = ["suite", "cases", *KINDS]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for name, outcomes in rows.items():
        numbers = [len(outcomes), *counts(outcomes.values()).values()]
        lines.append(f"| {name} | {' | '.join(f'{n:,}' for n in numbers)} |")
    return "\n".join(lines)


def whole(rows: Mapping[str, Outcomes]) -> str:
    """
    How many operators pass with all of their samples that the suite has a model for, as
    Markdown; the samples of an operator have its name and a number.
    """
    lines = ["| suite | operators | all samples passed |", "| --- | --- | --- |"]
    for name, outcomes in rows.items():
        kinds: dict[str, set[str]] = {}
        for case, each in outcomes.items():
            if each.kind != "skipped":
                kinds.setdefault(case.partition("::")[0], set()).add(each.kind)
        passed = sum(each == {"passed"} for each in kinds.values())
        lines.append(f"| {name} | {len(kinds)} | {passed} |")
    return "\n".join(lines)


def reasons(outcomes: Outcomes) -> str:
    """Why cases did not pass, as Markdown: the reasons with their counts."""
    found = Counter(
        (each.kind, each.reason)
        for each in outcomes.values()
        if each.kind not in ("passed", "skipped")
    )
    lines = ["| outcome | reason | cases |", "| --- | --- | --- |"]
    for (kind, reason), count in sorted(
        found.items(), key=lambda each: (-each[1], each[0])
    ):
        lines.append(f"| {kind} | {reason.replace('|', chr(92) + '|')} | {count} |")
    return "\n".join(lines)
