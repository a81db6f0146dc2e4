"""Hooks, what a bot logs, and what its author is told of mistakes; at home and on a stream."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo import Action, Bot, Card, MatchEnded, MatchStarted, View, run
from mazzo.bot import choose, read_note
from mazzo.cards import FRENCH
from mazzo.client import StreamCall, play_stream
from mazzo.codec import encode_view
from mazzo.errors import BotError
from mazzo.game import Deal
from mazzo.games import find_game, parse_variant
from mazzo.local import play_match
from mazzo.note import NOTE_BYTES, make_one_line
from mazzo.shuffle import SeededShuffles
from mazzo.v1 import play_pb2

SEED = bytes(range(32))
BRISCOLA = parse_variant("briscola/2")


class First(Bot):
    """Plays its first legal action."""

    def act(self, view: View) -> Action:
        return view.legal[0]


class Diary(First):
    """Writes down what it is told, and says so."""

    def __init__(self) -> None:
        self.started: list[MatchStarted] = []
        self.ended: list[MatchEnded] = []
        self.asked: list[tuple[int, bytes]] = []

    def on_start(self, started: MatchStarted) -> None:
        self.log("not a decision")
        self.started.append(started)

    def act(self, view: View) -> Action:
        assert len(self.ended) < len(self.started)
        self.asked.append((view.seat, view.seed))
        if view.number % 2:
            self.log(f"decision {view.number}")
            self.log(f"of {len(view.hand)} cards")
        return super().act(view)

    def on_end(self, ended: MatchEnded) -> None:
        self.ended.append(ended)


@dataclass(frozen=True)
class Frozen(First):
    """A bot that cannot be changed."""

    word: str = "cold"

    def act(self, view: View) -> Action:
        self.log(self.word)
        return super().act(view)


class Fixed(Bot):
    """Returns one thing, whatever it is asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, view: View) -> Action:
        return cast(Action, self.answer)


def a_deal() -> Deal:
    return BRISCOLA.game.deal(BRISCOLA, SeededShuffles(SEED, 0), dealer=0)


@dataclass
class FakeStream:
    """The game master's end of a stream, as a list of what it says."""

    says: list[play_pb2.PlayResponse]
    heard: list[play_pb2.PlayRequest] = field(default_factory=list)

    async def write(self, request: play_pb2.PlayRequest) -> None:
        self.heard.append(request)

    async def read(self) -> play_pb2.PlayResponse:
        return self.says.pop(0)


def play_frames(bot: Bot, *frames: play_pb2.Frame) -> list[play_pb2.ChosenAction]:
    """What the bot answers to these frames, over the SDK's own client."""
    says = [play_pb2.PlayResponse(frame=frame) for frame in frames]
    stream = FakeStream([*says, play_pb2.PlayResponse(goodbye=play_pb2.Goodbye())])
    done: Coroutine[Any, Any, None] = play_stream(bot, cast(StreamCall, stream), capacity=8)
    asyncio.run(done)
    return [chosen for request in stream.heard for chosen in request.answer.actions]


def frame(*, started: bool = True, ended: bool = False) -> play_pb2.Frame:
    """Match 5: its start, its decision 1 for the seat to move, its end."""
    deal, message = a_deal(), play_pb2.Frame()
    assert deal.seat is not None
    if started:
        message.started.add(
            match=5, variant="briscola/2", seat=deal.seat, match_format="deals:1", bot_seed=SEED
        )
    message.decisions.add(match=5, number=1, view=encode_view(deal.view(deal.seat)))
    if ended:
        message.ended.add(match=5, scores=[0.5, 1], ranking=[2, 1], reason="seat 0: late")
    return message


# Hooks


