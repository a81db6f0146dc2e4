"""How playouts play: a few numbers by card, and rules of thumb for whatever is no card."""

import random
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from mazzo.cards import FRENCH, ITALIAN
from mazzo.game import Deal, View
from mazzo.games.briscola import POINTS, RANK_ORDER
from mazzo.games.chiamata import ChiamataView
from mazzo.games.frap import FrapView
from mazzo.games.tressette import THIRDS
from mazzo.tricks import beats_table, follow_tables

TRICKS = (1.35, 0.8, 0.6, 0.5, 0.4, *[0.3] * 8)  # that a trump of Frap brings, by rank
FRAP, WHIST, UNDERCUT = 1.3, 0.8, 0.45  # of them that are enough
UNSURE = 0.6  # how sure a trick is that others are still to play to
# In Briscola chiamata, the card points that a caller may hope for: so many, so many more for
# each trump, for each point in trumps, and for each point in the hand.
HOPE, EACH, MORE, OTHER = 46, 5.5, 0.55, 0.3
SURE = 15  # points by which a bid was made or missed that say it would be again


class Ranks(NamedTuple):
    """Numbers by rank, from high to low; a second row is for trumps, a third for a caller's."""

    order: str
    points: Sequence[int]  # by card: what it brings to whoever wins the trick
    keep: Sequence[Sequence[float]]  # what a card is worth in the hand
    lead: Sequence[Sequence[float]]  # what it brings to lead it, where nobody has to follow
    stake: float  # what a trick brings besides
    noise: float  # by how much a playout may misjudge a card
    span: float  # lead over the mean of the scores that is worth three quarters of all


BRISCOLA_KEEP = (4.7, 2, -0.5, -1.5, -1, *[0] * 5), (13, 12, 6, 4, 2, 1.4, 1.3, 1.2, 1.1, 1)
BRISCOLA_LEAD = (-0.5, -1.6, -0.8, *[-1.3] * 7), (10, 7.6, 2.5, 1.6, 0.7, *[-1] * 5)
CHIAMATA = (7, 6, 2, 1.5, 1, *[0] * 5), (14, 11, 7, 5, 4, *[3] * 5), (57, 43, 31, 25, 19, *[9] * 5)
FRUSTA_PLAIN = (0.33, 0.05, -0.36, -0.61, -0.73, -0.84, -0.95, -1, -1.05, -1.1)
FRUSTA_TRUMPS = (1.67, 1.12, 0.87, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.3)
TRESSETTE_KEEP = ((2.5, 2, 2, 0.9, 0.7, 0.5, 0.2, 0.1, 0, 0),)
RANKS = {
    "briscola": Ranks(RANK_ORDER, POINTS, BRISCOLA_KEEP, BRISCOLA_LEAD, -3, 4, 50),
    "briscola-chiamata": Ranks(RANK_ORDER, POINTS, CHIAMATA, BRISCOLA_LEAD, 0, 4, 4),
    "frusta": Ranks(RANK_ORDER, [0] * 40, (FRUSTA_PLAIN, FRUSTA_TRUMPS), (), 1, 0.4, 5),
    "tressette-meta-mazzo": Ranks("32AKHJ7654", THIRDS, TRESSETTE_KEEP, (), 0.7, 1, 8),
    "tressette-pizzichino": Ranks("32AKHJ7654", THIRDS, TRESSETTE_KEEP, (), 0.7, 1, 8),
    "frap": Ranks("AKQJT98765432", [0] * 52, (range(12, -1, -1), range(25, 12, -1)), (), 40, 5, 2),
}


@cache
class Numbers:
    """A game with a trump suit, everything by card."""

    def __init__(self, game: str, trump: str | None) -> None:
        ranks, pack = RANKS[game], FRENCH if game == "frap" else ITALIAN
        place = [(card.suit == trump, ranks.order.index(card.rank)) for card in pack.cards]
        self.beats = beats_table(pack, ranks.order, trump)  # the cards that beat it
        self.suits = follow_tables(pack)  # the cards of its suit
        self.points = ranks.points
        self.keep = [ranks.keep[is_trump][rank] for is_trump, rank in place]
        self.bold = [ranks.keep[-is_trump][rank] for is_trump, rank in place]
        self.lead = [ranks.lead[is_trump][rank] for is_trump, rank in place if ranks.lead]


