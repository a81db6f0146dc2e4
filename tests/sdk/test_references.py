"""The plain second implementations against the examples and the totals of the rules."""

from __future__ import annotations

import random
from itertools import product
from typing import Protocol

import pytest

from support import reference_chiamata as chiamata
from support import reference_frusta as frusta
from support import reference_tressette as tressette
from support.reference_chiamata import ReferenceChiamata
from support.reference_frusta import ReferenceFrusta
from support.reference_tressette import ReferenceMetaMazzo, ReferencePizzichino

PACK = chiamata.PACK


class Reference(Protocol):
    """What the references have in common."""

    to_move: int | None
    scores: list[int] | None
    result: dict[str, object] | None

    def legal(self) -> list[str]: ...

    def apply(self, code: str) -> None: ...


def pack_from(text: str) -> list[str]:
    """A pack with these cards on top and the others in ascending id below."""
    top = text.split()
    return top + [card for card in PACK if card not in top]


def do(deal: Reference, text: str) -> None:
    """Apply actions, each with the seat that must be to move before it: `1:Ad 0:pass`."""
    for word in text.split():
        seat, code = word.split(":", 1)
        assert deal.to_move == int(seat)
        deal.apply(code)


def play_out(deal: Reference, rng: random.Random) -> int:
    """Play at random to the end; the number of actions."""
    count = 0
    while deal.to_move is not None:
        assert deal.scores is None
        assert deal.result is None
        codes = deal.legal()
        assert len(set(codes)) == len(codes) > 0
        wanted = "pass" if "pass" in codes and rng.randrange(2) else rng.choice(codes)
        deal.apply(wanted)
        count += 1
    assert deal.legal() == []
    with pytest.raises(ValueError, match="not legal"):
        deal.apply("Ad")
    return count


def shuffled(rng: random.Random) -> list[str]:
    """A pack in random order."""
    return rng.sample(PACK, 40)


def test_no_wrong_action_changes_anything() -> None:
    deals: list[Reference] = [
        ReferenceChiamata(5, {}, 0, [PACK]),
        ReferenceFrusta(2, {}, 0, [PACK]),
        ReferenceMetaMazzo(2, {}, 0, [PACK]),
        ReferencePizzichino(2, {}, 0, [PACK]),
    ]
    for deal in deals:
        before = repr(vars(deal))
        for code in ("", "Ax", "Kb", "bid:60", "bid:061", "skip", "up:0", "declare:3"):
            with pytest.raises(ValueError, match="not legal"):
                deal.apply(code)
        assert repr(vars(deal)) == before


# Briscola chiamata


def test_chiamata_auction() -> None:
    deal = ReferenceChiamata(5, {}, 0, [PACK])
    assert deal.hands[1] == PACK[:8]
    do(deal, "1:bid:61 2:bid:65 3:pass 4:bid:70 0:pass 1:pass 2:bid:71 4:pass 2:trump:s")
    assert deal.legal() == ["call:" + card for card in PACK]
    do(deal, "2:call:Ab")
    assert (deal.caller, deal.holder, deal.to_move) == (2, 4, 1)
    assert deal.legal() == sorted(deal.hands[1], key=PACK.index)


def test_chiamata_ends_of_the_auction() -> None:
    deal = ReferenceChiamata(5, {"min-bid": "119"}, 3, [PACK])
    assert deal.legal() == ["bid:119", "bid:120", "pass"]
    do(deal, "4:pass 0:pass 1:pass 2:pass 3:pass")
    assert (deal.scores, deal.result, deal.to_move) == ([0] * 5, {}, None)
    deal = ReferenceChiamata(5, {}, 3, [PACK])
    do(deal, "4:pass 0:pass 1:pass 2:pass 3:bid:61 3:trump:d")
    deal = ReferenceChiamata(5, {"called": "trump-only", "lead": "caller"}, 3, [PACK])
    do(deal, "4:pass 0:bid:61 1:bid:120 1:trump:b")
    assert deal.legal() == ["call:" + card for card in PACK[30:]]
    do(deal, "1:call:Kb")
    assert deal.to_move == 1


