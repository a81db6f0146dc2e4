"""Measures the speed of earlier tournaments and trials, to estimate the time of another."""

from __future__ import annotations

from statistics import median

from mazzo_server.model import Definition, TrialReport
from mazzo_server.storage import Store, TournamentStatus
from mazzo_server.tournaments.planning.plan import Speed

__all__ = ["measure_speed"]

_LATEST = 5  # tournaments of the same kind


def measure_speed(store: Store, definition: Definition) -> Speed:
    """Return what the latest tournaments of the same kind, and the bots' trials, took."""
    bots = {entrant.bot for entrant in definition.entrants}
    alike = [
        row
        for row in reversed(store.tournaments())
        if row.status is TournamentStatus.FINISHED
        and row.definition.variant == definition.variant
        and row.definition.match_format == definition.match_format
        and bots <= {entrant.bot for entrant in row.definition.entrants}
    ][:_LATEST]
    decision_seconds = {}
    for index, entrant in enumerate(definition.entrants):
        trial = store.version(entrant.bot, entrant.version).trial
        if trial is None:
            continue
        own = _measure_decisions(trial, definition.variant)
        if own:
            decision_seconds[index] = own
    return Speed(
        matches=sum(row.matches_played for row in alike),
        seconds=sum(row.run_seconds for row in alike),
        decision_seconds=decision_seconds,
    )


def _measure_decisions(trial: TrialReport, variant: str) -> float:
    """Return the mean time of a decision in a trial; 0.0 where none was taken.

    The first match shows also how the bot warms up: 2 to 3 ms a decision for a bot that needs 0.2
    in all others. So it counts at most as much as the median of the others.
    """
    timed = {match.variant: match.decision_seconds for match in trial.matches}
    own = timed.get(variant, max(timed.values(), default=0.0))
    others = [match.decision_seconds for match in trial.matches[1:]]
    if others and trial.matches[0].variant == variant:
        return min(own, median(others))
    return own
