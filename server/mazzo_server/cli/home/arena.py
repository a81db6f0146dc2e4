"""`mazzo arena`: plays bots against each other on mirrored deals, without a server."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Annotated, Any

import typer
from rich.console import Group as Lines
from rich.live import Live
from rich.table import Table

from mazzo.errors import MazzoError
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo_server.cli.home.arena_table import encode_figures, make_figures_table, print_meetings
from mazzo_server.cli.shell.connection import INTERRUPTED, JsonOption, fail
from mazzo_server.cli.shell.options import (
    SeedOption,
    choose_seed,
    make_tournament_option,
    make_whole_parser,
)
from mazzo_server.cli.text.output import (
    console,
    error_console,
    format_decimal,
    make_progress,
    print_json,
    print_table,
)
from mazzo_server.home import find_common_variant
from mazzo_server.home.arena import ArenaTally, Crew, Figures, Schedule, Work
from mazzo_server.model import TimeControl, parse_bank
from mazzo_server.results.commentary import clean
from mazzo_server.settings import list_usable_processors

__all__ = ["arena"]

_USUAL = TimeControl()
_MOST_DEALS = 10_000_000
_MOST_WORKERS = 1024
_REFRESH_SECONDS = 0.25
_REFRESH_PAUSE = 10  # times the cost of a redraw, at least, since the workers wait meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arena:
    """What is played."""

    work: Work
    variant: Variant
    schedule: Schedule
    seed: bytes
    workers: int
    again: str  # the command that plays the same deals again


@dataclass(slots=True, kw_only=True)
class _Course:
    """How far an arena has got."""

    names: tuple[str, ...] = ()  # of the bots, all different
    figures: Figures | None = None
    seconds: float = 0.0  # played by the bots


def arena(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …",
            help="Two bots or more: a bot's folder, a Python file or a sample bot. They run in "
            "processes of their own, with your rights.",
        ),
    ],
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="VARIANT",
            help="Such as briscola/2 or frap/6?ante=8.",
            show_default="the first that all of them play",
        ),
    ] = "",
    deals: Annotated[
        int,
        typer.Option(
            "--deals",
            metavar="N",
            parser=make_whole_parser(1, _MOST_DEALS),
            help="Deals that each table of bots plays in all.",
        ),
    ] = 1000,
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
    seed: SeedOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play bots against each other on mirrored deals, in many processes, with a live table."""
    course = _Course()
    try:
        plan = _plan(bots, variant, deals, time, limit, workers, seed)
        try:
            _play(plan, course)
        except KeyboardInterrupt:
            error_console.print("mazzo: interrupted")
            _print(plan, course, as_json)
            raise typer.Exit(INTERRUPTED) from None
        except MazzoError:
            if course.figures is not None and course.figures.groups:
                _print(plan, course, as_json)
            raise
        _print(plan, course, as_json)
    except MazzoError as error:
        fail(error)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _plan(
    bots: Sequence[str],
    variant_text: str,
    deals: int,
    time: str,
    limit: float | None,
    workers: int | None,
    seed_text: str,
) -> _Arena:
    variant = parse_variant(variant_text) if variant_text else find_common_variant(bots)
    seed = choose_seed(seed_text)
    schedule = Schedule(variant, len(bots), deals=deals, seed=seed)
    given = [f"./{bot}" if bot.startswith("-") else bot for bot in bots]  # no option
    words = ["mazzo", "arena", *given, "--variant", str(variant), "--deals", str(deals)]
    for option, value in (("--time", time), ("--limit", str(limit) if limit else "")):
        words += [option, value] if value else []
    return _Arena(
        work=Work(
            variant=str(variant),
            bots=tuple(bots),
            match_format=str(schedule.match_format),
            control=_make_time_control(time, limit),
        ),
        variant=variant,
        schedule=schedule,
        seed=seed,
        workers=min(workers or len(list_usable_processors()), schedule.total),
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
    with Crew(plan.work, plan.workers) as crew:
        try:
            course.names = crew.load()
            begin = monotonic()
            with _show_live_table(plan, course) as show:
                for group, outcomes in crew.play(schedule.groups()):
                    tally.add(group, outcomes)
                    course.seconds = monotonic() - begin
                    show(tally)
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
def _show_live_table(plan: _Arena, course: _Course) -> Iterator[Callable[[ArenaTally], None]]:
    """Show a table that is updated a few times a second, where there is a terminal."""
    if not error_console.is_terminal:
        yield lambda _: None
        return
    bar = make_progress()
    task = bar.add_task("Arena", total=plan.schedule.deals, facts="deals")
    due = monotonic() + _REFRESH_SECONDS
    with Live(bar, console=error_console, transient=True, auto_refresh=False) as live:

        def show(tally: ArenaTally) -> None:
            nonlocal due
            begin = monotonic()
            if begin < due:
                return
            figures = Figures.of(tally, len(course.names), with_meetings=False)
            rate = tally.deals / max(course.seconds, 1e-6)
            bar.update(task, completed=tally.deals, facts=f"deals · {_format_rate(rate)}")
            live.update(Lines(_make_table(plan, course.names, figures), "", bar), refresh=True)
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


def _print(plan: _Arena, course: _Course, as_json: bool) -> None:
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
        # At one table everyone meets everyone in every deal: the table says it all.
        if len(course.names) > 2 and schedule.tables > 1:
            print_meetings(figures, course.names)
    console.print()
    console.print(f"Play it again with: {plan.again}", soft_wrap=True)


def _format_rate(rate: float) -> str:
    return f"{format_decimal(rate, 0 if rate >= 10 else 1)} a second"


def _encode_arena(plan: _Arena, course: _Course, figures: Figures) -> dict[str, Any]:
    schedule = plan.schedule
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
    }
