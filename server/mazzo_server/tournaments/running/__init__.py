"""A tournament while it is played."""

from mazzo_server.tournaments.running.run import Report, Run, log_tournament

__all__ = ["Report", "Run", "log_tournament"]
