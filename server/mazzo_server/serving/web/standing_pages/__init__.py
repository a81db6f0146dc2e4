"""The pages on which one sees who is better: tournaments and rankings."""

from mazzo_server.serving.web.standing_pages.audit import (
    Audits,
    begin_audit,
    show_audit,
    stream_audit,
)
from mazzo_server.serving.web.standing_pages.downloads import (
    send_results,
    send_standings_csv,
    send_standings_json,
)
from mazzo_server.serving.web.standing_pages.entries import (
    enter_bot,
    list_open_tournaments,
    show_open_tournament,
    take_bot_out,
)
from mazzo_server.serving.web.standing_pages.head_to_head import choose_two, show_head_to_head
from mazzo_server.serving.web.standing_pages.ladders import (
    find_ladder_places,
    list_played_ladders,
    show_ladder,
    show_ladders,
)
from mazzo_server.serving.web.standing_pages.live import LiveTournaments
from mazzo_server.serving.web.standing_pages.rankings import (
    list_best,
    show_ranking,
    show_rankings,
)
from mazzo_server.serving.web.standing_pages.tournaments import (
    show_tournament,
    show_tournaments,
    stream_tournament,
)

__all__ = [
    "Audits",
    "LiveTournaments",
    "begin_audit",
    "choose_two",
    "enter_bot",
    "find_ladder_places",
    "list_best",
    "list_open_tournaments",
    "list_played_ladders",
    "send_results",
    "send_standings_csv",
    "send_standings_json",
    "show_audit",
    "show_head_to_head",
    "show_ladder",
    "show_ladders",
    "show_open_tournament",
    "show_ranking",
    "show_rankings",
    "show_tournament",
    "show_tournaments",
    "stream_audit",
    "stream_tournament",
    "take_bot_out",
]
