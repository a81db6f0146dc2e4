"""`mazzo play`: a match in process, told so that a player reads it."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from itertools import groupby
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from mazzo.cards import Card
from mazzo.errors import VariantError
from mazzo.game import Deal, View
from mazzo.games import parse_variant
from mazzo.shuffle import GivenShuffles
from mazzo.worlds import sample
from mazzo_server.cli.app import app
from mazzo_server.cli.home import play as play_module
from mazzo_server.cli.shell.options import add_options
from mazzo_server.errors import InvalidInputError
from mazzo_server.results.commentary import (
    DealTeller,
    Line,
    format_number,
    make_hand_parts,
    make_table_lines,
)
from support.command import Home, kill, until
from support.play_command import (
    ANYTHING,
    SEED,
    VARIANTS,
    invoke,
    new_deal,
    play,
    ranking,
    said,
    shell,
)
from support.sample_bots import write_bot
from support.strategies import play as play_at_random

pytestmark = pytest.mark.usefixtures("eighty_columns")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_game_is_told_to_the_end_with_the_right_winner(variant: str) -> None:
    match_format = "deals:2"
    result = play(variant, "--match", match_format)
    facts = json.loads(play(variant, "--match", match_format, "--json").stdout)
    rows = ranking(result.stdout)
    assert {seat: rank for rank, seat, _, _ in rows} == dict(enumerate(facts["ranking"]))
    assert {seat: total for _, seat, _, total in rows} == dict(enumerate(facts["deal_sums"]))
    assert [rank for rank, *_ in rows] == sorted(facts["ranking"])
    told = " ".join(result.stdout.split())
    for record in facts["deals"]:
        scores = ", ".join(rf"bot#{seat} \+?{score}" for seat, score in enumerate(record["scores"]))
        assert re.search(rf"Scores {scores}\b", told), scores
    assert facts["variant"] == parse_variant(variant).text
    assert len(facts["deals"]) == len(re.findall(r"^Deal \d", result.stdout, re.MULTILINE))
    assert max(map(len, result.stdout.split("Play it again")[0].splitlines())) <= 80
    assert result.stderr == ""


def test_each_trick_is_one_line_with_who_led_and_the_winner_marked() -> None:
    facts = json.loads(play("briscola/2", "--match", "deals:1", "--json").stdout)
    out = " ".join(play("briscola/2", "--match", "deals:1").stdout.split())
    tricks = re.findall(r"Trick \d+ (bot#\d) leads (\w+)(\*?), (bot#\d) (\w+)(\*?)", out)
    assert len(tricks) == 20
    assert [code for trick in tricks for code in (trick[1], trick[4])] == facts["deals"][0][
        "actions"
    ]
    winners = [trick[0] if trick[2] else trick[3] for trick in tricks]
    assert all((trick[2] == "*") != (trick[5] == "*") for trick in tricks)
    assert [trick[0] for trick in tricks[1:]] == winners[:-1]
    points = [int(number) for number in re.findall(r"; (\d+) to bot", out)]
    assert sum(points) == 120


def test_the_seed_is_told_and_gives_the_same_match_again() -> None:
    first = invoke("play", "briscola/2", "--bots", "greedy,counting", "--match", "deals:1")
    again = re.findall(r"Play it again with: mazzo (.*)", first.stdout)
    assert len(again) == 1
    assert re.search(r"--seed [0-9a-f]{64}$", again[0])
    second = invoke(*again[0].split())
    assert second.stdout == first.stdout
    assert invoke("play", "briscola/2", "--bots", "greedy").stdout != first.stdout


@pytest.mark.parametrize(
    ("variant", "teams"),
    [
        ("briscola/4", ["seats 0, 2 against 1, 3"]),
        ("briscola/6", ["seats 0, 2, 4 against 1, 3, 5"]),
        ("briscola/3", []),
        ("briscola-chiamata/5", []),
    ],
)
def test_who_plays_with_whom_is_told_before_the_first_deal(variant: str, teams: list[str]) -> None:
    """Where the rules say it; a partner who is called in the auction is nobody's business."""
    out = play(variant, "--match", "deals:1").stdout
    assert re.findall(r"^Teams +(.*)$", out.partition("Deal 1")[0], re.MULTILINE) == teams