@pytest.mark.parametrize(
    ("caller", "holder", "bid", "points", "scores"),
    [
        (2, 4, 71, [20, 20, 45, 9, 26], [-1, -1, 2, -1, 1]),
        (2, 4, 72, [20, 20, 45, 9, 26], [1, 1, -2, 1, -1]),
        (0, 0, 61, [61, 59, 0, 0, 0], [4, -1, -1, -1, -1]),
        (0, 0, 62, [61, 59, 0, 0, 0], [-4, 1, 1, 1, 1]),
    ],
)
def test_chiamata_scores(
    caller: int, holder: int, bid: int, points: list[int], scores: list[int]
) -> None:
    assert chiamata.settle(caller, holder, bid, points) == scores


@pytest.mark.parametrize(
    ("cards", "winner"), [("Kb 3b", "3b"), ("As 2c", "2c"), ("7d 5d", "7d"), ("2d As", "2d")]
)
def test_chiamata_trick(cards: str, winner: str) -> None:
    assert chiamata.winning_card(cards.split(), "c") == winner


@pytest.mark.parametrize("called", ["any", "trump-only"])
def test_chiamata_totals(called: str) -> None:
    rng = random.Random(1)
    for number in range(20):
        deal = ReferenceChiamata(5, {"called": called}, number % 5, [shuffled(rng)])
        play_out(deal, rng)
        assert deal.scores is not None
        assert sum(deal.scores) == 0
        assert sum(deal.points) == (120 if deal.result else 0)


# Frusta


def test_frusta_following() -> None:
    assert frusta.may_follow(["2c", "2d", "5s"], "Ac", "d") == ["2c"]
    assert frusta.may_follow(["2c", "2d", "5s"], "Ac", "d", "free-discard") == ["2c", "5s"]
    for follow in ("strict", "free-discard"):
        assert frusta.may_follow(["2d", "5s"], "Ac", "d", follow) == ["2d", "5s"]
    assert frusta.may_follow(["2d", "5s"], "Ad", "d", "free-discard") == ["2d", "5s"]
    assert frusta.follower_wins("Ac", "2d", "d")
    assert not frusta.follower_wins("Ac", "5s", "d")
    assert frusta.follower_wins("Ks", "3s", "d")


def test_frusta_stage_1_counts_nothing() -> None:
    hands = "Ad 3d 4d 5d 6d 7d Jd Hd Kd Ac Ab 2b 3b 4b 5b 6b 7b Jb Hb Kb"
    stock = "2d Hs As Js 3s 7s Ks 6s 2s 3c 4s Kc 5s Hc 2c Jc 4c 7c 5c 6c"
    deal = ReferenceFrusta(2, {}, 0, [pack_from(hands + " " + stock)])
    do(deal, "1:Ac 0:Kb 1:Ad 0:Ab 1:3d 0:2b 1:4d 0:3b 1:5d 0:4b 1:6d 0:5b 1:7d 0:6b 1:Jd 0:7b")
    do(deal, "1:Hd 0:Jb 1:Kd 0:Hb")
    assert deal.stock == []
    assert deal.tricks == [0, 0]
    assert set(deal.hands[1]) == set(stock.split()[0::2])
    do(deal, "1:2d 0:6c 1:As 0:6s 1:3s 0:7s 1:Ks 0:Js 1:2s 0:Hs 0:3c 1:2c 0:Kc 1:4c 0:Hc 1:5c")
    do(deal, "0:Jc 1:4s 0:7c")
    do(deal, "1:5s")
    assert [deal.scores, deal.result] == [[6, 4], {"tiebreak": False}]


