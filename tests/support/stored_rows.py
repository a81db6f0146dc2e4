"""What tests put in a store."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from mazzo_server.bots.qualification import list_forms
from mazzo_server.model import Definition, Entrant, Mirror, TimeControl
from mazzo_server.model.manifest import Manifest
from mazzo_server.model.outcome import (
    DealPlay,
    Fault,
    InstanceLog,
    MatchOutcome,
    Owner,
    Termination,
)
from mazzo_server.model.trial_report import TrialReport
from mazzo_server.storage import Store

__all__ = [
    "DEFINITION",
    "PATIENCE",
    "add_tournament",
    "add_version",
    "deal",
    "log_of",
    "manifest_of",
    "outcome",
    "qualify",
    "text_of",
    "trial_of",
    "without_plays",
]

PATIENCE = 60.0  # seconds, the longest wait for anything

DEFINITION = Definition(
    name="evening",
    variant="briscola/2",
    entrants=(
        Entrant(name="ann", version=1, content_hash="a" * 64),
        Entrant(name="bob", version=3, content_hash="b" * 64),
    ),
    match_format="deals:2",
    mirror=Mirror.ROTATIONS,
    groups=500,
    draws="seats",
    time=TimeControl(),
    isolation="none",
    seed=bytes(range(32)),
    seed_chosen=True,
)


def deal(number: int = 0) -> DealPlay:
    """A short deal that differs from the others."""
    return DealPlay(
        dealer=number % 2,
        actions=bytes([number % 256, 7, 0, 255]),
        scores=(number, 120 - number),
        micros=(number, 2**32 - 1, 0, 5),
        substituted=(1,),
        forfeited=number % 3 == 2,
        notes=((0, "counting è"), (4, "\udcff\x00")) if number % 2 else (),
    )


def log_of(text: str, *matches: tuple[int, int]) -> InstanceLog:
    """The log of an instance that lived for a minute and a half."""
    return InstanceLog(text=text, begin_time=1e9, end_time=1e9 + 90.25, matches=matches)


def text_of(fault: Fault) -> str:
    """What the bot wrote before it forfeited."""
    assert fault.log is not None
    return fault.log.text


def outcome(group: int, seating: int = 0, *, deals: int = 2) -> MatchOutcome:
    """A match with a fault and a fraction in its scores."""
    return MatchOutcome(
        group=group,
        seating=seating,
        entrants=(1, 0),
        match_scores=(Fraction(3, 2), Fraction(1, 2)),
        deals=tuple(deal(group + number) for number in range(deals)),
        faults=(
            Fault(
                seat=1,
                termination=Termination.CRASHED,
                owner=Owner.BOT,
                reason="exit status 1: \udcff\x00",
                deal=1,
                decision=4,
                log=log_of("Traceback: \udcff\x00\n", (group, seating), (group + 1, 0)),
            ),
            Fault(
                seat=0,
                termination=Termination.LEFT,
                owner=Owner.NETWORK,
                reason="gone",
                deal=1,
                decision=5,
            ),
        ),
        late=(0, 2),
        decisions=(20, 19),
        thinking_seconds=(0.1, 2.5),
        attempt=group % 3,
        counted=((group, -group), (2**70, 0), (0, -4)),
    )


def without_plays(match: MatchOutcome) -> MatchOutcome:
    """What `with_deals=False` gives of a match."""
    deals = (one._replace(actions=b"", micros=(), substituted=(), notes=()) for one in match.deals)
    faults = (replace(fault, log=None) for fault in match.faults)
    return replace(match, deals=tuple(deals), faults=tuple(faults))


def manifest_of(name: str = "ann", **fields: Any) -> Manifest:
    """A manifest that says little, but for these fields."""
    manifest = Manifest(
        name=name,
        games=("briscola/2",),
        command=("x",),
        runtime="python",
        capacity=1,
        author="Alice",
        licence="",
        description=None,
    )
    return replace(manifest, **fields)


def trial_of(**fields: Any) -> TrialReport:
    """A report that says little of a trial that was passed, but for these fields."""
    report = TrialReport(
        passed=True,
        start_up_seconds=0.1,
        matches=(),
        checks=(),
        seed="00" * 32,
        qualified=(),
        log="",
    )
    return replace(report, **fields)


def qualify(store: Store, name: str) -> None:
    """Let the newest version of a bot enter what it claims, whatever its trial came to."""
    version = store.version(name)
    forms = tuple(form.text for form in list_forms(version.manifest))
    trial = replace(version.trial or trial_of(), qualified=forms)
    store.set_trial(name, version.number, trial=trial)


def add_version(store: Store, name: str, *, create_time: float = 1.0) -> int:
    """Add a version with arbitrary contents; its number."""
    return store.add_version(
        name, content_hash="c" * 64, manifest=manifest_of(name), create_time=create_time
    ).number


def add_tournament(store: Store, definition: Definition = DEFINITION) -> int:
    """Add a tournament; its number."""
    return store.add_tournament(definition, concurrency=2, create_time=5.0).id
