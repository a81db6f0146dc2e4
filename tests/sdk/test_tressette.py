"""Tressette in due, both games, rule by rule, and move by move against a second implementation.

The tests are named after the paragraphs and rules of the game's file. Seat 1 deals where nothing
else is said, so seat 0 leads. Cards that are not named fill up in ascending id, honours last.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import permutations, product
from typing import cast

import pytest

from mazzo.cards import ITALIAN, bits
from mazzo.errors import BadRecordError, VariantError
from mazzo.game import Deal, Game, Variant
from mazzo.games import parse_variant
from mazzo.games.tressette import (
    META_MAZZO,
    PIZZICHINO,
    RANK_ORDER,
    THIRDS,
    MetaMazzoDeal,
    PizzichinoDeal,
    PizzichinoView,
)
from mazzo.match import MatchFormat
from mazzo.shuffle import GivenShuffles
from support import reference_tressette as reference
from support.reference_tressette import PACK, ReferenceMetaMazzo, ReferencePizzichino
from support.strategies import CASES, Start, all_variants, examine, legal_codes

META, PIZZ, AUTO = "tressette-meta-mazzo", "tressette-pizzichino", "packets=auto"
GAMES = (META_MAZZO, PIZZICHINO)
TRESSETTE_CASES = [case for case in CASES if case[0].game in GAMES]
SHUFFLED = random.Random(2).sample(PACK, len(PACK))


def lay_out(text: str, deck: list[str], *, dealer: int = 1, draws: str | None = None) -> Deal:
    """A deal of this variant from a pack of codes, top first."""
    variant = parse_variant(text)
    shuffle = [int(ITALIAN.parse(code)) for code in deck]
    return variant.game.deal(variant, GivenShuffles([shuffle]), dealer=dealer, draws=draws)


def filled(parts: Iterable[str], sizes: list[int], order: Iterable[int]) -> list[list[str]]:
    """The named cards of each part, and others up to its size, the parts in this order."""
    named = [*(part.split() for part in parts), *([] for _ in sizes)][: len(sizes)]
    taken = {card for part in named for card in part}
    others = sorted(set(PACK) - taken, key=lambda card: (card[0] in "32A", PACK.index(card)))
    for index in order:
        while len(named[index]) < sizes[index]:
            named[index].append(others.pop(0))
    return named


def meta(cards: str, options: str = "", draws: str | None = None) -> MetaMazzoDeal:
    """A deal with these hands of seats 0 and 1 and this top of the stock, apart by `|`."""
    one, two, stock = filled(cards.split("|"), [10, 10, 20], range(3))
    deck = one[:5] + two[:5] + one[5:] + two[5:] + stock
    return cast(MetaMazzoDeal, lay_out(f"{META}/2?{options}".strip("?"), deck, draws=draws))


def pizz(cards: str, options: str = "") -> PizzichinoDeal:
    """A deal with these packets, apart by `|`: 0 and 1 are up for seat 0, 4 and 5 for seat 1."""
    packets = filled(cards.split("|"), [5] * 8, [2, 3, 6, 7, 0, 1, 4, 5])
    deck = [card for packet in packets for card in packet]
    return cast(PizzichinoDeal, lay_out(f"{PIZZ}/2?{AUTO}&{options}".strip("&"), deck))


def act(deal: Deal, codes: str) -> None:
    """Take these actions, one after the other."""
    for code in codes.split():
        deal.apply(deal.variant.game.parse_action(code))


def others(deal: Deal) -> list[str]:
    """What is legal beside card plays."""
    return [code for code in legal_codes(deal) if code not in PACK]


def run(deal: Deal, script: str) -> None:
    """Act and look: each word begins with a seat; `+A` is `declare:A`, `~d` a napoletana.

    `0:CODE` seat 0 is to move and does this; `0{CODES}` it has these legal actions; `0[CODES]`
    it has these beside card plays; `0(CARDS)` both know these cards to be in its hand; `0=3`
    it has these points for buongiochi in the end (0 if nothing is said).
    """
    points = [0, 0]
    for word in script.replace("~", "+napoletana-").replace("+", "declare:").split():
        seat, kind, text = int(word[0]), word[1], word[2:].rstrip("]})")
        expected = text.split(",") if text else []
        if kind == "=":
            points[seat] = int(text)
        elif kind == "(":
            told = [[card.code for card in deal.view(viewer).known(seat)] for viewer in (0, 1)]
            assert told == [expected, expected], word
        elif kind == ":":
            assert deal.seat == seat, word
            act(deal, text)
        else:
            found = others(deal) if kind == "[" else legal_codes(deal)
            assert (deal.seat, found) == (seat, expected), word
    assert [deal.view(seat).to_json()["buongiochi"] for seat in (0, 1)] == [points, points]


def hand(deal: MetaMazzoDeal | PizzichinoDeal, seat: int) -> set[str]:
    return {card.code for card in deal.hand(seat)}


def play(deal: Deal, generator: random.Random, most: int = 1000) -> None:
    """Random actions, half of the time other than a card play where there are such."""
    while deal.seat is not None and most:
        every = list(bits(deal.legal))
        rare = [action for action in every if action >= 40]
        deal.apply(generator.choice(rare if rare and generator.random() < 0.5 else every))
        most -= 1


# Cards, points, tricks.


def test_points_of_the_cards() -> None:
    """A 3 thirds, 3 2 K H J one, others 0: 32, and 35 with the last trick."""
    assert RANK_ORDER == "32AKHJ7654"
    assert {card.code: THIRDS[card] for card in ITALIAN.cards} == {
        code: {"A": 3, "3": 1, "2": 1, "K": 1, "H": 1, "J": 1}.get(code[0], 0) for code in PACK
    }
    assert sum(THIRDS) + 3 == 35


def test_every_lead_and_answer() -> None:
    """The higher card of the suit led wins, a card thrown off never does; the winner leads."""
    for led, answer in permutations(PACK, 2):
        void = [card for card in PACK if card[1] != led[1] and card != answer]
        deal = meta(f"{led}|{answer} {' '.join(void[:9])}", "buongiochi=off")
        act(deal, f"{led} {answer}")
        view, winner = deal.view(0), int(reference.follower_wins(led, answer))
        assert (deal.seat, view.trick_leader, view.tricks[0].winner) == (winner, winner, winner)
        cards = ITALIAN.parse(led), ITALIAN.parse(answer)
        assert view.beats(cards[1], cards[0]) == bool(winner)
        assert view.thirds[winner] == sum(map(view.card_thirds, cards))
        assert view.thirds[1 - winner] == 0


@pytest.mark.parametrize("game", GAMES)
def test_points_are_rounded_down_for_each_player(game: Game) -> None:
    """15 thirds and the last trick are 6 points, the other's 17 are 5; the last trick counts."""
    found = set()
    for seed in range(100):
        generator = random.Random(seed)
        deal = lay_out(f"{game.id}/2", generator.sample(PACK, 40), dealer=seed % 2)
        play(deal, generator)
        scores, result = deal.scores or (), deal.result or {}
        thirds, declared = result["thirds"], result["buongiochi"]
        took, tricks = [0, 0], deal.view(0).tricks
        for trick in tricks:
            took[trick.winner or 0] += sum(THIRDS[card] for card in trick.cards)
        last = tricks[-1].winner or 0
        took[last] += 3
        assert (len(tricks), took, sum(took)) == (20, thirds, 35)
        assert scores == tuple(t // 3 + b for t, b in zip(thirds, declared, strict=True))
        assert sum(scores) - sum(declared) == 11
        found |= {(thirds[seat], scores[seat] - declared[seat]) for seat in (0, 1)}
    assert found >= {(18, 6), (17, 5)}


def test_the_follower_must_follow_suit_if_he_can() -> None:
    """With the suit led only its cards, without it anything; the leader is free."""
    run(meta("4d 5s|5d 6d 3d 7c 3b Ks 4c 5c 6c Ac"), "0:4d 1{3d,5d,6d}")
    run(meta("4d|4c 5c 6c 7c Jc Hc Kc 4b 5b 6b"), "0:4d 1{4c,5c,6c,7c,Jc,Hc,Kc,4b,5b,6b}")
    assert len(legal_codes(meta(""))) == 10


# Buongiochi.

COMBINATIONS = [  # honours held | what is offered | the cards that the first of it shows
    "3d 3c 3s|3|3d 3c 3s",
    "2d 2s 2b|2|2d 2s 2b",
    "Ad Ac As Ab|A|Ad Ac As Ab",
    "Ac 2c 3c|napoletana-c|Ac 2c 3c",
    "Ab 2b 3b 3d 3c|3 napoletana-b|3d 3c 3b",
    "As 2s 3s Ad 2d 3d|napoletana-d napoletana-s|Ad 2d 3d",
]


@pytest.mark.parametrize(("game", "seat"), [*product(GAMES, (0, 1))])
@pytest.mark.parametrize("row", COMBINATIONS)
def test_buongiochi(game: Game, seat: int, row: str) -> None:
    """Three or four of 3, 2, A, or the three of a suit, in the hand; shown and public."""
    held, *texts = row.split("|")
    offered, shown = (text.split() for text in texts)
    points = len(shown)
    if game is META_MAZZO:
        deal: MetaMazzoDeal | PizzichinoDeal = meta(f"|{held}" if seat else held)
    else:
        deal = pizz(f"{seat * '||||'}4d|5d|{held[:14]}|{held[15:]}")
    if seat:
        act(deal, legal_codes(deal)[0])
    names = [code.removeprefix("declare:") for code in others(deal)]
    assert (deal.seat, names) == (seat, offered)
    left = ",".join("+" + name for name in names[1:])
    run(deal, f"{seat}:+{names[0]} {seat}[{left}] {seat}({','.join(shown)}) {seat}={points}")
    told = [list(declared.values()) for declared in deal.view(1 - seat).to_json()["declarations"]]
    assert told == [[seat, f"declare:{names[0]}", shown, points]]


def test_options_and_the_texts_of_variants() -> None:
    """The options of both games, the further ones of Pizzichino, and what is none."""
    both = {"buongiochi": ["on", "off"], "declare-scope": ["all", "dealt"]}
    more = {"packets": ["ask", "peek", "auto"], "reuse": ["off", "on"]}
    for game, options in ((META_MAZZO, both), (PIZZICHINO, both | more)):
        assert {option.name: list(option.values) for option in game.options} == options
        assert [option.default for option in game.options] == [v[0] for v in options.values()]
        assert str(Variant.of(game, 2, {"buongiochi": False})) == f"{game.id}/2?buongiochi=off"
        assert (game.players, game.sides(2), game.counts_wins) == ((2,), ((0,), (1,)), False)
        with pytest.raises(VariantError, match="declare-scope"):
            Variant.of(game, 2, {"scope": "all"})
        with pytest.raises(BadRecordError, match="inherits nothing"):
            game.deal(Variant.of(game, 2), GivenShuffles([[]]), dealer=0, start={"pot": 1})
        for variant in all_variants(game):
            target = "target:31" if variant.option("buongiochi") == "off" else "target:51"
            assert str(MatchFormat.parse(game.default_match_format(variant))) == target
    assert (META_MAZZO.draw_modes, PIZZICHINO.draw_modes) == (("top", "seats"), ("top",))


def test_actions_by_number() -> None:
    """Card plays, declarations, then `skip`, or packets, ups and plucks."""
    shared = [*PACK, *(f"declare:{rank}" for rank in "32A")]
    shared += [f"declare:napoletana-{suit}" for suit in "dcsb"]
    packets = [f"{verb}:{n}" for verb in ("packet", "up", "pluck") for n in range(8)]
    for game, listed in ((META_MAZZO, [*shared, "skip"]), (PIZZICHINO, shared + packets)):
        assert [action.code for action in game.actions] == listed
        assert [int(action) for action in game.actions] == list(range(len(listed)))
        assert [action.card for action in game.actions[:40]] == list(ITALIAN.cards)


# a Metà Mazzo.


@pytest.mark.parametrize("dealer", [0, 1])
def test_meta_mazzo_rule_1_the_deal(dealer: int) -> None:
    """Rule 1: five and five to the non-dealer and the dealer in turn, then the stock."""
    deal = cast(MetaMazzoDeal, lay_out(f"{META}/2", SHUFFLED, dealer=dealer))
    assert deal.seat == deal.view(0).first_leader == 1 - dealer
    assert hand(deal, 1 - dealer) == set(SHUFFLED[0:5] + SHUFFLED[10:15])
    assert hand(deal, dealer) == set(SHUFFLED[5:10] + SHUFFLED[15:20])
    assert [*map(str, deal.stock())] == SHUFFLED[20:]


META_MAZZO_SCRIPTS = {
    "2 dealt combinations beside the first plays": (
        "Ad Ac As 4d|3d 3c 3s 3b 5d 6c", "0[+A] 0:4d 1{3d,5d,+3} 1:+3 1{3d,5d} 1:5d 1[] 1=4"),
    "2 the first card played gives up the rest": (
        "Ab 2b 3b 3d 3c Kd|4d?declare-scope=dealt",
        "0[+3,~b] 0:+3 0[~b] 0(3d,3c,3b) 0:Kd 1:4d 0[] 0=3"),
    "2 a card serves in a set and in a napoletana": (
        "Ab 2b 3b 3d 3c Kd|4d", "0:~b 0:+3 0(3d,3c,Ab,2b,3b) 0:3c 0(3d,Ab,2b,3b) 0=6"),
    "2 buongiochi off": ("Ad Ac As 4d|3d 3c 3s 3b 5d?buongiochi=off", "0[] 0:4d 1{3d,5d} 1:5d 1[]"),
    "3 the winner draws and is asked, then the loser, then the winner leads": (
        "4d 4c|5d|Ac Kb 7b As",
        "0:4d 1:5d 1{skip} 0() 1(Ac) 1:skip 1[] 0(Kb) 1(Ac) 1:Ac 1() 0:4c 0{skip} 0(As,Kb) "
        "1(7b) 0:skip 1[]"),
    "3 both are asked in turn": (
        "5d Ad As 2b 3b|4d 2d 2c|Ac 2s",
        "0:5d 1:4d 0{+A,skip} 1() 0:+A 0{skip} 1() 0:skip 1(2s) 1{+2,skip} 1:skip 0[] 0=3"),
    "3 three aces declared, the fourth drawn": (
        "Ad Ac As Kd|4d 5d|Ab 4c", "0:+A 0:Kd 1:4d 0{+A,skip} 0:+A 0{skip} 0=7"),
    "3 three aces declared, one played, the fourth drawn": (
        "Ad Ac As Kd|4d 5d|Ab 4c", "0:+A 0:Ad 1:4d 0{+A,skip} 0:+A 0{skip} 0=6"),
    "3 a set and a napoletana with the same drawn card": (
        "Kd 3d 2d Ac As|4d|Ad 4b", "0:Kd 1:4d 0{+A,~d,skip} 0:~d 0{+A,skip} 0:+A 0{skip} 0=6"),
    "3 combinations must hold the card just drawn": (
        "Kd 3d 2d 3c 3s 2c|4d 6c|Ad 4b 3b 5b",
        "0[+3] 0:Kd 1:4d 0{~d,skip} 0:skip 0:2c 1:6c 0{+3,skip} 0:+3 0=4"),
    "3 declare-scope dealt": (
        "5d Ad As|4d 2d 2c|Ac 2s?declare-scope=dealt", "0:5d 1:4d 0[] 0(Ac) 1(2s)"),
    "3 buongiochi off": ("5d Ad As|4d 2d 2c|Ac 2s?buongiochi=off", "0:5d 1:4d 0[] 0(Ac) 1(2s)"),
}  # fmt: skip


@pytest.mark.parametrize(("cards", "script"), META_MAZZO_SCRIPTS.values(), ids=META_MAZZO_SCRIPTS)
def test_meta_mazzo_rule(cards: str, script: str) -> None:
    """Rules 2 and 3: what is asked, drawn, shown and declared, step by step."""
    run(meta(*cards.split("?")), script)


@pytest.mark.parametrize(("draws", "wins"), [*product(["top", "seats"], [0, 1])])
def test_meta_mazzo_draws(draws: str, wins: int) -> None:
    """Mode `seats`: a round's cards belong to non-dealer and dealer; the winner still draws first.

    View: every drawn card and its owner, and how many are left, also in between.
    """
    led, answer = ("4d", "5d") if wins else ("5d", "4d")
    deal = meta(f"{led}|{answer}|2c 3c", draws=draws)
    own, other = ("2c", "3c") if wins == 0 or draws == "top" else ("3c", "2c")
    run(deal, f"0:{led} 1:{answer} {wins}{{skip}} {wins}({own}) {1 - wins}()")
    assert deal.view(0).stock_count == 19
    run(deal, f"{wins}:skip {1 - wins}({other})")
    view = deal.view(0).to_json()
    assert (view["stock_count"], view["drawn"]) == (18, [[wins, own], [1 - wins, other]])


@pytest.mark.parametrize("dealer", [0, 1])
def test_meta_mazzo_draws_by_seats_gives_each_seat_the_same_cards(dealer: int) -> None:
    """Mode `seats`: whoever wins, the stock's cards alternate from the non-dealer on."""
    for seed in range(8):
        deal = lay_out(f"{META}/2", SHUFFLED, dealer=dealer, draws="seats")
        play(deal, random.Random(seed))
        drawn = deal.view(0).to_json()["drawn"]
        assert {card for seat, card in drawn if seat != dealer} == set(SHUFFLED[20::2])


def test_meta_mazzo_rule_4_ten_more_tricks() -> None:
    """Rule 4: after ten tricks the stock is gone; ten more are played."""
    deal = cast(MetaMazzoDeal, lay_out(f"{META}/2?buongiochi=off", SHUFFLED))
    for trick in range(20):
        assert deal.view(0).stock_count == max(0, 20 - 2 * trick)
        assert list(deal.view(0).hand_counts) == [min(10, 20 - trick)] * 2
        play(deal, random.Random(trick), most=2)
    assert (deal.seat, deal.legal, deal.view(0).legal_mask) == (None, 0, 0)


# a Pizzichino.


def codes(verb: str, numbers: Iterable[int]) -> list[str]:
    return [f"{verb}:{number}" for number in numbers]


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("peek", [False, True])
def test_pizzichino_rules_1_and_2_packets(peek: bool, dealer: int) -> None:
    """Rules 1 and 2: four packets and two up for the non-dealer, then two up for the dealer."""
    text, first = f"{PIZZ}/2?packets={'peek' if peek else 'ask'}", 1 - dealer
    deal = cast(PizzichinoDeal, lay_out(text, SHUFFLED, dealer=dealer))
    own, rest, steps = [1, 3, 4, 6], [0, 2, 5, 7], []
    for code in [*codes("packet", [6, 1, 3, 4]), *codes("up", [3, 6, 7, 0])]:
        view = deal.view(first)
        peeks = [[*map(str, deal.view(seat).peeked_cards.values())] for seat in (first, dealer)]
        steps.append([deal.seat, legal_codes(deal), *peeks, [*view.hand_counts], [*view.tops]])
        act(deal, code)
    mine, yours = ([SHUFFLED[5 * n] for n in taken if peek] for taken in (own, rest))
    held = [10 * dealer, 10 * first]
    assert steps == [
        [first, codes("packet", range(8)), [], [], [0, 0], []],
        [first, codes("packet", [0, 1, 2, 3, 4, 5, 7]), [], [], [0, 0], []],
        [first, codes("packet", [0, 2, 3, 4, 5, 7]), [], [], [0, 0], []],
        [first, codes("packet", [0, 2, 4, 5, 7]), [], [], [0, 0], []],
        [first, codes("up", own), mine, [], [0, 0], []],
        [first, codes("up", [1, 4, 6]), mine, [], [0, 0], [3]],
        [dealer, codes("up", rest), [], yours, held, [3, 6]],
        [dealer, codes("up", [0, 2, 5]), [], yours, held, [3, 6, 7]],
    ]
    view = deal.view(dealer)
    assert (deal.seat, view.first_leader, view.peeked) == (first, first, b"")
    assert [[*view.packets_of(seat)] for seat in (first, dealer)] == [own, rest]
    assert [*view.packet_counts] == [5, 0, 0, 5, 0, 0, 5, 5]
    assert [str(card) for card in view.tops.values()] == [SHUFFLED[5 * n] for n in (0, 3, 6, 7)]
    assert ([*view.tops], [*view.tops_of(first)]) == ([0, 3, 6, 7], [3, 6])
    assert hand(deal, first) == set(SHUFFLED[5:10] + SHUFFLED[20:25])
    assert hand(deal, dealer) == set(SHUFFLED[10:15] + SHUFFLED[25:30])


def test_pizzichino_rule_2_automatic() -> None:
    """Rule 2, `auto`: packets 0-3 and 4-7, 0, 1, 4 and 5 up, as if they had been asked."""
    for dealer in (0, 1):
        deal = cast(PizzichinoDeal, lay_out(f"{PIZZ}/2?{AUTO}", SHUFFLED, dealer=dealer))
        asked = cast(PizzichinoDeal, lay_out(f"{PIZZ}/2", SHUFFLED, dealer=dealer))
        act(asked, " ".join([*codes("packet", range(4)), *codes("up", [0, 1, 4, 5])]))
        assert (deal.seat, deal.legal, len(deal.actions)) == (asked.seat, asked.legal, 0)
        for seat in (0, 1):
            view, other = deal.view(seat).to_json(), asked.view(seat).to_json()
            assert [after for after, _ in view["received"]] == [0]
            assert [cards for _, cards in view["received"]] == [c for _, c in other["received"]]
            told = {key: other[key] for key in ("history", "received")}
            assert view | told == other


PIZZICHINO_SCRIPTS = {
    "3 cards under a top oblige nobody": (
        "4d||||4b 5d|5b 6d|4c 5c 6c 7c Jc|Hc Kc 4s 5s 6s",
        "0:4d 1{4c,5c,6c,7c,Jc,Hc,Kc,4s,5s,6s,4b,5b}"),
    "3 a visible top obliges": ("4d||||7d 5d|5b|4c 5c 6c 7c Jc|Hc Kc 4s 5s 6s", "0:4d 1{7d}"),
    "3 and 4 the example": (
        "Hd Ad||||7d|Ab 3d 5s|5c Ks 4b 6c 7c|Jb Hb 6b 7b 5b",
        "0:Hd 1{7d,pluck:5} 1:pluck:5 1{3d,7d,pluck:5} 1(Ab) 1:pluck:5 1{3d,7d} 1(3d,Ab) 1:3d "
        "1(Ab)"),
    "4 one's own honours, as often as there is one": (
        "2d 3c As Kb|Kc|||3s",
        "0[pluck:0] 0:pluck:0 0[pluck:0] 0:pluck:0 0:pluck:0 0[] 0(2d,3c,As)"),
    "5 dealt combinations at the first decision": (
        "2d|4d|3d 3c 3s 2s|As|2b|5d|Ad Ac Ab",
        "0[+3,~s,pluck:0] 0:+3 0[~s,pluck:0] 0:4d 1[+A,pluck:4] 1:+A 1[pluck:4] 0=3 1=3"),
    "5 dealt combinations are lost with a pluck": (
        "2d|4d|3d 3c 3s 2s|As|2b|5d|Ad Ac Ab", "0:pluck:0 0[] 0:4d 1:pluck:4 1[]"),
    "5 tops are not in the hand": ("Ad|Ac|As Ab", "0[pluck:0,pluck:1]"),
    "5 plucked combinations are lost with a play": (
        "Ab 7b|Kd|Ad Ac As||4d", "0:pluck:0 0[+A] 0:Kd 1:4d 0[]"),
    "5 plucked combinations are lost with a pluck": (
        "As 2d|Kd|Ad Ac", "0:pluck:0 0[+A,pluck:0] 0:pluck:0 0[]"),
    "5 a plucked combination must hold the plucked card": ("2s||Ad Ac As 3s 2c", "0:pluck:0 0[~s]"),
    "5 set and napoletana": ("As||Ad Ac 3s 2s", "0:pluck:0 0[+A,~s] 0:~s 0[+A] 0:+A 0=6"),
    "5 reuse off: no rank twice": ("As Ab||Ad Ac", "0:pluck:0 0:+A 0:pluck:0 0[] 0=3"),
    "5 reuse off: napoletane are not affected": (
        "As 2s||Ad Ac 3s", "0:pluck:0 0:+A 0:pluck:0 0[~s] 0:~s 0=6"),
    "5 three passed over, four with the plucked card": (
        "Ab||Ad Ac As", "0:pluck:0 0[+A] 0:+A 0[] 0=4"),
    "5 reuse on": ("Ab||Ad Ac As?reuse=on", "0:+A 0:pluck:0 0[+A] 0:+A 0[] 0=7"),
    "5 declare-scope dealt": (
        "Ab||Ad Ac As?declare-scope=dealt", "0[+A,pluck:0] 0:pluck:0 0[] 0(Ab)"),
    "5 buongiochi off": ("Ab||Ad Ac As?buongiochi=off", "0[pluck:0] 0:pluck:0 0[]"),
}  # fmt: skip


@pytest.mark.parametrize(("cards", "script"), PIZZICHINO_SCRIPTS.values(), ids=PIZZICHINO_SCRIPTS)
def test_pizzichino_rule(cards: str, script: str) -> None:
    """Rules 3 to 5: what is legal, plucked, shown and declared, step by step."""
    run(pizz(*cards.split("?")), script)


def test_pizzichino_rule_3_the_next_card_of_the_packet_shows() -> None:
    """Rule 3: also after a pluck; a packet that is used up has no top."""
    deal = pizz("4d Ac 5d 6d 7d||||Kd Ab")
    looks = []
    for code in ["4d", "Kd", "pluck:4"]:
        act(deal, code)
        view = deal.view(1).to_json()
        looks.append([(view["packets"][n]["shown"], view["packets"][n]["count"]) for n in (0, 4)])
    shown = ["Kd", "Ab", str(deal.packet(4)[0])]
    assert looks == [[(["4d", "Ac"], 4), (shown[:n], 6 - n)] for n in (1, 2, 3)]
    assert [*deal.view(0).hand_counts] == [10, 11]
    play(deal, random.Random(1))
    assert (deal.view(0).tops, [*deal.view(0).packet_counts]) == ({}, [0] * 8)


# Views: what is hidden.


@pytest.mark.parametrize(("variant", "draws"), TRESSETTE_CASES)
def test_views_hide_covered_cards_from_their_owner_too(variant: Variant, draws: str) -> None:
    """View: what lies in the stock, or under a top, is in nobody's view; `unseen` is exact."""
    moved = 0
    for seed in range(40):
        deck = random.Random(seed).sample(PACK, 40)
        deal = lay_out(str(variant), deck, draws=draws)
        play(deal, random.Random(seed), most=seed)
        if isinstance(deal, MetaMazzoDeal):
            hidden = set(deal.stock())
        else:
            deal = cast(PizzichinoDeal, deal)
            hidden = {card for packet in range(8) for card in deal.packet(packet)[1:]}
        places = [place for place, card in enumerate(deal.shuffles[0]) if card in hidden]
        mixed, swapped = list(deck), random.Random(seed).sample(places, len(places))
        for place, other in zip(places, swapped, strict=True):
            mixed[place] = deck[other]
        twin = lay_out(str(variant), mixed, draws=draws)
        for action in deal.actions:
            twin.apply(action)
        moved += mixed != deck
        for seat in (0, 1):
            view = deal.view(seat)
            assert twin.view(seat) == view
            unseen = hidden | set(deal.view(1 - seat).hand) - set(view.known(1 - seat))
            if isinstance(deal, PizzichinoDeal) and isinstance(view, PizzichinoView):
                closed = {card for n in range(8) for card in deal.packet(n)[:1]}
                unseen |= closed - {*view.tops.values(), *view.peeked_cards.values()}
            assert set(view.unseen) == unseen
    assert moved >= 15


# The second implementation.


def agree(start: Start) -> None:
    """The deal and the second implementation, side by side, from the first card to the last."""
    deal = cast(MetaMazzoDeal | PizzichinoDeal, start.deal())
    game, generator = start.variant.game, start.random()
    options, deck = dict(start.variant.options), [str(ITALIAN.cards[n]) for n in deal.shuffles[0]]
    second = ReferenceMetaMazzo if game is META_MAZZO else ReferencePizzichino
    table = second(2, options, start.dealer, [deck], draws=start.draws)
    while True:
        assert (deal.seat, legal_codes(deal)) == (table.to_move, table.legal())
        view = deal.view(generator.randrange(2))
        assert [list(view.thirds), list(view.buongiochi)] == [table.thirds, table.buongiochi]
        assert [hand(deal, seat) for seat in (0, 1)] == [set(cards) for cards in table.hands]
        assert (None if deal.scores is None else list(deal.scores)) == table.scores
        assert deal.result == table.result
        if deal.seat is None:
            return
        play(deal, generator, most=1)
        table.apply(game.actions[deal.actions[-1]].code)


@pytest.mark.parametrize("examples", [15, pytest.param(2000, marks=pytest.mark.prove)])
@pytest.mark.parametrize(("variant", "draws"), TRESSETTE_CASES)
def test_second_implementation_agrees(variant: Variant, draws: str, examples: int) -> None:
    """Promise 1: a deal is the same, move for move, in an independent implementation."""
    examine(agree, variant, draws, examples=examples)
