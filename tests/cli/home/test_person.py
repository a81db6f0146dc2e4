"""`mazzo play --human`: a person in a seat, what he is shown and what he may type."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from mazzo.game import Game
from mazzo.games import GAMES, parse_variant
from mazzo.record import DealRecord, replay
from mazzo_server.cli.home import person
from mazzo_server.results.commentary import (
    list_action_remarks,
    make_help_lines,
    make_table_lines,
    name_card,
    sort_cards,
)
from support.command import Home
from support.play_command import (
    ANSWERS,
    SEED,
    VARIANTS,
    new_deal,
    play,
    ranking,
)
from support.terminal import at_terminal

pytestmark = pytest.mark.usefixtures("eighty_columns")


@pytest.mark.parametrize("variant", [*VARIANTS[:9], "briscola-chiamata/5?min-bid=1"])
def test_a_person_plays_to_the_end(variant: str) -> None:
    """By numbers and words; what is none of the moves only leads to the question again."""
    result = play(variant, "--match", "deals:1", "--human", "1", data=ANSWERS)
    names = {seat: name for _, seat, name, _ in ranking(result.stdout)}
    assert names[1] == "human"
    hands = re.findall(r"^Hand +([^ ]+): ", result.stdout, re.MULTILINE)
    assert set(hands) <= {"human"}
    assert max(map(len, result.stdout.split("Play it again")[0].splitlines())) <= 82  # with "> "


def test_moves_by_code_and_by_number_are_the_same() -> None:
    arguments = ("--match", "deals:1", "--human", "0")
    actions = json.loads(play("frusta", *arguments, "--json", data=ANSWERS).stdout)["deals"][0][
        "actions"
    ]
    # All the codes: those of the other seat are at most refused, and asked for again.
    other = json.loads(
        play("frusta", *arguments, "--json", data="\n".join(actions).upper()).stdout
    )["deals"][0]["actions"]
    assert other == actions


def test_help_bad_input_and_stopping() -> None:
    data = b"?\n\nnonsense\n0\n99999\n\xff\xfe\n\x1b[31m\n" + b"x" * 3000 + b"\n1\nq\n"
    result = play("briscola/2", "--human", "0", bots="", data=data)
    told = " ".join(result.stdout.split())
    assert "rank, then suit: d coins" in told
    for wrong in ("that was empty", "'nonsense' is none", "'0' is none", "'99999' is none"):
        assert f"No {wrong}" in told
    assert told.count("q to stop") == 11
    assert told.count("Moves 1 ") >= 12
    assert "Trick 1" in told
    assert "Trick 3" not in told
    assert "rank seat" not in told
    assert "Stopped before the end" in result.stderr
    assert f"--human 0 --seed {SEED}" in result.stderr
    assert "random" in told


def test_the_end_of_the_input_ends_the_match() -> None:
    result = play("briscola/2", "--human", "0", data="1\n", status=1)
    assert "the input ended before the match did" in result.stderr
    assert f"--seed {SEED}" in result.stderr


def test_bids_and_packets_go_by_their_own_numbers() -> None:
    view = new_deal(parse_variant("briscola-chiamata"), 0).view(1)
    numbered, (bids, leave) = person.list_actions(view)
    assert str(bids) == (
        "Moves: 61 bid:61 to 120 bid:120  your side will take N card points; higher than the last "
        "bid"
    )
    assert str(leave).endswith("pass  leave the auction")
    assert numbered["70"].code == "bid:70"
    assert "1" not in numbered
    deal = new_deal(parse_variant("tressette-pizzichino"), 0)
    deal.apply(deal.variant.game.parse_action("packet:1"))
    numbered, lines = person.list_actions(deal.view(1))
    assert [str(line).removeprefix("Moves: ").strip(": ") for line in lines] == [
        f"{number} packet:{number}  take the packet" for number in (0, 2, 3, 4, 5, 6, 7)
    ]
    assert numbered["7"].code == "packet:7"


def test_who_peeked_is_shown_the_cards_again_at_each_decision() -> None:
    deal: Any = new_deal(parse_variant("tressette-pizzichino/2?packets=peek"), 0)
    while not (view := deal.view(deal.seat)).peeked_cards:
        deal.apply(view.legal[0])
    (told,) = [line for line in make_table_lines(view, ["ann", "bea"]) if line.label == "Peeked"]
    for packet, card in view.peeked_cards.items():
        assert f"{card} on packet {packet}" in str(told)


@pytest.mark.parametrize("variant", VARIANTS)
def test_moves_are_listed_as_the_hand_is_sorted_with_names(variant: str) -> None:
    deal = new_deal(parse_variant(variant), 0)
    generator, cards = random.Random(variant), 0
    while (seat := deal.seat) is not None:
        view = deal.view(seat)
        numbered, lines = person.list_actions(view)
        assert len(numbered) <= len(view.legal)
        assert set(numbered.values()) <= set(view.legal)
        shown = [action.card for action in numbered.values() if action.card is not None]
        assert shown == sort_cards(view, shown)
        for card, line in zip(shown, lines, strict=False):
            assert f" {card.code}  {name_card(card)}" in str(line)
            cards += 1
        told = ", ".join(map(str, lines))
        for action in view.legal:
            if action.card is None:
                remark = list_action_remarks(view, action)
                assert len(remark) > 3
                assert remark in told
        assert all(
            action.code in told
            for action in view.legal
            if not action.code.startswith(("bid", "packet"))
        )
        deal.apply(generator.choice(view.legal))
    assert cards or deal.variant.game.id == "frap"


def test_every_word_of_the_talk_is_described() -> None:
    """Also those that random play never gets to say."""
    view = new_deal(parse_variant("briscola/4"), 0).view(1)
    words = [action for action in view.variant.game.actions if action.card is None]
    assert len({list_action_remarks(view, action) for action in words}) == len(words) == 16


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_help_explains_every_kind_of_action_and_what_can_be_done_now(game: Game) -> None:
    variant = parse_variant(f"{game.id}/{game.players[0]}")
    deal = new_deal(variant, 0)
    assert deal.seat is not None
    view = deal.view(deal.seat)
    told = make_help_lines(view)
    kinds = {action.code.partition(":")[0] for action in game.actions if action.card is None}
    assert {code.partition(":")[0] for code, _ in told} == {"CARD", *kinds}
    now = {action.code.partition(":")[0] for action in view.legal if action.card is None}
    marked = {code.partition(":")[0] for code, text in told if text.endswith("(not now)")}
    assert marked == kinds - now


def test_a_card_may_be_typed_as_people_write_it() -> None:
    deal = new_deal(parse_variant("briscola/2"), 0)
    assert deal.seat is not None
    view = deal.view(deal.seat)
    numbered, _ = person.list_actions(view)
    for action in view.legal:
        assert action.card is not None
        for text in (action.code, action.code.upper(), name_card(action.card).title()):
            assert person.read_action(view, numbered, text) == action
    assert person.read_action(view, numbered, name_card(view.unseen[0])) is None
    frap = parse_variant("frap/2").game
    for text in ("Ts", "tS", "10s", "10\u2660", "Ten of spades"):
        assert person.find_action(frap.actions, text) == frap.parse_action("Ts")


def own_moves(variant: str, seat: int) -> tuple[list[str], list[str]]:
    """What a seat plays of a match of two deals, and everybody's actions."""
    result = play(variant, "--match", "deals:2", "--human", str(seat), "--json", data=ANSWERS)
    records = json.loads(result.stdout)["deals"]
    own: list[str] = []
    for record in records:
        steps: list[dict[str, Any]] = []
        replay(DealRecord.from_json(record), steps)
        own += [step["action"] for step in steps if step["seat"] == seat]
    return own, [record["actions"] for record in records]


