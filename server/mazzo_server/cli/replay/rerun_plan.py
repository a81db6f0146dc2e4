"""Who plays a recorded match again, and in which seats."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from mazzo.match_record import MatchRecord
from mazzo_server.errors import InvalidInputError
from mazzo_server.home import HomeBot, find_home_bot, find_seated_bots, list_sample_bots
from mazzo_server.model import find_bot_name
from mazzo_server.results.commentary import Part, clean, make_distinct_names, make_part

__all__ = ["RerunPlan", "load_others", "load_own"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunPlan:
    """A recorded match, and who plays it again."""

    match: str  # as it was given
    is_file: bool  # whether that is a file, not an address
    server: str  # where the match is; "": here
    record: MatchRecord
    given: str  # the folder or file of the new code
    own: Mapping[int, HomeBot]  # by seat
    others: Mapping[int, HomeBot]  # by seat; those who are not at home are left out

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each seat for people."""
        return make_distinct_names([seat.bot for seat in self.record.seats])

    def find_action(self, number: int | None) -> str | None:
        """Return the code of an action."""
        return None if number is None else self.record.variant.game.actions[number].code

    def tell_action(self, number: int | None) -> Part:
        """Return an action as it is shown to people; None: the match was forfeited there."""
        return "forfeit" if number is None else make_part(self.record.variant.game.actions[number])

    def make_command(self, *words: str) -> str:
        """Return a command about this match that can be pasted."""
        server = ["--server", self.server] if self.server and not self.is_file else []
        return clean(shlex.join(["mazzo", "replay", *words, *server]))


def load_own(record: MatchRecord, given: str, seat: int | None) -> dict[int, HomeBot]:
    """Return the new code by seat; raise `InvalidInputError` and `HomeBotError`."""
    bot = find_home_bot(given, record.variant)
    return dict.fromkeys(_choose_seats(record, bot, seat), bot)


def _choose_seats(record: MatchRecord, bot: HomeBot, seat: int | None) -> tuple[int, ...]:
    """Return the seats in which the new code plays: of a team all that its bot had."""
    last = record.variant.players - 1
    if seat is not None:
        if seat > last:
            raise InvalidInputError(f"--seat: expected 0 to {last}, got {seat}")
        return (seat,)
    found = [
        number
        for number, item in enumerate(record.seats)
        if bot.name in (item.bot, find_bot_name(item.bot))
    ]
    sides = [side for side in record.variant.sides if set(side) & set(found)]
    if len(sides) == 1:
        return tuple(found)
    sat = ", ".join(f"{number} {clean(item.bot)}" for number, item in enumerate(record.seats))
    raise InvalidInputError(
        f"--seat: expected the seat in which {bot.name} plays, as "
        f"{'several sides have' if sides else 'no seat has'} that name: the seats are {sat}"
    )


def load_others(record: MatchRecord, own: Mapping[int, HomeBot], text: str) -> dict[int, HomeBot]:
    """Return who goes on in the other seats, as far as they are at home.

    Raises `InvalidInputError` and `HomeBotError`.
    """
    seats = [seat for seat in range(record.variant.players) if seat not in own]
    if text:
        return find_seated_bots("--others", text, record.variant, seats)
    bots = {bot.name: bot for bot in own.values()}
    by_seat = {seat: find_bot_name(record.seats[seat].bot) for seat in seats}
    for name in list_sample_bots().keys() & set(by_seat.values()) - bots.keys():
        try:
            bots[name] = find_home_bot(name, record.variant)
        except InvalidInputError:  # a bot in another language plays in tournaments only
            continue
    return {seat: bots[name] for seat, name in by_seat.items() if name in bots}
