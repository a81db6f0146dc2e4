"""Plans of tournaments: what they would play, how long it takes, and with how many workers."""

from mazzo_server.tournaments.planning.planner import PlannedTournament, Planner

__all__ = ["PlannedTournament", "Planner"]
