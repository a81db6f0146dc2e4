"""Frap: knows how many tricks its cards bring, and plays for a pot only when that pays."""

from mazzo import Action, Card
from mazzo.games.frap import RANK_ORDER, FrapView

# The tricks that a card brings. Like all numbers here, the mean of many deals against `greedy`.
TRUMP = dict(zip(RANK_ORDER, (1.35, 0.8, 0.6, 0.5, 0.4, *[0.3] * 8), strict=True))
SIDE = {"A": 0.2, "K": 0.03, "Q": 0.02}
TABLE = (0.65, 0.4, 0.3, 0.1)  # what the lead and the exchange add, by how many are in already


def act(view: FrapView) -> Action | Card:
    """A call, an answer, an exchange, or the card to play."""

    def worth(card: Card) -> float:
        tricks = TRUMP[card.rank] if card.suit == view.trump else SIDE.get(card.rank, 0.0)
        return tricks + view.strength(card) / 1000  # of equal cards the lower is the cheaper

    tricks = TABLE[min(len(view.seats_in_play), 3)] + sum(map(worth, view.hand))
    payment = min(1.0, view.cap / view.pot) if view.cap else 1.0  # in pots
    match view.asked:
        case "call":  # a pass is worth a tenth of the pot: it is the others who pay then
            gain = tricks / 4 - payment * (1.84 - 0.63 * tricks) - 0.1
            return view.action("frap" if gain > 0 else "pass")
        case "answer" | "undercut":  # the latter with the trump card and four of the stock
            yes, no = ("whist", "pass") if view.asked == "answer" else ("undercut:trump", "decline")
            tricks += worth(view.trump_card) + 0.3 if view.asked == "undercut" else 0.0
            pays = tricks / 4 > payment * (0.9 - 0.5 * tricks)
            return view.action(yes if pays and yes in map(str, view.legal) else no)
        case "exchange" | "discard":
            worst = min(view.hand, key=worth)  # aces are kept, and trumps
            stands = worth(worst) > 0.1 and view.asked == "exchange"
            return view.action("stand" if stands else f"discard:{worst}")
        case "play":
            if winning := view.winner_so_far:
                takers = [card for card in view.playable if view.beats(card, winning[1])]
                return min(takers or view.playable, key=worth)
            top = max(map(view.strength, (*view.unseen, *view.hand)))  # lead no lower trump
            leads = [c for c in view.hand if c.suit != view.trump or view.strength(c) >= top]
            return max(leads or view.hand, key=worth)
    return view.action("look")
