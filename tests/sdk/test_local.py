"""Bots against each other in process."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from operator import add

import pytest

from mazzo import Action, Bot, Card, View
from mazzo.bot import choose
from mazzo.cards import FRENCH, ITALIAN
from mazzo.errors import BotError, MatchFormatError, VariantError
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.local import LocalMatch, play_match, play_mirrored
from mazzo.record import replay
from mazzo.shuffle import SeededShuffles, bot_seed, seating_salt
from support.strategies import CASES

SEED = bytes(range(32))


class Lowest(Bot):
    """Plays its first legal action; cards come first."""

    def act(self, view: View) -> Action | Card:
        return view.legal[0]


class Chancy(Bot):
    """Plays by its own randomness, and keeps what it was given."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, bytes]] = []

    def act(self, view: View) -> Action | Card:
        self.seen.append((view.number, view.seed))
        return view.random.choice(view.legal)


class Fixed(Bot):
    """Returns one thing, whatever it is asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, view: View) -> Action | Card:
        return self.answer  # type: ignore[return-value]


class Card0(Bot):
    """Returns a card rather than the action that plays it."""

    def act(self, view: View) -> Action | Card:
        return view.hand[0]


def chancy_match(variant: Variant | str, draws: str | None = None, seating: int = 0) -> LocalMatch:
    players = (parse_variant(variant) if isinstance(variant, str) else variant).players
    bots = [Chancy() for _ in range(players)]
    return play_match(variant, bots, seed=SEED, draws=draws, seating=seating)


DEFAULTS = [case for case in CASES if "?" not in case[0].text]


@pytest.mark.parametrize(
    ("variant", "draws"), DEFAULTS, ids=[f"{variant}-{draws}" for variant, draws in DEFAULTS]
)
def test_promise_5_same_seed_same_match(variant: Variant, draws: str) -> None:
    """Promise 5: the result depends on the seed and the bots alone; every record replays."""
    first, again = chancy_match(variant, draws), chancy_match(variant, draws)
    assert first == again
    assert first.seed == SEED
    for record in first.deals:
        assert record.draws == draws
        deal = replay(record)
        assert deal.scores == record.scores
        assert deal.seat is None
    shares = replay(first.deals[-1]).leftover  # what Frap leaves in the pot is split
    sums = [sum(r.scores[seat] for r in first.deals if r.scores) for seat in range(variant.players)]
    assert first.deal_sums == tuple(map(add, sums, shares))
    assert sorted(first.ranking)[0] == 1


def test_promise_4_another_seating_deals_the_same_cards_to_other_randomness() -> None:
    """Promise 4: two seatings share the shuffles, and nothing that a bot is given."""
    one, two = chancy_match("briscola/3"), chancy_match("briscola/3", seating=1)
    assert [record.shuffles for record in one.deals] == [record.shuffles for record in two.deals]
    assert [record.actions for record in one.deals] != [record.actions for record in two.deals]


def test_seeds_and_numbers_are_those_of_the_rules() -> None:
    """Rules, "Views": each seat's decisions are numbered for that seat, through the match."""
    bots = [Chancy(), Chancy(), Chancy(), Chancy()]
    match = play_match("briscola/4", bots, seed=SEED, seating=3)
    salt = seating_salt(SEED, 3)
    assert sum(len(bot.seen) for bot in bots) == sum(len(deal.actions) for deal in match.deals)
    for seat, bot in enumerate(bots):
        assert [number for number, _ in bot.seen] == list(range(1, len(bot.seen) + 1))
        assert {seed for _, seed in bot.seen} == {bot_seed(SEED, salt, seat)}


def test_a_bots_randomness_is_its_own() -> None:
    """`view.random` is the same for the same decision, another for the next one."""
    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(SEED, 0), dealer=0).view(1)
    view.seed, view.number = b"seed", 1
    first = view.random.random()
    assert view.random.random() == first
    view.number = 2
    assert view.random.random() != first


def test_one_bot_may_sit_in_every_seat() -> None:
    """A bot keeps no state, so one instance may play with itself, and a card is an action."""
    bot = Lowest()
    match = play_match("briscola/2", [bot, bot], seed=SEED, match_format="deals:2")
    assert len(match.deals) == 2
    assert sum(match.scores) == Fraction(2)
    same = play_match("briscola/2", [Card0(), Card0()], seed=SEED, match_format="deals:2")
    assert same == match


def test_without_a_seed_every_match_is_another() -> None:
    """The seed comes from the system, and is handed back so that the match can be repeated."""
    bots = [Lowest(), Lowest()]
    match = play_match("briscola/2", bots)
    assert len(match.seed) == 32
    assert play_match("briscola/2", bots, seed=match.seed) == match
    assert play_match("briscola/2", bots).seed != match.seed


@pytest.mark.parametrize(
    "answer", [None, "Ad", -1, 56, 10**9, 1.0, True, [0], object, FRENCH.parse("As")], ids=repr
)
def test_nonsense_is_a_bot_error(answer: object) -> None:
    """A bot that returns no action is told what it returned and what was legal."""
    with pytest.raises(BotError, match="Fixed") as caught:
        play_match("briscola/2", [Fixed(answer), Fixed(answer)], seed=SEED)
    legal = first_legal()
    assert all(code in str(caught.value) for code in legal)


