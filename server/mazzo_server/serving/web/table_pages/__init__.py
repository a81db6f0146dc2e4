"""The pages at which people play: a list of tables, and each table."""

from mazzo_server.serving.web.table_pages.known_bots import KnownBots
from mazzo_server.serving.web.table_pages.listing import open_table, show_tables
from mazzo_server.serving.web.table_pages.playing import (
    give_up_seat,
    stream_table,
    take_choice,
)
from mazzo_server.serving.web.table_pages.seat_players import SeatPlayers
from mazzo_server.serving.web.table_pages.table import join_table, show_table

__all__ = [
    "KnownBots",
    "SeatPlayers",
    "give_up_seat",
    "join_table",
    "open_table",
    "show_table",
    "show_tables",
    "stream_table",
    "take_choice",
]
