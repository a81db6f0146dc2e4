"""Whether pairs of entrants fit what the results of all others explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo_server.model import Definition
from mazzo_server.stats import Excess, PairAudit, Tables, audit_pairs

__all__ = ["Audit", "AuditedPair", "make_audit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedPair:
    """What was found out about two entrants."""

    name: str
    opponent: str
    groups: int  # mirror groups with both
    joint: Excess | None  # of both together, at the others' cost; None at tables of two
    lead: Excess  # of `name` over `opponent`, not below 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What was found out about a tournament."""

    # What stands out comes first, then what is least like luck; empty while there is too little to
    # tell.
    pairs: tuple[AuditedPair, ...]


def make_audit(definition: Definition, tables: Tables) -> Audit:
    """Return what the scores at all tables tell of each pair."""
    names = [entrant.name for entrant in definition.entrants]
    pairs = [_name_pair(pair, names) for pair in audit_pairs(tables) or ()]
    return Audit(pairs=tuple(sorted(pairs, key=_rank_pair)))


def _name_pair(pair: PairAudit, names: Sequence[str]) -> AuditedPair:
    a, b, lead = names[pair.a], names[pair.b], pair.lead
    if lead.value < 0:
        a, b, lead = b, a, lead.reverse()
    return AuditedPair(name=a, opponent=b, groups=pair.groups, joint=pair.joint, lead=lead)


def _rank_pair(pair: AuditedPair) -> tuple[bool, float, str, str]:
    excesses = [excess for excess in (pair.joint, pair.lead) if excess is not None]
    least = min(excess.p_value for excess in excesses)
    return not any(excess.found for excess in excesses), least, pair.name, pair.opponent
