"""`mazzo replay rerun`: plays a recorded match again at home, with other code in a seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from mazzo.errors import BadRecordError, MazzoError, quote_value
from mazzo.match_check import verify
from mazzo.match_record import MatchRecord, split_records
from mazzo_server.cli.replay.fetching import LONGEST_LINE, fetch_record
from mazzo_server.cli.replay.positions import has_positions, make_view_lines, play_positions
from mazzo_server.cli.replay.rerun_plan import RerunPlan, load_others, load_own
from mazzo_server.cli.shell.completion.files import complete_home_bot, complete_home_bots
from mazzo_server.cli.shell.completion.platform import complete_match
from mazzo_server.cli.shell.connection import INTERRUPTED, JsonOption, ServerOption, execute, fail
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.shell.streams import keep_output_apart, read_lines
from mazzo_server.cli.text.lines import print_lines, style_parts
from mazzo_server.cli.text.output import console, error_console, make_table, print_json, print_table
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.home import (
    ChangedDecision,
    HomeRerun,
    RecordedDecision,
    find_decision,
    play_decision,
    play_rerun,
)
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import (
    Line,
    Part,
    clean,
    format_number,
)

__all__ = ["rerun"]


def rerun(
    match: Annotated[
        str,
        typer.Argument(
            metavar="MATCH|FILE",
            autocompletion=complete_match,
            help="Tournament, group and seating, such as 3/17/0; or a file: a match record, or the "
            "positions that `mazzo check` wrote.",
        ),
    ],
    with_: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="FOLDER",
            autocompletion=complete_home_bot,
            help="The code that plays now: a bot's folder, a Python file or a sample bot. It runs "
            "in this process, with your rights.",
        ),
    ],
    seat: Annotated[
        int | None,
        typer.Option(
            "--seat",
            metavar="N",
            parser=make_whole_parser(0),
            help="Where it plays, from 0.",
            show_default="where a bot of its name sat",
        ),
    ] = None,
    others: Annotated[
        str,
        typer.Option(
            "--others",
            metavar="A,B,…",
            autocompletion=complete_home_bots,
            help="Who goes on in the other seats when play is no longer as recorded: one for each, "
            "or one for all.",
            show_default="sample bots of the names that sat there",
        ),
    ] = "",
    only: Annotated[
        int | None,
        typer.Option(
            "--only",
            metavar="DECISION",
            parser=make_whole_parser(1),
            help="Ask for this decision alone, by its number in the match, or this position; the "
            "first one is 1.",
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a match again at home with other code, and say where it differs.

    The other seats answer as recorded while the cards fall as recorded.

    Example: mazzo replay rerun 3/17/0 --with my-bot
    """
    try:
        keep_output_apart()
        is_file = _is_file(match)
        lines = list(read_lines(match, longest=LONGEST_LINE)) if is_file else []
        if has_positions(lines):
            if seat is not None or others:
                raise InvalidInputError("expected neither --seat nor --others with positions")
            play_positions(match, lines, with_, only=only, as_json=as_json)
            return
        if only is not None and others:
            raise InvalidInputError("expected --only or --others, got both")
        record = _parse_record(match, lines) if is_file else _fetch(match, server)
        own = load_own(record, with_, seat)
        plan = RerunPlan(
            match=match,
            is_file=is_file,
            server=server,
            record=record,
            given=with_,
            own=own,
            others=load_others(record, own, others) if only is None else {},
        )
        if only is not None:
            _play_one_decision(plan, only, as_json)
        else:
            _play_match(plan, as_json)
    except MazzoError as error:
        fail(error)
    except KeyboardInterrupt:
        error_console.print("mazzo: interrupted")
        raise typer.Exit(INTERRUPTED) from None


def _is_file(match: str) -> bool:
    try:
        return Path(match).is_file()
    except OSError:
        return False


