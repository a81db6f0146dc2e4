"""Frap: counts the tricks that its hand is likely to win, and promises no more."""

from mazzo import Action, Card
from mazzo.games.frap import RANK_ORDER, FrapView

# The chance that a card wins a trick, by rank from the ace down: rough guesses.
TRUMP_CHANCES = (1.0, 0.9, 0.8, 0.7, 0.6)
LOWER_TRUMP = 0.5
SUIT_CHANCES = (0.6, 0.3, 0.1)

FRAP = 2.0  # likely tricks that are enough to promise two: the cards exchanged help too
WHIST = 0.6  # likely tricks that are enough to promise one, for each player who is in already
KEEP = 0.2  # the chance from which on a card is not exchanged


def act(view: FrapView) -> Action | Card:
    """A call, an answer, an exchange, or the card to play."""
    legal = {action.code: action for action in view.legal}
    tricks = sum(chance(view, card) for card in view.hand)
    match view.asked:
        case "look":
            return legal["look"]
        case "call":
            return legal["frap" if tricks >= FRAP else "pass"]
        case "answer":
            return legal["whist" if tricks >= WHIST * len(view.seats_in_play) else "pass"]
        case "exchange" | "discard":
            worst = min(view.hand, key=lambda card: price(view, card))
            stands = "stand" in legal and chance(view, worst) >= KEEP
            return legal["stand" if stands else f"discard:{worst}"]
        case "undercut":
            # Five unknown cards are a bad bet, but the ace of trumps is a sure trick.
            ace = "undercut:trump" in legal and view.trump_card.rank == "A"
            return legal["undercut:trump" if ace else "decline"]
    return play(view)


def chance(view: FrapView, card: Card) -> float:
    """The chance that the card wins a trick."""
    place = RANK_ORDER.index(card.rank)
    if card.suit == view.trump:
        return TRUMP_CHANCES[place] if place < len(TRUMP_CHANCES) else LOWER_TRUMP
    return SUIT_CHANCES[place] if place < len(SUIT_CHANCES) else 0.0


def price(view: FrapView, card: Card) -> tuple[float, int]:
    """What it costs to part with the card: its chance, then its rank."""
    return chance(view, card), -RANK_ORDER.index(card.rank)


def play(view: FrapView) -> Card:
    """The card to play, by the trick on the table."""
    cards = [card for card in view.hand if view.legal_mask >> card & 1]
    winning = view.winner_so_far
    if winning is None:
        return max(cards, key=lambda card: price(view, card))
    takers = [card for card in cards if view.beats(card, winning[1])]
    return min(takers or cards, key=lambda card: price(view, card))
