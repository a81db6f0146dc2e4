"""The catalogue of bots: their bundles, their versions, and what launches them."""

from mazzo_server.bots.catalogue import Catalogue
from mazzo_server.bots.keys import BotKeys
from mazzo_server.bots.launcher import Launcher
from mazzo_server.bots.qualification import (
    explain_missing_qualification,
    find_active_version,
    find_claiming_version,
    find_entering_version,
    list_forms,
    list_qualified_forms,
)
from mazzo_server.bots.trial_queue import PlayTrial, TrialQueue

__all__ = [
    "BotKeys",
    "Catalogue",
    "Launcher",
    "PlayTrial",
    "TrialQueue",
    "explain_missing_qualification",
    "find_active_version",
    "find_claiming_version",
    "find_entering_version",
    "list_forms",
    "list_qualified_forms",
]
