"""`mazzo replay show` at a terminal: one screen a decision, and a terminal left as it was."""

from __future__ import annotations

import os
import random
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo.cards import FRENCH
from mazzo.game import Variant, View
from mazzo.games import parse_variant
from mazzo.match_record import MatchRecord
from mazzo_server.cli.screen.board import Board
from mazzo_server.cli.screen.stepper import ShownPosition, Stepper
from mazzo_server.play.table import Ask, Table
from mazzo_server.results.watching import Playback, WatchedMatch
from mazzo_server.settings import Settings
from mazzo_server.storage import TournamentStatus, open_store
from sdk.test_match_record import played
from support.command import Home
from support.manual_tournaments import Club, legal
from support.terminal import Terminal, at_terminal

pytestmark = pytest.mark.slow

SOME = [
    *map(
        parse_variant, ("briscola/2", "briscola/4?talk=signal", "briscola-chiamata/5", "frusta/2")
    ),
    *map(parse_variant, ("tressette-meta-mazzo/2", "tressette-pizzichino/2", "frap/6")),
]
NOTE = "I keep the \x1b[31mrest"


def noted(variant: Variant, **more: object) -> MatchRecord:
    """A record with something said at every decision."""
    record = played(variant, "deals:2", late=[(0, 2)], **more)  # type: ignore[arg-type]
    notes = tuple(
        tuple((index, f"{NOTE} {number}-{index}") for index in range(len(deal.actions)))
        for number, deal in enumerate(record.deals)
    )
    return replace(record, notes=notes)


def positions(board: Board) -> list[ShownPosition]:
    """Every decision and every end, seen by everybody and by all at once."""
    return [
        ShownPosition(deal=at.deal, step=at.step, seat=at.seat) for at in board.positions.list_all()
    ]


# What `expert` would have played


@pytest.mark.parametrize("variant", SOME, ids=str)
def test_expert_is_told_what_the_seat_saw_and_its_choice_stands_beside_the_one_made(
    variant: Variant,
) -> None:
    """To nobody who does not see that hand."""
    record = noted(variant)
    asked: list[View] = []

    def choose_last(view: View) -> int:
        asked.append(view)
        return int(view.legal[-1])

    board, match = Board(record, choose_as_expert=choose_last), WatchedMatch(record)
    for at in random.Random(str(variant)).choices(positions(board), k=40):
        asked.clear()
        rows = [row.plain for row in board.make_rows(at, 200, 60)]
        told = [row for row in rows if row.startswith("Expert ")]
        if match.is_end(at) or at.seat not in (None, match.look(at).step.seat):
            assert (told, asked) == ([], [])
            continue
        assert asked == [match.look(at).view]
        action = match.look(at).step.action
        choice = asked[0].legal[-1]
        verb = "chooses" if choice.card is None else "plays"
        end = ", too" if action == choice else " instead"
        assert told == [f"Expert     {verb} {choice.card or choice.code}{end}"]


def test_a_key_leads_to_where_expert_plays_otherwise() -> None:
    record = noted(parse_variant("briscola/2"))
    match = WatchedMatch(record)
    views = list(match.list_views(ShownPosition(seat=1)))
    at, view = views[9]
    then = {view.number: match.steps[at.deal][at.step].action for at, view in views}

    def choose(asked: View) -> int:
        action = then[asked.number]
        assert action is not None
        return -1 if asked.number == view.number else action

    board = Board(record, choose_as_expert=choose)
    stepper = Stepper(board.positions, players=2, find_other_choice=board.find_other_choice)
    found = stepper.press(ShownPosition(seat=1), "e")
    assert found == at
    assert stepper.press(found, "e") == views[-1][0]  # there is none later
    assert board.find_other_choice(ShownPosition(seat=1), seconds=0.0) == views[0][0]
    assert Board(record).find_other_choice(ShownPosition()) == ShownPosition()


# One screen


@pytest.mark.parametrize("variant", SOME, ids=str)
def test_every_position_fits_a_screen_of_any_size(variant: Variant) -> None:
    record = noted(variant, forfeits=[(1, 5)])
    board = Board(record, symbols=True)
    generator = random.Random(str(variant))
    for at in generator.choices(positions(board), k=10):
        for width, height in ((80, 24), (132, 50), (40, 10), (20, 5), (9, 3), (1, 1), (80, 1)):
            for shown in (at, replace(at, help=True)):
                rows = board.make_rows(shown, width, height)
                assert len(rows) == height
                assert max(row.cell_len for row in rows) <= width
                assert not any("\n" in row.plain or "\x1b" in row.plain for row in rows)


