"""The catalogue of bots: their bundles, their versions, and what launches them."""

from mazzo_server.bots.catalogue import Catalogue
from mazzo_server.bots.keys import BotKeys
from mazzo_server.bots.launcher import Launcher
from mazzo_server.bots.qualification import (
    active_version,
    claiming_version,
    entering_version,
    forms_of,
    qualified_forms,
    refusal,
)
from mazzo_server.bots.trial_queue import PlayTrial, TrialQueue

__all__ = [
    "BotKeys",
    "Catalogue",
    "Launcher",
    "PlayTrial",
    "TrialQueue",
    "active_version",
    "claiming_version",
    "entering_version",
    "forms_of",
    "qualified_forms",
    "refusal",
]
