"""What an adviser would have played, on the page of a match: to whom it is told, and when."""

from __future__ import annotations

import random
from collections.abc import Callable

import httpx
import pytest

from mazzo.errors import MazzoError
from mazzo.game import View
from mazzo.games import parse_variant
from mazzo_server.results.watching import Position, WatchedMatch
from sdk.test_match_record import played
from serving.web.test_replay import VARIANTS, address_of, browse, find_cards
from support.web_pages import Page, check_page


class Scripted:
    """An adviser who decides as a test says, and remembers what it was asked."""

    name = "expert"

    def __init__(self, decide: Callable[[View], int]) -> None:
        self._decide = decide
        self.seen: list[View] = []

    async def advise(self, view: View) -> int:
        self.seen.append(view)
        return self._decide(view)


def choose_last(view: View) -> int:
    return int(view.legal[-1])


def make_contrary(match: WatchedMatch, places: set[tuple[int, int]]) -> Scripted:
    """An adviser who decides as was played but for these deals and steps."""
    then = {
        (view.seat, view.number): (match.steps[at.deal][at.step].action, (at.deal, at.step))
        for at, view in [
            *match.list_views(Position()),
            (Position(), match.view_decision(Position())),
        ]
    }

    def decide(view: View) -> int:
        action, place = then[view.seat, view.number]
        assert action is not None
        others = [int(other) for other in view.legal if other != action]
        return others[0] if place in places else action

    return Scripted(decide)


def list_open_places(match: WatchedMatch, seat: int | None = None) -> list[tuple[int, int]]:
    """Deals and steps after the first decision at which there was a choice."""
    return [
        (at.deal, at.step)
        for at, view in match.list_views(Position(seat=seat))
        if len(view.legal) > 1
    ]


def test_nobody_is_asked_unless_the_address_says_so() -> None:
    record = played(parse_variant("briscola/2"), "deals:1")
    adviser = Scripted(choose_last)

    async def body(client: httpx.AsyncClient) -> None:
        page = Page((await client.get("/matches/1/0/0?decision=5")).text)
        assert not adviser.seen
        assert "What would expert have played?" in page.text
        assert "?deal=1&decision=5&expert=1" in page.list_links()
        assert (await client.get("/matches/1/0/0?expert=all")).status_code == 400
        asked = Page((await client.get("/matches/1/0/0?decision=5&expert=1")).text)
        check_page(asked)
        assert len(adviser.seen) == 1
        steps = [link for link in asked.list_links() if link.startswith("?")]
        assert "?deal=1&decision=6&expert=1" in steps  # it goes along
        assert "?deal=1&decision=5" in steps
        assert "?deal=1&decision=5&expert=next" in steps

    browse(body, record, adviser=adviser)


def test_nothing_is_offered_where_nobody_decides() -> None:
    """Bug: the end of a match asked what expert would have played."""
    record = played(parse_variant("briscola/2"), "deals:1")
    end = len(WatchedMatch(record).steps[0]) + 1

    async def body(client: httpx.AsyncClient) -> None:
        for decision in (end - 1, end):
            page = Page((await client.get(f"/matches/1/0/0?decision={decision}")).text)
            assert ("What would expert have played?" in page.text) is (decision < end)

    browse(body, record, adviser=Scripted(choose_last))


def test_pages_without_an_adviser_offer_none() -> None:
    async def body(client: httpx.AsyncClient) -> None:
        page = await client.get("/matches/1/0/0")
        assert "expert" not in page.text
        for asked in ("1", "next"):
            assert (await client.get(f"/matches/1/0/0?expert={asked}")).status_code == 404

    browse(body, played(parse_variant("briscola/2"), "deals:1"))


@pytest.mark.parametrize("text", VARIANTS)
def test_advice_follows_from_the_view_of_the_seat_and_is_for_nobody_else(text: str) -> None:
    """A watcher of another seat would learn from it what the seat to move holds."""
    variant = parse_variant(text)
    record = played(variant, "deals:2", forfeits=[(1, 9)])
    match = WatchedMatch(record)
    adviser = Scripted(choose_last)
    told = 0

    async def body(client: httpx.AsyncClient) -> None:
        nonlocal told
        places = list(match.positions.list_all())
        for at in random.Random(text).choices(places, k=25):
            adviser.seen.clear()
            page = Page((await client.get(address_of(at) + "&expert=1")).text)
            is_told = not match.is_end(at) and at.seat in (None, match.look(at).step.seat)
            assert ("Expert" in page.text) is is_told is bool(adviser.seen), at
            if not is_told:
                continue
            told += 1
            view = match.look(at).view
            assert adviser.seen == [view]
            assert (adviser.seen[0].number, len(adviser.seen[0].seed)) == (
                match.look(at).step.number,
                32,
            )
            if at.seat is not None:
                hidden = {card.code for card in view.unseen}
                hidden -= {str(part) for part in match.look(at).action}
                hidden -= {str(getattr(view, name, "")) for name in ("trump_card", "called")}
                assert not find_cards(page, variant) & hidden, at

    browse(body, record, adviser=adviser)
    assert told