def test_json_has_records_that_deal_run_replays(tmp_path: Path) -> None:
    for variant in ("briscola/4?talk=signal", "frusta", "frap/3", "tressette-pizzichino"):
        facts = json.loads(play(variant, "--match", "deals:3", "--json").stdout)
        assert list(facts) == [
            "variant",
            "match_format",
            "seats",
            "seed",
            "deals",
            "match_scores",
            "deal_sums",
            "ranking",
        ]
        assert facts["seed"] == SEED
        assert [seat["bot"] for seat in facts["seats"]] == ["bot"] * len(facts["ranking"])
        file = tmp_path / "deals.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in facts["deals"]))
        answers = [json.loads(line) for line in invoke("deal", "run", file).stdout.splitlines()]
        assert [answer["scores"] for answer in answers] == [d["scores"] for d in facts["deals"]]
        assert all(answer["over"] for answer in answers)


def test_options_come_with_the_variant_or_beside_it() -> None:
    assert add_options("briscola/4", []) == "briscola/4"
    assert add_options("briscola/4?", ["talk=off"]) == "briscola/4?talk=off"
    one = play("frap/5?deck=52", "--option", "ante=8", "--match", "deals:1").stdout
    other = play("frap/5", "--option", "deck=52", "--option", "ante=8", "--match", "deals:1").stdout
    assert one == other
    assert "frap/5?ante=8&deck=52, deals:1" in one
    assert "40 chips, antes paid" in one
    with pytest.raises(InvalidInputError):
        add_options("briscola/4", ["talk"])
    with pytest.raises(VariantError, match="option 'talk' is given twice"):
        parse_variant(add_options("briscola/4?talk=off", ["talk=off"]))


def test_the_pot_that_is_left_is_told(tmp_path: Path) -> None:
    act = "return next((a for a in view.legal if a.code == 'pass'), view.legal[0])"
    folder = write_bot(tmp_path, "shy", act=act, games='["frap"]')
    out = play("frap/2", "--match", "deals:1", bots=str(folder)).stdout
    assert "nobody called; 32 chips stay in the pot" in out
    assert "What the last deal left is shared out: shy#0 +16, shy#1 +16" in out
    assert [row[3] for row in ranking(out)] == [0, 0]


# What is shown


def lines_of(deal: Deal, seats: Sequence[int]) -> list[tuple[tuple[View, ...], list[Line]]]:
    """The deal played again: the views of the seats after each action, and what was told."""
    shuffles = GivenShuffles([list(shuffle) for shuffle in deal.shuffles], deal.overheard or ())
    again = deal.variant.game.deal(
        deal.variant, shuffles, dealer=deal.dealer, draws=deal.draws, start=deal.start
    )
    names = [f"seat-{seat}" for seat in range(deal.variant.players)]
    teller = DealTeller(names)
    told = []
    for action in (None, *deal.actions):
        if action is not None:
            again.apply(action)
        views = tuple(again.view(seat) for seat in seats)
        told.append((views, teller.see(views)))
    views, last = told[-1]
    if deal.scores is not None:
        last = [*last, *teller.end(deal.scores, deal.variant.game.deal_winners(deal))]
    told[-1] = views, [*last, *teller.flush()]
    return told


@pytest.mark.parametrize("text", VARIANTS)
def test_what_a_seat_is_told_shows_no_card_that_it_has_not_seen(text: str) -> None:
    """After every action, the cards that were told are among those seen so far."""
    variant = parse_variant(text)
    cards = {card.code: card for card in variant.game.pack.cards}
    for number in range(3):
        deal = new_deal(variant, number)
        play_at_random(deal, random.Random(number))
        for seat in {0, variant.players - 1}:
            seen: set[Card] = set()
            for (view,), lines in lines_of(deal, [seat]):
                seen |= set(cards.values()) - set(view.unseen)
                called = getattr(view, "called", None)
                words = re.findall(r"\b\w\w\b", " ".join(map(str, lines)))
                told = {cards[word] for word in words if word in cards}
                assert told <= seen | ({called} if called is not None else set())