def _fetch(match: str, server: str) -> MatchRecord:
    try:
        MatchId.parse(match)
    except InvalidInputError:
        raise InvalidInputError(
            f"expected a match such as 3/17/0, or a file of one, got {quote_value(match)}"
        ) from None
    return execute(fetch_record(match, server, None, None))


def _parse_record(file: str, lines: Sequence[str]) -> MatchRecord:
    """Return the verified record of a file."""
    records = list(split_records(lines))
    if len(records) != 1:
        raise InvalidInputError(f"expected one match record in {file}, got {len(records)}")
    first, own = records[0]
    try:
        record = MatchRecord.parse(own, first=first)
    except BadRecordError as error:
        raise InvalidInputError(f"{file} holds no match record: {error}") from error
    if wrong := verify(record).wrong:
        raise InvalidInputError(f"the record in {file} is not true: {wrong}")
    return record


def _play_match(plan: RerunPlan, as_json: bool) -> None:
    played = play_rerun(plan.record, plan.own, plan.others)
    if as_json:
        print_json(_encode_rerun(plan, played))
    else:
        _print_rerun(plan, played)
    if played.failure:
        raise PlatformError(played.failure)


def _print_rerun(plan: RerunPlan, rerun: HomeRerun) -> None:
    record, names = plan.record, plan.names
    seats = ", ".join(f"seat {seat} ({names[seat]})" for seat in plan.own)
    what = f"{record.name}, {record.variant}, {record.match_format}"
    console.print(Text(f"{what}: {clean(plan.given)} in {seats}."), soft_wrap=True)
    console.print()
    print_table(_make_table(plan, rerun))
    console.print()
    if rerun.changes:
        _explain_first(plan, rerun.changes[0])
    elif rerun.played:
        console.print("It decides as recorded to the end.")
    if rerun.missing is not None:
        name = f"{names[rerun.missing]} in seat {rerun.missing}"
        console.print(
            Text(
                f"Play ends after that: {name} would have to go on, and its code is not at hand. "
                "Name a bot for it, such as --others greedy."
            ),
            soft_wrap=True,
        )
    elif rerun.changes and plan.others:
        on = ", ".join(f"{bot.name} in seat {seat}" for seat, bot in plan.others.items())
        console.print(Text(f"From there on in each deal: {clean(on)}."), soft_wrap=True)
    for seat, late in rerun.late.items():
        if late:
            console.print(
                f"Seat {seat} was late {'once' if late == 1 else f'{late} times'}: on the platform "
                "the substitute plays such a decision, and the third in a match forfeits.",
                soft_wrap=True,
            )


def _make_table(plan: RerunPlan, rerun: HomeRerun) -> Table:
    """Return what each deal came to, then and now."""
    seat = next(iter(plan.own))
    table = make_table(
        "deal", "differs from", "then", "now", "score then", "score now", right="rr  rr"
    )
    by_deal = {change.deal: change for change in rerun.changes}
    for number, then, now in _pair_scores(plan, rerun):
        change = by_deal.get(number)
        table.add_row(
            str(number + 1),
            f"decision {change.number}" if change else "",
            style_parts(*_describe_then(plan, change)) if change else "",
            style_parts(plan.tell_action(change.now)) if change else "",
            _format_score(then[seat] if then else None),
            _format_score(now[seat] if now else None),
        )
    table.add_row(
        "match",
        "",
        "",
        "",
        _format_score(plan.record.match_scores[seat]),
        _format_score(rerun.played.scores[seat] if rerun.played else None),
    )
    return table


def _pair_scores(
    plan: RerunPlan, rerun: HomeRerun
) -> Iterator[tuple[int, tuple[int, ...] | None, tuple[int, ...] | None]]:
    """Return the scores of each deal, then and now; None for a deal that did not end."""
    then = [deal.scores for deal in plan.record.deals]
    for number, (before, after) in enumerate(zip_longest(then, rerun.deal_scores)):
        yield number, before, after