@pytest.mark.parametrize("variant", ["frusta/2", "briscola-chiamata/5"])
def test_a_move_that_is_taken_back_was_never_made(variant: str) -> None:
    """From one deal to the one before, too; bots that play by the view do the same again."""
    own, actions = own_moves(variant, 0)
    typed = ["u"]
    for move in own[:-1]:
        typed += [move, "u", "1", "0", "pass", "u", move]
    typed.append(own[-1])
    arguments = ("--match", "deals:2", "--human", "0", "--json")
    result = play(variant, *arguments, data="\n".join(typed))
    assert [record["actions"] for record in json.loads(result.stdout)["deals"]] == actions
    assert "there is nothing to take back" in result.stderr
    assert result.stderr.count("Back ") >= len(own)


def test_what_is_repeated_is_not_told_again() -> None:
    own, _ = own_moves("frusta/2", 0)
    out = play("frusta/2", "--human", "0", data="\n".join([*own[:3], "u", "q"])).stdout
    assert out.count("dealt by") == 1
    assert len(re.findall("^(?:> )?Trick 1 ", out, re.MULTILINE)) == 1


def test_the_end_of_a_deal_says_how_it_came_out_for_the_person() -> None:
    for variant, words in (
        ("briscola/2", "you have won it|you have lost it|it is level"),
        ("briscola-chiamata/5", r"you score (0|[+-]\d+)"),
    ):
        result = play(variant, "--match", "deals:2", "--human", "1", data=ANSWERS)
        facts = json.loads(
            play(variant, "--match", "deals:2", "--human", "1", "--json", data=ANSWERS).stdout
        )
        told = re.findall(rf"^Over +deal (\d): ({words})$", result.stdout, re.MULTILINE)
        assert [number for number, *_ in told] == ["1", "2"]
        for record, (_, text, *_) in zip(facts["deals"], told, strict=True):
            own, other = record["scores"][1], record["scores"][0]
            if variant == "briscola/2":
                assert ("won" in text, "lost" in text) == (own > other, own < other)
            else:
                assert text == f"you score {own:+d}".replace("+0", "0")
        assert re.search(r"^Match +deal 2 of deals:2; ", result.stdout, re.MULTILINE)


