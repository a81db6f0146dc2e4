"""`make bench-strength`: the comparisons of sample bots that the repository has fixed.

What was played is kept in `.bench/strength.jsonl`, mirror group by mirror group, so that a run
that was stopped goes on when it is started again; a bot that was changed plays anew. `--only
TEXT` plays those comparisons that have the text in their name, such as `ismcts`, `expert greedy`
or `briscola/2`. Ends with status 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bench.comparisons import COMPARISONS, TWO_PLAYERS, Comparison, Rule
from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo_server.cli.shell.interrupts import handle_interrupts
from mazzo_server.cli.text.output import error_console
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.arena import ArenaTally, Schedule
from mazzo_server.home.arena.crew import Crew
from mazzo_server.home.arena.match import Outcome
from mazzo_server.home.arena.messages import Work
from mazzo_server.home.arena.tally import Measure
from mazzo_server.home.bots import list_sample_bots
from mazzo_server.settings import list_usable_processors
from mazzo_server.stats.intervals import Interval

__all__ = ["Kept", "Result", "judged", "key_of", "play", "searcher_met"]

_FILE = Path(__file__).parents[1] / ".bench" / "strength.jsonl"
_CONFIDENCE = {Rule.BEATS_99: 0.99, Rule.BEATS_95: 0.95, Rule.WINS_90: 0.95}
_ENOUGH_MATCHES = 0.9
_NEARLY = 0.02  # of what is even, by which a searcher may be worse anywhere
_ENOUGH_VARIANTS = 3  # for two players, in which it has to be better
_ROUNDING = 1e-9  # points that a difference of means may be off what it is
_MOST_LATE = 1e-4  # of the first bot's decisions: with more it meets no bar
_QUICK = 20  # times fewer deals
_INTERRUPTED = 130  # exit status


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a comparison."""

    comparison: Comparison
    measure: str  # "ahead", "place" or "matches"
    interval: Interval  # with the confidence of the rule
    even: float
    deals: int
    late: int  # decisions of the first bot
    met: bool
    nearly: bool  # in time, and not worse than even by more than 2 % of its points, wins or place

    def to_json(self) -> dict[str, Any]:
        """All of it, in plain values."""
        return {
            "better": self.comparison.better,
            "worse": self.comparison.worse,
            "variant": self.comparison.variant,
            "match_format": str(self.comparison.match_format or ""),
            "rule": self.comparison.rule.name.lower(),
            "seed": self.comparison.seed.hex(),
            "measure": self.measure,
            "even": self.even,
            "mean": self.interval.mean,
            "low": self.interval.low,
            "high": self.interval.high,
            "confidence": _CONFIDENCE[self.comparison.rule],
            "deals": self.deals,
            "late": self.late,
            "met": self.met,
            "nearly": self.nearly,
        }


