"""Deal records: one JSON object a deal, self-contained, so that anyone can replay it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from mazzo.cards import CardError, Pack
from mazzo.errors import BadRecordError, IllegalActionError, VariantError, quote_value
from mazzo.fields import read_int, read_line, read_object, read_text
from mazzo.game import Deal, Variant
from mazzo.games import find_game
from mazzo.options import join_alternatives
from mazzo.shuffle import GivenShuffles, SeededShuffles, SeedError, Shuffles, parse_seed

__all__ = ["DEAL_FORMAT", "DealRecord", "replay", "replay_line"]

DEAL_FORMAT = "mazzo-deal/1"
_MOST_ACTIONS = 10_000  # far above any deal; a longer list is refused unread


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRecord:
    """A deal, or the position that a partial record stands for.

    The shuffles are given, or made from a seed and the number of the deal in its match.
    `scores` and `result` are what the record claims; None where it claims nothing.
    """

    variant: Variant
    dealer: int
    draws: str
    start: Mapping[str, Any]
    shuffles: tuple[tuple[int, ...], ...] | None
    seed: bytes | None
    deal: int | None
    actions: tuple[str, ...]
    overheard: tuple[tuple[int, int, int], ...] = ()  # trick, speaker, opponent
    scores: tuple[int, ...] | None = None
    result: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, deal: Deal) -> DealRecord:
        """Return the record of a deal as it stands."""
        codes = deal.variant.game.actions
        return cls(
            variant=deal.variant,
            dealer=deal.dealer,
            draws=deal.draws,
            start=dict(deal.start),
            shuffles=tuple(tuple(shuffle) for shuffle in deal.shuffles),
            seed=None,
            deal=None,
            actions=tuple(codes[action].code for action in deal.actions),
            overheard=tuple(deal.overheard or ()),
            scores=deal.scores,
            result=deal.result,
        )

    @classmethod
    def from_json(cls, value: object) -> DealRecord:
        """Read a record from JSON; raise `BadRecordError` (and `VariantError`, its kin)."""
        record = read_object(value, "the record")
        if record.get("format") != DEAL_FORMAT:
            raise BadRecordError(
                f"format: expected {DEAL_FORMAT!r}, got {quote_value(record.get('format'))}"
            )
        game = find_game(read_text(record, "game"))
        players = read_int(record, "players")
        options = read_object(record.get("options", {}), "options")
        variant = Variant.of(game, players, options)
        dealer = read_int(record, "dealer")
        if not 0 <= dealer < players:
            raise BadRecordError(
                f"dealer: expected a seat from 0 to {players - 1}, got {quote_value(dealer)}"
            )
        draws = read_text(record, "draws") if "draws" in record else game.draw_modes[0]
        if draws not in game.draw_modes:
            raise BadRecordError(
                f"draws: expected {join_alternatives(game.draw_modes)}, got {quote_value(draws)}"
            )
        shuffles, seed, number = _randomness(record, game.pack)
        return cls(
            variant=variant,
            dealer=dealer,
            draws=draws,
            start=read_object(record.get("start", {}), "start"),
            shuffles=shuffles,
            seed=seed,
            deal=number,
            actions=_actions(record.get("actions", [])),
            overheard=_overheard(record.get("overheard", []), variant),
            scores=_scores(record.get("scores"), players),
            result=None
            if record.get("result") is None
            else read_object(record["result"], "result"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON value."""
        variant, cards = self.variant, self.variant.game.pack.cards
        value: dict[str, Any] = {
            "format": DEAL_FORMAT,
            "game": variant.game.id,
            "players": variant.players,
            "options": {
                option.name: chosen
                for option in variant.game.options
                if (chosen := dict(variant.options).get(option.name)) not in (None, option.default)
            },
            "dealer": self.dealer,
            "draws": self.draws,
            "start": dict(self.start),
        }
        if self.seed is not None:
            value |= {"seed": self.seed.hex(), "deal": self.deal}
        else:
            shuffles = self.shuffles or ()
            value["shuffles"] = [[cards[card].code for card in shuffle] for shuffle in shuffles]
        value["actions"] = list(self.actions)
        if self.overheard:
            value["overheard"] = [list(event) for event in self.overheard]
        if self.scores is not None:
            value |= {"scores": list(self.scores), "result": self.result}
        return value


