"""Says in words, which accuse nobody, what an audit of a tournament found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from mazzo.games import parse_variant
from mazzo.v1 import standings_pb2
from mazzo_server.model import find_bot_name
from mazzo_server.results.commentary import format_decimal

__all__ = [
    "AuditWords",
    "describe_audit",
    "format_excess",
    "list_found_pairs",
    "list_match_commands",
    "list_shown_pairs",
]

_MOST_OTHERS: Final = 10  # pairs that do not stand out, in a short table


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditWords:
    """What is said of an audit, in sentences."""

    findings: Sequence[str]  # what stands out, or that nothing does
    caution: str  # what it may mean, and that the matches come next; "" where nothing stands out
    power: str  # what could have been found; "" where there is too little to tell


def describe_audit(answer: standings_pb2.GetAuditResponse) -> AuditWords:
    """Return what stands out, what that may mean, and what could have been found."""
    pairs = answer.pairs
    if not pairs:
        findings = [
            "Too little to tell: five entrants or more are needed, more of them than sit at a "
            "table, and ten mirror groups with each two of them.",
        ]
        return AuditWords(findings=findings, caution="", power="")
    has_joint = len(parse_variant(answer.tournament.variant).sides) > 2
    findings = []
    for pair in pairs:
        if has_joint and pair.joint.stands_out:
            findings.append(_describe_joint(pair))
        if pair.lead.stands_out:
            findings.append(_describe_lead(pair, has_joint=has_joint))
    caution = (
        "This can also come from styles that suit each other, or do not: it is no proof of "
        "anything. Look at their matches:"
    )
    return AuditWords(
        findings=findings
        or [
            f"Nothing stands out: all {len(pairs)} pairs score where they meet what the results "
            "of the others explain, as far as luck and style go."
        ],
        caution=caution if findings else "",
        power=_describe_power(pairs, has_joint=has_joint),
    )


def list_found_pairs(
    answer: standings_pb2.GetAuditResponse,
) -> Sequence[standings_pb2.AuditedPair]:
    """Return the pairs that stand out, in one way or both."""
    return [
        pair
        for pair in answer.pairs
        if pair.lead.stands_out or (pair.HasField("joint") and pair.joint.stands_out)
    ]


def list_match_commands(answer: standings_pb2.GetAuditResponse) -> list[str]:
    """Return for each pair that stands out the command that lists its matches."""
    return [
        f"mazzo matches --tournament {answer.tournament.id} "
        f"--bot {find_bot_name(pair.name)} --opponent {find_bot_name(pair.opponent)}"
        for pair in list_found_pairs(answer)
    ]


def list_shown_pairs(
    answer: standings_pb2.GetAuditResponse,
) -> Sequence[standings_pb2.AuditedPair]:
    """Return the pairs of a short table: those that stand out, and some that come next."""
    return answer.pairs[: len(list_found_pairs(answer)) + _MOST_OTHERS]


def format_excess(excess: standings_pb2.Excess) -> str:
    """Return points with their sign and half of the interval."""
    margin = format_decimal((excess.high - excess.low) / 2, 2)
    return f"{excess.points:+.2f} ±{margin}"


def _describe_joint(pair: standings_pb2.AuditedPair) -> str:
    both, lead = pair.joint.points, pair.lead.points
    return (
        f"{pair.name} and {pair.opponent} together score {both:.2f} points a deal more where they "
        f"meet than the results of all others explain ({_describe_interval(pair.joint)}; "
        f"{pair.name} {(both + lead) / 2:+.2f}, {pair.opponent} {(both - lead) / 2:+.2f})."
    )


def _describe_lead(pair: standings_pb2.AuditedPair, *, has_joint: bool) -> str:
    text = (
        f"{pair.opponent} does much worse against {pair.name} than the results of all others "
        f"explain: where they meet it is {pair.lead.points:.2f} points a deal further behind "
        f"({_describe_interval(pair.lead)}"
    )
    if has_joint:
        both, lead = pair.joint.points, pair.lead.points
        text += f"; {pair.opponent} {(both - lead) / 2:+.2f}, {pair.name} {(both + lead) / 2:+.2f}"
    return f"{text})."


def _describe_interval(excess: standings_pb2.Excess) -> str:
    return f"{100 * excess.confidence:.4g} % interval {excess.low:.2f} to {excess.high:.2f}"


def _describe_power(pairs: Sequence[standings_pb2.AuditedPair], *, has_joint: bool) -> str:
    """Say how much would stand out in most pairs: in half of them, to be exact."""
    leads = [pair.lead for pair in pairs]
    joints = [pair.joint for pair in pairs] if has_joint else []

    def tell(name: str) -> str:
        parts = [(joints, "by both together"), (leads, "by one over the other")]
        return " or ".join(
            f"{median(getattr(excess, name) for excess in excesses):.3g} points a deal {what}"
            for excesses, what in parts
            if excesses
        )

    text = (
        f"In half of the pairs there would stand out, 19 times in 20: {tell('detectable')}; with "
        f"four times as many groups {tell('detectable_later')}"
    )
    # Where luck hides how much the bots differ in style, nobody knows the end.
    if all(median(one.detectable_ever for one in kind) > 0 for kind in (joints, leads) if kind):
        text += f"; with any number {tell('detectable_ever')}, for honest bots differ by as much"
    return f"{text}."
