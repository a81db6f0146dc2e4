"""Briscola: deals the hidden cards again and again, and lets those still to play lay their best."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice

from mazzo import Action, Card, View
from mazzo.cards import ITALIAN, bits
from mazzo.game import Deal
from mazzo.games.briscola import POINTS, RANK_ORDER, BriscolaView

DEALS = 144  # of the hidden cards, shared among the cards to choose from
SAFE = 0.35  # what is left of a trick in the mean for each opponent who is still to play
# What trumps and other cards are worth later, by rank from A to J and all below, by players.
# Found by regression on what they brought in thousands of deals, then by play.
TRUMPS = {2: (15, 13, 8, 6, 4.5, 3), 3: (28, 19, 12, 8, 6, 4), 6: (35, 26, 15, 11, 8, 5)}
PLAIN = {2: (4, 1, -1, -1, -1, 0), 3: (2, 1.5, 0.5, 0.5, 0, 0)}
WORDS = {"trump-ace": "A", "trump-three": "3", "trump-king": "K", "trump-horse": "H"}
Ranks = Sequence[float]
# What may be so: a weight, every seat's side, worth by side and card, cards that seats hold.
World = tuple[float, Sequence[int], Sequence[Mapping[Card, float]], Mapping[int, Collection[Card]]]


def act(view: BriscolaView) -> Action | Card:
    """A card, or a true word before it; the words of others are believed."""
    players, stock, me = view.players, view.stock_count, view.seat
    if players == 2 and stock <= 2:  # without stock there is one world, else a few are tried
        ends = list(view.worlds(1 + stock))
        return max(view.hand, key=lambda card: sum(outcome(e.copy(), card, me) for e in ends))
    told = {word: ITALIAN.parse(rank + view.trump) for word, rank in WORDS.items()}
    held = {seat: {*view.known(seat)} for seat in range(players)}
    for talk in view.talk:
        card = told.get(talk.token)
        if card in (view.hand if talk.seat == me else view.unseen):  # else it is out, or a lie
            held[talk.seat].add(card)
    for action in view.legal:
        if told.get(action.code.removeprefix("say:")) in {*view.hand} - held[me]:
            return action
    worth = worths(view, view.trump, TRUMPS.get(players, TRUMPS[3]), PLAIN.get(players, PLAIN[3]))
    prize = -1.5  # whoever wins leads to the next trick, the others answer
    if stock == players:  # the seat before the winner's, an opponent, draws the trump card
        prize += sum(worth[c] for c in view.unseen) / len(view.unseen) - worth[view.trump_card]
    sides = [seat % len(view.variant.sides) for seat in range(players)]
    return best(view, view.hand, prize, [(1, sides, [worth] * players, held)])


def outcome(deal: Deal, action: int, seat: int) -> int:
    """What the seat takes of the deal if everybody plays perfectly from then on."""
    deal.apply(action)
    if deal.scores:
        return deal.scores[seat]
    pick = max if deal.seat == seat else min
    return pick([outcome(deal.copy(), choice, seat) for choice in bits(deal.legal)])


def best(view: View, cards: Sequence[Card], prize: float, worlds: Sequence[World]) -> Card:
    """Which of the cards gains most; `prize` is what a trick brings beside its points."""
    pack, gains = [*view.unseen], dict.fromkeys(cards, 0.0)
    view.random.shuffle(pack)
    for _ in range(DEALS // len(cards) // len(worlds)):
        pack = pack[1:] + pack[:1]  # every cut is another deal; twice, as lies may empty it
        for weight, sides, worth, held in worlds:
            free = iter([c for c in pack if all(c not in hand for hand in held.values())] + pack)
            hands = {seat: [*held.get(seat, ())] for seat in view.later_seats}
            for seat, hand in hands.items():
                hand += islice(free, max(0, view.hand_counts[seat] - len(hand)))
            for card in cards:
                gains[card] += gain(view, card, prize, (weight, sides, worth, hands))
    return max(gains, key=gains.__getitem__)


def gain(view: View, card: Card, prize: float, world: World) -> float:
    """What the card brings this side and keeps from others, less its worth; times the weight."""
    weight, sides, worth, hands = world
    taker, top = view.winner_so_far or (view.seat, card)
    if view.beats(card, top):
        taker, top = view.seat, card
    points: float = prize + sum([POINTS[laid] for laid in (*view.trick_cards, card)])
    behind = [sides[seat] for seat in hands]
    for seat, hand in hands.items():
        side = behind.pop(0)
        safe = SAFE ** (len(behind) - behind.count(side))
        left = safe if sides[taker] == side else -safe
        values = {
            c: (safe if view.beats(c, top) else left) * (points + POINTS[c]) - worth[side][c]
            for c in hand
        }
        reply = max(values, key=values.__getitem__)
        points += POINTS[reply]
        if view.beats(reply, top):
            taker, top = seat, reply
    side = sides[view.seat]
    return weight * ((points if sides[taker] == side else -points) - worth[side][card])


def worths(view: View, trump: str, trumps: Ranks, plain: Ranks) -> dict[Card, float]:
    """A trump moves up with every higher one that is gone."""
    gone = view.past_cards + view.trick_cards
    left = [rank for rank in RANK_ORDER if ITALIAN.parse(rank + trump) not in gone]
    worth = {card: plain[min(RANK_ORDER.index(card.rank), 5)] for card in ITALIAN.cards}
    return worth | {ITALIAN.parse(r + trump): trumps[min(n, 5)] for n, r in enumerate(left)}