def test_its_choice_stands_beside_the_one_that_was_made() -> None:
    record = played(parse_variant("briscola/2"), "deals:1")
    match = WatchedMatch(record)
    place = list_open_places(match)[3]
    adviser = make_contrary(match, {place})

    async def body(client: httpx.AsyncClient) -> None:
        for at in (Position(step=place[1]), Position(step=place[1] + 1)):
            text = (await client.get(address_of(at) + "&expert=1")).text
            was = match.steps[0][at.step].action
            now = await adviser.advise(match.view_decision(at))
            assert (" instead" in Page(text).text) is (was != now) is (at.step == place[1])
            assert (", too" in Page(text).text) is (was == now)
            assert ("advised" in text) is (was != now)

    browse(body, record, adviser=adviser)


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_next_difference_is_found_and_none_is_left_out(seat: int | None) -> None:
    """For a watcher of a seat those of that seat; then it is said that there is no more."""
    record = played(parse_variant("briscola/2"), "deals:2", late=[(0, 3)])
    match = WatchedMatch(record)
    places = random.Random(3).sample(list_open_places(match), 9)
    seats = {place: match.steps[place[0]][place[1]].seat for place in places}
    expected = sorted(place for place in places if seat in (None, seats[place]))
    adviser = make_contrary(match, set(places))

    async def body(client: httpx.AsyncClient) -> None:
        address, found = address_of(Position(seat=seat)) + "&expert=next", []
        while (answer := await client.get(address)).status_code == 303:
            assert answer.headers["Location"].endswith("&expert=1")
            query = httpx.URL(answer.headers["Location"]).params
            found.append((int(query["deal"]) - 1, int(query["decision"]) - 1))
            assert query.get("seat") == (None if seat is None else str(seat))
            there = f"/matches/1/0/0{answer.headers['Location']}"
            page = Page((await client.get(there)).text)
            assert " instead" in page.text
            (address,) = {link for link in page.list_links() if link.endswith("=next")}
            address = f"/matches/1/0/0{address}"
        assert found == expected
        assert answer.status_code == 200
        last = Page(answer.text)
        assert "Expert agrees with all later decisions" in last.text
        assert not [link for link in last.list_links() if link.endswith("=next")]

    browse(body, record, adviser=adviser)


def test_a_search_ends_when_its_time_is_over_and_goes_on_from_there() -> None:
    record = played(parse_variant("briscola/2"), "deals:1")
    match = WatchedMatch(record)
    place = list_open_places(match)[4]
    adviser = make_contrary(match, {place})

    async def body(client: httpx.AsyncClient) -> None:
        address, searches = "/matches/1/0/0?expert=next", 0
        while (answer := await client.get(address)).status_code == 200:
            searches += 1
            page = Page(answer.text)
            assert "None among the next 1 decisions." in page.text
            assert "go on from there" in page.text
            (more,) = {link for link in page.list_links() if link.endswith("=next")}
            address = f"/matches/1/0/0{more}"
        assert answer.headers["Location"] == f"?deal=1&decision={place[1] + 1}&expert=1"
        assert searches == place[1] - 1

    browse(body, record, adviser=adviser, search_seconds=0.0)


@pytest.mark.parametrize("error", [TimeoutError(), MazzoError("<b>it failed</b>")])
def test_without_an_answer_the_page_is_there_and_says_so(error: Exception) -> None:
    def fail(_: View) -> int:
        raise error

    async def body(client: httpx.AsyncClient) -> None:
        for asked in ("1", "next"):
            answer = await client.get(f"/matches/1/0/0?expert={asked}")
            assert answer.status_code == 200
            page = Page(answer.text)
            check_page(page)
            assert "has not answered" in page.text
            assert "<b>it failed" not in answer.text

    browse(body, played(parse_variant("briscola/2"), "deals:1"), adviser=Scripted(fail))