def _format_score(score: int | Fraction | None) -> str:
    return "-" if score is None else format_number(score)


def _describe_then(plan: RerunPlan, change: ChangedDecision | RecordedDecision) -> tuple[Part, ...]:
    then = plan.tell_action(change.then)
    return (then, " (substitute)") if change.by_substitute else (then,)


def _explain_first(plan: RerunPlan, change: ChangedDecision) -> None:
    seat = str(change.seat)
    again = ["--with", plan.given, "--seat", seat, "--only", str(change.number)]
    console.print(
        style_parts(
            f"It first differs in deal {change.deal + 1}, at its decision {change.step + 1}, which "
            f"is decision {change.number} of seat {seat} in the match: ",
            plan.tell_action(change.now),
            " now, ",
            *_describe_then(plan, change),
            " then.",
        ),
        soft_wrap=True,
    )
    if not plan.is_file:
        place = ["--deal", str(change.deal + 1), "--decision", str(change.step + 1)]
        show = plan.make_command("show", plan.match, *place, "--seat", seat)
        console.print(f"The deal: {show}", soft_wrap=True)
    console.print(
        f"That decision again: {plan.make_command('rerun', plan.match, *again)}", soft_wrap=True
    )


def _play_one_decision(plan: RerunPlan, number: int, as_json: bool) -> None:
    if len(plan.own) > 1:
        seats = ", ".join(map(str, plan.own))
        raise InvalidInputError(f"--seat: expected with --only, as the bot had the seats {seats}")
    ((seat, bot),) = plan.own.items()
    decision = find_decision(plan.record, seat, number)
    view = decision.view
    if not as_json:
        console.print(f"Deal {view.match.deal + 1}, decision {number} of seat {seat}:")
        print_lines(make_view_lines(view, plan.names), console)
    taken = play_decision(decision, bot)
    if as_json:
        print_json(
            {
                "match": plan.record.name,
                "seat": seat,
                "deal": view.match.deal,
                "decision": number,
                "view": view.to_json(),
                "then": plan.find_action(decision.then),
                "by_substitute": decision.by_substitute,
                "now": plan.find_action(taken.action),
                "note": taken.note or None,
                "time_seconds": taken.seconds,
                "late": bool(taken.lateness),
            }
        )
        return
    fields: list[tuple[str, tuple[Part, ...]]] = [
        ("Log", (taken.note,)),
        ("Then", _describe_then(plan, decision)),
        ("Now", (plan.tell_action(taken.action),)),
        ("Late", (taken.lateness.removeprefix("late: "),)),
    ]
    lines = [Line(label=label, parts=parts) for label, parts in fields if parts[0] != ""]
    print_lines(lines, console)


def _encode_rerun(plan: RerunPlan, rerun: HomeRerun) -> dict[str, Any]:
    played = rerun.played
    return {
        "match": plan.record.name,
        "variant": plan.record.variant.text,
        "with": plan.given,
        "seats": list(plan.own),
        "others": [
            {"seat": seat, "bot": bot.name, "given": bot.given} for seat, bot in plan.others.items()
        ],
        "changes": [
            {
                "deal": change.deal,
                "seat": change.seat,
                "decision": change.number,
                "step": change.step,
                "then": plan.find_action(change.then),
                "by_substitute": change.by_substitute,
                "now": plan.find_action(change.now),
            }
            for change in rerun.changes
        ],
        "missing": rerun.missing,
        "error": rerun.failure or None,
        "late": [{"seat": seat, "count": late} for seat, late in rerun.late.items()],
        "deals": [
            {"deal": number, "scores_then": then, "scores_now": now}
            for number, then, now in _pair_scores(plan, rerun)
        ],
        "match_scores_then": [str(score) for score in plan.record.match_scores],
        "match_scores_now": played and [str(score) for score in played.scores],
        "ranking_then": list(plan.record.ranking),
        "ranking_now": played and list(played.ranking),
    }
