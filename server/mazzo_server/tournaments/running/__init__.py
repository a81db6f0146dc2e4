"""The run of a tournament."""

from mazzo_server.tournaments.running.announcing import end_tournament, is_event_wanted
from mazzo_server.tournaments.running.run import Report, Run, log_tournament
from mazzo_server.tournaments.running.upcoming import Amend

__all__ = ["Amend", "Report", "Run", "end_tournament", "is_event_wanted", "log_tournament"]
