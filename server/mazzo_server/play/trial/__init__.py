"""The trial of a submitted bot, by which it qualifies: matches, and odd but legal situations."""

from mazzo_server.play.trial.play import play_trial

__all__ = ["play_trial"]
