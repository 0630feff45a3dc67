"""The command line of the mutants; `__main__` says how to call it."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from .campaign import Campaign, report
from .corpus import EDGES, EVERY, KINDS, mutant
from .others import answer
from .trial import TRIALS, attempt
from .worker import limit_resources, serve

FOLDER = Path(__file__).parents[2] / "build" / "hostile"


def arguments() -> Namespace:
    """What the command line says."""
    parser = ArgumentParser("test/hostile")
    add = parser.add_argument
    add("--serve", action="store_true", help="be a worker")
    add("--answer", action="store_true", help="be other evaluators")
    add("--replay", help="a mutant, to try again")
    add("--show", help="a mutant, to print")
    add("--race", type=int, metavar="SEED", help="threads at once, --count turns")
    add("--bits", action="store_true", help="print what stored models compute")
    add("--bare", action="store_true", help="with --replay: catch nothing")
    add("--kind", action="append", choices=list(KINDS), help="only of these kinds")
    add("--seconds", type=float, default=60.0)
    add("--count", type=int, default=10**9)
    add("--start", type=int, default=0, help="the number of the first mutant")
    add("--jobs", type=int, default=2)
    add("--full", type=int, default=10, help="one in so many is run")
    return parser.parse_args()


def main() -> None:
    """Does what the command line says."""
    given = arguments()
    if given.serve:
        serve()
    elif given.answer:
        answer()
    elif given.bits:
        from .test_bits import digests

        print(digests())
    elif given.race is not None:
        from .races import run

        print(json.dumps(run(given.race, given.count)))
    elif given.replay or given.show:
        kind, _, number = (given.replay or given.show).partition(":")
        chosen = mutant(kind, int(number))
        print(f"{chosen.name} of {chosen.made_of}, {len(chosen.data)} bytes")
        if given.show:
            print(shown(chosen.kind, chosen.data))
            return
        limit_resources()
        outcome = (TRIALS[kind] if given.bare else attempt)(chosen, True)
        print(outcome.what, outcome.where, outcome.text, sep="\n  ")
    else:
        start = time.monotonic()
        campaign = Campaign(FOLDER, given.kind or EVERY, given.start, given.full)
        campaign.run(given.jobs, given.seconds, given.count)
        print(report(campaign, time.monotonic() - start))
        campaign.write()
        sys.exit(bool(campaign.findings))


def shown(kind: str, data: bytes) -> str:
    """A mutant as text."""
    if kind in ("onnx", "node", *EDGES):
        from google.protobuf.message import DecodeError
        from onnx import ModelProto

        model = ModelProto()
        try:
            model.ParseFromString(data)
        except DecodeError:
            return repr(data)
        return str(model)
    return data.decode(errors="backslashreplace")