def test_a_match_at_home_begins_and_ends_with_the_hooks() -> None:
    """Every seat is told of the match once, before its first decision and after the last."""
    bots = [Diary(), Diary()]
    match = play_match("briscola/2?tie=last-trick", bots, seed=SEED, match_format="deals:2")
    for seat, bot in enumerate(bots):
        [started], [ended] = bot.started, bot.ended
        assert (started.variant.text, started.seat) == ("briscola/2?tie=last-trick", seat)
        assert started.match_format == "deals:2"
        assert set(bot.asked) == {(seat, started.seed)}
        assert ended.started is started
        assert ended.scores == tuple(map(float, match.scores))
        assert (ended.ranking, ended.reason) == (match.ranking, "")
    assert bots[0].started[0].seed != bots[1].started[0].seed


def test_a_match_on_a_stream_begins_and_ends_with_the_hooks() -> None:
    """The same, from what the wire tells."""
    bot = Diary()
    play_frames(bot, frame(ended=True), play_pb2.Frame(ended=[play_pb2.MatchEnded(match=6)]))
    [started], [ended] = bot.started, bot.ended
    assert (started.variant, started.seat, started.match_format) == (BRISCOLA, 1, "deals:1")
    assert bot.asked == [(1, started.seed)] == [(1, SEED)]
    assert ended == MatchEnded(
        started=started, scores=(0.5, 1.0), ranking=(2, 1), reason="seat 0: late"
    )


def test_the_randomness_of_a_match_is_its_own() -> None:
    """It is the same whenever the match is played, and not that of any decision."""
    bot, again = Diary(), Diary()
    for each in (bot, again):
        play_match("briscola/2", [each, First()], seed=SEED)
    started = bot.started[0]
    drawn = started.random.getrandbits(64)
    assert drawn == started.random.getrandbits(64) == again.started[0].random.getrandbits(64)
    other = MatchStarted(variant=started.variant, seat=0, match_format="", seed=b"other")
    assert other.random.getrandbits(64) != drawn
    assert repr(SEED) not in repr(
        MatchStarted(variant=BRISCOLA, seat=0, match_format="", seed=SEED)
    )


@pytest.mark.parametrize("hook", ["on_start", "on_end"])
def test_an_error_in_a_hook_is_the_bots_own(hook: str) -> None:
    """As in act: it is not hidden, and ends the match or the stream."""

    def fail(self: Bot, told: object) -> None:
        raise ZeroDivisionError(hook)

    broken = type("Broken", (First,), {hook: fail})
    with pytest.raises(ZeroDivisionError, match=hook):
        play_match("briscola/2", [First(), broken()], seed=SEED)
    with pytest.raises(ZeroDivisionError, match=hook):
        play_frames(broken(), frame(ended=True))


# What a bot logs


def test_what_a_bot_logs_stands_beside_its_decision() -> None:
    """At home by deal and action; nothing is carried over to the next decision."""
    match = play_match("briscola/2", [Diary(), First()], seed=SEED, match_format="deals:2")
    assert [len(notes) for notes in match.notes] == [len(deal.actions) for deal in match.deals]
    said = [note for notes in match.notes for note in notes if note]
    assert said[:2] == ["decision 1; of 3 cards", "decision 3; of 3 cards"]
    assert len(said) == 20


def test_what_a_bot_logs_goes_with_its_answer() -> None:
    """On the wire it is the note of the chosen action."""
    bot = Diary()
    [first] = play_frames(bot, frame())
    assert (first.match, first.number, first.note) == (5, 1, "decision 1; of 3 cards")
    assert first.action == a_deal().view(1).legal[0]
    [silent] = play_frames(First(), frame())
    assert silent.note == ""


def test_what_is_said_outside_of_a_decision_stands_beside_none() -> None:
    """Least of all beside that of another match, which somebody else may read."""

    class Greeter(First):
        def on_start(self, started: MatchStarted) -> None:
            self.log("hello")

        def on_end(self, ended: MatchEnded) -> None:
            self.log("goodbye")

    bot = Greeter()
    for _ in range(2):
        match = play_match("briscola/2", [bot, First()], seed=SEED, match_format="deals:1")
        assert set(match.notes[0]) == {""}


