"""What each game adds to the telling: its words for actions, and the facts on its table."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from mazzo.cards import FRENCH, ITALIAN, Card, Pack, bits
from mazzo.game import Event, Game, View
from mazzo.games.briscola import BRISCOLA, BriscolaView
from mazzo.games.chiamata import CHIAMATA, ChiamataView
from mazzo.games.frap import FRAP, FrapView
from mazzo.games.frusta import FRUSTA, FrustaView
from mazzo.games.tressette import META_MAZZO, PIZZICHINO, MetaMazzoView, PizzichinoView
from mazzo_server.telling.lines import Line, Part, hand_parts, listed, number_text

__all__ = ["Names", "Words", "help_lines", "table_lines", "words_of"]

Names: TypeAlias = Sequence[str]
"""What to call each seat."""
Said: TypeAlias = tuple[str, list[Part]]
"""A label, and what there is to say under it."""

_ViewT = TypeVar("_ViewT", bound=View)
_THIRDS = 3  # of a point
_ALL_TRICKS = 4  # of Frap
_NO_CARD = 255


class Words(Generic[_ViewT]):
    """The words of one game; the methods see views alone, before and after an action."""

    signed: ClassVar[bool] = False  # scores with their sign, where they add up to nothing
    draw_label: ClassVar[str] = "Draws"
    draw_verb: ClassVar[str] = "draws"
    public_draws: ClassVar[bool] = False  # whether cards are seen as they are drawn
    moves: ClassVar[tuple[str, ...]] = ()  # what the actions mean that play no card

    def start(self, view: _ViewT, names: Names) -> list[Said]:
        """What lies on the table when the deal begins."""
        return []

    def said(self, before: _ViewT, after: _ViewT, event: Event) -> Said | None:
        """What the seat did that played no card; None where it is not worth telling."""
        return None

    def played(self, before: _ViewT, after: _ViewT) -> list[Part]:
        """What the card that was just played has uncovered."""
        return []

    def takes_in(self, event: Event) -> bool:
        """Whether the words of the action name the card that it put into the hand."""
        return False

    def took(self, before: _ViewT, after: _ViewT, names: Names) -> list[Part]:
        """What the trick that has just ended brought."""
        return []

    def happened(
        self, before: _ViewT, after: _ViewT, names: Names, shown: Container[int]
    ) -> list[Said]:
        """What else everybody saw; what the seats `shown` did is told from their own views."""
        return []

    def learnt(self, before: _ViewT, after: _ViewT) -> list[Said]:
        """What else this seat alone saw."""
        return []

    def outcome(self, view: _ViewT, names: Names) -> list[Said]:
        """How the deal ended, beside the scores."""
        return []

    def table(self, view: _ViewT, names: Names) -> list[Said]:
        """The facts that a player looks at before he moves."""
        return []


class _Briscola(Words[BriscolaView]):
    public_draws = True
    moves = ("say:TOKEN: talk before you play, true or not; three at most",)

    def start(self, view: BriscolaView, names: Names) -> list[Said]:
        return [("Trumps", [view.trump_card, f", {_suit(ITALIAN, view.trump)}"])]

    def said(self, before: BriscolaView, after: BriscolaView, event: Event) -> Said | None:
        return "Talk", [f'"{_rest(event)}"']

    def took(self, before: BriscolaView, after: BriscolaView, names: Names) -> list[Part]:
        return _points_taken(before.points, after.points, names)

    def table(self, view: BriscolaView, names: Names) -> list[Said]:
        trumps: list[Part] = [_suit(ITALIAN, view.trump), ", ", view.trump_card]
        trumps.append(f" under a stock of {view.stock_count}" if view.stock_count else " was drawn")
        facts: list[Said] = [("Trumps", trumps)]
        if now := [talk for talk in view.talk if talk.trick == len(view.trick_winners)]:
            facts.append(("Talk", [", ".join(f"{names[talk.seat]} {talk.token}" for talk in now)]))
        return [*facts, ("Points", [_by_name(names, view.points)])]


class _Chiamata(Words[ChiamataView]):
    signed = True
    moves = (
        "bid:N: your side will take N card points; higher than the last bid",
        "pass: leave the auction",
        "trump:S: make the suit trumps",
        "call:CARD: whoever holds the card is your partner",
    )

    def said(self, before: ChiamataView, after: ChiamataView, event: Event) -> Said | None:
        kind, rest = _kind(event), _rest(event)
        if kind == "trump":
            return "Calls", [f"makes {_suit(ITALIAN, rest)} trumps"]
        if kind == "call":
            return "Calls", ["calls ", ITALIAN.parse(rest)]
        return "Auction", ["passes" if kind == "pass" else f"bids {rest}"]

    def took(self, before: ChiamataView, after: ChiamataView, names: Names) -> list[Part]:
        return _points_taken(before.points, after.points, names)

    def happened(
        self, before: ChiamataView, after: ChiamataView, names: Names, shown: Container[int]
    ) -> list[Said]:
        called, caller = after.called, after.caller
        if called is None or caller is None or before.past_cards == after.past_cards:
            return []
        for seat, card in after.tricks[-1].plays:
            if card == called:
                partner = "plays alone" if seat == caller else f"and {names[seat]} are partners"
                return [("Partner", [called, f" has come: {names[caller]} {partner}"])]
        return []

    def outcome(self, view: ChiamataView, names: Names) -> list[Said]:
        caller, holder = view.caller, view.holder
        if caller is None or holder is None:
            return [("Result", ["nobody made a bid"])]
        side = sorted({caller, holder})
        points = sum(view.points[seat] for seat in side)
        made = "made" if points >= view.bid else "missed"
        who = names[caller] + ("" if caller == holder else f" with {names[holder]}")
        return [("Result", [f"{who} took {points} points of {view.bid}: {made}"])]

    def table(self, view: ChiamataView, names: Names) -> list[Said]:
        if view.bidder is None:
            return [("Auction", ["no bid yet"])]
        if view.trump is None or view.called is None:
            last = f"{names[view.bidder]} has bid {view.bid}"
            return [("Auction", [last])]
        known = "" if view.holder is None else f", held by {names[view.holder]}"
        contract = (
            f"{names[view.bidder]} at {view.bid}, {_suit(ITALIAN, view.trump)} trumps, calls "
        )
        return [
            ("Contract", [contract, view.called, known]),
            ("Points", [_by_name(names, view.points)]),
        ]


class _Frusta(Words[FrustaView]):
    public_draws = True
    draw_verb = "gets"

    def start(self, view: FrustaView, names: Names) -> list[Said]:
        prize: list[Part] = [
            "the first prize is ",
            view.trump_card,
            f": {_suit(ITALIAN, view.trump)}",
        ]
        return [("Trumps", prize)]

    def took(self, before: FrustaView, after: FrustaView, names: Names) -> list[Part]:
        if before.stage == 1:
            return []
        return [f"tricks {_by_name(names, after.tricks_taken[: after.players])}"]

    def happened(
        self, before: FrustaView, after: FrustaView, names: Names, shown: Container[int]
    ) -> list[Said]:
        facts: list[Said] = []
        if len(after.prizes) > len(before.prizes):
            facts.append(("Prize", [ITALIAN.cards[after.prizes[-1]]]))
        elif before.stage == 1 and after.stage == 2:
            facts.append(("Stage 2", ["the stock is gone, from now on tricks count"]))
        if after.tiebreak and not before.tiebreak:
            leader = after.trick_leader
            led, answer = (ITALIAN.cards[card] for card in after.tiebreak)
            plays: list[Part] = [
                f"level; {names[leader]} leads ",
                led,
                f", {names[1 - leader]} ",
                answer,
            ]
            facts.append(("Tie-break", plays))
        return facts

    def table(self, view: FrustaView, names: Names) -> list[Said]:
        facts: list[Said] = [("Trumps", [_suit(ITALIAN, view.trump)])]
        if view.prize is None:
            return [*facts, ("Tricks", [_by_name(names, view.tricks_taken)])]
        return [*facts, ("Prize", [view.prize, f", stock {view.stock_count} with it"])]


class _Tressette(Words[_ViewT]):
    moves: ClassVar[tuple[str, ...]] = (
        "declare:3, declare:2, declare:A: show three or four of the rank, 3 or 4 points",
        "declare:napoletana-S: show 3, 2 and A of the suit, 3 points",
    )

    def said(self, before: _ViewT, after: _ViewT, event: Event) -> Said | None:
        kind = _kind(event)
        assert isinstance(after, MetaMazzoView | PizzichinoView)
        assert isinstance(before, MetaMazzoView | PizzichinoView)
        if kind == "declare":
            shown = after.declarations[-1]
            parts = ["shows ", *listed([[card] for card in shown.cards], " ")]
            return "Declares", [*parts, f" for {shown.points} points"]
        return self._other(before, after, event, kind)

    def _other(self, before: Any, after: Any, event: Event, kind: str) -> Said | None:
        return None

    def took(self, before: _ViewT, after: _ViewT, names: Names) -> list[Part]:
        assert isinstance(after, MetaMazzoView | PizzichinoView)
        assert isinstance(before, MetaMazzoView | PizzichinoView)
        winner = after.trick_winners[-1]
        gain = Fraction(after.thirds[winner] - before.thirds[winner], _THIRDS)
        return [f"{number_text(gain)} to {names[winner]}"] if gain else []

    def outcome(self, view: _ViewT, names: Names) -> list[Said]:
        assert isinstance(view, MetaMazzoView | PizzichinoView)
        return [("Cards", [self._cards(view, names)])]

    def _cards(self, view: MetaMazzoView | PizzichinoView, names: Names) -> str:
        """Card points to the third, and what was declared."""
        return ", ".join(
            f"{name} {number_text(Fraction(thirds, _THIRDS))}"
            + (f" and {declared} declared" if declared else "")
            for name, thirds, declared in zip(names, view.thirds, view.buongiochi, strict=True)
        )


class _MetaMazzo(_Tressette[MetaMazzoView]):
    public_draws = True
    moves = (*_Tressette.moves, "skip: declare nothing with the card drawn")

    def table(self, view: MetaMazzoView, names: Names) -> list[Said]:
        return [("Points", [f"{self._cards(view, names)}; stock {view.stock_count}"])]


class _Pizzichino(_Tressette[PizzichinoView]):
    moves = (
        *_Tressette.moves,
        "packet:N: take the packet",
        "up:N: turn the packet up; those not turned up are your hand",
        "pluck:N: put the honour on top of the packet into your hand",
    )

    def start(self, view: PizzichinoView, names: Names) -> list[Said]:
        return self._packets(view, names)

    def _other(
        self, before: PizzichinoView, after: PizzichinoView, event: Event, kind: str
    ) -> Said | None:
        packet = int(_rest(event))
        if kind == "packet":
            return "Packets", [f"takes packet {packet}"]
        if kind == "up":
            return "Packets", [f"turns up packet {packet}: ", after.tops[packet]]
        top, shows = before.tops[packet], after.tops.get(packet)
        parts: list[Part] = ["plucks ", top, f" from packet {packet}"]
        return "Plucks", parts if shows is None else [*parts, ", which shows ", shows]

    def played(self, before: PizzichinoView, after: PizzichinoView) -> list[Part]:
        for packet, shown in enumerate(after.packet_shown):
            if len(shown) > len(before.packet_shown[packet]):
                return [f" (packet {packet} shows ", ITALIAN.cards[shown[-1]], ")"]
        return []

    def takes_in(self, event: Event) -> bool:
        return _kind(event) == "pluck"

    def learnt(self, before: PizzichinoView, after: PizzichinoView) -> list[Said]:
        seen = after.peeked_cards
        if not seen or before.peeked == after.peeked:
            return []
        return [("Peeks", ["sees ", *_by_packet(seen)])]

    def table(self, view: PizzichinoView, names: Names) -> list[Said]:
        facts = self._packets(view, names)
        if view.peeked_cards:
            facts.append(("Peeked", _by_packet(view.peeked_cards)))
        return [*facts, ("Points", [self._cards(view, names)])]

    def _packets(self, view: PizzichinoView, names: Names) -> list[Said]:
        """The tops of each seat's packets, and how many cards lie under them."""
        facts: list[Said] = []
        for seat, name in enumerate(names):
            if tops := view.tops_of(seat):
                counts = view.packet_counts
                groups: list[list[Part]] = [
                    [f"{packet} ", card, f" over {counts[packet] - 1}"]
                    for packet, card in tops.items()
                ]
                facts.append(("Packets", [f"{name}: ", *listed(groups)]))
            elif (owned := view.packets_of(seat)) and not view.hand_counts[seat]:
                facts.append(("Packets", [f"{name}: {', '.join(map(str, owned))}"]))
        return facts


