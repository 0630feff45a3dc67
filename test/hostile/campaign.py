"""Many mutants on several workers: what was found, where, and what it took."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .outcome import FINDINGS
from .worker import FULL, Task, Tried, Worker

PIECE = 40
"""Mutants that a worker is given at once."""

SHARES = {"onnx": 3, "node": 4, "mlir": 3, "passes": 3}
"""How many pieces of a kind go into a turn, when not one."""


@dataclass
class Campaign:
    """Mutants by the thousand."""

    folder: Path
    kinds: Sequence[str]
    start: int = 0
    full: int = FULL
    outcomes: Counter[str] = field(default_factory=Counter[str])
    findings: dict[str, list[Tried]] = field(default_factory=dict[str, list[Tried]])
    died: list[str] = field(default_factory=list[str])
    """How other evaluators ended a process of theirs, which is no finding."""

    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    sizes: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Bytes of each worker after each piece, 0 where it died."""

    running: list[Worker] = field(default_factory=list[Worker])
    """Workers from before, which are used first and go on afterwards."""

    def run(self, jobs: int, seconds: float, count: int) -> None:
        """Tries mutants on `jobs` workers, until time is up or `count` are tried."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.end, self.left = time.monotonic() + seconds, count
        self.next: Counter[str] = Counter(dict.fromkeys(self.kinds, self.start))
        self.turn = [kind for kind in self.kinds for _ in range(SHARES.get(kind, 1))]
        self.given, self.lock = 0, threading.Lock()
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.work, range(jobs)))

    def work(self, number: int) -> None:
        """Gives pieces to one worker."""
        with self.lock:
            stays = self.running.pop() if self.running else None
        worker = stays or Worker(self.folder)
        self.sizes[number] = worker.sizes
        try:
            while (task := self.take()) is not None:
                for tried in worker.run(task):
                    with self.lock:
                        self.note(tried)
                with self.lock:
                    self.write()
        finally:
            if worker is not stays:
                worker.stop()

    def take(self) -> Task | None:
        """The next piece; None at the end."""
        with self.lock:
            if self.left <= 0 or time.monotonic() > self.end:
                return None
            kind = self.turn[self.given % len(self.turn)]
            self.given += 1
            count = min(PIECE, self.left)
            self.left -= count
            start = self.next[kind]
            self.next[kind] += count
            return Task(kind, start, count, self.full)

    def note(self, tried: Tried) -> None:
        """Keeps what became of a mutant."""
        what = tried.outcome.what
        kind = tried.name.partition(":")[0]
        self.outcomes[f"{kind} {what}"] += 1
        self.seconds += tried.seconds
        self.slowest = max(self.slowest, (tried.seconds, tried.name))
        if what == "others":
            self.died.append(f"{tried.outcome.where}  [{tried.name}]")
        if what in FINDINGS:
            self.findings.setdefault(f"{what}: {tried.outcome.where}", []).append(tried)

    def write(self) -> None:
        """Writes what was found so far."""
        found = {
            place: {
                "count": len(several),
                "replay": [each.name for each in several[:5]],
                "said": several[0].outcome.text,
            }
            for place, several in sorted(self.findings.items())
        }
        (self.folder / "findings.json").write_text(json.dumps(found, indent=1))


def report(campaign: Campaign, seconds: float) -> str:
    """The figures of a campaign."""
    total = sum(campaign.outcomes.values())
    lines = [f"{name:20} {count:7}" for name, count in campaign.outcomes.most_common()]
    lines += findings(campaign)
    lines += [f"      others: {each}" for each in campaign.died]
    for number, sizes in sorted(campaign.sizes.items()):
        few = sizes[:: max(1, len(sizes) // 10)]
        lines.append(f"worker {number}: {', '.join(f'{x >> 20}' for x in few)} MiB")
    lines.append(
        f"{total} mutants in {seconds:.0f} s, {campaign.seconds:.0f} s of the processor"
        f" ({campaign.seconds / max(total, 1) * 1e3:.0f} ms each, at most "
        f"{campaign.slowest[0]:.1f} s for {campaign.slowest[1]}), "
        f"{len(campaign.findings)} findings"
    )
    return "\n".join(lines)


def findings(campaign: Campaign) -> list[str]:
    """What was found, the most frequent first."""
    lines: list[str] = []
    for place, several in sorted(campaign.findings.items(), key=lambda x: -len(x[1])):
        names = " ".join(each.name for each in several[:3])
        lines.append(f"{len(several):5} {place}  [{names}]")
        lines.append(f"      {several[0].outcome.text[:200]!r}")
    return lines
