"""`mazzo arena`: plays bots against each other on mirrored deals, without a server."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer
from rich.console import Group as Lines
from rich.live import Live
from rich.table import Table

from mazzo.errors import MazzoError
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo_server.cli.home.arena_table import (
    describe_figures,
    encode_figures,
    make_figures_table,
    print_meetings,
)
from mazzo_server.cli.home.comparison import (
    EXIT_STATUS,
    describe_course,
    encode_comparison,
    list_words,
    make_question,
    print_comparison,
)
from mazzo_server.cli.shell.completion.files import complete_home_bot
from mazzo_server.cli.shell.completion.games import complete_variant
from mazzo_server.cli.shell.connection import INTERRUPTED, JsonOption, fail
from mazzo_server.cli.shell.interrupts import hold_interrupts
from mazzo_server.cli.shell.options import (
    SeedOption,
    choose_seed,
    make_tournament_option,
    make_whole_parser,
)
from mazzo_server.cli.text.legend import LegendOption, is_legend_wanted, print_legend
from mazzo_server.cli.text.output import (
    console,
    error_console,
    make_progress,
    print_json,
    print_table,
)
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.home import add_copies, find_common_variant
from mazzo_server.home.arena import (
    ArenaTally,
    BotComparison,
    Crew,
    Figures,
    KeptBot,
    Outcome,
    Question,
    Schedule,
    Work,
    describe_kept_bots,
    open_keeper,
    sort_groups,
)
from mazzo_server.model import TimeControl, find_bot_name, parse_bank
from mazzo_server.results.commentary import clean, format_decimal
from mazzo_server.settings import (
    DATABASE_VARIABLE,
    HOME_VARIABLE,
    SERVER_VARIABLE,
    list_usable_processors,
)

__all__ = ["arena"]

_USUAL = TimeControl()
_DEALS, _DEALS_TO_DECIDE, _MOST_DEALS = 1000, 1_000_000, 10_000_000
_MOST_WORKERS = 1024
_REFRESH_SECONDS = 0.25
_REFRESH_PAUSE = 10  # times the cost of a redraw, at least, since the workers wait meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keep:
    """Where the matches are kept."""

    folder: Path
    bots: Sequence[KeptBot]
    is_seed_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arena:
    """What is played."""

    work: Work
    variant: Variant
    schedule: Schedule
    seed: bytes
    workers: int
    comparison: BotComparison | None  # which ends it, where one was asked for
    keep: _Keep | None
    again: str  # the command that plays the same deals again


@dataclass(slots=True, kw_only=True)
class _Course:
    """How far an arena has got."""

    names: tuple[str, ...] = ()  # of the bots, all different
    figures: Figures | None = None
    seconds: float = 0.0  # played by the bots
    tournament: int | None = None  # the number of the one that keeps its matches


def arena(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …",
            autocompletion=complete_home_bot,
            help="Two bots or more: a bot's folder, a Python file or a sample bot; 'A*3' is three "
            "times A. They run in processes of their own, with your rights.",
        ),
    ],
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="VARIANT",
            autocompletion=complete_variant,
            help="Such as briscola/2 or frap/6?ante=8.",
            show_default="the first that all of them play",
        ),
    ] = "",
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            metavar="N",
            parser=make_whole_parser(1, _MOST_DEALS),
            help="Deals that each table of bots plays in all; with --sprt, at most.",
            show_default=f"{_DEALS:,}; with --sprt {_DEALS_TO_DECIDE:,}",
        ),
    ] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--sprt",
            metavar="LOW HIGH",
            help="Play until it is clear whether A has an advantage over B of more than LOW or "
            "less than HIGH points a deal: a sequential test.",
        ),
    ] = None,
    win_share: Annotated[
        bool,
        typer.Option(
            "--win-share",
            help="LOW and HIGH are shares of the deals won: 0.02 is 51 % against 49 %.",
        ),
    ] = False,
    elo: Annotated[
        bool, typer.Option("--elo", help="LOW and HIGH are differences of Elo ratings.")
    ] = False,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            metavar="P",
            help="How often, at most, an advantage of LOW or less is found to be more.",
            show_default="0.05",
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            "--beta",
            metavar="P",
            help="How often, at most, an advantage of HIGH or more is found to be less.",
            show_default="0.05",
        ),
    ] = None,
    time: Annotated[
        str,
        make_tournament_option(
            "time_control",
            usual=f"no clock, or {_USUAL.bank:g}+{_USUAL.increment:g} with a --limit",
            more="Who is late is counted, and plays on.",
        ),
    ] = "",
    limit: Annotated[
        float | None,
        make_tournament_option(
            "limit_seconds", usual=f"no clock, or {_USUAL.limit:g} with a --time"
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            parser=make_whole_parser(1, _MOST_WORKERS),
            help="Processes that play; bots that answer by the view and view.random come to the "
            "same with any number.",
            show_default="as many as there are cores",
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            metavar="FOLDER",
            help="Keep the matches in a store of their own there, for `mazzo matches` and "
            "`mazzo replay`.",
            show_default=False,
        ),
    ] = None,
    seed: SeedOption = "",
    legend: LegendOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play bots against each other on mirrored deals, in many processes, with a live table.

    Example: mazzo arena my-bot greedy --sprt 0 2
    """
    course = _Course()
    try:
        question = make_question(
            sprt,
            {"--win-share": win_share, "--elo": elo},
            {"--alpha": alpha, "--beta": beta},
        )
        plan = _plan(bots, variant, deals, question, time, limit, workers, seed, keep)
        try:
            _play(plan, course)
        except KeyboardInterrupt:
            error_console.print("mazzo: interrupted")
            _print(plan, course, legend=legend, as_json=as_json)
            raise typer.Exit(INTERRUPTED) from None
        except MazzoError:
            if course.figures is not None and course.figures.groups:
                _print(plan, course, legend=legend, as_json=as_json)
            raise
        _print(plan, course, legend=legend, as_json=as_json)
    except MazzoError as error:
        fail(error)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    if plan.comparison is not None:
        raise typer.Exit(EXIT_STATUS[plan.comparison.test.verdict])