@pytest.mark.parametrize("follow", ["strict", "free-discard"])
def test_frusta_totals_and_tiebreak(follow: str) -> None:
    rng = random.Random(2)
    tiebreaks = 0
    for number in range(40):
        shuffles = [shuffled(rng)]
        deal = ReferenceFrusta(2, {"follow": follow}, number % 2, shuffles)
        try:
            assert play_out(deal, rng) == 40
        except LookupError:
            tiebreaks += 1
            assert deal.to_move is not None
            last_wins = frusta.follower_wins(str(deal.led), deal.legal()[0], deal.trump)
            leader = deal.to_move if last_wins else 1 - deal.to_move
            before = repr(vars(deal))
            with pytest.raises(LookupError):
                deal.apply(deal.legal()[0])
            assert repr(vars(deal)) == before
            shuffles.append(rng.sample(deal.discards, 20))
            cards = shuffles[1][:2] if leader == deal.first else shuffles[1][1::-1]
            play_out(deal, rng)
            expected = [5, 5]
            follower_won = frusta.follower_wins(cards[0], cards[1], deal.trump)
            expected[1 - leader if follower_won else leader] = 6
            assert deal.scores == expected
        assert deal.scores is not None
        assert deal.result == {"tiebreak": len(shuffles) == 2}
        assert sum(deal.scores) == (11 if len(shuffles) == 2 else 10)
    assert tiebreaks


# Tressette in Due


def test_tressette_points_and_tricks() -> None:
    assert (tressette.card_points(18), tressette.card_points(17)) == (6, 5)
    assert not tressette.follower_wins("4d", "3c")
    assert tressette.follower_wins("Ad", "2d")


ACES = "Ad Ac As 4d 5d 4c 5c 4s 5s 4b 6d 7d 6c 7c 6s 6b 7b Jb Hb Kb"  # seat 1 has five and five


@pytest.mark.parametrize("draws", ["top", "seats"])
def test_meta_mazzo_three_aces_and_the_fourth(draws: str) -> None:
    deal = ReferenceMetaMazzo(2, {}, 0, [pack_from(ACES + " Ab Jd 3d 3s")], draws=draws)
    assert deal.hands[1] == ["Ad", "Ac", "As", "4d", "5d", "6d", "7d", "6c", "7c", "6s"]
    do(deal, "1:declare:A 1:7d 0:4b")
    assert deal.legal() == ["declare:A", "skip"]
    do(deal, "1:declare:A")
    assert deal.legal() == ["skip"]
    do(deal, "1:skip")
    assert deal.buongiochi == [0, 7]
    assert deal.to_move == 1
    assert "declare:A" not in deal.legal()


def test_meta_mazzo_one_of_the_three_played() -> None:
    deal = ReferenceMetaMazzo(2, {}, 0, [pack_from(ACES + " Ab 3d 3s 2d")])
    do(deal, "1:declare:A 1:Ad 0:4b 1:declare:A 1:skip")
    assert deal.buongiochi == [0, 6]
    assert deal.legal() == ["skip"]  # the loser's three makes nothing, and he is asked
    do(deal, "0:skip 1:Ac")


@pytest.mark.parametrize(("draws", "drawn"), [("top", ["As", "2s"]), ("seats", ["2s", "As"])])
def test_meta_mazzo_draws(draws: str, drawn: list[str]) -> None:
    deal = ReferenceMetaMazzo(2, {}, 0, [PACK], draws=draws)
    do(deal, "1:4d 0:6d")
    assert deal.hands[0][-1] == drawn[0]
    assert len(deal.hands[1]) == 9  # the loser draws when the winner has said skip
    do(deal, "0:skip")
    assert deal.hands[1][-1] == drawn[1]
    do(deal, "1:skip 0:7d")


def test_meta_mazzo_options() -> None:
    deal = ReferenceMetaMazzo(2, {"buongiochi": "off"}, 0, [pack_from(ACES + " Ab 3d")])
    assert "declare:A" not in deal.legal()
    do(deal, "1:7d 0:4b 1:Ab")
    deal = ReferenceMetaMazzo(2, {"declare-scope": "dealt"}, 0, [pack_from(ACES + " Ab 3d")])
    do(deal, "1:declare:A 1:7d 0:4b 1:Ab")


