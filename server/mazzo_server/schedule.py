"""A tournament's rounds as far as they are known, and the standings that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mazzo.games import parse_variant
from mazzo_server.definition import Definition
from mazzo_server.errors import NotFoundError
from mazzo_server.outcome import MatchOutcome
from mazzo_server.pairing import Group, GroupResult, schedule_of
from mazzo_server.standings import Fold, Standings
from mazzo_server.storage import Store, TournamentRow, TournamentStatus