@pytest.mark.parametrize("variant", SOME, ids=str)
def test_a_seat_sees_nothing_that_it_does_not_know(variant: Variant) -> None:
    """No hidden card, no note and no time of another seat; its own it sees."""
    record = noted(variant)
    board = Board(record)
    cards = {card.code: card for card in variant.game.pack.cards}
    seat = variant.players - 1
    own = others = 0
    for number, deal, steps in Playback(record).play_deals():
        seen = set(cards.values()) - set(deal.view(seat).unseen)
        for index, step in enumerate(steps):
            then = deal.copy()
            assert step.action is not None
            then.apply(step.action)
            view = then.view(seat)
            seen |= set(cards.values()) - set(view.unseen)
            called = getattr(view, "called", None)
            rows = board.make_rows(ShownPosition(deal=number, step=index, seat=seat), 100, 60)
            text = "\n".join(row.plain for row in rows[1:-1])
            text = re.sub(r"\bcall:\w\w", "", text)  # any card may be called
            told = {cards[word] for word in re.findall(r"\b\w\w\b", text) if word in cards}
            assert told <= seen | {called}
            assert (f" {number}-{index}" in text) is (step.seat == seat)
            assert (" after " in text.split("Decision")[1].split("\n")[0]) is (step.seat == seat)
            own, others = own + (step.seat == seat), others + (step.seat != seat)
    assert own > 1
    assert others > 1


@pytest.mark.parametrize(
    ("micros", "time"),
    [
        (1_234_567, "1.235 s"),
        (1000, "0.001 s"),
        (999, "<0.001 s"),
        (0, "<0.001 s"),
    ],
)
def test_a_decision_is_shown_with_its_time_its_log_and_what_led_to_it(
    micros: int, time: str
) -> None:
    record = noted(parse_variant("briscola/2"))
    first, *others = record.micros
    record = replace(record, micros=((*first[:4], micros, *first[5:]), *others))
    board, action = Board(record), record.deals[0].actions[4]
    text = "\n".join(row.plain for row in board.make_rows(ShownPosition(step=4), 80, 24))
    assert "deal 1/2  trick 3  decision 5/40   all hands   3/17/1  briscola/2" in text
    assert re.search(rf"Decision +bot-\d plays {action} after {time}\n", text)
    assert "Log        I keep the \ufffd[31mrest 0-4\n" in text
    assert text.count("Trick 1") == text.count("Trick 2") == 1
    assert "Trick 3" not in text
    end = "\n".join(row.plain for row in board.make_rows(ShownPosition(deal=1, step=40), 80, 40))
    assert "Trick 20" in end
    assert re.search(r"Result +bot-\d wins, \d+ to \d+ in|Result +bot-0 and bot-1 draw, ", end)


def test_seats_are_told_apart_by_what_to_press_however_alike_their_names() -> None:
    """Two versions of a bot, or many copies of it, have names that begin alike."""
    record = noted(parse_variant("briscola-chiamata/5"))
    names = [f"chiamata-expert-{number}" for number in range(5)]
    seats = tuple(replace(s, bot=name) for s, name in zip(record.seats, names, strict=True))
    shown = [
        row.plain for row in Board(replace(record, seats=seats)).make_rows(ShownPosition(), 80, 24)
    ]
    told = next(row for row in shown if row.startswith("Decision"))
    for seat, name in enumerate(names):
        (row,) = (row for row in shown if row[2:].startswith(f"Seat {seat} "))
        assert row[11:].startswith(f"{name}: ")
        assert (row[0] == ">") is (f" {name} " in told)


def test_all_bids_are_among_the_choices_and_so_is_passing() -> None:
    record = noted(parse_variant("briscola-chiamata/5"))
    shown = [row.plain for row in Board(record).make_rows(ShownPosition(), 80, 24)]
    assert "Choices    bid:61 to bid:120 pass" in shown


def test_how_to_leave_is_shown_on_a_narrow_terminal() -> None:
    last = Board(noted(parse_variant("briscola/2"))).make_rows(ShownPosition(), 20, 8)[-1]
    assert "q leave" in last.plain
    assert "?" in last.plain


def test_french_cards_have_the_symbols_of_their_suits_where_these_can_be_shown() -> None:
    record = noted(parse_variant("frap/4"))
    shown = [
        "\n".join(
            row.plain for row in Board(record, symbols=symbols).make_rows(ShownPosition(), 80, 24)
        )
        for symbols in (True, False)
    ]
    codes = "|".join(card.code for card in FRENCH.cards)
    assert re.search(r"\b(10|[2-9AJQK])[♣♦♥♠]", shown[0])
    assert not re.search(rf"\b({codes})\b", shown[0].split("Choices")[0])
    assert re.search(rf"\b({codes})\b", shown[1])


