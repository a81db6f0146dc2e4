"""One decision of a record or a position, which a bot takes again."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from time import perf_counter

from mazzo.bot import MatchStarted, choose, read_note
from mazzo.errors import BadRecordError
from mazzo.fields import read_int, read_line, read_list, read_number, read_object, read_text
from mazzo.game import MatchProgress, View
from mazzo.match import MatchFormat
from mazzo.match_record import MatchRecord
from mazzo.record import DealRecord, replay
from mazzo.shuffle import SeedError, bot_seed, parse_seed
from mazzo.view import Clock
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.bots import HomeBot
from mazzo_server.results.watching import Playback

__all__ = [
    "RecordedDecision",
    "TakenDecision",
    "find_decision",
    "parse_position",
    "play_decision",
]

_MICRO = 1e6  # of a second
_LARGEST = 1e9  # of the numbers of a position


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDecision:
    """One decision of a record, ready to be taken again."""

    view: View  # with the seed, the number and the clock that the bot had
    then: int | None  # number of the action; None: the record ends there, with a forfeit
    by_substitute: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenDecision:
    """What a bot decided."""

    action: int
    note: str  # what it logged
    seconds: float
    allowance: float  # seconds that it had

    @property
    def lateness(self) -> str:
        """What the platform would say of a decision that came too late; "" if it came in time."""
        if self.seconds <= self.allowance:
            return ""
        return f"late: it took {self.seconds:.1f} s and had {self.allowance:g} s"


def find_decision(record: MatchRecord, seat: int, number: int) -> RecordedDecision:
    """Return the seat's `number`th decision of a verified record, from 1.

    Raises `InvalidInputError` where there is no such decision.
    """
    control, last = record.time_control, 0
    for _, deal, steps in Playback(record).play_deals():
        bank = control.bank
        for step in steps:
            if step.seat != seat:
                continue
            last = step.number
            if last == number:
                view = deal.view(seat)
                view.seed, view.number = bot_seed(record.seed, record.salt, seat), number
                view.clock = Clock(
                    bank=bank, increment=control.increment, limit=control.limit, latency=0.0
                )
                return RecordedDecision(
                    view=view, then=step.action, by_substitute=step.by_substitute
                )
            bank = max(0.0, bank - step.micros / _MICRO) + control.increment
    known = f"from 1 to {last}" if last else "of which there is none"
    raise InvalidInputError(
        f"expected a decision of seat {seat} in {record.name}, {known}, got {number}"
    )


def parse_position(line: str) -> RecordedDecision:
    """Return the decision in the position of a deal record, such as a trial's, that has one.

    Raises `BadRecordError`, `VariantError` and `MatchFormatError`.
    """
    value = read_object(read_line(line), "the position")
    deal = replay(DealRecord.from_json(value))
    if deal.seat is None:
        raise BadRecordError("expected a position in which a seat decides, got the end of a deal")
    if "decision" not in value:
        raise BadRecordError("expected a position of `mazzo check`, got a deal without `decision`")
    fields = read_object(value["decision"], "decision")
    view = deal.view(deal.seat)
    try:
        view.seed = parse_seed(read_text(fields, "seed"))
        texts = read_list(fields, "match_scores", read_text, length=view.players)
        scores = tuple(map(float, texts))
    except (SeedError, ValueError) as error:
        raise BadRecordError(f"decision: {error}") from error
    view.number = read_int(fields, "number", least=1)
    number = read_int(fields, "deal", least=0)
    if max(view.number, number, *map(abs, scores)) >= _LARGEST:
        raise BadRecordError(f"decision: expected numbers below {_LARGEST:g}")
    if not all(map(isfinite, scores)):
        raise BadRecordError("match_scores: expected finite numbers")
    view.match = MatchProgress(
        format=str(MatchFormat.parse(read_text(fields, "match_format"))),
        deal=number,
        scores=scores,
    )
    view.clock = Clock(
        bank=read_number(fields, "bank_left_seconds"),
        increment=read_number(fields, "increment_seconds"),
        limit=read_number(fields, "limit_seconds"),
        latency=0.0,
    )
    return RecordedDecision(view=view, then=None, by_substitute=False)


def play_decision(decision: RecordedDecision, bot: HomeBot) -> TakenDecision:
    """Let a bot take one decision.

    It is told before that the match begins. Raises `HomeBotError`.
    """
    view = decision.view
    seated = bot.seat(f"{bot.name} in seat {view.seat}")
    seated.on_start(
        MatchStarted(
            variant=view.variant, seat=view.seat, match_format=view.match.format, seed=view.seed
        )
    )
    begin = perf_counter()
    action = choose(seated, view)
    return TakenDecision(
        action=action,
        note=read_note(seated),
        seconds=perf_counter() - begin,
        allowance=min(view.clock.bank, view.clock.limit) if view.clock else inf,
    )
