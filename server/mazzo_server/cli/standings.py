"""Tables of standings and crosstables that fit a terminal."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from mazzo.games import parse_variant
from mazzo.v1 import tournament_pb2
from mazzo_server.cli.output import clean, console, new_table, number, print_table, table_fits

__all__ = ["print_tournament", "state_word"]

_FULL_CROSSTABLE = 4  # entrants up to which a cell has room for wins, draws and losses


def state_word(state: int) -> str:
    """The state of a tournament as a word."""
    name = tournament_pb2.TournamentState.Name(state)
    return name.removeprefix("TOURNAMENT_STATE_").lower()


def print_tournament(tournament: tournament_pb2.Tournament) -> None:
    """A tournament's standings, crosstable and faults."""
    standings = tournament.standings
    state = state_word(tournament.state)
    console.print(Text(f"{clean(tournament.name)} (tournament {tournament.id})", style="bold"))
    console.print(
        f"{state}; {tournament.variant}, {tournament.match_format}, "
        f"mirror {tournament.mirror}, isolation {tournament.isolation}; "
        f"{tournament.matches_played} of {tournament.matches_total} matches"
    )
    if state == "interrupted":
        console.print(f"Go on with: mazzo tournament resume {tournament.id}")
    if not standings.groups_counted and not any(row.withdrawn for row in standings.rows):
        console.print("No mirror group is complete yet.")
        return
    console.print()
    print_table(_standings_table(standings))
    _print_crosstable(tournament)
    for row in standings.rows:
        if row.withdrawn:
            console.print()
            console.print(
                Text(f"{row.name} is withdrawn, all its results are void:", style="bold red")
            )
            console.print(f"  {clean(row.withdrawn)}")
    if standings.faults:
        console.print()
        console.print(Text("Forfeits", style="bold"))
        for line in _fault_lines(standings):
            console.print(line)


def _standings_table(standings: tournament_pb2.Standings) -> Table:
    table = new_table(
        "",
        "bot",
        "rating",
        "W-D-L",
        "score/deal (95 %)",
        "P>next",
        "faults",
        "ms",
        right="r rrrrrr",
    )
    for row in standings.rows:
        if row.withdrawn:
            table.add_row("–", f"{row.name} v{row.version}", Text("withdrawn", style="bold red"))
            continue
        faults = str(row.faults) + (f"+{row.late} late" if row.late else "")
        table.add_row(
            str(row.rank),
            f"{row.name} v{row.version}",
            f"{row.rating:.2f}",
            f"{row.wins}-{row.draws}-{row.losses}",
            _interval(row),
            f"{row.probability_better_than_next:.1%}"
            if row.HasField("probability_better_than_next")
            else "",
            Text(faults, style="bold red" if row.faults else ""),
            f"{row.decision_seconds * 1000:.1f}" if row.HasField("decision_seconds") else "",
        )
    return table


def _interval(row: tournament_pb2.StandingsRow) -> str:
    if not row.HasField("score_per_deal"):
        return "–"
    mean = number(row.score_per_deal, 2)
    if not row.HasField("score_low"):
        return mean
    return f"{mean} ({number(row.score_low, 2)} to {number(row.score_high, 2)})"


def _print_crosstable(tournament: tournament_pb2.Tournament) -> None:
    standings = tournament.standings
    entrants = [row for row in standings.rows if not row.withdrawn]
    if len(entrants) < 2:
        return
    title = Text("Score per deal against each other", style="bold")
    sides = len(parse_variant(tournament.variant).sides)
    # At one table each has played all the others in every deal: the standings say it all.
    if len(standings.rows) > sides or sides == 2:
        full = _crosstable(standings, full=len(entrants) <= _FULL_CROSSTABLE)
        for table in (full, _crosstable(standings, full=False)):
            if table_fits(table):
                console.print()
                console.print(title)
                print_table(table)
                return
    console.print()
    console.print(Text.assemble(title, ": in the JSON (--json)"))


def _crosstable(standings: tournament_pb2.Standings, *, full: bool) -> Table:
    rows = [row for row in standings.rows if not row.withdrawn]
    cells = {(cell.name, cell.opponent): cell for cell in standings.crosstable}
    table = new_table("", "bot", *(str(row.rank) for row in rows), right="r " + "r" * len(rows))
    for row in rows:
        line = []
        for other in rows:
            cell = cells.get((row.name, other.name))
            if cell is None:
                line.append("·")
                continue
            score = number(cell.score_per_deal, 1) if cell.HasField("score_per_deal") else "–"
            line.append(f"{score} ({cell.wins}-{cell.draws}-{cell.losses})" if full else score)
        table.add_row(str(row.rank), row.name, *line)
    return table


def _fault_lines(standings: tournament_pb2.Standings) -> list[str]:
    """What each bot forfeited for, how often, and the first time in full."""
    kinds: dict[tuple[str, str, str], list[tournament_pb2.MatchFault]] = {}
    for fault in standings.faults:
        kinds.setdefault((fault.name, fault.termination, fault.owner), []).append(fault)
    lines = []
    for (name, termination, owner), faults in sorted(kinds.items()):
        first = faults[0]
        matches = "1 match" if len(faults) == 1 else f"{len(faults)} matches"
        place = f"group {first.group}, seating {first.seating}, deal {first.deal}"
        lines.append(f"  {name}: {termination} in {matches}, fault of the {owner};")
        lines.append(f"    first in {place}, decision {first.decision}: {clean(first.reason)}")
    return lines
