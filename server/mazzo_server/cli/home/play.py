"""`mazzo play`: plays one match in this process, and tells it trick by trick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from mazzo.errors import MazzoError
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.local import LocalMatch, play_match
from mazzo.match import MatchFormat
from mazzo.options import join_alternatives
from mazzo_server.cli.home.match import HomePlan, HomeTable
from mazzo_server.cli.home.person import PersonStoppedError, TakenBackError
from mazzo_server.cli.shell.completion.files import complete_home_bots
from mazzo_server.cli.shell.completion.games import (
    complete_draws,
    complete_match_format,
    complete_seat,
    complete_shown_seat,
    complete_variant,
)
from mazzo_server.cli.shell.connection import INTERRUPTED, JsonOption, fail
from mazzo_server.cli.shell.options import (
    OptionOption,
    SeedOption,
    add_options,
    choose_seed,
    make_whole_parser,
)
from mazzo_server.cli.shell.streams import keep_output_apart
from mazzo_server.cli.text.output import console, error_console, make_table, print_json, print_table
from mazzo_server.errors import InvalidInputError
from mazzo_server.home import HomeBot, find_seated_bots
from mazzo_server.results.commentary import format_number

__all__ = ["play"]

_MOST_SEATING = 23  # of four sides in every permutation
_DEFAULT_BOT = "random"  # beside a person


def play(
    variant: Annotated[
        str,
        typer.Argument(
            metavar="VARIANT",
            autocompletion=complete_variant,
            help="Such as briscola/2 or frap/6?ante=8.",
        ),
    ],
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            metavar="A,B,…",
            autocompletion=complete_home_bots,
            help="One for each seat, for each team, or for all; a*3 is three times a. A bot's "
            "folder, a Python file or a sample bot. They run in this process, with your rights.",
            show_default="random, beside a person",
        ),
    ] = "",
    human: Annotated[
        str | None,
        typer.Option(
            "--human",
            metavar="SEAT",
            autocompletion=complete_seat,
            help="Play in this seat yourself, from 0.",
        ),
    ] = None,
    option: OptionOption = None,
    match: Annotated[
        str,
        typer.Option(
            "--match",
            metavar="FORMAT",
            autocompletion=complete_match_format,
            help="deals:N, best-of:N or target:P.",
            show_default="the game's own",
        ),
    ] = "",
    show: Annotated[
        str,
        typer.Option(
            "--show",
            metavar="SEAT|all",
            autocompletion=complete_shown_seat,
            help="Tell what this seat knows, or everything.",
            show_default="all; with a person what he knows",
        ),
    ] = "",
    draws: Annotated[
        str,
        typer.Option(
            "--draws",
            metavar="top|seats",
            autocompletion=complete_draws,
            help="Whether cards are drawn from the top of the stock, or are bound to seats.",
            show_default="top",
        ),
    ] = "",
    seating: Annotated[
        int,
        typer.Option(
            "--seating",
            metavar="N",
            parser=make_whole_parser(0, _MOST_SEATING),
            help="Of a mirror group, from 0: bots have other dice in each.",
        ),
    ] = 0,
    seed: SeedOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play one match in this process and tell it trick by trick; you may play too.

    Example: mazzo play briscola/2 --bots human,greedy
    """
    try:
        keep_output_apart()
        plan = _plan(variant, option or [], bots, human, match, draws, seating, seed)
        shown = _parse_shown(show, plan)
        _play(plan, shown, as_json)
    except MazzoError as error:
        fail(error)
    except KeyboardInterrupt:
        error_console.print("mazzo: interrupted")
        raise typer.Exit(INTERRUPTED) from None


def _plan(
    text: str,
    options: Sequence[str],
    bots: str,
    human: str | None,
    match: str,
    draws: str,
    seating: int,
    seed: str,
) -> HomePlan:
    variant = parse_variant(add_options(text, options))
    match_format = MatchFormat.parse(match or variant.game.default_match_format(variant))
    match_format.check(variant)
    if draws and draws not in variant.game.draw_modes:
        known = join_alternatives(variant.game.draw_modes)
        raise InvalidInputError(f"--draws: expected {known} in {variant.game.id}, got {draws!r}")
    person = None if human is None else _check_seat("--human", human, variant)
    return HomePlan(
        variant=variant,
        format=match_format,
        draws=draws,
        seating=seating,
        seed=choose_seed(seed),
        bots=_load_bots(bots, person, variant),
        human=person,
    )


