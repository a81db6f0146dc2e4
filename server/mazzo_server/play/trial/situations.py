"""Finds odd but legal situations of a game by seeded random play; the same for the same seed.

Nothing here knows a particular game. Players that are random in different ways lead deals to places
that a match between sensible bots seldom reaches: one player bids whenever it can, another always
makes the first bid it can. They reach auctions up to the last bid, deals that everybody passes, and
a stake that stays for a later deal. Of all the decisions on the way, those with the rarest traits
are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from mazzo.game import Deal, Game, Variant
from mazzo.match import Match, MatchFormat
from mazzo.options import Numbers, Option
from mazzo.shuffle import Stream

__all__ = ["MATCH_FORMAT", "Kind", "Situation", "find_situations", "list_variants_with_options"]

MATCH_FORMAT = MatchFormat.parse("deals:2")
_RARE = 8  # situations of each form
_MOST_ACTIONS = 2000  # of a match; random play ends long before


class Kind(StrEnum):
    """The reasons why a situation is odd."""

    OPTIONS = "other options of the variant"
    RARE = "where play seldom leads"
    FORCED = "a single legal action"
    LATER = "a later deal of a match"
    HASTE = "little time left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A decision in a match: what was played before it, and why it is odd."""

    kind: Kind
    variant: Variant
    form: str  # the variant without options, which the bot says it plays
    seed: bytes
    actions: bytes  # of all deals so far

    def match(self) -> Match:
        """Return a new match that has been brought to the situation."""
        match = Match(self.variant, self.seed, MATCH_FORMAT)
        for action in self.actions:
            match.deal.apply(action)
            if match.deal.seat is None:
                match.advance()
        return match


_Policy: TypeAlias = Callable[[int, int, Stream], int]


def find_situations(form: Variant, seed: bytes) -> list[Situation]:
    """Return odd situations of a variant with default options, at most one for each place."""
    variants = list_variants_with_options(form)
    decisions = [
        decision
        for index, variant in enumerate(variants)
        for name, policy in _POLICIES.items()
        for decision in _play_out(
            variant, Stream(seed, f"trial/{form.text}/{index}/{name}").digest(), policy
        )
    ]
    random = Stream(seed, f"trial/{form.text}/choice")
    chosen: dict[tuple[bytes, int], Situation] = {}

    def choose(kind: Kind, candidates: Sequence[_Decision], most: int = 1) -> None:
        free = [one for one in candidates if (one.seed, one.length) not in chosen]
        for _ in range(min(most, len(free))):
            one = free.pop(random.below(len(free)))
            chosen[one.seed, one.length] = Situation(
                kind=kind,
                variant=one.variant,
                form=form.text,
                seed=one.seed,
                actions=one.actions[: one.length],
            )

    for decision in _choose_rarest(decisions):
        choose(Kind.RARE, [decision])
    for variant in variants[1:]:
        choose(Kind.OPTIONS, [one for one in decisions if one.variant == variant])
    choose(Kind.LATER, [one for one in decisions if one.is_later], 2)
    choose(Kind.FORCED, [one for one in decisions if one.is_forced])
    choose(Kind.HASTE, decisions)
    return list(chosen.values())


def list_variants_with_options(form: Variant) -> list[Variant]:
    """Return as few variants as cover every value of every option, the default one first.

    For an option that is a number, only the lowest and the highest are covered.
    """
    game, players = form.game, form.players
    values = {
        option.name: [option.default, *_list_others(option, players)]
        for option in game.options
        if players in option.players
    }
    count = max(map(len, values.values()), default=1)
    variants = (
        Variant.of(game, players, {name: many[at % len(many)] for name, many in values.items()})
        for at in range(count)
    )
    return list({variant.text: variant for variant in variants}.values())


def _list_others(option: Option, players: int) -> Iterator[str]:
    yield from (value for value in option.values if value != option.default)
    if option.numbers is not None:
        for number in _list_ends(option.numbers, players):
            if number != option.default:
                yield number


