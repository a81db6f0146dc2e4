"""`make bench-resume`: resume a season of a ladder that has a million mirror groups.

The season is one of real bots, whose results are made up and stored as a run stores them. They all
play alike, and whenever the ladder rests, each has a new version. The last round is half over, as
after a kill. A server starts. It must play the next match within five seconds of when it listens;
exit status 1 when it does not. `--groups N` makes a shorter season.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.simulated import Field, play
from mazzo_server.clock import monotonic
from mazzo_server.model import Entrant
from mazzo_server.pairing import Rounds
from mazzo_server.results import continue_rounds, keep_standings
from mazzo_server.results.standings import judge_group
from mazzo_server.stats import BETA, Rating
from mazzo_server.storage import Store, TournamentRow, open_store
from mazzo_server.tournaments.ladders.members import enter_version, list_members, make_versions
from support.command import Home, until
from support.sample_bots import enter, write_bot
from support.served import serving

_BAR = 5.0  # seconds
_BOTS = 24
_OFTEN = 100_000  # groups, after which what is known is kept
_VARIANT = "briscola/2"


def main(arguments: Sequence[str]) -> int:
    """Make the season, start the server, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make bench-resume")
    parser.add_argument("--groups", type=int, default=1_000_000, metavar="N")
    groups = parser.parse_args(arguments).groups
    with tempfile.TemporaryDirectory(prefix="mazzo-resume-") as folder:
        home = Home(Path(folder) / "home")
        _make_season(home, Path(folder))
        with closing(open_store(home.path / "mazzo.db")) as store:
            _fill(store, groups)
            before = store.tournament(1).matches_played
            print(f"{groups:,} mirror groups, {before:,} matches")
            begin = monotonic()
            with serving(home, "--isolation", "none"):
                listens = monotonic() - begin
                until(lambda: store.tournament(1).matches_played > before)
                plays = monotonic() - begin
            begin = monotonic()
            home("ladder", "show", _VARIANT, "--json")
            shown = monotonic() - begin
    print(f"the server listens after {listens:.2f} s, and plays {plays - listens:.2f} s later")
    print(f"mazzo ladder show takes {shown:.2f} s")
    print(f"bar: at most {_BAR:.0f} s from when it listens to the next match")
    return 0 if plays - listens <= _BAR else 1


def _make_season(home: Home, folder: Path) -> None:
    bots = [
        write_bot(folder, f"bot-{number:02}", act=f"return view.legal[{number} % len(view.legal)]")
        for number in range(_BOTS)
    ]
    enter(home, *bots)
    home("ladder", "create", _VARIANT, "--isolation", "none")


def _fill(store: Store, groups: int) -> None:
    """Store the results of so many groups, and of half of the round after them."""
    row = store.tournament(1)
    rounds, field = continue_rounds(store, row), _make_field(row)
    kept = 0
    while True:
        made = rounds.make_round()
        if not made:
            _keep(store, row, rounds)
            row = _renew(store, row, first_group=rounds.end)
            rounds, field = continue_rounds(store, row), _make_field(row)
            continue
        if made[0].number >= groups:
            break
        played = [play(field, group) for group in made]
        store.add_outcomes(row.id, [match for outcomes in played for match in outcomes])
        rounds.add_results(
            [
                judge_group(group, outcomes, sides=field.sides)
                for group, outcomes in zip(made, played, strict=True)
            ]
        )
        if rounds.end - kept >= _OFTEN or rounds.end >= groups:
            kept = rounds.end
            _keep(store, row, rounds)
            versions = len(row.definition.entrants)
            print(f"{kept:,} groups of {versions:,} versions", file=sys.stderr, flush=True)
    half = [match for group in made[: len(made) // 2] for match in play(field, group)]
    store.add_outcomes(row.id, half)


def _make_field(row: TournamentRow) -> Field:
    return Field(skills=(0.0,) * len(row.definition.entrants), seed=1)


def _keep(store: Store, row: TournamentRow, rounds: Rounds) -> None:
    """Keep what is known so far, as a run does now and then."""
    text = rounds.to_json()
    assert text is not None
    store.keep_schedule(row.id, text)
    keep_standings(store, row.id)


def _renew(store: Store, row: TournamentRow, *, first_group: int) -> TournamentRow:
    """Let a new version of each bot join, which is the first one once more."""
    definition = row.definition
    for bot in list_members(definition):
        first = store.version(bot, 1)
        version = store.add_version(
            bot, content_hash=first.content_hash, manifest=first.manifest, create_time=0.0
        )
        assert first.trial is not None
        store.set_trial(bot, version.number, trial=first.trial)
        entrant = Entrant(name=bot, version=version.number, content_hash=first.content_hash)
        (entrant,) = make_versions([entrant])
        definition = enter_version(
            # As all play alike, it inherits about the mean, less certain.
            definition,
            first_group,
            entrant=entrant,
            inherited=Rating(mu=25.0, sigma=BETA),
        )
    store.amend(row.id, definition)
    return store.tournament(row.id)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
