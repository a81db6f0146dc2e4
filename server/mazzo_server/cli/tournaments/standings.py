"""Prints standings and crosstables that fit a terminal."""

from __future__ import annotations

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mazzo.games import parse_variant
from mazzo.v1 import tournament_pb2
from mazzo_server.cli.text.legend import is_legend_wanted, print_legend
from mazzo_server.cli.text.output import (
    console,
    make_table,
    print_crosstable,
    print_json,
    print_table,
)
from mazzo_server.cli.tournaments.bracket import print_bracket
from mazzo_server.cli.tournaments.node_table import print_nodes
from mazzo_server.model import InstanceLimits, MatchId
from mazzo_server.results.commentary import (
    clean,
    compute_mean_places,
    describe_contradictions,
    describe_counted,
    describe_more,
    describe_seats,
    describe_separation,
    describe_standings,
    describe_unranked,
    format_decimal,
    is_season,
)
from mazzo_server.results.tables import to_json

__all__ = ["make_standings_table", "name_state", "print_or_json", "print_tournament"]

_FULL_CROSSTABLE = 4  # entrants up to which a cell has room for wins, draws and losses


def name_state(state: int) -> str:
    """Return the state of a tournament as a word."""
    name = tournament_pb2.TournamentState.Name(state)
    return name.removeprefix("TOURNAMENT_STATE_").lower()


def print_or_json(tournament: tournament_pb2.Tournament, as_json: bool) -> None:
    """Print a tournament's standings for people, or everything as JSON."""
    if as_json:
        print_json(to_json(tournament))
    else:
        print_tournament(tournament)


def print_tournament(
    tournament: tournament_pb2.Tournament, *, workers: int = 0, legend: bool = False
) -> None:
    """Print a tournament's standings, crosstable, seats and faults.

    Say with how many workers it is being played, if there are any, and what the columns mean if
    that is wanted.
    """
    standings = tournament.standings
    state = name_state(tournament.state)
    console.print(Text(f"{clean(tournament.name)} (tournament {tournament.id})", style="bold"))
    console.print(
        f"{state}; {tournament.variant}, {tournament.match_format}, "
        f"mirror {tournament.mirror}, isolation {tournament.isolation}, "
        f"cpu {tournament.cpu}{_tell_limits(tournament)}; " + describe_counted(tournament)
    )
    if workers:
        console.print(f"played by {'one process' if workers == 1 else f'{workers} processes'}")
    if state == "interrupted":
        console.print(f"Go on with: mazzo tournament resume {tournament.id}")
    if state == "incomplete":
        console.print(
            "Its matches are being brought here, or that was broken off: it counts nowhere, and "
            f"`mazzo tournament delete {tournament.id}` removes it.",
            soft_wrap=True,
        )
    if not standings.groups_counted and not any(row.withdrawn for row in standings.rows):
        yet = "" if state in ("cancelled", "incomplete") else " yet"
        console.print(f"No mirror group is complete{yet}.")
        return
    if state == "cancelled":
        console.print(
            f"Unfinished: only its {standings.groups_counted:,} whole mirror groups count, and it "
            "is in no ranking."
        )
    elif unranked := describe_unranked(tournament):
        console.print(unranked, soft_wrap=True)
    if is_season(tournament):
        console.print(
            f"Its table: mazzo ladder show {tournament.variant}; --season N for an earlier one"
        )
    console.print()
    print_table(make_standings_table(standings, tournament.variant))
    if is_legend_wanted(legend, "standings"):
        print_legend(describe_standings(tournament))
    contradiction = describe_contradictions(standings)
    if contradiction:
        console.print()
        console.print(contradiction, soft_wrap=True)
    if standings.swiss:
        console.print()
        console.print(Text("Swiss points and what separates equals", style="bold"))
        print_table(_make_swiss_table(standings))
    if standings.HasField("bracket"):
        console.print()
        print_bracket(standings.bracket)
    if tournament.HasField("until_separated"):
        console.print(describe_separation(tournament), soft_wrap=True)
    _print_crosstable(tournament)
    lines = describe_seats(tournament)
    if lines:
        console.print()
    for line in lines:
        console.print(line)
    for row in standings.rows:
        if row.withdrawn:
            console.print()
            console.print(
                Text(f"{row.name} is withdrawn, all its results are void:", style="bold red")
            )
            console.print(f"  {clean(row.withdrawn)}")
    print_nodes(tournament.nodes)
    if any(row.late for row in standings.rows):
        console.print()
        console.print(f"Late decisions: `mazzo matches --tournament {tournament.id} --late`")
    if standings.faults_total:
        console.print()
        console.print(Text("Forfeits", style="bold"))
        for indent, line in _list_fault_lines(tournament):
            console.print(Padding(Text(line), (0, 0, 0, indent), expand=False))


