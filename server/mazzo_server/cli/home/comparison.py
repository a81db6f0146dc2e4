"""`mazzo arena --sprt`: the question, how far the answer is, and the answer."""

from __future__ import annotations

from typing import Any, Final

from mazzo_server.cli.text.output import console
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.arena import Advantage, BotComparison, Question
from mazzo_server.results.commentary import clean
from mazzo_server.stats import SequentialVerdict

__all__ = [
    "EXIT_STATUS",
    "describe_course",
    "encode_comparison",
    "list_words",
    "make_question",
    "print_comparison",
]

EXIT_STATUS: Final = {
    SequentialVerdict.HIGH: 0,
    SequentialVerdict.LOW: 3,
    SequentialVerdict.UNDECIDED: 4,
}
_UNITS: Final = {
    Advantage.POINTS: "points a deal",
    Advantage.WIN_SHARE: "of the deals won",
    Advantage.ELO: "Elo",
}
_FLAGS: Final = {Advantage.WIN_SHARE: "--win-share", Advantage.ELO: "--elo"}


def make_question(
    sprt: tuple[float, float] | None, flags: dict[str, bool], rates: dict[str, float | None]
) -> Question | None:
    """Return the question of the sequential test; None without `--sprt`.

    `flags` and `rates` have the values of the options that belong to it, by name; raise
    `InvalidInputError` for those that do not go together.
    """
    given = [name for name, flag in flags.items() if flag]
    given += [name for name, rate in rates.items() if rate is not None]
    if sprt is None:
        if given:
            raise InvalidInputError(f"{given[0]} belongs to --sprt LOW HIGH, which is not given")
        return None
    units = [unit for unit, name in _FLAGS.items() if flags[name]]
    if len(units) > 1:
        raise InvalidInputError("expected --win-share or --elo, got both")
    low, high = sprt
    chosen = {name.removeprefix("--"): rate for name, rate in rates.items() if rate is not None}
    return Question(low=low, high=high, unit=units[0] if units else Advantage.POINTS, **chosen)


def list_words(question: Question) -> list[str]:
    """Return the options of the command that ask this question."""
    words = ["--sprt", *(repr(one).removesuffix(".0") for one in (question.low, question.high))]
    if question.unit in _FLAGS:
        words.append(_FLAGS[question.unit])
    usual = Question(low=0, high=1)
    for name, rate, other in (
        ("--alpha", question.alpha, usual.alpha),
        ("--beta", question.beta, usual.beta),
    ):
        words += [name, repr(rate)] if rate != other else []
    return words


def describe_course(comparison: BotComparison) -> str:
    """Return how far the test has got, in a line."""
    question = comparison.question
    # The first groups decide nothing, however much they say.
    against_low, against_high = (min(max(0.0, one), 1.0) for one in comparison.test.evidence)
    return (
        f"more than {question.low:g}: {against_low:.0%}, "
        f"less than {question.high:g}: {against_high:.0%} of the evidence"
    )


def print_comparison(comparison: BotComparison, names: tuple[str, ...]) -> None:
    """Print the answer."""
    console.print()
    for line in _describe_answer(comparison, *(clean(name) for name in names)):
        console.print(line)


def _describe_answer(comparison: BotComparison, new: str, old: str) -> list[str]:
    question, test = comparison.question, comparison.test
    unit = _UNITS[question.unit]
    if test.verdict is SequentialVerdict.UNDECIDED:
        return [
            f"Undecided after {_count(comparison.groups)} whether the advantage of {new} "
            f"over {old} is more than {question.low:g} or less than {question.high:g} {unit}",
            f"({describe_course(comparison)}).",
        ]
    is_high = test.verdict is SequentialVerdict.HIGH
    bound = f"more than {question.low:g}" if is_high else f"less than {question.high:g}"
    other = f"{question.low:g} or less" if is_high else f"{question.high:g} or more"
    rate = question.alpha if is_high else question.beta
    return [
        f"The advantage of {new} over {old} is {bound} {unit}.",
        f"Were it {other}, at most about {100 * rate:g} % of such tests would say so. "
        f"Decided by group {comparison.last_group}, after {_count(comparison.groups)}.",
    ]


def encode_comparison(comparison: BotComparison, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the answer, and how far it has got against each bound."""
    question, test = comparison.question, comparison.test
    against_low, against_high = test.evidence
    return {
        "new": names[0],
        "old": names[1],
        "unit": question.unit.value,
        "low": question.low,
        "high": question.high,
        "alpha": question.alpha,
        "beta": question.beta,
        "verdict": test.verdict.value,
        "evidence_against_low": against_low,
        "evidence_against_high": against_high,
        "groups": comparison.groups,
        "last_group": comparison.last_group,
        "groups_more": comparison.estimate_more_groups(),
        "mean": test.mean,
    }


def _count(groups: int) -> str:
    return f"{groups:,} group" if groups == 1 else f"{groups:,} groups"