def story(deal: Deal, seat: int) -> tuple[list[View], list[Line]]:
    """The seat's different views one after the other, and what it was told of the deal."""
    told = lines_of(deal, [seat])
    views = [view for view, _ in groupby(views[0] for views, _ in told)]
    return views, [line for _, lines in told for line in lines]


@pytest.mark.parametrize("text", VARIANTS)
def test_a_deal_with_other_hidden_cards_is_told_alike(text: str) -> None:
    """Rules, views: whatever is hidden changes neither the telling nor a person's table."""
    variant = parse_variant(text)
    names = [f"seat-{seat}" for seat in range(variant.players)]
    alike, rng = 0, random.Random(text)
    for number in range(12):
        deal = new_deal(variant, number)
        play_at_random(deal, rng, most=rng.randrange(12))
        seat = number % variant.players
        view = deal.view(seat)
        views, lines = story(deal, seat)
        for _ in range(4):
            world = sample(view, rng)
            assert make_table_lines(world.view(seat), names) == make_table_lines(view, names)
            other_views, other_lines = story(world, seat)
            if other_views == views:  # it had the same cards at the same time
                assert other_lines == lines
                alike += list(world.shuffles[0]) != list(deal.shuffles[0])
    assert alike >= 10, "hardly any deal was really different"


def test_numbers_from_a_billion_on_are_rounded() -> None:
    assert format_number(Fraction(10**9 - 1), signed=True) == "+999999999"
    assert format_number(Fraction(-(10**9))) == "-1.00e+9"
    assert format_number(3765 * 10**400) == "3.76e+403"


def test_show_takes_a_seat_or_all() -> None:
    everything = play("briscola/3", "--match", "deals:1").stdout
    assert re.findall(r"^Hand +bot#(\d)", everything, re.MULTILINE) == ["0", "1", "2"]
    assert play("briscola/3", "--match", "deals:1", "--show", "all").stdout == everything
    for seat in "012":
        out = play("briscola/3", "--match", "deals:1", "--show", seat).stdout
        assert re.findall(r"^Hand +bot#(\d)", out, re.MULTILINE) == [seat]
        told = " ".join(out.split())
        # The trump card's new owner is seen by all.
        trump = re.search(r"Trumps (\w+),", told)
        assert trump is not None
        draws = set(re.findall(r"bot#(\d) draws (\w+)", told))
        assert {who for who, card in draws if card != trump[1]} == {seat}


def test_hands_are_sorted_by_suit_from_high_to_low() -> None:
    view = new_deal(parse_variant("tressette-meta-mazzo"), 0).view(0)
    cards = [view.variant.game.pack.parse(code) for code in ("4d", "Ks", "3d", "Ad", "Kc", "2s")]
    assert "".join(map(str, make_hand_parts(view, cards))) == "3d Ad 4d | Kc | 2s Ks"


def test_suits_have_colours_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Console(
        file=StringIO(), force_terminal=True, color_system="standard", width=80, highlight=False
    )
    monkeypatch.setattr(play_module, "console", screen)
    result = CliRunner().invoke(app, ["play", "frap/2", "--bots", ANYTHING, "--seed", SEED])
    assert result.exit_code == 0
    assert isinstance(screen.file, StringIO)
    assert "\x1b[31m" in screen.file.getvalue()  # hearts