# At a terminal


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a tournament that is over."""
    home = Home(tmp_path_factory.mktemp("watched") / "home")
    store = open_store(Settings(home=home.path).store)

    def say(table: Table, ask: Ask, generator: random.Random) -> object:
        number = generator.choice(list(ask.view.legal))
        return table.answer(int(number), 0.25, f"my decision {ask.number} at seat {ask.seat}")

    club = Club(store=store)
    club.play(0, 0, say)
    club.play(0, 1, legal)
    store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
    store.close()
    return home


SHOW = ("replay", "show", "1/0/0")


def assert_left_alone(terminal: Terminal, before: list[object]) -> None:
    """The terminal is as it was, and shows the screen that it showed."""
    assert terminal.modes == before
    assert terminal.written.count("\x1b[?1049h") == terminal.written.count("\x1b[?1049l") == 1
    assert terminal.written.rindex("\x1b[?25h") > terminal.written.rindex("\x1b[?25l")
    assert "Traceback" not in terminal.written


def test_keys_lead_through_a_match(watched: Home) -> None:
    with at_terminal(watched, SHOW) as terminal:
        before = terminal.modes
        rows = terminal.until("decision 1/40")
        assert len(rows) == 24
        assert max(map(len, rows)) <= 80
        assert any("my decision 1 at seat" in row for row in rows)
        assert "\x1b[3" in terminal.written  # suits have colours
        terminal.type("\x1b[C")
        terminal.until("decision 2/40")
        terminal.type("\x1a\x1c n")  # Ctrl-Z and Ctrl-\\ would leave the screen as it is
        terminal.until("decision 4/40")
        terminal.type("\x1b[D\x1b[B")
        terminal.until("trick 3  decision 5/40")
        terminal.type("\t")
        rows = terminal.until("seat 0,")
        assert any("3 cards" in row for row in rows)
        terminal.type("\x1b[6~")
        terminal.until("deal 2/2  trick 1  decision 1/40   seat 0")
        terminal.type("a\x1b[F")
        rows = terminal.until("the end   all hands")
        assert any(row.startswith("Result ") for row in rows)
        terminal.type("?")
        terminal.until("the next trick")
        terminal.resize(40, 10)
        rows = terminal.until("the next trick")
        assert len(rows) == 10
        assert max(map(len, rows)) <= 40
        terminal.type("xq")
        assert terminal.wait() == 0
        assert_left_alone(terminal, before)


@pytest.mark.parametrize("how", ["\x03", signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_whatever_ends_it_leaves_the_terminal_as_it_was(
    watched: Home, how: str | signal.Signals
) -> None:
    place = ("--deal", "2", "--decision", "7", "--seat", "1")
    with at_terminal(watched, (*SHOW, *place), NO_COLOR="1") as terminal:
        before = terminal.modes
        terminal.until("deal 2/2  trick 4  decision 7/40   seat 1")  # as the options say
        assert "\x1b[3" not in terminal.written
        if isinstance(how, str):
            terminal.type(how)
        else:
            os.kill(terminal.process.pid, how)
        assert terminal.wait() == 130
        assert "mazzo: interrupted" in terminal.written
        assert_left_alone(terminal, before)


def test_expert_is_asked_on_a_terminal_if_one_wants(watched: Home) -> None:
    with at_terminal(watched, (*SHOW, "--expert"), NO_COLOR="1") as terminal:
        rows = terminal.until("Expert ")
        assert any(re.match(r"Expert +plays \w+(, too| instead)", row) for row in rows)
        terminal.type("q")
        assert terminal.wait() == 0


def test_when_the_terminal_goes_away_so_does_the_command(watched: Home) -> None:
    with at_terminal(watched, SHOW) as terminal:
        terminal.until("decision 1/40")
        os.close(terminal.slave)
        os.close(terminal.master)
        assert terminal.process.wait(timeout=60) != 0


def test_without_a_screen_it_is_told_as_ever(watched: Home, tmp_path: Path) -> None:
    told = watched(*SHOW).out
    assert told.count("Trick 20") == 2
    with at_terminal(watched, SHOW, TERM="dumb") as terminal:
        assert terminal.wait() == 0
        assert terminal.written.replace("\r\n", "\n").count("Trick 20") == 2
        assert "\x1b" not in terminal.written