@pytest.mark.parametrize("code", ["say:mine", "illegal card"])
def test_an_illegal_action_is_a_bot_error(code: str) -> None:
    """A bot that takes an action that is not legal is told the legal ones by name."""
    game = parse_variant("briscola/2").game
    legal = first_legal()
    others = [action for action in game.actions if action.code not in legal]
    wrong = others[0] if code == "illegal card" else game.parse_action(code)
    with pytest.raises(BotError, match=r"Fixed\.act") as caught:
        play_match("briscola/2", [Fixed(wrong), Fixed(wrong)], seed=SEED)
    assert " ".join(legal) in str(caught.value)
    assert repr(wrong.code) in str(caught.value)


def first_legal() -> list[str]:
    """What the first seat of the match with `SEED` may do, by the record of a good match."""
    match = play_match("briscola/2", [Lowest(), Lowest()], seed=SEED)
    record = match.deals[0]
    assert record.shuffles is not None
    return [str(ITALIAN.cards[card]) for card in sorted(record.shuffles[0][:3])]


def test_an_error_of_the_bot_is_its_own() -> None:
    """What a bot raises is not hidden."""

    class Broken(Bot):
        def act(self, view: View) -> Action:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        play_match("briscola/2", [Broken(), Broken()], seed=SEED)


@pytest.mark.parametrize("answer", [True, False, None, "Ad", -1, 56, 1.0, [0]], ids=repr)
def test_choose_takes_actions_only(answer: object) -> None:
    """What is no action is refused even where it equals the number of a legal one."""
    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(SEED, 0), dealer=0).view(1)
    view.legal_mask = view.hand_mask = 0b11
    with pytest.raises(BotError, match=r"expected one of view\.legal \(Ad 2d\)"):
        choose(Fixed(answer), view)


def test_choose_gives_the_number() -> None:
    """The action's number, as it goes on the wire."""
    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(SEED, 0), dealer=0).view(1)
    assert choose(Lowest(), view) == int(view.legal[0])
    assert type(choose(Lowest(), view)) is int
    assert choose(Fixed(int(view.legal[1])), view) == int(view.legal[1])


def test_the_caller_is_told_of_mistakes() -> None:
    """Wrong numbers of bots, variants, formats and seeds."""
    for seed in ("abc", b"x", bytes(33), 7):
        with pytest.raises(ValueError, match="seed: expected 32 bytes, got "):
            play_match("briscola/2", [Lowest()] * 2, seed=seed)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="seed: expected 32 bytes, got "):
            play_mirrored("briscola/2", [Lowest()] * 2, deals=4, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="2 seats, got 1"):
        play_match("briscola/2", [Lowest()])
    with pytest.raises(VariantError):
        play_match("briscola/5", [Lowest()] * 5)
    with pytest.raises(MatchFormatError):
        play_match("briscola/2", [Lowest()] * 2, match_format="best-of:2")


class Seated(Chancy):
    """Keeps which cards it was dealt, in which seats."""

    def __init__(self) -> None:
        super().__init__()
        self.dealt: Counter[tuple[int, tuple[Card, ...]]] = Counter()

    def act(self, view: View) -> Action | Card:
        if view.seat not in view.actors:
            self.dealt[view.seat, view.hand] += 1
        return super().act(view)


@pytest.mark.parametrize("text", ["briscola/2", "briscola/3", "frusta", "tressette-meta-mazzo"])
def test_mirrored_deals_are_played_on_every_side(text: str) -> None:
    """Each bot gets each hand of each deal once; what they score is shared out fairly."""
    variant = parse_variant(text)
    size = variant.players
    bots = [Seated() for _ in range(size)]
    result = play_mirrored(variant, bots, deals=size**2 + 1, seed=SEED)
    assert result.deals == 2 * size**2
    assert len(result.scores) == len(result.errors) == size
    assert all(bot.dealt == bots[0].dealt for bot in bots)
    assert sum(bots[0].dealt.values()) == result.deals
    assert play_mirrored(variant, [Seated() for _ in bots], deals=size**2 + 1, seed=SEED) == result


def test_mirrored_deals_of_teams() -> None:
    """A side's bot has all its seats, and the scores of a deal are those of the sides."""
    result = play_mirrored("briscola/4", [Lowest(), Chancy()], deals=8, seed=SEED)
    assert result.deals == 8
    assert sum(result.scores) == pytest.approx(120)
    assert result.errors[0] == pytest.approx(result.errors[1])
    assert play_mirrored("briscola/4", [Lowest(), Chancy()], deals=1).errors == (math.inf,) * 2


def test_a_bot_is_level_with_itself_on_mirrored_deals() -> None:
    """A bot that does without dice gets exactly its share of every group."""
    result = play_mirrored("frap/3", [Lowest()] * 3, deals=20, seed=SEED)
    assert len(set(result.scores)) == 1
    result = play_mirrored("briscola/2", [Lowest()] * 2, deals=20, seed=SEED)
    assert (result.scores, result.errors) == ((60, 60), (0, 0))


def test_the_caller_of_mirrored_deals_is_told_of_mistakes() -> None:
    """One bot for each side, and something to play."""
    with pytest.raises(ValueError, match="2 sides, got 4"):
        play_mirrored("briscola/4", [Lowest()] * 4, deals=1)
    with pytest.raises(ValueError, match="at least 1 deal, got 0"):
        play_mirrored("briscola/2", [Lowest()] * 2, deals=0)