def _list_ends(numbers: Numbers, players: int) -> Iterator[str]:
    times = players if numbers.per_player else 1
    for units in (numbers.last, numbers.first):
        text = f"{units * times / numbers.scale:.12f}".rstrip("0").removesuffix(".")
        yield text or "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    """One decision of a match that was played at random."""

    variant: Variant
    seed: bytes
    actions: bytes  # of the whole match; shared by its decisions
    length: int  # number of actions before this decision
    traits: frozenset[str]
    is_later: bool  # in a deal after the first
    is_forced: bool


def _play_out(variant: Variant, seed: bytes, policy: _Policy) -> list[_Decision]:
    match = Match(variant, seed, MATCH_FORMAT)
    kinds = _list_kinds(variant.game)
    cards = _mask_cards(variant.game)
    random = Stream(seed, "play")
    actions = bytearray()
    met: list[tuple[frozenset[str], bool, bool]] = []
    before = 0  # number of actions in the last deal
    while not match.over and len(actions) < _MOST_ACTIONS:
        deal = match.deal
        legal = deal.legal
        is_forced = not legal & (legal - 1)
        met.append((_find_traits(deal, kinds, before), match.deal_number > 0, is_forced))
        action = policy(legal, legal & ~cards, random)
        deal.apply(action)
        actions.append(action)
        if deal.seat is None:
            before = len(deal.actions)
            match.advance()
    whole = bytes(actions)
    return [
        _Decision(
            variant=variant,
            seed=seed,
            actions=whole,
            length=length,
            traits=traits,
            is_later=is_later,
            is_forced=is_forced,
        )
        for length, (traits, is_later, is_forced) in enumerate(met)
    ]


def _find_traits(deal: Deal, kinds: dict[str, int], before: int) -> frozenset[str]:
    """Return the traits of a position: legal sorts and their number, last action, length."""
    legal, game = deal.legal, deal.variant.game
    sorts = [kind for kind, mask in kinds.items() if legal & mask]
    traits = {f"may {kind}" for kind in sorts}
    traits.add(f"may {' '.join(sorts)} and no more")
    traits.add(f"choices {legal.bit_count().bit_length()}")
    traits.add(f"length {len(deal.actions).bit_length()}")
    if deal.actions:
        traits.add(f"after {_find_kind(game, deal.actions[-1])}")
    if before:
        traits.add(f"after a deal of length {before.bit_length()}")
    if any(deal.start.values()):
        traits.add("inherits")
    if deal.overheard:
        traits.add("overheard")
    return frozenset(traits)


def _choose_rarest(decisions: Sequence[_Decision]) -> list[_Decision]:
    """Return decisions with rare traits; traits of those already chosen count nothing."""
    counts = Counter(trait for decision in decisions for trait in decision.traits)
    first: dict[frozenset[str], _Decision] = {}
    for decision in decisions:
        first.setdefault(decision.traits, decision)
    covered: set[str] = set()
    chosen: list[_Decision] = []
    while first and len(chosen) < _RARE:
        worth = {
            traits: sum(1 / counts[trait] for trait in sorted(traits - covered)) for traits in first
        }
        best = max(worth, key=worth.__getitem__)
        covered |= best
        chosen.append(first.pop(best))
    return chosen


def _find_kind(game: Game, number: int) -> str:
    action = game.actions[number]
    return "card" if action.card is not None else action.code.partition(":")[0]


def _list_kinds(game: Game) -> dict[str, int]:
    """Return the sorts of actions of a game, each as a bit mask."""
    kinds: Counter[str] = Counter()
    for number in range(len(game.actions)):
        kinds[_find_kind(game, number)] += 1 << number
    return dict(kinds)


def _mask_cards(game: Game) -> int:
    return _list_kinds(game).get("card", 0)


def _choose_any(legal: int, said: int, random: Stream) -> int:
    for _ in range(random.below(legal.bit_count())):
        legal &= legal - 1
    return _find_lowest(legal)


def _choose_said(legal: int, said: int, random: Stream) -> int:
    return _choose_any(said or legal, said, random)


def _choose_first_said(legal: int, said: int, random: Stream) -> int:
    return _find_lowest(said) if said else _choose_any(legal, said, random)


def _choose_last_said(legal: int, said: int, random: Stream) -> int:
    return said.bit_length() - 1 if said else _choose_any(legal, said, random)


def _choose_by_whim(legal: int, said: int, random: Stream) -> int:
    policy = (_choose_any, _choose_said, _choose_first_said, _choose_last_said)[random.below(4)]
    return policy(legal, said, random)


def _find_lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


# How to choose among the legal actions; `said` are those that play no card.
_POLICIES: Final[dict[str, _Policy]] = {
    "any": _choose_any,
    "said": _choose_said,
    "first-said": _choose_first_said,
    "last-said": _choose_last_said,
    "fickle": _choose_by_whim,
}