def replay(record: DealRecord, steps: list[dict[str, Any]] | None = None) -> Deal:
    """Return the deal that the record stands for; `steps`, where given, gathers the decisions.

    Raises `ReplayError` with the position before the bad step.
    """
    given: tuple[tuple[int, ...], ...] | None = None
    shuffles: Shuffles
    if record.seed is not None:
        shuffles = SeededShuffles(record.seed, cast(int, record.deal))
    else:
        given = record.shuffles or ()
        shuffles = GivenShuffles(given, record.overheard)
    game = record.variant.game
    try:
        deal = game.deal(
            record.variant, shuffles, dealer=record.dealer, draws=record.draws, start=record.start
        )
    except (BadRecordError, VariantError) as error:
        raise ReplayError(str(error), "bad-record", None, 0) from error
    codes = {action.code: action for action in game.actions}
    for number, code in enumerate(record.actions):
        action = codes.get(code)
        try:
            if action is None:
                raise _no_such_action(deal, code)
            if steps is not None:
                legal = [option.code for option in game.actions_of(deal.legal)]
                seat = deal.seat
            deal.apply(action)
        except IllegalActionError as error:
            raise ReplayError(str(error), "illegal-action", deal, number) from error
        except BadRecordError as error:
            raise ReplayError(str(error), "bad-record", deal, number) from error
        if steps is not None:
            steps.append({"seat": seat, "legal": legal, "action": code})
    end = len(record.actions)
    if given is not None and len(given) > len(deal.shuffles):
        raise ReplayError(
            f"shuffles: expected {len(deal.shuffles)}, got {len(given)}",
            "bad-record",
            deal,
            end,
        )
    if deal.scores is not None:
        for name, claimed, true in (
            ("scores", record.scores, deal.scores),
            ("result", record.result, deal.result),
        ):
            if claimed is not None and json.dumps(claimed, sort_keys=True) != json.dumps(
                true, sort_keys=True
            ):
                raise ReplayError(
                    f"{name}: the record claims {json.dumps(claimed)}, "
                    f"the deal gives {json.dumps(true)}",
                    "bad-record",
                    deal,
                    end,
                )
    return deal


class ReplayError(BadRecordError):
    """A record that breaks a rule: which code, at which step, and the position before it."""

    def __init__(self, message: str, code: str, deal: Deal | None, step: int) -> None:
        """`deal` is None where the record gives no position at all."""
        super().__init__(message)
        self.code = code
        self.deal = deal
        self.step = step


def _no_such_action(deal: Deal, code: str) -> IllegalActionError:
    """Return the error for a code that is none of the game's."""
    if deal.seat is None:
        return IllegalActionError(f"expected no action, the deal is over, got {quote_value(code)}")
    return IllegalActionError(
        f"expected an action of {deal.variant.game.id}, got {quote_value(code)}"
    )


def replay_line(line: str, *, trace: bool = False, views: bool = False) -> dict[str, Any]:
    """Replay one line of JSON; the answer as `mazzo deal run` writes it. Never raises."""
    steps: list[dict[str, Any]] | None = [] if trace else None
    error: dict[str, Any] | None = None
    deal: Deal | None = None
    try:
        deal = replay(DealRecord.from_json(read_line(line)), steps)
    except ReplayError as refused:
        deal = refused.deal
        error = {"step": refused.step, "code": refused.code, "message": str(refused)}
    except (BadRecordError, VariantError) as refused:
        error = {"step": 0, "code": "bad-record", "message": str(refused)}
    answer = _position(deal)
    if steps is not None:
        answer["steps"] = steps
    if views:
        seats = range(deal.variant.players) if deal else ()
        answer["views"] = [deal.view(seat).to_json() for seat in seats] if deal else []
    if error is not None:
        answer["error"] = error
    return answer