def make_standings_table(
    standings: tournament_pb2.Standings, variant: str, *, most: int | None = None
) -> Table:
    """Return a table of standings, or of their first `most` rows."""
    has_places = len(parse_variant(variant).sides) > 2
    places = compute_mean_places(standings) if has_places else {}
    results = ("place", "first") if has_places else ("W-D-L",)
    columns = ("score/deal", "P>next", "+deals", "faults", "ms")
    table = make_table("", "bot", "rating", *results, *columns, right="r rrrrrrrr")
    for row in standings.rows[:most]:
        name = row.name
        if "@" not in name:  # as the versions of a ladder are called
            name += f" v{row.version}" + (" (retired)" if row.retired else "")
        if row.withdrawn:
            table.add_row("–", name, Text("withdrawn", style="bold red"))
            continue
        faults = str(row.faults) + (f"+{row.late} late" if row.late else "")
        table.add_row(
            str(row.rank),
            name,
            f"{row.rating:.2f}",
            *(
                (f"{places[row.name]:.2f}", _format_firsts(row))
                if has_places
                else (f"{row.wins}-{row.draws}-{row.losses}",)
            ),
            _format_interval(row),
            f"{row.probability_better_than_next:.1%}"
            if row.HasField("probability_better_than_next")
            else "",
            describe_more(row.more_deals) if row.HasField("more_deals") else "",
            Text(faults, style="bold red" if row.faults else ""),
            f"{row.decision_seconds * 1000:.1f}" if row.HasField("decision_seconds") else "",
        )
    return table


def _tell_limits(tournament: tournament_pb2.Tournament) -> str:
    """Return what an instance gets, where that is not the usual."""
    if not tournament.HasField("limits"):  # a server of an older version
        return ""
    limits = tournament.limits
    given = InstanceLimits(
        memory_mib=limits.memory_mib, processes=limits.processes, disk_mib=limits.disk_mib
    )
    return "" if given == InstanceLimits() else f", limits {given}"


def _format_firsts(row: tournament_pb2.StandingsRow) -> str:
    return f"{row.wins}" + (f"+{row.draws}" if row.draws else "")


def _make_swiss_table(standings: tournament_pb2.Standings) -> Table:
    table = make_table(
        "",
        "bot",
        "points",
        "byes",
        "Buchholz-1",
        "Buchholz",
        "Sonneb.-B.",
        "direct",
        right="r rrrrrr",
    )
    for row, swiss in zip(standings.rows, standings.swiss, strict=False):
        table.add_row(
            str(row.rank),
            swiss.name,
            format_decimal(swiss.points, 2),
            str(swiss.byes),
            format_decimal(swiss.buchholz_cut_1, 2),
            format_decimal(swiss.buchholz, 2),
            format_decimal(swiss.sonneborn_berger, 2),
            format_decimal(swiss.direct_encounter, 2),
        )
    return table


def _format_interval(score: tournament_pb2.StandingsRow) -> str:
    if not score.HasField("score_per_deal"):
        return "–"
    mean = format_decimal(score.score_per_deal, 2)
    if not score.HasField("score_low"):
        return mean
    return f"{mean} ±{format_decimal((score.score_high - score.score_low) / 2, 2)}"


def _print_crosstable(tournament: tournament_pb2.Tournament) -> None:
    standings = tournament.standings
    entrants = [row for row in standings.rows if not row.withdrawn]
    if len(entrants) < 2:
        return
    sides = len(parse_variant(tournament.variant).sides)
    known = any(cell.HasField("probability_better") for cell in standings.crosstable)
    few = len(entrants) <= _FULL_CROSSTABLE
    console.print()
    shapes: list[tuple[bool, bool]] = []
    # At one table everyone meets everyone in every deal: the standings say it all.
    if len(standings.rows) > sides or sides == 2:
        shapes = [(few, known), (False, known), (False, False)]
    print_crosstable(
        (
            _make_crosstable(standings, results=results, chances=chances),
            ", and how surely it is the higher" if chances else "",
        )
        for results, chances in shapes
    )


def _make_crosstable(standings: tournament_pb2.Standings, *, results: bool, chances: bool) -> Table:
    rows = [row for row in standings.rows if not row.withdrawn]
    cells = {(cell.name, cell.opponent): cell for cell in standings.crosstable}
    table = make_table("", "bot", *(str(row.rank) for row in rows), right="r " + "r" * len(rows))
    for row in rows:
        line = []
        for other in rows:
            cell = cells.get((row.name, other.name))
            if cell is None:
                line.append("·")
                continue
            score = (
                format_decimal(cell.score_per_deal, 1) if cell.HasField("score_per_deal") else "–"
            )
            if results:
                score += f" ({cell.wins}-{cell.draws}-{cell.losses})"
            if chances and cell.HasField("probability_better"):
                score += f"\n{cell.probability_better:.1%}"
            line.append(score)
        table.add_row(str(row.rank), row.name, *line)
    return table


def _list_fault_lines(tournament: tournament_pb2.Tournament) -> list[tuple[int, str]]:
    """Return why each bot forfeited, how often, and the first reason in full, with indents."""
    standings, lines = tournament.standings, []
    for kind in standings.fault_kinds:
        first = kind.first
        matches = "1 match" if kind.matches == 1 else f"{kind.matches} matches"
        match = MatchId(tournament.id, first.group, first.seating)
        lines.append(
            (2, f"{kind.name}: {kind.termination} in {matches}, fault of the {kind.owner};")
        )
        place = f"{match}, deal {first.deal + 1}, decision {first.decision}"
        lines.append((4, f"first in {place}: {clean(first.reason)}"))
        lines.append((4, f"see it with `mazzo replay show {match} --deal {first.deal + 1}`"))
    if standings.faults_total > len(standings.faults):
        lines.append(
            (2, f"The JSON lists the first {len(standings.faults)} of {standings.faults_total}.")
        )
    lines.append((2, f"All: `mazzo matches --tournament {tournament.id} --forfeited`"))
    return lines