def _plan(
    bots: Sequence[str],
    variant_text: str,
    deals: int | None,
    question: Question | None,
    time: str,
    limit: float | None,
    workers: int | None,
    seed_text: str,
    folder: Path | None,
) -> _Arena:
    bots = add_copies(bots)
    variant = parse_variant(variant_text) if variant_text else find_common_variant(bots)
    seed = choose_seed(seed_text)
    if deals is None:
        deals = _DEALS_TO_DECIDE if question else _DEALS
    keep = None
    if folder is not None:
        kept = describe_kept_bots(bots, variant, folder)
        keep = _Keep(folder=folder, bots=kept, is_seed_chosen=bool(seed_text))
    names = [bot.name for bot in keep.bots] if keep else []
    schedule = Schedule(variant, len(bots), deals=deals, seed=seed, names=names)
    if keep and schedule.alone:
        sides = len(variant.sides)
        raise InvalidInputError(
            f"--keep: expected a bot for each of the {sides} sides of {variant}, got {len(bots)}; "
            f"copies fill the table, such as {shlex.quote(f'{bots[-1]}*{sides + 1 - len(bots)}')}"
        )
    given = [f"./{bot}" if bot.startswith("-") else bot for bot in bots]  # no option
    words = ["mazzo", "arena", *given, "--variant", str(variant), "--deals", str(deals)]
    for option, value in (
        ("--time", time),
        ("--limit", str(limit) if limit else ""),
        ("--keep", str(folder or "")),  # without it the cards would be others
    ):
        words += [option, value] if value else []
    comparison = None
    if question:
        comparison = BotComparison(question, variant, bots=len(bots), alone=schedule.alone)
        words += list_words(question)
    return _Arena(
        work=Work(
            variant=str(variant),
            bots=tuple(bots),
            match_format=str(schedule.match_format),
            control=_make_time_control(time, limit),
            entrants=tuple(map(schedule.by_name.index, range(len(bots)))) if keep else (),
        ),
        variant=variant,
        schedule=schedule,
        seed=seed,
        workers=min(workers or len(list_usable_processors()), schedule.total),
        comparison=comparison,
        keep=keep,
        again=clean(shlex.join([*words, "--seed", seed.hex()])),
    )


