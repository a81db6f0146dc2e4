"""Who is on a ladder: pure functions of the definition of its season, in which the joins stand.

A bot is on it from when it joins until it leaves, with the version that enters tournaments. Each
version is an entrant of its own. A new version joins beside the ones before it, which the pairing
lets rest as soon as enough is known of the new one. Where an author goes back to an older version,
the newer ones leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mazzo_server.model import Change, Definition, Entrant, name_version
from mazzo_server.pairing import list_present
from mazzo_server.stats import Rating

__all__ = ["drop_member", "enter_version", "list_members", "make_versions"]


def list_members(definition: Definition) -> Mapping[str, Sequence[int]]:
    """Return the entrants of each bot that is on the ladder after all changes, by version."""
    present = list_present(
        definition.last_change, entrants=len(definition.entrants), changes=definition.changes
    )
    members: dict[str, list[int]] = {}
    for index in sorted(present, key=lambda index: definition.entrants[index].version):
        members.setdefault(definition.entrants[index].bot, []).append(index)
    return members


def make_versions(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Return entrants of a tournament as those of a ladder, where each version has a name."""
    return tuple(
        replace(entrant, name=name_version(entrant.bot, entrant.version)) for entrant in entrants
    )


def enter_version(
    definition: Definition, first_group: int, *, entrant: Entrant, inherited: Rating | None
) -> Definition:
    """Return the definition in which a version plays from that group on, and no newer one does.

    It may have played before; else it begins with the `inherited` rating.
    """
    entrants, changes = definition.entrants, list(definition.changes)
    for index in list_members(definition).get(entrant.bot, ()):
        if entrants[index].version > entrant.version:
            changes.append(Change(entrant=index, first_group=first_group, joins=False))
    names = [other.name for other in entrants]
    if entrant.name not in names:
        entrants = (*entrants, entrant)
        changes.append(
            Change(
                entrant=len(names),
                first_group=first_group,
                joins=True,
                inherited=None if inherited is None else (inherited.mu, inherited.sigma),
            )
        )
    elif (index := names.index(entrant.name)) not in list_members(definition).get(entrant.bot, ()):
        changes.append(Change(entrant=index, first_group=first_group, joins=True))
    return replace(definition, entrants=entrants, changes=tuple(changes))


def drop_member(definition: Definition, first_group: int, *, bot: str) -> Definition:
    """Return the definition in which no version of a bot plays from that group on."""
    leaving = [
        Change(entrant=index, first_group=first_group, joins=False)
        for index in list_members(definition).get(bot, ())
    ]
    return replace(definition, changes=(*definition.changes, *leaving))