def test_the_end_of_a_deal_comes_after_all_that_led_to_it() -> None:
    """Also where a deal of Frap ends with somebody who stays out."""
    seed = f"{5:064x}"
    out = play(
        "frap/2", "--human", "0", "--seed", seed, data="look\nfrap\nstand\nq\n", bots="greedy"
    ).stdout
    labels = re.findall(r"^(?:> )?([A-Z][a-z]+)", out.partition("Deal 2")[0], re.MULTILINE)
    assert labels[-4:] == ["Undercut", "Over", "Result", "Scores"]


def test_a_move_that_is_known_and_not_legal_is_refused_with_the_reason() -> None:
    """In every spelling of a card; only nonsense is none of the moves."""
    data = "stand\nlook\nfrap\nJc\n10d\nten of diamonds\ndiscard:10d\nd10\nq\n"
    out = play("frap/2", "--human", "0", "--seed", f"{5:064x}", data=data).stdout
    refused = re.findall(r"^(?:> )?No +(.+?);", out, re.MULTILINE)
    assert refused == [
        "stand is not legal now",
        "jack of clubs is in your hand, but cannot be played now",
        "ten of diamonds is not in your hand",
        "ten of diamonds is not in your hand",
        "discard:Td is not legal now",
        "'d10' is none of your moves",
    ]


@pytest.mark.parametrize("no_color", ["", "1"])
def test_at_a_terminal_french_suits_have_their_symbols_and_colours(
    home: Home, no_color: str
) -> None:
    arguments = ("play", "frap/4", "--human", "0", "--seed", SEED)
    with at_terminal(home, arguments, NO_COLOR=no_color) as terminal:
        before = terminal.modes
        terminal.wait_for("> ")
        coloured = re.findall("\x1b\\[3[0-9]m[0-9AJQK]+([♣♦♥♠])", terminal.written)
        assert bool(coloured) is not bool(no_color)
        assert re.search("(10|[2-9AJQK])[♣♦♥♠]", terminal.written)
        terminal.type("q\n")
        assert terminal.wait() == 0
        assert terminal.modes == before


def test_with_json_the_person_is_asked_on_standard_error() -> None:
    result = play("briscola/2", "--match", "deals:1", "--human", "1", "--json", data=ANSWERS)
    seats = json.loads(result.stdout)["seats"]
    assert [seat["human"] for seat in seats] == [False, True]
    assert "Moves" in result.stderr
    assert play("briscola/2", "--human", "1", "--json", data="q\n").stdout == ""