class Table:
    """The trick on the table, and how playouts, which misjudge cards a little, play to it."""

    def __init__(self, view: View, deal: Deal, rng: random.Random) -> None:
        game, cards, players = view.variant.game.id, deal.shuffles[0], view.players
        self.numbers = numbers = Numbers(game, getattr(view, "trump", None))
        ranks, keep = RANKS[game], numbers.keep
        noise = [ranks.noise * rng.random() for _ in keep]
        self.keep = [[a + b for a, b in zip(keep, noise, strict=True)]] * players
        self.size, self.laid = len(view.seats_in_play), len(view.trick_cards)
        self.tricks, self.stakes = len(view.trick_winners), [ranks.stake] * 21
        self.taker, self.best = view.winner_so_far or (-1, -1)
        self.side = {seat: side[0] for side in view.variant.sides for seat in side}
        if isinstance(view, ChiamataView) and view.called is not None:
            friends = view.caller, (cards.index(view.called) // 8 + view.dealer + 1) % players
            self.side = {seat: int(seat in friends) for seat in self.side}
            bold = [a + b for a, b in zip(numbers.bold, noise, strict=True)]
            self.keep = [bold if seat in friends else self.keep[0] for seat in self.side]
        elif game == "frusta":
            self.stakes[:10] = [keep[prize] - sum(keep) / 40 for prize in cards[20::2]]
        elif game == "briscola":  # who wins the last trick but three draws no trump card
            self.stakes[len(cards) // players - 4] += sum(keep) / 40 - keep[cards[3 * players]]
        self.pot = self.stakes[self.tricks] + sum(numbers.points[card] for card in view.trick_cards)

    def choose(self, seat: int, legal: int, hands: Sequence[int]) -> int:
        """The card that looks best; a lead where suit is followed, with an eye on the others."""
        numbers, keep, pot, laid = self.numbers, self.keep[seat], self.pot, self.laid
        points, lead = numbers.points, numbers.lead
        won = UNSURE if laid + 1 < self.size else 1.0
        left = won if laid and self.side[self.taker] == self.side[seat] else -won
        higher, choice, most = numbers.beats[self.best], -1, -1e9
        while legal:
            card = (legal & -legal).bit_length() - 1
            legal &= legal - 1
            if laid:
                value = (won if higher >> card & 1 else left) * (pot + points[card]) - keep[card]
            elif lead:
                value = lead[card] - keep[card]
            else:
                suit, over, value = numbers.suits[card], numbers.beats[card], pot + points[card]
                for other, hand in enumerate(hands):
                    if other != seat and (hand & suit or hand) & over:
                        value = -pot - points[card]
                value -= keep[card]
            if value > most:
                choice, most = card, value
        return choice

    def lay(self, seat: int, card: int) -> None:
        """Follow the play."""
        if not self.laid or self.numbers.beats[self.best] >> card & 1:
            self.best, self.taker = card, seat
        self.pot += self.numbers.points[card]
        self.laid += 1
        if self.laid == self.size:
            self.laid, self.tricks, self.pot = 0, self.tricks + 1, self.stakes[self.tricks + 1]


def hope(hand: Sequence[int], trump: str) -> float:
    """The card points that a caller's side takes."""
    points = [POINTS[card] for card in hand if ITALIAN.cards[card].suit == trump]
    return HOPE + EACH * len(points) + MORE * sum(points) + OTHER * sum([POINTS[c] for c in hand])


def say(view: View) -> int:
    """What the rules of thumb have where there is more to choose from than cards."""
    if isinstance(view, ChiamataView):
        most, suit = max((hope(view.hand, suit), suit) for suit in ITALIAN.suits)
        if view.caller is None:
            *bids, last = view.legal  # `pass` is the last one
            bid = bids and int(bids[0].code.removeprefix("bid:")) <= most
            return int(bids[0] if bid else last)
        lack = [card for card in view.unseen if card.suit == view.trump]
        return int(view.action(f"call:{max(lack, key=view.strength)}" if lack else f"trump:{suit}"))
    words = {action.code: int(action) for action in view.legal if action.card is None}
    if not isinstance(view, FrapView) or "look" in words:
        return min(words.values())  # declarations come first
    rank, hand = RANKS["frap"].order.index, view.hand
    tricks = [TRICKS[rank(c.rank)] if c.suit == view.trump else 0.2 * (c.rank == "A") for c in hand]
    if "pass" in words:
        enough = sum(tricks) > (FRAP if "frap" in words else WHIST)
        return min(set(words.values()) - {words["pass"]}) if enough else words["pass"]
    if "decline" in words:
        good = "undercut:trump" in words and TRICKS[rank(view.trump_card.rank)] > UNDERCUT
        return words["undercut:trump" if good else "decline"]
    drop = [f"discard:{card}" for card, worth in zip(hand, tricks, strict=True) if not worth]
    return words[drop[0] if drop else min(words, key=len)]
