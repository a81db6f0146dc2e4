"""Promise 1: independent implementations, written from the rules alone, agree move for move.

Briscola's has a module of its own. Through `replay_line`, which is all that the command
`mazzo deal run` adds reading and writing to, the same deals check what is refused and where.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import pytest

from mazzo.game import Deal, Variant
from mazzo.games import parse_variant
from mazzo.games.frap import FrapView
from mazzo.record import DealRecord, replay_line
from mazzo.shuffle import SeededShuffles
from support.reference_chiamata import ReferenceChiamata
from support.reference_frap import ReferenceFrap
from support.reference_frusta import ReferenceFrusta
from support.reference_tressette import ReferenceMetaMazzo, ReferencePizzichino
from support.strategies import CASES, Start, choose, examine, legal_codes, start_of


class Reference(Protocol):
    """What every second implementation offers."""

    @property
    def to_move(self) -> int | None: ...

    @property
    def scores(self) -> list[int] | None: ...

    @property
    def result(self) -> dict[str, Any] | None: ...

    def legal(self) -> list[str]: ...

    def apply(self, code: str) -> None: ...


REFERENCES: dict[str, Callable[..., Reference]] = {
    "briscola-chiamata": ReferenceChiamata,
    "frusta": ReferenceFrusta,
    "tressette-meta-mazzo": ReferenceMetaMazzo,
    "tressette-pizzichino": ReferencePizzichino,
    "frap": ReferenceFrap,
}
REFERENCE_CASES = [case for case in CASES if case[0].game.id in REFERENCES]
NAMES = [f"{variant}-{draws}" for variant, draws in REFERENCE_CASES]


def reference_of(start: Start, deal: Deal) -> Reference:
    """The second implementation of a deal before its first action."""
    variant = start.variant
    codes = [card.code for card in variant.game.pack.cards]
    shuffles = [[codes[card] for card in deal.shuffles[0]]]
    if variant.game.id == "frusta":
        discards = _discards_of(start)
        if discards:
            seeded = SeededShuffles(start.seed, start.number)
            shuffles.append([codes[card] for card in seeded.draw("tiebreak", 1, discards)])
    return REFERENCES[variant.game.id](
        variant.players, dict(variant.options), start.dealer, shuffles, {}, start.draws
    )


def _discards_of(start: Start) -> list[int]:
    """What stage 1 of Frusta discards when the start's choices are played."""
    return list(start.finished().actions[:20])


def agree(start: Start) -> None:
    """Side by side, from the first decision to the last."""
    deal = start.deal()
    reference = reference_of(start, deal)
    generator = start.random()
    while deal.seat is not None:
        assert deal.seat == reference.to_move
        assert legal_codes(deal) == reference.legal()
        assert reference.scores is None
        action = choose(deal, generator)
        deal.apply(action)
        reference.apply(deal.variant.game.actions[action].code)
    assert reference.to_move is None
    assert reference.legal() == []
    assert deal.scores is not None
    assert list(deal.scores) == list(reference.scores or [])
    assert deal.result == reference.result


@pytest.mark.parametrize(("variant", "draws"), REFERENCE_CASES, ids=NAMES)
def test_second_implementation_agrees(variant: Variant, draws: str) -> None:
    """Promise 1: a deal is the same, move for move, in an independent implementation."""
    examine(agree, variant, draws, examples=15)


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), REFERENCE_CASES, ids=NAMES)
def test_second_implementation_agrees_at_length(variant: Variant, draws: str) -> None:
    """Promise 1 over 1,000 deals of every variant."""
    examine(agree, variant, draws, examples=1000)


GARBAGE = [
    "",
    " ",
    "Ad ",
    "ad",
    "bid:075",
    "bid:0",
    "bid:121",
    "bid:",
    "say:",
    "pass!",
    "up:8",
    "10d",
]


def spoilt(start: Start, kind: str) -> tuple[dict[str, Any], int]:
    """A record with one action that is not legal, and the step of that action."""
    generator = start.random(kind)
    position = start.position()
    game = start.variant.game
    legal = legal_codes(position)
    others = [action.code for action in game.actions if action.code not in legal]
    match kind:
        case "card":
            bad = [code for code in others if len(code) == 2]
        case "word":
            bad = [code for code in others if len(code) > 2]
        case _:
            bad = [*GARBAGE, *(code.upper() + "?" for code in legal)]
    record = DealRecord.of(position).to_json()
    record["actions"].append(generator.choice(bad or GARBAGE))
    record["actions"] += generator.choices(others or GARBAGE, k=generator.randrange(3))
    return record, len(position.actions)


