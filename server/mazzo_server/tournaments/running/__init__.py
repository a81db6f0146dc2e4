"""The run of a tournament."""

from mazzo_server.tournaments.running.announcing import end_tournament
from mazzo_server.tournaments.running.run import Report, Run, log_tournament
from mazzo_server.tournaments.running.upcoming import Amend

__all__ = ["Amend", "Report", "Run", "end_tournament", "log_tournament"]