def test_pizzichino_following_and_plucking() -> None:
    deal = ReferencePizzichino(2, {"packets": "auto"}, 1, [PACK])
    deal.hands = [["Hd"], ["5c", "Ks"]]
    deal.packets = [[], [], [], [], ["7d"], ["Ab", "3d"], [], []]
    deal.open = [[], []]
    do(deal, "0:Hd")
    assert deal.legal() == ["7d", "pluck:5"]
    do(deal, "1:pluck:5")
    assert deal.legal() == ["3d", "7d", "pluck:5"]
    do(deal, "1:pluck:5")
    assert deal.legal() == ["3d", "7d"]


def test_pizzichino_packets() -> None:
    deal = ReferencePizzichino(2, {}, 1, [PACK])
    do(deal, "0:packet:7 0:packet:0 0:packet:2")
    assert deal.legal() == ["packet:1", "packet:3", "packet:4", "packet:5", "packet:6"]
    do(deal, "0:packet:4")
    assert deal.legal() == ["up:0", "up:2", "up:4", "up:7"]
    do(deal, "0:up:7 0:up:2")
    assert deal.legal() == ["up:1", "up:3", "up:5", "up:6"]
    do(deal, "1:up:1 1:up:5")
    assert sorted(deal.hands[0]) == sorted(PACK[0:5] + PACK[20:25])
    plays = ["Ad", "2d", "3d", "4d", "5d", "Ac", "As", "2s", "3s", "4s", "5s", "6b"]
    declarations = ["declare:napoletana-d", "declare:napoletana-s"]
    assert deal.legal() == [*plays, *declarations, "pluck:2"]
    do(deal, "0:pluck:2")
    assert deal.legal() == [*plays[:6], "2c", *plays[6:], "declare:A", "pluck:2"]


# Seat 0 has packets 2 and 3 in the hand, with three aces and a napoletana in swords, and the
# fourth ace on top of packet 0.
FOUR_ACES = "Ab 4d 5d 6d 7d Jd Hd Kd 4c 5c Ad Ac As 2s 3s 6c 7c Jc Hc Kc"


@pytest.mark.parametrize(
    ("reuse", "script", "offered", "points"),
    [
        ("off", "declare:A declare:napoletana-s pluck:0", [], 6),
        ("on", "declare:A pluck:0", ["declare:A"], 3),
        ("off", "pluck:0", ["declare:A"], 0),
        ("off", "pluck:0 declare:A", [], 4),
        ("on", "declare:napoletana-s pluck:0 declare:A", [], 7),
    ],
)
def test_pizzichino_declarations(reuse: str, script: str, offered: list[str], points: int) -> None:
    options = {"packets": "auto", "reuse": reuse}
    deal = ReferencePizzichino(2, options, 1, [pack_from(FOUR_ACES)])
    assert [c for c in deal.legal() if ":" in c] == [
        "declare:A",
        "declare:napoletana-s",
        "pluck:0",
    ]
    for code in script.split():
        deal.apply(code)
    assert [c for c in deal.legal() if ":" in c] == offered
    assert deal.buongiochi == [points, 0]


MODES = [
    (game, {"buongiochi": buongiochi, "declare-scope": scope} | more, draws)
    for buongiochi, scope in product(["on", "off"], ["all", "dealt"])
    for game, more, draws in [
        (ReferenceMetaMazzo, {}, "top"),
        (ReferenceMetaMazzo, {}, "seats"),
        (ReferencePizzichino, {}, "top"),
        (ReferencePizzichino, {"packets": "peek", "reuse": "on"}, "top"),
        (ReferencePizzichino, {"packets": "auto"}, "top"),
    ]
]


@pytest.mark.parametrize(("game", "options", "draws"), MODES)
def test_tressette_totals(
    game: type[ReferenceMetaMazzo] | type[ReferencePizzichino],
    options: dict[str, str],
    draws: str,
) -> None:
    rng = random.Random(3)
    for number in range(8):
        deal = game(2, options, number % 2, [shuffled(rng)], draws=draws)
        assert play_out(deal, rng) >= 40
        assert deal.scores is not None
        assert sum(deal.thirds) == 35
        assert sum(deal.scores) == 11 + sum(deal.buongiochi)
        assert options["buongiochi"] == "on" or deal.buongiochi == [0, 0]