class Kept:
    """The mirror groups that were played before, by comparison; a file that only grows."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, dict[int, tuple[Outcome, ...]]] = {}
        for line in file.read_text().splitlines() if file.is_file() else ():
            try:
                key, number, rows = json.loads(line)
            except ValueError:  # it was cut off while this was written
                continue
            self._known.setdefault(key, {})[number] = tuple(map(_outcome, rows))

    def of(self, key: str) -> dict[int, tuple[Outcome, ...]]:
        """The groups of a comparison by their number."""
        return self._known.get(key, {})

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        """The file, to `write` more."""
        self._file.parent.mkdir(exist_ok=True)
        with self._file.open("a") as file:
            # A line that was cut off ends here.
            file.write("\n")
            yield file

    @staticmethod
    def write(file: TextIO, key: str, number: int, outcomes: Sequence[Outcome]) -> None:
        """Keep a group, at once."""
        file.write(json.dumps([key, number, [_row(outcome) for outcome in outcomes]]) + "\n")
        file.flush()


def _row(outcome: Outcome) -> Sequence[Any]:
    assert outcome.whole is None
    return astuple(outcome)[:-1]


def _outcome(row: Sequence[Any]) -> Outcome:
    deals, *parts = row
    scores, won, places, decisions, late, micros = map(tuple, parts)
    return Outcome(
        deals=deals,
        scores=scores,
        won=won,
        places=places,
        decisions=decisions,
        late=late,
        micros=micros,
    )


def judged(comparison: Comparison, tally: ArenaTally) -> Result:
    """What the groups of a comparison come to; its first bot is number 0."""
    confidence = _CONFIDENCE[comparison.rule]
    sides = len(parse_variant(comparison.variant).sides)
    place = tally.estimate_mean(Measure.PLACE, 0, confidence=confidence)
    ahead = tally.estimate_mean(Measure.LEAD, 0, confidence=confidence)
    assert ahead.mean is not None
    assert place.mean is not None
    if comparison.rule is Rule.WINS_90:
        measure, even, interval = "matches", 0.5, _turned(place, 2.0)
        met = nearly = place.mean <= 2 - _ENOUGH_MATCHES
    elif comparison.by_place:
        measure, even, interval = "place", (sides + 1) / 2, place
        met = place.high is not None and place.high < even
        nearly = place.mean <= (1 + _NEARLY) * even
    else:
        measure, even, interval = "ahead", 0.0, ahead
        met = ahead.low is not None and ahead.low > 0
        nearly = _nearly(tally, ahead.mean, sides)
    in_time = tally.count_late(0) <= _MOST_LATE * tally.count_decisions(0)
    return Result(
        comparison=comparison,
        measure=measure,
        interval=interval,
        even=even,
        deals=tally.deals,
        late=tally.count_late(0),
        met=met and in_time,
        nearly=nearly and in_time,
    )


def _turned(place: Interval, last: float) -> Interval:
    """The share of the matches won, where two sides play."""
    assert place.mean is not None
    low = None if place.high is None else last - place.high
    high = None if place.low is None else last - place.low
    return replace(place, mean=last - place.mean, low=low, high=high)


def _nearly(tally: ArenaTally, ahead: float, sides: int) -> bool:
    """By the points of a deal; where these are won from each other, by the deals that were won."""
    score = tally.estimate_mean(Measure.SCORE, 0).mean
    won = tally.estimate_mean(Measure.WON, 0).mean
    assert score is not None
    assert won is not None
    even = score - ahead * (sides - 1) / sides  # the mean of all sides
    if even > _ROUNDING:
        return score >= (1 - _NEARLY) * even
    return won >= (1 - _NEARLY) / sides


def play(comparison: Comparison, kept: Kept, *, workers: int) -> Result:
    """Play what of a comparison was not played before."""
    variant = parse_variant(comparison.variant)
    schedule = Schedule(
        variant,
        2,
        deals=comparison.deals,
        seed=comparison.seed,
        match_format=comparison.match_format,
    )
    groups = [group for group in schedule.groups() if group.table == (0, 1)]
    bots = (_folder(comparison.better), _folder(comparison.worse))
    work = Work(
        variant=comparison.variant,
        bots=tuple(map(str, bots)),
        match_format=str(schedule.match_format),
        control=comparison.control,
    )
    key = key_of(comparison, work, bots)
    tally = ArenaTally(variant, 2, alone=schedule.alone)
    known = kept.of(key)
    for group in groups:
        if group.number in known:
            tally.add(group, known[group.number])
    left = [group for group in groups if group.number not in known]
    if left:
        with (
            _progress(comparison.name, done=len(known), total=len(groups)) as advance,
            kept.open() as file,
            Crew(work, min(workers, len(left))) as crew,
        ):
            for group, outcomes in crew.play(left):
                kept.write(file, key, group.number, outcomes)
                tally.add(group, outcomes)
                advance()
    return judged(comparison, tally)


def _folder(name: str) -> Path:
    known = list_sample_bots()
    if name not in known:
        raise InvalidInputError(f"expected a sample bot ({', '.join(known)}), got {name!r}")
    return known[name]


def key_of(comparison: Comparison, work: Work, bots: Sequence[Path]) -> str:
    """Of all that the groups of a comparison depend on, the rules of the games left out."""
    digest = hashlib.sha256(repr((comparison.name, work.match_format, work.control)).encode())
    for folder in bots:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.suffix != ".md" and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(folder)).encode() + b"\x00")
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


@contextmanager
def _progress(name: str, *, done: int, total: int) -> Iterator[Callable[[], None]]:
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("groups"),
        TimeRemainingColumn(),
        console=error_console,
        transient=True,
        disable=not error_console.is_terminal,
    ) as bar:
        task = bar.add_task(name, total=total, completed=done)
        yield lambda: bar.advance(task)


def searcher_met(results: Sequence[Result]) -> tuple[int, bool]:
    """Of the results of a searcher: in how many variants for two it is better, and the verdict.

    It is to be better in three of these, and nowhere worse than even by more than 2 %.
    """
    better = sum(result.met for result in results if result.comparison.variant in TWO_PLAYERS)
    return better, better >= _ENOUGH_VARIANTS and all(result.nearly for result in results)


def main() -> None:
    """Play, print, judge."""
    parser = argparse.ArgumentParser(prog="make bench-strength", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the deals")
    parser.add_argument("--workers", type=int, default=len(list_usable_processors()))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chosen = [each for each in COMPARISONS if arguments.only in each.name]
    if arguments.quick:
        chosen = [replace(each, deals=max(1, each.deals // _QUICK)) for each in chosen]
    if not chosen:
        names = "\n".join(each.name for each in COMPARISONS)
        parser.error(f"expected --only with a part of one of these names:\n{names}")
    results = []
    try:
        with handle_interrupts():
            kept = Kept(_FILE)
            if not arguments.json:
                print(_HEADER)
            for comparison in chosen:
                results.append(play(comparison, kept, workers=arguments.workers))
                if not arguments.json:
                    print(_line(results[-1]), flush=True)
    except MazzoError as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        print("stopped; what was played is kept: start it again to go on", file=sys.stderr)
        sys.exit(_INTERRUPTED)
    if arguments.json:
        print(json.dumps([result.to_json() for result in results], indent=2))
    sys.exit(not _all_met(results, quiet=arguments.json))


_HEADER = "bots               variant                  deals measure       mean       even  verdict"


def _line(result: Result) -> str:
    comparison, interval = result.comparison, result.interval
    assert interval.mean is not None
    margin = interval.margin or 0.0
    verdict = "met" if result.met else "not met"
    late = f", {result.late} late" if result.late else ""
    return (
        f"{comparison.better + ' – ' + comparison.worse:18} {comparison.variant:22} "
        f"{result.deals:>7,} {result.measure:7} {interval.mean:>7.3f} ±{margin:<7.3f} "
        f"{result.even:>4.1f}  {verdict}{late}"
    )


def _all_met(results: Sequence[Result], *, quiet: bool) -> bool:
    """Whether every bar is met; those of a searcher are met or missed together."""
    searcher = [result for result in results if result.comparison.rule is Rule.BEATS_95]
    others = [result for result in results if result.comparison.rule is not Rule.BEATS_95]
    met = all(result.met for result in others)
    if searcher:
        better, own = searcher_met(searcher)
        met = met and own
        if not quiet:
            worse = ", ".join(each.comparison.variant for each in searcher if not each.nearly)
            print(
                f"ismcts beats expert in {better} variants for two (bar {_ENOUGH_VARIANTS}); "
                f"worse than even by more than {_NEARLY:.0%}: {worse or 'nowhere'}"
            )
    if not quiet:
        print("every bar is met" if met else "a bar is missed")
    return met


if __name__ == "__main__":
    main()
