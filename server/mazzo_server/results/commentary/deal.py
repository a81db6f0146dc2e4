"""Tells one deal while it is played or replayed."""

from __future__ import annotations

from collections.abc import Sequence

from mazzo.cards import Card
from mazzo.game import Event, Trick, View
from mazzo_server.results.commentary.lines import (
    Line,
    Part,
    find_exact_score,
    format_number,
    join_parts,
    make_hand_parts,
)
from mazzo_server.results.commentary.table import make_words
from mazzo_server.results.commentary.words import Names, Words

__all__ = ["DealTeller"]


class DealTeller:
    """Makes lines from what the views of some seats show, step by step.

    Events that belong together, such as an auction, are gathered into one line. The line comes out
    as soon as another event happens, or at `flush`.
    """

    def __init__(self, names: Names) -> None:
        """Tell the deal with `names`, the name of each seat."""
        self._names = names
        self._before: tuple[View, ...] = ()
        self._out: list[Line] = []
        self._label = ""  # of the line that is being gathered
        self._gathered: list[list[Part]] = []
        self._actor: int | None = None  # the last actor in that line
        self._dealt: set[int] = set()  # the seats whose hands were told
        self._uncovered: list[list[Part]] = []  # by each card of the trick on the table

    def see(self, views: Sequence[View]) -> list[Line]:
        """Return the new lines after at most one action; pass views of the same seats every time.

        The first views are those before the first action.
        """
        if not self._before:
            self._begin(views)
        elif self._before != tuple(views):
            self._continue(views)
        self._before = tuple(views)
        return self._take()

    def flush(self) -> list[Line]:
        """Return what was gathered so far."""
        self._end_gathering()
        return self._take()

    def end(self, scores: Sequence[int], winners: Sequence[int]) -> list[Line]:
        """Return the finished deal's result; `winners` are the indices of the top sides."""
        view = self._before[0]
        words = self._find_words(view)
        for label, parts in words.tell_outcome(view, self._names):
            self._make_line(label, parts)
        told = [
            [f"{name} {format_number(score, signed=words.signed)}"]
            for name, score in zip(self._names, scores, strict=True)
        ]
        parts = join_parts(told)
        if view.variant.game.counts_wins:
            sides = [
                " and ".join(self._names[seat] for seat in view.variant.sides[index])
                for index in winners
            ]
            won = f"{sides[0]} won the deal" if len(sides) == 1 else f"level: {', '.join(sides)}"
            parts.append(f"; {won}")
        self._make_line("Scores", parts)
        return self._take()

    def _find_words(self, view: View) -> Words[View]:
        return make_words(view.variant.game)

    def _begin(self, views: Sequence[View]) -> None:
        view = views[0]
        parts: list[Part] = [f"dealt by {self._names[view.dealer]}"]
        if any(view.match.scores):
            so_far = [
                [f"{name} {format_number(find_exact_score(score))}"]
                for name, score in zip(self._names, view.match.scores, strict=True)
            ]
            parts += ["; so far ", *join_parts(so_far)]
        self._make_line(f"Deal {view.match.deal + 1}", parts)
        for label, facts in self._find_words(view).tell_start(view, self._names):
            self._make_line(label, facts)
        for shown in views:
            self._tell_hand(shown)

    def _tell_hand(self, view: View) -> None:
        if view.hand_mask:
            self._dealt.add(view.seat)
            self._make_line(
                "Hand", [f"{self._names[view.seat]}: ", *make_hand_parts(view, view.hand)]
            )

    def _continue(self, views: Sequence[View]) -> None:
        before, after = self._before[0], views[0]
        words = self._find_words(after)
        event = self._find_event(views)
        if event is not None and event.action.card is None:
            seen = next((pair for pair in self._pair(views) if pair[1].seat == event.seat), None)
            said = words.tell_action(*(seen or (before, after)), event)
            if said is not None:
                label, parts = said
                self._gather(label, parts, event.seat)
        elif event is not None:
            self._uncovered.append(words.tell_uncovered(before, after))
        draws = self._describe_draws(views, event)
        if len(after.trick_winners) > len(before.trick_winners):
            drawn = join_parts([f"{self._names[seat]} ", *parts] for seat, parts in draws)
            taken = [
                self._describe_trick(after.tricks[-1]),
                words.tell_trick(before, after, self._names),
            ]
            told = join_parts((group for group in (*taken, drawn) if group), "; ")
            self._make_line(f"Trick {len(after.trick_winners)}", told)
        else:
            for seat, parts in draws:
                label = self._label if seat == self._actor else words.draw_label
                self._gather(label, parts, seat)
        shown = [view.seat for view in views]
        for label, parts in words.tell_events(before, after, self._names, shown):
            self._gather(label, parts)
        for old, new in self._pair(views):
            for label, parts in words.tell_private(old, new):
                self._gather(label, parts, new.seat)
            if not old.hand_mask and new.seat not in self._dealt:
                self._tell_hand(new)

    def _pair(self, views: Sequence[View]) -> list[tuple[View, View]]:
        return list(zip(self._before, views, strict=True))

    def _find_event(self, views: Sequence[View]) -> Event | None:
        """Return the action that was taken, if one of the seats knows of it."""
        for old, new in self._pair(views):
            if len(new.actors) > len(old.actors):
                action = new.variant.game.actions[new.actions[-1]]
                return Event(new.actors[-1], action)
        return None

    def _describe_trick(self, trick: Trick) -> list[Part]:
        """Return who played which card, the winner's card marked with a star."""
        groups: list[list[Part]] = []
        for (seat, card), uncovered in zip(trick.plays, self._uncovered, strict=True):
            name = self._names[seat] + ("" if groups else " leads")
            groups.append([f"{name} ", card, "*" if seat == trick.winner else "", *uncovered])
        self._uncovered = []
        return join_parts(groups)

    def _describe_draws(
        self, views: Sequence[View], event: Event | None
    ) -> list[tuple[int, list[Part]]]:
        """Return who got which cards, as far as seats see; the trick's leader comes first."""
        after = views[0]
        words = self._find_words(after)
        actor = None if event is None or event.action.card is not None else event
        gained: dict[int, tuple[Card, ...]] = {}
        if words.public_draws:
            for seat in range(after.players):
                if actor is None or actor.seat != seat:  # it had the shown card before
                    old = self._before[0].known(seat)
                    gained[seat] = tuple(card for card in after.known(seat) if card not in old)
        for seen_before, seen in self._pair(views):
            new = seen.hand_mask & ~seen_before.hand_mask
            plucked = actor is not None and actor.seat == seen.seat and words.is_card_named(actor)
            told = seen.seat in self._dealt and not plucked
            gained[seen.seat] = seen.variant.game.pack.of(new) if told else ()
        first = after.trick_leader
        order = sorted(gained, key=lambda seat: (seat - first) % after.players)
        return [
            (seat, [f"{words.draw_verb} ", *make_hand_parts(after, gained[seat])])
            for seat in order
            if gained[seat]
        ]

    def _gather(self, label: str, parts: Sequence[Part], actor: int | None = None) -> None:
        """Add to what is gathered under the label; name an actor once in a row."""
        if label != self._label:
            self._end_gathering()
            self._label = label
        if actor is not None and actor == self._actor:
            self._gathered[-1] += [", ", *parts]
        else:
            name = [] if actor is None else [f"{self._names[actor]} "]
            self._gathered.append([*name, *parts])
        self._actor = actor

    def _end_gathering(self) -> None:
        if self._gathered:
            self._out.append(Line(label=self._label, parts=tuple(join_parts(self._gathered, "; "))))
        self._label, self._gathered, self._actor = "", [], None

    def _make_line(self, label: str, parts: Sequence[Part]) -> None:
        self._end_gathering()
        self._out.append(Line(label=label, parts=tuple(parts)))

    def _take(self) -> list[Line]:
        out, self._out = self._out, []
        return out