def _make_time_control(time: str, limit: float | None) -> TimeControl | None:
    if not time and not limit:
        return None
    bank, increment = parse_bank(time) if time else (_USUAL.bank, _USUAL.increment)
    return replace(_USUAL, bank=bank, increment=increment, limit=limit or _USUAL.limit)


def _play(plan: _Arena, course: _Course) -> None:
    """Play everything; `course` tells how far that got, also after an interruption."""
    schedule = plan.schedule
    tally = ArenaTally(plan.variant, len(plan.work.bots), alone=schedule.alone)
    with _keep_matches(plan, course) as keep, Crew(plan.work, plan.workers) as crew:
        try:
            course.names = crew.load()
            if plan.keep is not None:
                course.names = tuple(bot.name for bot in plan.keep.bots)
            begin = monotonic()
            with _show_live_table(plan, course) as show:
                played = crew.play(schedule.groups())
                # What ends it must not depend on which process was done first.
                for group, outcomes in sort_groups(played) if plan.comparison else played:
                    with hold_interrupts():
                        tally.add(group, outcomes)
                        if plan.comparison is not None:
                            plan.comparison.add(group, outcomes)
                        keep(outcomes)
                    course.seconds = monotonic() - begin
                    show(tally)
                    if plan.comparison is not None and plan.comparison.is_over:
                        break
        except KeyboardInterrupt:
            for bot, seconds in crew.find_slow_bots().items():
                text = f"mazzo: {clean(bot)} has been loading for {format_decimal(seconds, 0)} s"
                error_console.print(text, soft_wrap=True)
            for seconds, again in crew.find_long_matches():
                text = (
                    f"mazzo: a match has gone on for {format_decimal(seconds, 0)} s: {clean(again)}"
                )
                error_console.print(text, soft_wrap=True)
            raise
        finally:
            if course.names:  # or not even the bots were loaded
                course.figures = Figures.of(tally, len(plan.work.bots))


@contextmanager
def _keep_matches(plan: _Arena, course: _Course) -> Iterator[Callable[[Sequence[Outcome]], None]]:
    """Keep what is played, where that is wanted, also what was played before an error."""
    if plan.keep is None:
        yield lambda _: None
        return
    with open_keeper(
        plan.keep.folder,
        plan.schedule,
        plan.keep.bots,
        variant=plan.variant,
        control=plan.work.control,
        seed=plan.seed,
        is_seed_chosen=plan.keep.is_seed_chosen,
        workers=plan.workers,
    ) as keeper:
        try:
            yield keeper.add
        except BaseException as error:  # it tells more than what the store says then
            try:
                keeper.close(seconds=course.seconds)
            except PlatformError as failure:
                if failure is not error:
                    error_console.print(f"mazzo: {clean(str(failure))}", soft_wrap=True)
            raise
        else:
            keeper.close(seconds=course.seconds)
        finally:
            course.tournament = keeper.tournament