def _position(deal: Deal | None) -> dict[str, Any]:
    if deal is None:
        return {
            "to_move": None,
            "legal": [],
            "over": False,
            "scores": None,
            "result": None,
            "shuffles": [],
        }
    game = deal.variant.game
    cards = game.pack.cards
    return {
        "to_move": deal.seat,
        "legal": [action.code for action in game.actions_of(deal.legal)],
        "over": deal.seat is None,
        "scores": deal.scores,
        "result": deal.result,
        "shuffles": [[cards[card].code for card in shuffle] for shuffle in deal.shuffles],
    }


def _randomness(
    record: Mapping[str, Any], pack: Pack
) -> tuple[tuple[tuple[int, ...], ...] | None, bytes | None, int | None]:
    if "seed" in record or "deal" in record:
        if "shuffles" in record:
            raise BadRecordError("expected shuffles, or a seed and a deal, got both")
        number = read_int(record, "deal")
        if number < 0:
            raise BadRecordError(f"deal: expected a number from 0 on, got {quote_value(number)}")
        text = read_text(record, "seed")
        try:
            seed = parse_seed(text)
        except SeedError as error:
            raise BadRecordError(f"seed: {error}") from error
        if seed.hex() != text:
            raise BadRecordError(
                f"seed: expected lower-case hexadecimal digits, got {quote_value(text)}"
            )
        return None, seed, number
    lists = record.get("shuffles")
    if not isinstance(lists, list) or not all(isinstance(shuffle, list) for shuffle in lists):
        raise BadRecordError(
            f"shuffles: expected a list of lists of cards, got {quote_value(lists)}"
        )
    return tuple(tuple(_card(code, pack) for code in shuffle) for shuffle in lists), None, None


def _card(code: object, pack: Pack) -> int:
    if not isinstance(code, str):
        raise BadRecordError(f"shuffles: expected a card's code, got {quote_value(code)}")
    try:
        return pack.parse(code)
    except CardError as error:
        raise BadRecordError(f"shuffles: {error}") from error


def _actions(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
        raise BadRecordError(f"actions: expected a list of texts, got {quote_value(value)}")
    if len(value) > _MOST_ACTIONS:
        raise BadRecordError(f"actions: expected at most {_MOST_ACTIONS}, got {len(value)}")
    return tuple(value)


def _overheard(value: object, variant: Variant) -> tuple[tuple[int, int, int], ...]:
    if not isinstance(value, list) or not all(map(_is_event, value)):
        raise BadRecordError(
            "overheard: expected a list of [trick, speaker, opponent], all whole numbers, "
            f"got {quote_value(value)}"
        )
    if value and dict(variant.options).get("talk") != "signal":
        raise BadRecordError(
            f"overheard: {variant} has no talk that can be, got {quote_value(value)}"
        )
    side_of = {seat: side for side in variant.sides for seat in side}
    for trick, speaker, opponent in value:
        seats = speaker in side_of and opponent in side_of
        if trick < 0 or not seats or side_of[speaker] == side_of[opponent]:
            raise BadRecordError(
                "overheard: expected a trick from 0 on, a speaker and an opponent of his, "
                f"got {quote_value([trick, speaker, opponent])}"
            )
    return tuple((trick, speaker, opponent) for trick, speaker, opponent in value)


def _is_event(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(type(item) is int for item in value)


def _scores(value: object, players: int) -> tuple[int, ...] | None:
    if value is None:
        return None
    if (
        not isinstance(value, list)
        or len(value) != players
        or not all(isinstance(score, int) and not isinstance(score, bool) for score in value)
    ):
        raise BadRecordError(
            f"scores: expected a list of {players} whole numbers, got {quote_value(value)}"
        )
    return tuple(value)
