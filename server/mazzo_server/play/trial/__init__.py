"""The trial of a submitted bot, by which it qualifies: matches, and odd but legal situations."""

from __future__ import annotations

from mazzo_server.play.trial.play import play_trial

__all__ = ["play_trial"]