class _Frap(Words[FrapView]):
    signed = True
    draw_label = "Exchange"
    moves = (
        "look: look at your hand, then call or pass",
        "blind: frap without looking; you get the trump card too",
        "frap: you will take two tricks or more",
        "pass: no; on a frap you throw your hand in",
        "whist: you will take one trick at least",
        "discard:CARD: lay it down; what you exchange is replaced when you are done",
        "stand: exchange no more",
        "undercut:stock, undercut:trump: come back with five new cards",
        "decline: stay out",
    )

    def start(self, view: FrapView, names: Names) -> list[Said]:
        antes = "antes paid" if view.ante_paid else "no antes"
        return [
            ("Pot", [f"{number_text(view.first_pot)} chips, {antes}"]),
            ("Trumps", [view.trump_card, f", {_suit(FRENCH, view.trump)}"]),
        ]

    def said(self, before: FrapView, after: FrapView, event: Event) -> Said | None:
        match _kind(event), _rest(event):
            case "look", _:
                return "Auction", ["looks"]
            case "blind", _:
                return "Auction", ["fraps without looking"]
            case "frap", _:
                return "Auction", ["fraps"]
            case "pass", _:
                return ("Auction" if before.frapper is None else "Answers"), ["passes"]
            case "whist", _:
                return "Answers", ["whists"]
            case "stand", _:
                counted = after.exchanged[event.seat] and event.seat != after.seat
                return None if counted else ("Exchange", ["exchanges no more"])
            case "discard", card:
                undercut = event.seat in after.undercutters
                label = "Undercut" if undercut else "Exchange"
                return label, ["discards ", FRENCH.parse(card)]
            case "undercut", "stock":
                return "Undercut", ["comes back with five cards of the stock"]
            case "undercut", _:
                return "Undercut", ["comes back with the trump card and four of the stock"]
            case _:
                return "Undercut", ["stays out"]

    def took(self, before: FrapView, after: FrapView, names: Names) -> list[Part]:
        return [
            f"{number_text(before.pot // _ALL_TRICKS)} chips to {names[after.trick_winners[-1]]}"
        ]

    def happened(
        self, before: FrapView, after: FrapView, names: Names, shown: Container[int]
    ) -> list[Said]:
        facts: list[Said] = []
        if after.frapper is None and after.pot > before.pot:
            each = (after.pot - before.pot) // after.players
            paid = f"all passed and pay {number_text(each)} each"
            facts.append(("Pot", [f"{paid}: {number_text(after.pot)} chips"]))
        if len(after.dead_trumps) > len(before.dead_trumps):
            suit = _suit(FRENCH, after.trump)
            facts.append(("Trumps", [f"round {after.round}: ", after.trump_card, f", {suit}"]))
        if after.trump_taker is not None and before.trump_taker is None and after.blind:
            facts.append(
                (
                    "Exchange",
                    [f"{names[after.trump_taker]} takes the trump card ", after.trump_card],
                )
            )
        for seat, count in enumerate(after.exchanged):
            replaced = after.hand_counts[seat] > before.hand_counts[seat]
            if count and replaced and seat not in shown:
                facts.append(("Exchange", [f"{names[seat]} exchanges {count}"]))
        return facts

    def outcome(self, view: FrapView, names: Names) -> list[Said]:
        if view.frapper is None:
            return [("Result", [f"nobody called; {number_text(view.pot)} chips stay in the pot"])]
        tricks = [
            f"{name} {count}"
            for seat, (name, count) in enumerate(zip(names, view.tricks_taken, strict=True))
            if seat in view.seats_in_play
        ]
        alone = "" if view.trick_winners else ", unopposed"
        left = f"{number_text(view.pot)} chips in the next pot"
        return [("Result", [f"tricks {', '.join(tricks)}{alone}; {left}"])]

    def table(self, view: FrapView, names: Names) -> list[Said]:
        facts: list[Said] = [
            (
                "Pot",
                [f"{number_text(view.pot)} chips, round {view.round}, stock {view.stock_count}"],
            ),
            ("Trumps", [view.trump_card, f", {_suit(FRENCH, view.trump)}"]),
        ]
        if view.frapper is not None:
            calls = f"{names[view.frapper]} fraps" + (" blind" if view.blind else "")
            calls += "".join(f", {names[seat]} whists" for seat in bits(view.whisters))
            calls += "".join(f", {names[seat]} undercuts" for seat in view.undercutters)
            facts.append(("Calls", [calls]))
        if view.trick_winners:
            taken = {names[seat]: view.tricks_taken[seat] for seat in view.seats_in_play}
            facts.append(("Tricks", [_by_name(list(taken), list(taken.values()))]))
        return facts