def _load_bots(text: str, human: int | None, variant: Variant) -> tuple[HomeBot | None, ...]:
    """Return the bots by seat; a bot that is named twice is loaded once."""
    seats = [seat for seat in range(variant.players) if seat != human]
    if not text and human is None:
        raise InvalidInputError(
            f"--bots: expected the bots that play {variant}, got none; give them as --bots a,b or "
            "play yourself with --human SEAT"
        )
    found = find_seated_bots("--bots", text or _DEFAULT_BOT, variant, seats)
    return tuple(found.get(seat) for seat in range(variant.players))


def _parse_shown(text: str, plan: HomePlan) -> tuple[int, ...]:
    """Return the seats whose cards and choices the output shows."""
    if not text and plan.human is not None:
        return (plan.human,)
    if text in ("", "all"):
        return tuple(range(plan.variant.players))
    return (_check_seat("--show", text, plan.variant, "all, or "),)


def _check_seat(option: str, text: str, variant: Variant, beside: str = "") -> int:
    last = variant.players - 1
    if not (text.isascii() and text.isdecimal() and len(text) <= 3 and int(text) <= last):
        raise InvalidInputError(
            f"{option}: expected {beside}a seat of {variant} from 0 to {last}, got {text!r}"
        )
    return int(text)


def _play(plan: HomePlan, shown: Sequence[int], as_json: bool) -> None:
    # With --json the text is for a person at the table alone, and goes to another stream.
    out = error_console if as_json else console
    table = HomeTable(plan, shown, out)
    if as_json and plan.human is None:
        table.mute()
    table.introduce()
    try:
        played = _play_match(plan, table)
    except (MazzoError, KeyboardInterrupt) as error:
        if plan.human is not None:
            out.print()  # ends the line of the prompt
        error_console.print(f"Play it again with: {plan.again}", soft_wrap=True)
        if isinstance(error, PersonStoppedError):
            error_console.print("Stopped before the end of the match.")
            return
        raise
    if as_json:
        print_json(_encode_match(plan, played))
    else:
        _print_ranking(plan, played)


def _play_match(plan: HomePlan, table: HomeTable) -> LocalMatch:
    """Play the match, from its beginning again where the person takes a move back."""
    while True:
        try:
            return play_match(
                plan.variant,
                table.list_seated(),
                seed=plan.seed,
                match_format=str(plan.format),
                draws=plan.draws or None,
                seating=plan.seating,
                watch=table.watch,
            )
        except TakenBackError:
            table.take_back()


def _print_ranking(plan: HomePlan, played: LocalMatch) -> None:
    table = make_table("rank", "seat", "bot", "match score", "sum of the deals", right="rr rr")
    names = plan.names
    dealt = [
        sum(deal.scores[seat] for deal in played.deals if deal.scores) for seat in range(len(names))
    ]
    left = [total - scores for total, scores in zip(played.deal_sums, dealt, strict=True)]
    for seat in sorted(range(len(names)), key=lambda seat: (played.ranking[seat], seat)):
        table.add_row(
            str(played.ranking[seat]),
            str(seat),
            Text(names[seat]),
            format_number(played.scores[seat]),
            format_number(played.deal_sums[seat]),
        )
    console.print()
    if any(left):
        shares = ", ".join(
            f"{name} {format_number(share, signed=True)}"
            for name, share in zip(names, left, strict=True)
        )
        console.print(f"What the last deal left is shared out: {shares}")
        console.print()
    print_table(table)
    console.print()
    console.print(f"Play it again with: {plan.again}", soft_wrap=True)


def _encode_match(plan: HomePlan, played: LocalMatch) -> dict[str, Any]:
    return {
        "variant": plan.variant.text,
        "match_format": str(plan.format),
        "seats": [
            {
                "seat": seat,
                "bot": None if bot is None else bot.name,
                "given": None if bot is None else bot.given,
                "human": bot is None,
            }
            for seat, bot in enumerate(plan.bots)
        ],
        "seed": plan.seed.hex(),
        "deals": [deal.to_json() for deal in played.deals],
        "match_scores": [float(score) for score in played.scores],
        "deal_sums": list(played.deal_sums),
        "ranking": list(played.ranking),
    }
