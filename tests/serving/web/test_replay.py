"""The page of a match: what each watcher is shown at each position, and nothing else."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from fractions import Fraction

import grpc
import httpx
import pytest

from mazzo.game import Variant, View
from mazzo.games import parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.games.frap import FrapView
from mazzo.games.frusta import FrustaView
from mazzo.games.tressette import MetaMazzoView, PizzichinoView
from mazzo.match_record import MatchRecord, SeatRecord
from mazzo_server.errors import PlatformError
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import format_number, name_card
from mazzo_server.results.watching import Position, WatchedMatch
from mazzo_server.results.watching.match_result import describe_result
from mazzo_server.serving.web import make_app
from mazzo_server.serving.web.replay_pages import DecisionAdviser, WatchedMatches
from sdk.test_match_record import played
from support.web_pages import Page, check_page, open_browser

VARIANTS = [
    *("briscola/2", "briscola/3", "briscola/4?talk=signal", "briscola/6", "briscola-chiamata/5"),
    *("frusta/2", "tressette-meta-mazzo/2", "tressette-pizzichino/2", "frap/2", "frap/12"),
]
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"

Body = Callable[[httpx.AsyncClient], Awaitable[None]]


class Recorded:
    """Services that have the matches of one mirror group, which is number 0."""

    def __init__(self, *records: MatchRecord) -> None:
        self._texts = ["\n".join(record.lines()) for record in records]
        self.asked: list[MatchId] = []
        self.token = ""

    async def read_record(self, match: MatchId) -> str:
        self.asked.append(match)
        if match.group:
            raise PlatformError("The record of 1/1/1 is not true: a false card")
        if match.seating >= len(self._texts):
            nothing = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(grpc.StatusCode.NOT_FOUND, nothing, nothing, "none")
        return self._texts[match.seating]


def browse(
    body: Body,
    *records: MatchRecord,
    adviser: DecisionAdviser | None = None,
    search_seconds: float = 60.0,
) -> Recorded:
    recorded = Recorded(*records)

    async def work() -> None:
        app = make_app(recorded, adviser=adviser, search_seconds=search_seconds)  # type: ignore[arg-type]
        async with open_browser(app) as client:
            await body(client)

    asyncio.run(work())
    return recorded


def address_of(at: Position) -> str:
    seat = "" if at.seat is None else f"&seat={at.seat}"
    return f"/matches/1/0/0?deal={at.deal + 1}&decision={at.step + 1}{seat}"


def find_cards(page: Page, variant: Variant) -> set[str]:
    """The codes of all cards of which the source of a page says anything."""
    values = [
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if value and name != "d"  # the numbers of a drawing
    ]
    source = "\n".join([page.text, *values])
    words = set(re.findall(r"\w+", source))
    return {
        card.code
        for card in variant.game.pack.cards
        if card.code in words or name_card(card) in source
    }


def test_the_search_finds_a_card_wherever_it_stands() -> None:
    """Else the next test would find nothing."""
    variant = parse_variant("briscola/2")
    for leak in (
        '<p title="ace of coins">',
        "<p>he holds the ace of coins</p>",
        "<b>(Ad)</b>",
        '<a href="/x?card=Ad">',
        '<use href="#card-Ad"/>',
        '<p data-x="1,Ad,2">',
    ):
        assert find_cards(Page(leak), variant) == {"Ad"}, leak
    assert find_cards(Page("<p>Add 7 cards of clubs</p>"), variant) == set()


@pytest.mark.parametrize("text", VARIANTS)
def test_a_watcher_of_a_seat_is_told_of_no_card_that_the_seat_did_not_know(text: str) -> None:
    """Neither in a text nor in a name, an attribute, an address or a drawing."""
    variant = parse_variant(text)
    record = played(variant, "deals:2")
    match = WatchedMatch(record)
    generator = random.Random(text)
    checked = 0

    async def body(client: httpx.AsyncClient) -> None:
        nonlocal checked
        for at in generator.choices(list(match.positions.list_all()), k=40):
            answer = await client.get(address_of(at))
            assert answer.status_code == 200
            page = Page(answer.text)
            check_page(page)
            assert len(answer.content) < 100_000
            if at.seat is None:
                continue
            group = await client.get(address_of(at).replace("/1/0/0?", "/1/0?"))
            found = find_cards(page, variant) | find_cards(Page(group.text), variant)
            if match.is_end(at):
                view = match.view_end(at)
                hidden = {card.code for card in view.unseen}
                hidden -= {str(getattr(view, name, "")) for name in ("trump_card", "called")}
                assert not found & hidden, at
                continue
            seen = match.look(at)
            hidden = {card.code for card in seen.view.unseen}
            hidden -= {str(part) for part in seen.action}  # what is played is seen by all
            # These were named or shown to all, wherever they are now.
            hidden -= {str(getattr(seen.view, name, "")) for name in ("trump_card", "called")}
            assert not found & hidden, at
            backs = [min(hand.count - len(hand.cards), 12) for hand in seen.hands]
            assert answer.text.count('href="#card-back"') == sum(backs), at
            checked += len(hidden)

    browse(body, record)
    assert checked


@pytest.mark.parametrize("text", VARIANTS)
def test_its_steps_lead_through_the_whole_match(text: str) -> None:
    """By the link of the page alone, from the first decision to the end and no further."""
    record = played(parse_variant(text), "deals:2", forfeits=[(1, 4)])
    match = WatchedMatch(record)

    async def body(client: httpx.AsyncClient) -> None:
        address, seen = "/matches/1/0/0", 0
        while True:
            page = Page((await client.get(address)).text)
            seen += 1
            following = [
                link["href"]
                for tag, link in page.elements
                if tag == "a" and link.get("data-key") == "ArrowRight"
            ]
            if not following:
                break
            address = f"/matches/1/0/0{following[0]}"
        assert seen == sum(len(steps) + 1 for steps in match.steps)
        assert "The result of the match" in page.text

    recorded = browse(body, record)
    assert len(recorded.asked) == 1  # it is kept


def find_points(text: str) -> str:
    """The chart of points, and its table; empty where there is none."""
    return text.partition('<div class="chart small">')[2].partition("What has happened")[0]


def find_heights(chart: str) -> list[list[str]]:
    """How high each corner of the lines lies, and each line of the grid."""
    found = re.findall(r'<polyline class="(?:points|grid)" points="([^"]*)"', chart)
    return [[point.partition(",")[2] for point in points.split()] for points in found]


def expect_points(view: View) -> list[str]:
    """What the sides have, counted once more from the tricks that the seat has seen."""
    counted = [Fraction(0)] * view.players
    for number, trick in enumerate(view.tricks):
        assert trick.winner is not None
        if isinstance(view, MetaMazzoView | PizzichinoView):
            worth = Fraction(sum(map(view.card_thirds, trick.cards)), 3)
            worth += number == 19  # the last trick
        elif isinstance(view, BriscolaView | ChiamataView):
            worth = Fraction(sum(map(view.card_points, trick.cards)))
        else:
            worth = Fraction(isinstance(view, FrapView) or number >= 10)  # of stage 2 in Frusta
        counted[trick.winner] += worth
    if isinstance(view, MetaMazzoView | PizzichinoView):
        for shown in view.declarations:
            counted[shown.seat] += shown.points
    if isinstance(view, FrustaView) and view.tiebreak:
        counted = [Fraction(count) for count in view.tricks_taken]
    sides = [(s,) for s in view.seats_in_play] if isinstance(view, FrapView) else view.variant.sides
    return [format_number(sum((counted[seat] for seat in side), Fraction())) for side in sides]


@pytest.mark.parametrize("text", VARIANTS)
def test_points_are_told_up_to_the_position_and_not_from_later_on(text: str) -> None:
    """The result is hidden until somebody asks: neither lines nor axes may tell what will come.

    So in a match that goes on in another way, the points up to there are told in the same way.
    """
    variant = parse_variant(text)
    choices = next(one for one in range(99) if has_tricks(played(variant, "deals:1", choices=one)))
    record = played(variant, "deals:1", choices=choices)
    match = WatchedMatch(record)
    cut = match.steps[0][len(match.steps[0]) * 2 // 3]
    other = played(variant, "deals:1", choices=choices, forfeits=[(cut.seat, cut.number)])
    shown = 0

    async def body(client: httpx.AsyncClient) -> None:
        nonlocal shown
        for step in range(len(match.steps[0]) + 1):
            at = Position(step=step, seat=random.Random(step).choice([None, 0, 1]))
            address = address_of(at)
            told = find_points((await client.get(address)).text)
            if step <= len(match.steps[0]) * 2 // 3:
                again = find_points((await client.get(address.replace("/0/0?", "/0/1?"))).text)
                assert find_heights(told) == find_heights(again), at
                assert told.partition("</svg>")[2] == again.partition("</svg>")[2]
            view = match.view_end(at) if match.is_end(at) else match.look(at).view
            assert bool(told) is bool(view.seats_in_play)  # none yet while Frap's seats bid
            if not told:
                continue
            rows = re.findall(r'<tr><th scope="row" class="number">(\d+)</th>(.*)</tr>', told)
            numbers = [int(number) for number, _ in rows]
            assert numbers == sorted(set(numbers))
            assert (numbers[0], numbers[-1]) == (0, step)
            points = re.findall(r"<td[^>]*>([^<]*)</td>", rows[-1][1])
            assert points == expect_points(view), at
            shown += any(one != "0" for one in points)

    browse(body, record, other)
    assert shown


def has_tricks(record: MatchRecord) -> bool:
    """Whether cards are played, which they are not where all pass in Frap."""
    return bool(WatchedMatch(record).tricks[0][-1])


def test_a_group_is_shown_side_by_side_and_where_its_seatings_part() -> None:
    """Both have the same cards; where one has ended, its end is shown beside the other."""
    variant = parse_variant("briscola/2")
    first = played(variant, "deals:2", seating=0)
    forfeited = played(variant, "deals:2", seating=1, choices=1, forfeits=[(0, 3)])
    ends = [sum(len(deal.actions) for deal in record.deals) for record in (first, forfeited)]
    assert ends[0] > ends[1]
    parting = next(
        index
        for index, (one, other) in enumerate(
            zip(first.deals[0].actions, forfeited.deals[0].actions, strict=False)
        )
        if one != other
    )

    async def body(client: httpx.AsyncClient) -> None:
        shown = (await client.get("/matches/1/0")).text
        ways = re.findall(r'<a[^>]* data-key="\w"[^>]* aria-label="([^"]+)"[^>]*>([^<]+)<', shown)
        ways += re.findall(r'<a[^>]*"Arrow\w+"[^>]* aria-label="([^"]+)"[^>]*>([^<]+)<', shown)
        assert len(ways) >= 4
        for name, visible in ways:  # who says what they see gets there
            assert re.sub(r"\W", "", visible) in name
        page = Page(shown)
        check_page(page)
        assert "Seating 0" in page.text
        assert "Seating 1" in page.text
        links = page.list_links()
        assert "/matches/1/0/1?deal=1&decision=1" in links
        assert f"?deal=1&decision={parting + 1}" in links
        there = Page((await client.get(f"/matches/1/0?deal=1&decision={parting + 1}")).text)
        assert there.text.count(" plays ") >= 2
        end = Page((await client.get("/matches/1/0?deal=2&decision=41")).text)
        assert "Seating 1" in end.text

    browse(body, first, forfeited)


@pytest.mark.parametrize("count", [1, 2, 5, 24])
def test_the_seatings_of_a_group_are_fetched_a_few_at_a_time(count: int) -> None:
    """Each once; the next page asks for none, and for none that there is not."""
    record = played(parse_variant("frap/4"), "deals:1")

    class Slow(Recorded):
        open_now = 0
        most = 0

        async def read_record(self, match: MatchId) -> str:
            self.open_now += 1
            self.most = max(self.most, self.open_now)
            await asyncio.sleep(0)
            self.open_now -= 1
            return await super().read_record(match)

    async def work() -> None:
        kept, recorded = WatchedMatches(), Slow(*[record] * count)
        for _ in range(2):
            found = await kept.open_group(recorded, MatchId(1, 0, 0))  # type: ignore[arg-type]
            assert [number.seating for number, _ in found] == list(range(count))
        assert recorded.most == 4
        asked = [match.seating for match in recorded.asked]
        assert len(asked) == len(set(asked))
        assert max(asked) < count + 4
        recorded.token = "another's"
        before = len(recorded.asked)
        await kept.open_group(recorded, MatchId(1, 0, 0))  # type: ignore[arg-type]
        assert len(recorded.asked) >= before + count

    asyncio.run(work())


def test_a_group_that_cannot_be_shown_is_asked_for_once() -> None:
    async def work() -> None:
        recorded = Recorded(played(parse_variant("briscola/2"), "deals:1"))
        with pytest.raises(PlatformError):
            await WatchedMatches().open_group(recorded, MatchId(1, 1, 0))  # type: ignore[arg-type]
        assert len(recorded.asked) == 1

    asyncio.run(work())


def test_what_one_visitor_may_see_is_kept_for_no_other() -> None:
    """Notes are shown to the owners of bots alone."""

    async def work() -> None:
        kept = WatchedMatches()
        recorded = Recorded(played(parse_variant("briscola/2"), "deals:1"))
        for token in ("ann's", "bob's", "ann's", ""):
            recorded.token = token
            await kept.open(recorded, MatchId(1, 0, 0))  # type: ignore[arg-type]
        assert len(recorded.asked) == 3

    asyncio.run(work())


def test_everything_about_a_decision_is_told_to_whom_it_concerns() -> None:
    record = played(parse_variant("briscola/2"), "deals:1", late=[(0, 2)], forfeits=[(1, 3)])
    record = replace(record, notes=(tuple((index, f"note {index}") for index in range(40)),))
    match = WatchedMatch(record)

    async def body(client: httpx.AsyncClient) -> None:
        for step in match.steps[0]:
            at = Position(step=match.steps[0].index(step))
            for seat in (None, 0, 1):
                text = Page((await client.get(address_of(replace(at, seat=seat)))).text).text
                concerned = seat in (None, step.seat)
                assert (f"note {at.step}" in text) is concerned
                assert ("left for the deal" in text) is (concerned and step.action is not None)
                if step.by_substitute:
                    assert ("played by the substitute" in text) is concerned
                if step.fault:
                    assert "crashed" in text
                    assert ("ended with status 3" in text) is concerned

    browse(body, record)


@pytest.mark.parametrize(
    ("text", "match", "ranking", "scores", "told"),
    [
        ("briscola/2", "deals:3", (2, 1), (1, 2), "bot-1 wins, 2 to 1 in deals"),
        ("briscola/2", "deals:2", (1, 1), (1, 1), "bot-0 and bot-1 draw, with 1 each in deals"),
        ("briscola/2", "deals:2", (1, 2), (1, 1), "bot-0 wins, 1 to 1 in deals, with more points"),
        ("briscola/4", "deals:1", (1, 2, 1, 2), (1, 0, 1, 0), "bot-0 and bot-2 win, 1 to 0"),
        ("frap/3", "deals:1", (2, 1, 2), (5, 9, 5), "bot-1 wins with 9 points; then bot-0 and"),
        (
            "briscola-chiamata/5",
            "deals:1",
            (1, 1, 3, 4, 5),
            (4, 4, 1, 0, -9),
            "bot-0 and bot-1 win with 4 points; then bot-2 1, bot-3 0, bot-4 -9",
        ),
    ],
)
def test_the_end_of_a_match_says_in_a_sentence_who_won(
    text: str, match: str, ranking: tuple[int, ...], scores: tuple[int, ...], told: str
) -> None:
    """Bug: it said "Match 1 ladyluck with 2, 2 bruno-bot with 0"."""
    record = played(parse_variant(text), match)
    record = replace(record, ranking=ranking, match_scores=tuple(map(Fraction, scores)))
    names = [f"bot-{seat}" for seat in range(len(ranking))]
    assert told in describe_result(record, names)


def test_the_page_says_what_its_signs_and_keys_are() -> None:
    record = played(parse_variant("briscola/2"), "deals:1")
    steps = len(WatchedMatch(record).steps[0])

    async def body(client: httpx.AsyncClient) -> None:
        text = Page((await client.get(f"/matches/1/0/0?decision={steps + 1}")).text).text
        assert describe_result(record, WatchedMatch(record).names) in text
        assert not re.search(r" with \d, 2 ", text)
        assert "A star follows the card that took the trick." in text
        assert "Keys, with scripts: ← → a step" in text

    browse(body, record)


def test_the_whole_match_on_one_page_is_not_too_long() -> None:
    long = played(parse_variant("briscola-chiamata/5"), "deals:20")
    short = played(parse_variant("briscola-chiamata/5"), "deals:5")

    async def body(client: httpx.AsyncClient) -> None:
        refused = await client.get("/matches/1/0/0/whole")
        assert refused.status_code == 404
        assert "too long for one page" in refused.text
        first, again = [await client.get("/matches/1/0/1/whole") for _ in range(2)]
        assert first.status_code == 200
        assert first.content == again.content
        check_page(Page(first.text))

    browse(body, long, short)


def test_a_hostile_name_and_note_are_text() -> None:
    record = played(parse_variant("briscola/2"), "deals:1")
    record = replace(
        record,
        seats=(SeatRecord(bot=HOSTILE, version=1), record.seats[1]),
        notes=(tuple((index, HOSTILE) for index in range(40)),),
    )

    async def body(client: httpx.AsyncClient) -> None:
        for page in ("?decision=1", "?decision=41", "/whole"):
            answer = await client.get(f"/matches/1/0/0{page}")
            check_page(Page(answer.text))
            assert "<script>alert(1)</script>" in Page(answer.text).text
            assert "<script>alert" not in answer.text
            assert not set("\x1b\u202e") & set(answer.text)

    browse(body, record)


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/matches/1/0/0?deal=3", 404),
        ("/matches/1/0/0?deal=0", 404),
        ("/matches/1/0/0?decision=42", 404),
        ("/matches/1/0/0?seat=2", 404),
        ("/matches/1/0/0?seat=-1", 404),
        ("/matches/1/0/0?deal=one", 404),
        ("/matches/1/0/0?deal=" + "9" * 5000, 404),
        ("/matches/1/0/x", 404),
        ("/matches/1/0/1", 404),
        ("/matches/1/0?deal=3", 404),
        ("/matches/1/x", 404),
        ("/matches/1/99999999999/1", 404),
        ("/matches/1/1/1", 409),
    ],
)
def test_what_a_match_does_not_have_is_said(address: str, status: int) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        answer = await client.get(address)
        assert answer.status_code == status
        if status == 409:
            assert "is not true: a false card" in Page(answer.text).text

    browse(body, played(parse_variant("briscola/2"), "deals:2"))
