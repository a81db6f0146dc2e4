"""The pages on which one sees who is better: tournaments and rankings."""

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
    "LiveTournaments",
    "list_best",
    "show_ranking",
    "show_rankings",
    "show_tournament",
    "show_tournaments",
    "stream_tournament",
]
