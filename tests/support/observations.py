"""What each seat is shown in the course of a deal, in order, written from the rules alone.

A course is told by the second implementations, which look into all hands; here stands who may
see what of it. Nothing is taken from the package's views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from support import reference_tressette as tressette
from support.reference_briscola import Table
from support.reference_chiamata import ReferenceChiamata
from support.reference_frap import ReferenceFrap
from support.reference_frusta import ReferenceFrusta
from support.reference_tressette import ReferenceMetaMazzo, ReferencePizzichino

__all__ = ["Course", "Log", "actions_in", "observe", "receipts_in"]

Observation = tuple[object, ...]
Log = list[Observation]
"""What one seat was shown: each entry begins with a word for its kind.

"did" is an action that the seat knows of, "got" a receipt of its own cards, "peeked" a card that
was turned up for it alone, "asked" what it may do now; the others are public.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A deal up to some point: its cards and everything that was done, in texts."""

    game: str
    players: int
    options: Mapping[str, str]
    dealer: int
    draws: str
    shuffles: list[list[str]]
    actions: list[str]
    overheard: frozenset[tuple[int, int, int]] = frozenset()  # trick, speaker, opponent


class _Logs:
    """The logs of all seats."""

    def __init__(self, players: int) -> None:
        self.by_seat: list[Log] = [[] for _ in range(players)]

    def show(self, seats: Iterable[int], *what: object) -> None:
        for seat in seats:
            self.by_seat[seat].append(what)

    def show_all(self, *what: object) -> None:
        self.show(range(len(self.by_seat)), *what)

    def deal(self, hands: list[list[str]]) -> None:
        """Everybody looks at his hand: a set."""
        self.news([[] for _ in hands], hands)

    def news(self, before: list[list[str]], after: list[list[str]]) -> None:
        """Each seat sees the cards that have come into its own hand."""
        for seat, hand in enumerate(after):
            fresh = [card for card in hand if card not in before[seat]]
            if fresh:
                self.show([seat], "got", *sorted(fresh))


def observe(course: Course) -> list[Log]:
    """The log of each seat, up to the end of the course."""
    logs = _Logs(course.players)
    to_move, legal = _TELLERS[course.game](course, logs)
    if to_move is None:
        logs.show_all("over")
    else:
        logs.show([to_move], "asked", *legal)
    return logs.by_seat


def actions_in(log: Log) -> list[tuple[object, object]]:
    """Who did what, as far as the seat knows of it."""
    return [(entry[1], entry[2]) for entry in log if entry[0] == "did"]


def receipts_in(log: Log) -> list[tuple[int, list[str]]]:
    """The seat's own cards as they came: how many actions it knew of before, and the cards."""
    receipts = []
    actions = 0
    for kind, *what in log:
        actions += kind == "did"
        if kind == "got":
            receipts.append((actions, [str(card) for card in what]))
        elif kind == "peeked":
            receipts.append((actions, [str(what[1])]))
    return receipts


_Asked = tuple[int | None, list[str]]


def _briscola(course: Course, logs: _Logs) -> _Asked:
    talk = course.options.get("talk", "public") if course.players in (4, 6) else "off"
    table = Table(
        course.players,
        course.shuffles[0],
        dealer=course.dealer,
        draws=course.draws,
        talk=talk != "off",
    )
    logs.deal(table.hands)
    logs.show_all("turned up", table.trump_card)
    for code in course.actions:
        seat, trick = table.to_move, len(table.tricks)
        assert seat is not None
        hearers = list(range(course.players))
        if code.startswith("say:") and talk == "signal":
            side = table.partners(seat)
            hearers = [s for s in hearers if s in side or (trick, seat, s) in course.overheard]
        before, holder = [list(hand) for hand in table.hands], table.trump_holder()
        table.act(code)
        logs.show(hearers, "did", seat, code)
        logs.news(before, table.hands)
        if holder is None and table.trump_holder() is not None:
            logs.show_all("took the trump card", table.trump_holder())
    return table.to_move, table.legal()


def _chiamata(course: Course, logs: _Logs) -> _Asked:
    deal = ReferenceChiamata(5, dict(course.options), course.dealer, course.shuffles)
    logs.deal(deal.hands)
    for code in course.actions:
        logs.show_all("did", deal.to_move, code)
        deal.apply(code)
    return deal.to_move, deal.legal()


