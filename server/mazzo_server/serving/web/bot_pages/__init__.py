"""The pages of bots: what they are, what they have done, and what their owners do with them."""

from mazzo_server.serving.web.bot_pages.acting import (
    activate_version,
    drop_from_ladder,
    join_ladder,
    play_trial_again,
    retire_bot,
)
from mazzo_server.serving.web.bot_pages.bot import show_bot
from mazzo_server.serving.web.bot_pages.challenges import (
    give_up_challenge,
    send_challenge,
    show_challenges,
)
from mazzo_server.serving.web.bot_pages.listing import show_bots
from mazzo_server.serving.web.bot_pages.live_trials import LiveTrials
from mazzo_server.serving.web.bot_pages.logs import show_bot_logs
from mazzo_server.serving.web.bot_pages.submission import show_submission, submit_archive
from mazzo_server.serving.web.bot_pages.versions import show_version, stream_trial

__all__ = [
    "LiveTrials",
    "activate_version",
    "drop_from_ladder",
    "give_up_challenge",
    "join_ladder",
    "play_trial_again",
    "retire_bot",
    "send_challenge",
    "show_bot",
    "show_bot_logs",
    "show_bots",
    "show_challenges",
    "show_submission",
    "show_version",
    "stream_trial",
    "submit_archive",
]
