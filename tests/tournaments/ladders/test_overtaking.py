"""Who overtakes whom on a ladder: told when it is sure, and once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mazzo_server.pairing import ENOUGH_GROUPS
from mazzo_server.results import read_standings
from mazzo_server.stats import Rating
from mazzo_server.storage import (
    HookFormat,
    HookRow,
    LadderOvertaking,
    MemoryStore,
    TournamentOver,
)
from mazzo_server.tournaments.ladders import overtaking
from mazzo_server.tournaments.ladders.overtaking import Order, OvertakingWatch, read_known_ratings
from tournaments.ladders.test_playing import play_until

ASKED = 0.9


def rate(**mus: float) -> dict[str, Rating]:
    return {bot: Rating(mu=mu, sigma=1.0) for bot, mu in mus.items()}


def test_who_is_better_for_sure_overtakes() -> None:
    order = Order(ASKED)
    assert order.update(rate(ann=30, bob=25, cleo=20)) == {}
    assert order.update(rate(ann=26, bob=25, cleo=30)) == {"cleo": ["bob", "ann"]}
    assert [order.find_place(bot) for bot in ("cleo", "ann", "bob")] == [1, 2, 3]


def test_bots_that_are_alike_do_not_overtake_each_other_all_the_time() -> None:
    order = Order(ASKED)
    order.update(rate(ann=25.5, bob=25))
    for _ in range(3):
        assert order.update(rate(ann=25, bob=25.5)) == {}
        assert order.update(rate(ann=25.5, bob=25)) == {}
    assert order.update(rate(ann=25, bob=27)) == {"bob": ["ann"]}
    assert order.update(rate(ann=25, bob=27)) == {}


def test_newcomers_and_leavers_take_their_places_without_a_word() -> None:
    order = Order(ASKED)
    order.update(rate(ann=30, bob=20))
    assert order.update(rate(ann=30, bob=20, cleo=25, dora=40)) == {}
    assert [order.find_place(bot) for bot in ("dora", "ann", "cleo", "bob")] == [1, 2, 3, 4]
    assert order.update(rate(bob=20, cleo=25)) == {}
    assert order.find_place("cleo") == 1


@pytest.mark.parametrize("wanted", [LadderOvertaking.kind, TournamentOver.kind])
def test_hooks_are_told(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that want to know, once."""
    monkeypatch.setattr(overtaking, "_LOOK_SECONDS", 0.0)
    store = MemoryStore()
    play_until(store, 60)
    store.add_hook(
        HookRow(
            id="aaaa",
            url="https://club.example/in",
            events=(wanted,),
            format=HookFormat.JSON,
            secret="",
            label="",
            create_time=0.0,
        )
    )
    told = [rate(ann=30, bob=20), rate(ann=20, bob=30), rate(ann=20, bob=30)]

    async def read(*_: Any, **__: Any) -> Any:
        return told.pop(0)

    async def main() -> None:
        watch = OvertakingWatch(store, read=read)
        for _ in range(3):
            await watch.look(store.tournament(1))

    asyncio.run(main())
    waiting = [delivery.announcement.event for delivery in store.deliveries()]
    if wanted == LadderOvertaking.kind:
        assert waiting == [
            LadderOvertaking(
                season=1,
                variant=store.tournament(1).definition.variant,
                bot="bob",
                overtaken=("ann",),
                place=1,
            )
        ]
    else:
        assert waiting == []


def test_who_is_not_known_well_is_in_no_order() -> None:
    """Fewer than 30 groups say too little; a bot has its name there, not that of its version."""
    store = MemoryStore()
    play_until(store, 60)
    row = store.tournament(1)
    groups = {one.name: one.groups for one in read_standings(store, row).rows}
    known = read_known_ratings(store, row)
    assert known.keys() == {
        one.bot for one in row.definition.entrants if groups.get(one.name, 0) >= ENOUGH_GROUPS
    }
    play_until(store, 300)
    assert len(read_known_ratings(store, row)) == len(row.definition.entrants)
