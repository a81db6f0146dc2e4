"""The catalogue of bots: their bundles, their versions, and what launches them."""

from mazzo_server.bots.broken_trials import play_broken_trials
from mazzo_server.bots.catalogue import Catalogue
from mazzo_server.bots.keys import BotKeys
from mazzo_server.bots.launcher import Launcher
from mazzo_server.bots.ownership import find_own_bot
from mazzo_server.bots.qualification import (
    find_active_version,
    find_current_version,
    find_entering_version,
    list_forms,
    list_qualified_forms,
    make_form,
    make_no_entry_error,
)
from mazzo_server.bots.trial_queue import PlayTrial, TrialQueue
from mazzo_server.bots.uploads import Uploads

__all__ = [
    "BotKeys",
    "Catalogue",
    "Launcher",
    "PlayTrial",
    "TrialQueue",
    "Uploads",
    "find_active_version",
    "find_current_version",
    "find_entering_version",
    "find_own_bot",
    "list_forms",
    "list_qualified_forms",
    "make_form",
    "make_no_entry_error",
    "play_broken_trials",
]