_WORDS: dict[str, Words[Any]] = {
    BRISCOLA.id: _Briscola(),
    CHIAMATA.id: _Chiamata(),
    FRAP.id: _Frap(),
    FRUSTA.id: _Frusta(),
    META_MAZZO.id: _MetaMazzo(),
    PIZZICHINO.id: _Pizzichino(),
}


def words_of(game: Game) -> Words[Any]:
    """The words of a game."""
    return _WORDS[game.id]


def table_lines(view: View, names: Names) -> list[Line]:
    """What a player sees when he is to move: the table, what others hold, and his hand."""
    facts = words_of(view.variant.game).table(view, names)
    for seat in range(view.players):
        if seat != view.seat and (known := view.known(seat)):
            facts.append(("Known", [f"{names[seat]} holds ", *hand_parts(view, known)]))
    plays: list[list[Part]] = [[f"{names[seat]} ", card] for seat, card in view.trick.plays]
    winning = view.winner_so_far
    if winning is not None:
        facts.append(("Table", [*listed(plays), f"; {names[winning[0]]} is winning"]))
    elif any(action.card is not None for action in view.legal):
        facts.append(("Table", ["nothing, you lead"]))
    if view.hand_mask:
        facts.append(("Hand", hand_parts(view, view.hand)))
    return [Line(label=label, parts=tuple(parts)) for label, parts in facts]


def help_lines(view: View) -> list[str]:
    """How cards are written, and what the actions mean that play none."""
    pack = view.variant.game.pack
    suits = ", ".join(
        f"{suit} {name}" for suit, name in zip(pack.suits, pack.suit_names, strict=True)
    )
    moves = words_of(view.variant.game).moves
    return [f"Cards are rank, then suit: {suits}.", *moves]


def _kind(event: Event) -> str:
    return event.action.code.partition(":")[0]


def _rest(event: Event) -> str:
    return event.action.code.partition(":")[2]


def _suit(pack: Pack, suit: str) -> str:
    return pack.suit_names[pack.suits.index(suit)]


def _by_name(names: Names, numbers: Iterable[int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))


def _by_packet(cards: dict[int, Card]) -> list[Part]:
    return listed([card, f" on packet {packet}"] for packet, card in cards.items())


def _points_taken(before: Sequence[int], after: Sequence[int], names: Names) -> list[Part]:
    """Who got how many card points; nothing for a trick of none."""
    for name, now, was in zip(names, after, before, strict=True):
        if now > was:
            return [f"{now - was} to {name}"]
    return []