@contextmanager
def _show_live_table(plan: _Arena, course: _Course) -> Iterator[Callable[[ArenaTally], None]]:
    """Show a table that is updated a few times a second, where there is a terminal."""
    if not error_console.is_terminal:
        yield lambda _: None
        return
    bar = make_progress()
    # Nobody knows how many deals a test needs before its first groups.
    most = plan.schedule.deals if plan.comparison is None else None
    task = bar.add_task("Arena", total=most, facts="deals")
    due = monotonic() + _REFRESH_SECONDS
    with Live(bar, console=error_console, transient=True, auto_refresh=False) as live:

        def show(tally: ArenaTally) -> None:
            nonlocal due
            begin = monotonic()
            if begin < due:
                return
            figures = Figures.of(tally, len(course.names), with_meetings=False)
            rate = tally.deals / max(course.seconds, 1e-6)
            lines: list[Table | str] = [_make_table(plan, course.names, figures), ""]
            total: float | None = plan.schedule.deals
            if plan.comparison is not None:
                more = plan.comparison.estimate_more_groups()
                left = "" if more is None else f"; about {more:,} groups left"
                lines += [f"{describe_course(plan.comparison)}{left}", ""]
                deals = None if more is None else more * tally.deals / max(tally.groups, 1)
                total = None if deals is None else min(tally.deals + deals, plan.schedule.deals)
            facts = f"deals · {_format_rate(rate)}"
            bar.update(task, completed=tally.deals, total=total, facts=facts)
            live.update(Lines(*lines, bar), refresh=True)
            end = monotonic()
            due = end + max(_REFRESH_SECONDS, _REFRESH_PAUSE * (end - begin))

        yield show


def _make_table(plan: _Arena, names: Sequence[str], figures: Figures) -> Table:
    return make_figures_table(
        figures,
        names,
        sides=len(plan.variant.sides),
        has_clock=plan.work.control is not None,
    )


def _print(plan: _Arena, course: _Course, *, legend: bool, as_json: bool) -> None:
    figures, schedule = course.figures, plan.schedule
    if figures is None:  # stopped before the first card
        return
    if as_json:
        print_json(_encode_arena(plan, course, figures))
        return
    rate = figures.deals / max(course.seconds, 1e-6)
    console.print(
        f"{plan.variant}, {schedule.match_format} in {schedule.seatings} seatings; "
        f"{figures.deals:,} of {schedule.deals:,} deals, {_format_rate(rate)}",
        soft_wrap=True,
    )
    if schedule.alone:
        console.print("Every bot sits alone among copies of another, on every side in turn.")
    if figures.groups:
        console.print()
        print_table(_make_table(plan, course.names, figures))
        if is_legend_wanted(legend, "arena"):
            sides, has_clock = len(plan.variant.sides), plan.work.control is not None
            print_legend(describe_figures(sides=sides, has_clock=has_clock))
        # At one table everyone meets everyone in every deal: the table says it all.
        if len(course.names) > 2 and schedule.tables > 1:
            print_meetings(figures, course.names)
    if plan.comparison is not None:
        print_comparison(plan.comparison, course.names)
    console.print()
    if plan.keep is not None and course.tournament is not None:
        _print_place(plan.keep, course.tournament)
    console.print(f"Play it again with: {plan.again}", soft_wrap=True)


def _print_place(keep: _Keep, tournament: int) -> None:
    """Say where the matches are kept, and how to look at them."""
    home = f"{HOME_VARIABLE}={shlex.quote(clean(str(keep.folder)))}"
    elsewhere = [f"{name}=" for name in (DATABASE_VARIABLE, SERVER_VARIABLE) if name in os.environ]
    bot = find_bot_name(keep.bots[0].name)
    words = [home, *elsewhere, f"mazzo matches --tournament {tournament} --bot {bot} --worst 10"]
    console.print(f"Kept as tournament {tournament}: {' '.join(words)}", soft_wrap=True)


def _format_rate(rate: float) -> str:
    return f"{format_decimal(rate, 0 if rate >= 10 else 1)} a second"


def _encode_arena(plan: _Arena, course: _Course, figures: Figures) -> dict[str, Any]:
    schedule, test, kept = plan.schedule, {}, {}
    if plan.keep is not None and course.tournament is not None:
        kept["kept"] = {"home": str(plan.keep.folder), "tournament": course.tournament}
    if plan.comparison is not None:
        test["sequential_test"] = encode_comparison(plan.comparison, course.names)
    return {
        "variant": str(plan.variant),
        "match_format": str(schedule.match_format),
        "seatings": schedule.seatings,
        "alone": schedule.alone,
        "seed": plan.seed.hex(),
        "groups": schedule.total,
        "deals": schedule.deals,
        "running_seconds": course.seconds,
        **encode_figures(figures, course.names, plan.work.bots),
        **test,
        **kept,
    }