def _frusta(course: Course, logs: _Logs) -> _Asked:
    deal = ReferenceFrusta(2, dict(course.options), course.dealer, course.shuffles)
    logs.deal(deal.hands)
    prize = deal.stock[0]
    logs.show_all("turned up", prize)
    for code in course.actions:
        before = [list(hand) for hand in deal.hands]
        logs.show_all("did", deal.to_move, code)
        deal.apply(code)
        logs.news(before, deal.hands)
        if deal.stock and deal.stock[0] != prize:
            prize = deal.stock[0]
            logs.show_all("turned up", prize)
    if deal.result and deal.result["tiebreak"]:
        logs.show_all("tie-break", *course.shuffles[1][:2])
    return deal.to_move, deal.legal()


def _meta_mazzo(course: Course, logs: _Logs) -> _Asked:
    deal = ReferenceMetaMazzo(
        2, dict(course.options), course.dealer, course.shuffles, draws=course.draws
    )
    logs.deal(deal.hands)
    for code in course.actions:
        before = [list(hand) for hand in deal.hands]
        _show_act(deal.to_move, code, deal.hands, logs)
        deal.apply(code)
        for seat, hand in enumerate(deal.hands):
            for card in hand:
                if card not in before[seat]:
                    logs.show_all("drew", seat, card)
        logs.news(before, deal.hands)
    return deal.to_move, deal.legal()


def _pizzichino(course: Course, logs: _Logs) -> _Asked:
    deal = ReferencePizzichino(2, dict(course.options), course.dealer, course.shuffles)
    peeks = course.options.get("packets", "ask") == "peek"
    tops = _tops(deal)
    for packet, card in tops.items():
        logs.show_all("turned up", packet, card)
    logs.deal(deal.hands)
    for code in course.actions:
        before, had = [list(hand) for hand in deal.hands], tops
        may_peek = _may_peek(deal)
        _show_act(deal.to_move, code, deal.hands, logs)
        deal.apply(code)
        tops = _tops(deal)
        for packet, card in tops.items():
            if had.get(packet) != card:
                logs.show_all("turned up", packet, card)
        logs.news(before, deal.hands)
        for seat in _may_peek(deal) - may_peek if peeks else ():
            for packet in sorted(deal.own[seat]):
                logs.show([seat], "peeked", packet, deal.packets[packet][0])
    return deal.to_move, deal.legal()


def _may_peek(deal: ReferencePizzichino) -> set[int]:
    """Who has his packets: the dealer gets the rest when the other has turned up two."""
    if len(deal.own[deal.first]) < 4:
        return set()
    return {deal.first} if len(deal.up[deal.first]) < 2 else {deal.first, deal.dealer}


def _tops(deal: ReferencePizzichino) -> dict[int, str]:
    """What lies open on the packets."""
    up = [*deal.up[0], *deal.up[1]]
    return {packet: deal.packets[packet][0] for packet in up if deal.packets[packet]}


def _show_act(seat: int | None, code: str, hands: list[list[str]], logs: _Logs) -> None:
    """Something done in Tressette: a declaration shows its cards."""
    assert seat is not None
    logs.show_all("did", seat, code)
    if code.startswith("declare:"):
        logs.show_all("showed", *sorted(tressette.combinations(hands[seat])[code]))


def _frap(course: Course, logs: _Logs) -> _Asked:
    deal = ReferenceFrap(course.players, dict(course.options), course.dealer, course.shuffles)
    logs.show_all("turned up", deal.trump_card)
    for code in course.actions:
        seat = deal.to_move
        before, trump, taker = _seen_hands(deal), deal.trump_card, deal.trump_taken_by
        had_looked = set(deal.looked)
        deal.apply(code)
        if code.startswith("discard:"):
            logs.show([seat] if seat is not None else [], "did", seat, code)
            logs.show_all("laid a card aside", seat)
        else:
            logs.show_all("did", seat, code)
        if deal.trump_card != trump:
            logs.show_all("turned up", deal.trump_card)
        if deal.trump_taken_by != taker:
            logs.show_all("took the trump card", deal.trump_taken_by)
        after = _seen_hands(deal)
        for blind in deal.looked - had_looked:
            if deal.trump_taken_by == blind:  # he takes the trump card, and sees his hand
                dealt = [card for card in after[blind] if card != trump]
                logs.show([blind], "got", *sorted(dealt))
                before[blind] = dealt
        logs.news(before, after)
        if deal.scores is not None:
            logs.show_all("scores", *deal.scores)
    return deal.to_move, deal.legal()


def _seen_hands(deal: ReferenceFrap) -> list[list[str]]:
    """The hands of those who have looked."""
    return [list(hand) if seat in deal.looked else [] for seat, hand in enumerate(deal.hands)]


_TELLERS: dict[str, Callable[[Course, _Logs], _Asked]] = {
    "briscola": _briscola,
    "briscola-chiamata": _chiamata,
    "frusta": _frusta,
    "tressette-meta-mazzo": _meta_mazzo,
    "tressette-pizzichino": _pizzichino,
    "frap": _frap,
}