def refuses(start: Start) -> None:
    """Bad actions are refused at their step, with the position before it; good ones pass."""
    for kind in ("card", "word", "garbage"):
        record, step = spoilt(start, kind)
        answer = replay_line(json.dumps(record), trace=True)
        assert (answer["error"]["code"], answer["error"]["step"]) == ("illegal-action", step)
        assert len(answer["steps"]) == step
        position = start.position()
        assert (answer["to_move"], answer["legal"]) == (position.seat, legal_codes(position))
    # By its seed, since an action may be followed by a shuffle that the record has not yet.
    seeded = replace(DealRecord.of(position), shuffles=None, seed=start.seed, deal=start.number)
    for code in random.Random(step).sample(answer["legal"], min(3, len(answer["legal"]))):
        record = seeded.to_json()
        record["actions"].append(code)
        assert "error" not in replay_line(json.dumps(record))


@pytest.mark.parametrize(("variant", "draws"), CASES, ids=[f"{v}-{d}" for v, d in CASES])
def test_illegal_actions_are_refused_at_their_step(variant: Variant, draws: str) -> None:
    """The deal record: revokes, cards not held, words out of turn and garbage."""
    examine(refuses, variant, draws, examples=5)


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), CASES, ids=[f"{v}-{d}" for v, d in CASES])
def test_illegal_actions_are_refused_at_their_step_at_length(variant: Variant, draws: str) -> None:
    """The same over 300 positions of every variant."""
    examine(refuses, variant, draws, examples=300)


def revoke(deal: Deal) -> list[str]:
    """Cards of the own hand that the suit led forbids."""
    assert deal.seat is not None
    view = deal.view(deal.seat)
    cards = view.legal_mask & (1 << len(deal.variant.game.pack)) - 1
    return [card.code for card in view.hand if cards and not cards >> card & 1]


def card_not_held(deal: Deal) -> list[str]:
    """Cards that are in no hand of the seat to move, while it is to play one."""
    assert deal.seat is not None
    view = deal.view(deal.seat)
    playable = {action.card for action in view.legal}
    cards = deal.variant.game.pack.cards
    return [c.code for c in cards if playable - {None} and c not in playable and c not in view.hand]


def bid_too_low(deal: Deal) -> list[str]:
    """Bids up to the last one, while the auction goes on."""
    bids = [code for code in legal_codes(deal) if code.startswith("bid:")]
    return [f"bid:{number}" for number in range(1, int(bids[0][4:]))] if bids else []


def whist_before_frap(deal: Deal) -> list[str]:
    """Whist, while nobody has called frap."""
    view = deal.view(0)
    return ["whist"] if isinstance(view, FrapView) and view.frapper is None else []


def late_declaration(deal: Deal) -> list[str]:
    """Combinations that are in the hand, and were passed over or declared."""
    assert deal.seat is not None
    hand = deal.view(deal.seat).hand
    held = [f"declare:{rank}" for rank in "32A" if sum(card.rank == rank for card in hand) >= 3] + [
        f"declare:napoletana-{suit}"
        for suit in "dcsb"
        if sum(card.suit == suit and card.rank in "32A" for card in hand) == 3
    ]
    return [code for code in held if code not in legal_codes(deal)]


@pytest.mark.parametrize(
    ("fault", "texts"),
    [
        (revoke, ["frusta", "tressette-meta-mazzo", "tressette-pizzichino", "frap/4"]),
        (card_not_held, ["briscola/2", "briscola-chiamata", "frusta", "frap/6"]),
        (card_not_held, ["tressette-meta-mazzo", "tressette-pizzichino"]),
        (bid_too_low, ["briscola-chiamata", "briscola-chiamata?min-bid=1"]),
        (whist_before_frap, ["frap/2", "frap/12"]),
        (late_declaration, ["tressette-meta-mazzo", "tressette-pizzichino"]),
    ],
)
def test_faults_of_players_are_refused(
    fault: Callable[[Deal], list[str]], texts: list[str]
) -> None:
    """The deal record: what card players do wrong, each in a hundred deals, at every step."""
    for text in texts:
        variant = parse_variant(text)
        found = 0
        for number in range(100):
            deal, generator = start_of(variant, number).deal(), random.Random(number)
            while deal.seat is not None and found < 150:
                for code in fault(deal)[:3]:
                    record = DealRecord.of(deal).to_json()
                    step = len(record["actions"])
                    record["actions"].append(code)
                    answer = replay_line(json.dumps(record))
                    error = answer["error"]
                    assert (error["code"], error["step"]) == ("illegal-action", step)
                    assert answer["legal"] == legal_codes(deal)
                    found += 1
                deal.apply(choose(deal, generator))
        assert found >= 20, text
