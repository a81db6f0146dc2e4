"""What `expert` would play: from the view alone, always the same, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from mazzo.game import View
from mazzo.games import parse_variant
from mazzo_server.home import find_decision, find_home_bot, list_sample_bots, play_decision
from mazzo_server.home.bots import HomeBotError
from mazzo_server.home.expert import choose_as_expert, pack_question
from mazzo_server.home.expert_process import ExpertProcess
from mazzo_server.results.watching import Position, WatchedMatch
from sdk.test_match_record import played

VARIANTS = [
    *("briscola/2", "briscola/3", "briscola/4?talk=signal", "briscola-chiamata/5", "frusta/2"),
    *("tressette-meta-mazzo/2", "tressette-pizzichino/2", "frap/4"),
]
MUTE = (sys.executable, "-c", "import sys; [line for line in sys.stdin]")
GONE = (sys.executable, "-c", "")
# Writes down every question, and answers with the first legal action.
FIRST = """
import sys
from mazzo.codec import decode_view
from mazzo.v1 import view_pb2

for line in sys.stdin:
    with open(sys.argv[1], "a") as file:
        file.write(line)
    message = view_pb2.View.FromString(bytes.fromhex(line.split()[0]))
    print(int(decode_view(message).legal[0]), flush=True)
"""

Body = Callable[[ExpertProcess], Awaitable[None]]


def ask(body: Body, *command: str, patience: float = 60.0, most_kept: int = 100) -> None:
    async def work() -> None:
        more = {"command": command} if command else {}
        asked = ExpertProcess(patience=patience, most_kept=most_kept, **more)
        async with asyncio.timeout(100):
            try:
                await body(asked)
            finally:
                await asked.close()

    asyncio.run(work())


def choose_views(text: str, count: int) -> list[View]:
    match = WatchedMatch(played(parse_variant(text), "deals:2"))
    views = [view for _, view in match.list_views(Position())]
    return random.Random(text).sample(views, count)


@pytest.mark.parametrize("text", VARIANTS)
def test_it_plays_as_the_bot_would_have_played_in_that_seat(text: str) -> None:
    """With the randomness that a bot had there, which a tournament would give it again."""
    record = played(parse_variant(text), "deals:2", late=[(0, 2)])
    match = WatchedMatch(record)
    bot = find_home_bot(str(list_sample_bots()["expert"]), record.variant)
    later = list(match.list_views(Position()))
    assert len(later) == sum(len(deal.actions) for deal in record.deals) - 1
    for at, view in random.Random(text).sample(later, 8):
        decision = find_decision(record, view.seat, view.number)
        assert decision.view == view == match.view_decision(at)
        assert (decision.view.seed, decision.view.number) == (view.seed, view.number)
        assert choose_as_expert(view) == play_decision(decision, bot).action


def test_a_process_of_its_own_gives_the_same_answers_each_time() -> None:
    """Also another one, and one that was started anew since the first had ended."""
    views = [view for text in VARIANTS for view in choose_views(text, 3)]
    expected = [choose_as_expert(view) for view in views]

    async def body(expert: ExpertProcess) -> None:
        assert await asyncio.gather(*map(expert.advise, views[:9])) == expected[:9]
        await expert.close()
        assert [await expert.advise(view) for view in views] == expected

    ask(body)


@pytest.mark.parametrize("text", VARIANTS)
def test_what_is_asked_says_nothing_of_hidden_cards(text: str) -> None:
    """Other cards in the other hands make the same question."""
    different = 0
    for view in choose_views(text, 5):
        hands = set()
        for world in view.worlds(5):
            other = world.view(view.seat)
            other.seed, other.number = view.seed, view.number
            assert pack_question(other) == pack_question(view)
            hands.add(tuple(world.view(seat).hand for seat in range(view.players)))
        different += len(hands) > 1
    assert different


def test_who_thinks_too_long_is_ended_and_asked_anew() -> None:
    """Nobody waits longer than that, neither for the answer nor for those before."""
    first, second = choose_views("briscola/2", 2)

    async def body(expert: ExpertProcess) -> None:
        for _ in range(2):
            answers = await asyncio.gather(
                expert.advise(first), expert.advise(second), return_exceptions=True
            )
            assert [type(answer) for answer in answers] == [TimeoutError, TimeoutError]

    ask(body, *MUTE, patience=0.2)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (GONE, "expert has ended"),
        ((sys.executable, "-c", "input(); print(39)"), "action 39, which is not legal"),
        ((sys.executable, "-c", "input(); print('expert: it failed')"), "it failed"),
    ],
)
def test_what_is_no_answer_is_told(command: tuple[str, ...], problem: str) -> None:
    view = next(view for view in choose_views("briscola/2", 30) if not view.legal_mask >> 39 & 1)

    async def body(expert: ExpertProcess) -> None:
        with pytest.raises(HomeBotError, match=problem):
            await expert.advise(view)

    ask(body, *command)


def test_answers_are_kept_and_not_too_many_of_them(tmp_path: Path) -> None:
    views = choose_views("frusta/2", 3)
    file = tmp_path / "questions"

    async def body(expert: ExpertProcess) -> None:
        for number in (0, 0, 1, 0, 2, 0, 1):
            await expert.advise(views[number])

    ask(body, sys.executable, "-c", FIRST, str(file), most_kept=2)
    asked = file.read_bytes().splitlines(keepends=True)
    assert asked == [pack_question(views[number]) for number in (0, 1, 2, 1)]