def test_a_frozen_bot_may_log() -> None:
    """A bot that is a frozen dataclass is a bot like any other."""
    match = play_match("briscola/2", [Frozen(), First()], seed=SEED, match_format="deals:1")
    assert sorted(match.notes[0]) == [""] * 20 + ["cold"] * 20


def test_a_bot_that_talks_without_end_keeps_its_memory() -> None:
    """What cannot be shown is not kept."""

    class Talker(First):
        def act(self, view: View) -> Action:
            for _ in range(10_000):
                self.log("word")
            return super().act(view)

    bot = Talker()
    choose(bot, a_deal().view(1))
    assert len(read_note(bot).encode()) == NOTE_BYTES
    assert 0 < sum(map(len, vars(bot).values())) < 2 * NOTE_BYTES


def test_nothing_said_adds_nothing() -> None:
    """An empty text, or only spaces, is no word between two others."""

    class Shy(First):
        def act(self, view: View) -> Action:
            for text in ("", "a", "", " \n", "b", ""):
                self.log(text)
            return super().act(view)

    bot = Shy()
    choose(bot, a_deal().view(1))
    assert read_note(bot) == "a; b"


@given(st.text())
def test_a_note_is_one_printable_line(text: str) -> None:
    """Whatever was logged, half a character and what moves a terminal's cursor included."""
    note = make_one_line(text)
    assert note.isprintable()
    assert len(note.encode()) <= NOTE_BYTES
    assert make_one_line(note) == note
    if text.isprintable() and len(text.encode()) <= NOTE_BYTES:
        assert note == text.strip()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("a\nb\tc\x1b[31md\x00", "a b c [31md"),
        ("x" * 300, "x" * 200),
        ("x" * 199 + "è", "x" * 199),
        ("x" * 198 + "è", "x" * 198 + "è"),
        ("\U0001f0a1" * 60, "\U0001f0a1" * 50),
        ("no \ud800 half", "no   half"),
        ("a\u202eb", "a b"),
    ],
)
def test_a_note_is_cut_at_a_characters_end(text: str, note: str) -> None:
    """Examples of what is cut and what is replaced."""
    assert make_one_line(text) == note


# What an author is told


def nothing() -> None:
    """What a function without `return` returns."""


async def later() -> int:
    """What `async def act` returns, once called."""
    return 0


def some() -> Iterator[int]:
    """What act returns if it yields."""
    yield 0


NONSENSE: dict[str, tuple[object, str]] = {
    "nothing": (nothing, "got None; act has to return it"),
    "a bool": (True, "got True; return the card, not whether it is one"),
    "a legal code": ("3s", r"got '3s'; return view\.action\('3s'\)"),
    "a text": ("jack", "got 'jack'; return an action, not its code"),
    "a list": ([1, 2], r"got \[1, 2\]; return one of them"),
    "a pair": ((0, 27), r"got \(0, 27\); return one of them"),
    "a float": (1.0, r"got 1\.0; return a member of view\.legal"),
    "a negative number": (-1, "got -1; briscola has the actions 0 to 55"),
    "a large number": (10**30, "got 10+; briscola has the actions 0 to 55"),
    "a card of the other pack": (FRENCH.parse("2c"), "with the cards of view.variant.game.pack"),
    "an action of another game": (
        find_game("frap").parse_action("pass"),
        "an action of another game than briscola",
    ),
    "its class": (Action, "return a member of view.legal"),
}


def legal_codes() -> str:
    return " ".join(action.code for action in a_deal().view(1).legal)


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_explained(name: str) -> None:
    """What was expected, what came, and what to do."""
    answer, said = NONSENSE[name]
    bot = Fixed(answer() if answer is nothing else answer)
    with pytest.raises(BotError, match=said) as caught:
        choose(bot, a_deal().view(1))
    assert f"Fixed.act: expected one of view.legal ({legal_codes()})" in str(caught.value)


