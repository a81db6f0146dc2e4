"""How fast earlier tournaments and trials were, to say how long another one will take."""

from __future__ import annotations

from mazzo_server.model import Definition
from mazzo_server.storage import Store, TournamentStatus
from mazzo_server.tournaments.plan import Speed

__all__ = ["measure_speed"]

_LATEST = 5  # tournaments of the same kind


def measure_speed(store: Store, definition: Definition) -> Speed:
    """What was measured of the latest tournaments of the same kind, and of the bots' trials."""
    names = {entrant.name for entrant in definition.entrants}
    alike = [
        row
        for row in reversed(store.tournaments())
        if row.status is TournamentStatus.FINISHED
        and row.definition.variant == definition.variant
        and row.definition.match_format == definition.match_format
        and names <= {entrant.name for entrant in row.definition.entrants}
    ][:_LATEST]
    decision_seconds = {}
    for index, entrant in enumerate(definition.entrants):
        trial = store.version(entrant.name, entrant.version).trial
        if trial is None:
            continue
        timed = {match.variant: match.decision_seconds for match in trial.matches}
        own = timed.get(definition.variant, max(timed.values(), default=0.0))
        if own:
            decision_seconds[index] = own
    return Speed(
        matches=sum(row.matches_played for row in alike),
        seconds=sum(row.run_seconds for row in alike),
        decision_seconds=decision_seconds,
    )
