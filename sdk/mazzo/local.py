"""Plays bots against each other in process: no server, no network, the same rules.

The seeds of the bots and the numbers of their decisions are those that a game master
would give, so a bot that answers by its view and `view.random` plays the same here.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mazzo.bot import Bot, MatchEnded, MatchStarted, choose, expect_bot, note_of
from mazzo.errors import BotError
from mazzo.game import Deal, Variant
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.mistakes import not_legal
from mazzo.record import DealRecord
from mazzo.shuffle import SEED_BYTES, bot_seed, seating_salt

__all__ = ["LocalMatch", "play_deal", "play_match"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalMatch:
    """A match that was played; everything is by seat."""

    scores: tuple[Fraction, ...]  # match scores
    ranking: tuple[int, ...]  # 1 for the best, ties share
    deal_sums: tuple[int, ...]  # sums of the deal scores
    deals: tuple[DealRecord, ...]
    notes: tuple[tuple[str, ...], ...]  # of each deal, what was logged at each of its actions
    seed: bytes


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
    seed = secrets.token_bytes(SEED_BYTES) if seed is None else seed
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
            raise BotError(f"{type(bot).__name__}.act: {not_legal(view, action)}")
        notes.append(note_of(bot))
        deal.apply(action)
        if watch is not None:
            watch(deal)
    return tuple(notes)