def test_act_may_neither_wait_nor_yield() -> None:
    """`async def act` and a generator are told from other nonsense."""
    with pytest.raises(BotError, match="write def act, not async def act"):
        choose(Fixed(later()), a_deal().view(1))
    with pytest.raises(BotError, match=r"return a member of view\.legal"):
        choose(Fixed(some()), a_deal().view(1))


def test_long_lists_of_legal_actions_are_cut() -> None:
    """An auction has 60 bids; an error that lists them all hides what it says."""
    variant = parse_variant("briscola-chiamata")
    view = variant.game.deal(variant, SeededShuffles(SEED, 0), dealer=0).view(1)
    with pytest.raises(BotError, match=r"bid:100 … 61 in all\), got None") as caught:
        choose(Fixed(None), view)
    assert "bid:101" not in str(caught.value)


ILLEGAL = {
    "a card of somebody else": ("briscola/2", "it is not in the hand"),
    "a card that does not follow": ("frusta", "in the hand, but something else has to be played"),
    "a token": ("briscola/2", "got 'say:mine', which is not legal now"),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_what_is_not_legal_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Which action it was and why it is not legal; on a stream standard error says it."""
    text, said = ILLEGAL[name]

    class Wrong(Bot):
        def act(self, view: View) -> Action | Card:
            game = view.variant.game
            others = [card for card in game.pack.cards if card not in view.hand]
            unfit = [card for card in view.hand if card not in view.playable]
            if name == "a token":
                return game.parse_action("say:mine")
            if name == "a card of somebody else":
                return others[0]
            return unfit[0] if unfit else view.legal[0]

    with pytest.raises(BotError, match=said) as caught:
        play_match(text, [Wrong(), Wrong()], seed=SEED)
    assert "Wrong.act: expected one of " in str(caught.value)
    if text == "briscola/2":
        [chosen] = play_frames(Wrong(), frame())  # the game master decides
        assert not a_deal().legal >> chosen.action & 1
        assert f"mazzo: Wrong.act: expected one of {legal_codes()}" in capsys.readouterr().err


class Unfinished(Bot):
    """Has no act."""


NO_BOTS: dict[str, tuple[object, str]] = {
    "a class": (First, r"got the class First: make one, First\(\)"),
    "a class without act": (Unfinished, "got the class Unfinished, which has no method act"),
    "a name": ("greedy", "got 'greedy'"),
    "nothing": (None, "got None"),
}


@pytest.mark.parametrize("name", NO_BOTS)
def test_what_is_no_bot_is_not_seated(name: str) -> None:
    """The seat is named, and what to write instead."""
    value, said = NO_BOTS[name]
    with pytest.raises(BotError, match=f"seat 1: expected a mazzo.Bot, {said}"):
        play_match("briscola/2", [First(), cast(Bot, value)])


@contextmanager
def leaves_with(status: int) -> Iterator[None]:
    with pytest.raises(SystemExit) as caught:
        yield
    assert caught.value.code == status


@pytest.mark.parametrize("name", [name for name in NO_BOTS if name != "a class"])
def test_what_is_no_bot_does_not_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`run` takes a bot or its class, and says so."""
    value = NO_BOTS[name][0]
    with leaves_with(2):
        run(cast(Bot, value))
    assert "mazzo: run: expected a mazzo.Bot, got " in capsys.readouterr().err


class Number(int):
    """An int of the author's own."""


class Index:
    """What counts as a number without being one, as NumPy's integers do."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


def test_any_whole_number_is_an_action() -> None:
    """A plain int, a card, an action, from wherever; the number that goes on the wire is plain."""
    view = a_deal().view(1)
    action, card = view.legal[1], view.hand[1]
    same = Action(int(action), action.code, action.card)
    for answer in (action, same, card, int(card), Number(card), Index(int(card))):
        number = choose(Fixed(answer), view)
        assert (type(number), number) == (int, int(action))
