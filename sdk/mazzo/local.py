"""Plays bots against each other in process: no server, no network, the same rules.

The seeds of the bots and the numbers of their decisions are those that a game master
would give, so a bot that answers by its view and `view.random` plays the same here.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, stdev

from mazzo.bot import Bot, MatchEnded, MatchStarted, choose, expect_bot, read_note
from mazzo.errors import BotError, quote_value
from mazzo.game import Deal, Variant
from mazzo.games import parse_variant
from mazzo.illegal_actions import explain_illegal_action
from mazzo.match import Match, MatchFormat
from mazzo.record import DealRecord
from mazzo.shuffle import SEED_BYTES, Stream, bot_seed, seating_salt

__all__ = ["Comparison", "LocalMatch", "play_deal", "play_match", "play_mirrored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalMatch:
    """A match that was played; everything is by seat."""

    scores: tuple[Fraction, ...]  # match scores
    ranking: tuple[int, ...]  # 1 for the best, ties share
    deal_sums: tuple[int, ...]  # sums of the deal scores, and shares of what the last deal left
    deals: tuple[DealRecord, ...]
    notes: tuple[tuple[str, ...], ...]  # of each deal, what was logged at each of its actions
    seed: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What bots scored on mirrored deals; everything is by bot."""

    deals: int  # played in all
    scores: tuple[float, ...]  # mean score per deal
    errors: tuple[float, ...]  # standard error of each, by mirror groups; infinite with only one


def play_match(
    variant: Variant | str,
    bots: Sequence[Bot],
    *,
    seed: bytes | None = None,
    match_format: str | None = None,
    draws: str | None = None,
    seating: int = 0,
    watch: Callable[[Deal], None] | None = None,
) -> LocalMatch:
    """Play one match, one bot a seat.

    `seed` is 32 bytes (None: from the system), `match_format` a text such as "deals:2"
    (None: the game's own), `draws` one of the game's drawing modes. `watch` is called with
    each deal before its first action and after every action. Raises `BotError` at the first
    action that is not legal, and lets through whatever else a bot raises.
    """
    if isinstance(variant, str):
        variant = parse_variant(variant)
    if len(bots) != variant.players:
        raise ValueError(f"{variant} has {variant.players} seats, got {len(bots)} bots")
    for seat, bot in enumerate(bots):
        expect_bot(bot, f"seat {seat}")
    seed = _seed(seed)
    text = match_format or variant.game.default_match_format(variant)
    match = Match(variant, seed, MatchFormat.parse(text), draws=draws)
    salt = seating_salt(seed, seating)
    seeds = [bot_seed(seed, salt, seat) for seat in range(variant.players)]
    numbers = [0] * variant.players
    started = [
        MatchStarted(variant=variant, seat=seat, match_format=str(match.format), seed=seeds[seat])
        for seat in range(variant.players)
    ]
    for seat, bot in enumerate(bots):
        bot.on_start(started[seat])
    records, notes = [], []
    while not match.over:
        notes.append(play_deal(match.deal, bots, seeds=seeds, numbers=numbers, watch=watch))
        records.append(DealRecord.of(match.deal))
        match.advance()
    scores = tuple(map(float, match.scores))
    for seat, bot in enumerate(bots):
        bot.on_end(MatchEnded(started=started[seat], scores=scores, ranking=match.ranking))
    return LocalMatch(
        scores=match.scores,
        ranking=match.ranking,
        deal_sums=tuple(match.deal_sums),
        deals=tuple(records),
        notes=tuple(notes),
        seed=seed,
    )


def play_mirrored(
    variant: Variant | str, bots: Sequence[Bot], *, deals: int, seed: bytes | None = None
) -> Comparison:
    """Compare bots, one for each side, on deals that each of them plays on every side.

    So good cards help all of them alike, as in tournaments. At least `deals` deals are played,
    in whole mirror groups: a match of as many deals as there are sides, once with the bots in
    their order, then with all of them one side further, and so on. The same bot may be there
    more than once. `seed` and errors are as with `play_match`.
    """
    if isinstance(variant, str):
        variant = parse_variant(variant)
    sides = variant.sides
    size = len(sides)
    if len(bots) != size:
        raise ValueError(f"{variant} has {size} sides, got {len(bots)} bots")
    if deals < 1:
        raise ValueError(f"expected at least 1 deal, got {deals}")
    seed = _seed(seed)
    side_of = {seat: side for side, seats in enumerate(sides) for seat in seats}
    means: list[list[float]] = [[] for _ in bots]  # by bot, of each mirror group
    for group in range(math.ceil(deals / size**2)):
        group_seed = Stream(seed, f"mirrored/{group}").digest()
        sums = [0] * size
        for turn in range(size):
            match = play_match(
                variant,
                [bots[side_of[seat] - turn] for seat in range(variant.players)],
                seed=group_seed,
                match_format=f"deals:{size}",
                draws=variant.game.fair_draws,
                seating=turn,
            )
            for side, seats in enumerate(sides):
                sums[side - turn] += match.deal_sums[seats[0]]
        for bot in range(size):
            means[bot].append(sums[bot] / size**2)
    groups = len(means[0])
    return Comparison(
        deals=groups * size**2,
        scores=tuple(map(mean, means)),
        errors=tuple(
            stdev(values) / math.sqrt(groups) if groups > 1 else math.inf for values in means
        ),
    )


def _seed(given: bytes | None) -> bytes:
    if given is None:
        return secrets.token_bytes(SEED_BYTES)
    if not isinstance(given, bytes) or len(given) != SEED_BYTES:
        raise ValueError(f"seed: expected {SEED_BYTES} bytes, got {quote_value(given)}")
    return given


def play_deal(
    deal: Deal,
    bots: Sequence[Bot],
    *,
    seeds: Sequence[bytes],
    numbers: list[int],
    watch: Callable[[Deal], None] | None = None,
) -> tuple[str, ...]:
    """Play a deal to its end; what was logged at each of its actions, empty for nothing.

    `numbers` counts each seat's decisions on from what it holds.
    """
    notes = []
    if watch is not None:
        watch(deal)
    while (seat := deal.seat) is not None:
        numbers[seat] += 1
        view = deal.view(seat)
        view.seed, view.number = seeds[seat], numbers[seat]
        bot = bots[seat]
        action = choose(bot, view)
        if not deal.legal >> action & 1:
            raise BotError(f"{type(bot).__name__}.act: {explain_illegal_action(view, action)}")
        notes.append(read_note(bot))
        deal.apply(action)
        if watch is not None:
            watch(deal)
    return tuple(notes)