BAD = [
    (("bridge/4",), ("'bridge'", "briscola")),
    (("briscola/5", "--bots", "greedy"), ("2, 3, 4 or 6", "got 5")),
    (("briscola/4", "--bots", "greedy", "--option", "talk"), ("--option", "'talk'")),
    (("briscola/2", "--bots", "greedy", "--match", "sets:2"), ("deals:N", "sets:2")),
    (("briscola/2", "--bots", "greedy", "--seed", "xy"), ("64", "xy")),
    (("briscola/2",), ("--bots: expected the bots", "--human")),
    (("briscola/6", "--bots", "greedy*4"), ("each of its 2 teams", "got 4")),
    (("briscola/2", "--bots", "greedy,random,greedy"), ("each of the seats 0, 1", "got 3")),
    (
        ("briscola/2", "--human", "0", "--bots", "greedy,random"),
        ("--bots: expected one bot for seat 1 of briscola/2, got 2",),
    ),
    (("briscola/2", "--bots", "greedy,"), ("got ''", "random")),
    (("briscola/4", "--human", "1", "--bots", "greedy*4"), ("seats 0, 2, 3", "got 4")),
    (("briscola/2", "--bots", "greedy,nobody"), ("'nobody'", "counting", "tournaments only")),
    (("briscola/2", "--bots", "greedy,\x1b[31m\x07"), ("\\x1b[31m\\x07", "random")),
    (("briscola/2", "--bots", f"greedy,{'x' * 5000}"), ("cannot be read",)),
    (("briscola/2", "--human", "2"), ("--human", "from 0 to 1", "'2'")),
    (("briscola/2", "--human", "-1"), ("--human", "from 0 to 1", "'-1'")),
    (("briscola/2", "--human", "me"), ("--human",)),
    (("briscola/2", "--bots", "greedy", "--show", "both"), ("--show", "all", "0 to 1", "'both'")),
    (("briscola/2", "--bots", "greedy", "--show", "2"), ("--show", "all", "0 to 1", "'2'")),
    (("briscola/2", "--bots", "greedy", "--nonsense"), ("--nonsense",)),
]


@pytest.mark.parametrize(("arguments", "parts"), BAD, ids=[" ".join(row[0])[:50] for row in BAD])
def test_bad_input(arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    result = invoke("play", *arguments, status=2)
    assert result.stdout == ""
    assert [part for part in parts if part not in said(result)] == [], said(result)


def test_all_seats_have_names_of_their_own(tmp_path: Path) -> None:
    for name in ("x", "x#0"):
        (tmp_path / f"{name}.py").write_text(Path(ANYTHING).read_text())
    bots = ",".join(str(tmp_path / f"{name}.py") for name in ("x", "x", "x#0"))
    out = play("briscola/3", "--match", "deals:1", bots=bots).stdout
    assert {row[2] for row in ranking(out)} == {"x#0", "x#1", "x#0#2"}


def test_hostile_names_are_harmless(tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[31m\nb.py"
    file.write_text(Path(ANYTHING).read_text())
    out = play("briscola/2", "--match", "deals:1", bots=str(file)).stdout
    assert "a\ufffd[31m\ufffdb#1" in out


@pytest.mark.parametrize(
    ("how", "arguments", "part"),
    [
        ("<&-", ("play", "frusta/2", "--human", "0"), "the input ended"),
        (">/dev/full", ("play", "frusta/2", "--bots", "random"), "cannot write the output: No"),
        (">/dev/full", ("play", "frusta/2", "--bots", "random", "--json"), "cannot write"),
        (">/dev/full", ("games", "frap"), "cannot write the output: No space left"),
        (">/dev/full", ("games", "--json"), "cannot write the output: No space left"),
    ],
)
def test_closed_input_and_full_output_are_told(
    home: Home, how: str, arguments: tuple[str, ...], part: str
) -> None:
    result = shell(home, how, arguments)
    assert result.returncode == 1
    assert part in result.stderr
    assert "Traceback" not in result.stderr


def test_an_output_without_the_characters_gets_question_marks(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "caf\u00e9.py"
    file.write_text(Path(ANYTHING).read_text())
    ascii_only = replace(home, variables={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"})
    assert "caf?#1" in ascii_only("play", "frusta", "--bots", file, "--match", "deals:1").out
    result = shell(home, ">&-", ("games",))
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda item: item.name)
def test_an_interrupt_ends_it(home: Home, tmp_path: Path, number: signal.Signals) -> None:
    reached = tmp_path / "reached"
    act = f"open({str(reached)!r}, 'w').close(); time.sleep(600); return view.legal[0]"
    folder = write_bot(tmp_path, "slow", act=act)
    process = home.start("play", "briscola/2", "--bots", folder, stdin=subprocess.PIPE)
    until(reached.exists, process)
    result = kill(process, number)
    assert result.status == 130
    assert "mazzo: interrupted" in result.err
    assert "--seed" in result.err
    assert "Traceback" not in result.err
