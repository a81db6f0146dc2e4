"""Reads the definition of a tournament from a file, which may hold anything."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields as list_fields
from enum import StrEnum
from typing import Any, TypeVar

from mazzo.errors import BadRecordError, quote_value
from mazzo.fields import read_int, read_list, read_number, read_object, read_text
from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo.options import join_alternatives
from mazzo.shuffle import parse_seed
from mazzo_server.model import (
    LIMIT_KINDS,
    MOST,
    NAME_RULE,
    Change,
    Cpu,
    Definition,
    Entrant,
    InstanceLimits,
    Mirror,
    PairingScheme,
    ReadableText,
    Seeding,
    TimeControl,
    TournamentKind,
    TournamentRequest,
    find_bot_name,
    is_name,
    name_copies,
)
from mazzo_server.pairing import make_pairing
from mazzo_server.tournaments.define import check_tables

__all__ = ["read_definition"]

_NAME = ReadableText(1000)  # a default name may be longer than one that people may give
_MOST_DRAWS = 0.9
_MOST_BANK = 100_000  # seconds
_MOST_VERSIONS = 1_000_000  # of a bot: later ones must find numbers
_HASH = re.compile(r"[0-9a-f]{64}")
_Word = TypeVar("_Word", bound=StrEnum)
_Value = TypeVar("_Value")


def read_definition(record: Mapping[str, Any], key: str) -> Definition:
    """Return the definition that `Definition.to_json` wrote.

    Raises `BadRecordError`, and other errors of Mazzo for what an option of a tournament cannot be.
    """
    fields = read_object(record.get(key), key)
    variant = parse_variant(read_text(fields, "variant"))
    match_format = MatchFormat.parse(read_text(fields, "match_format"))
    match_format.check(variant)
    draws = read_text(fields, "draws")
    if draws not in variant.game.draw_modes:
        modes = join_alternatives(variant.game.draw_modes)
        raise BadRecordError(f"draws: expected {modes}, got {quote_value(draws)}")
    definition = Definition(
        name=read_text(fields, "name"),
        variant=variant.text,
        entrants=read_list(fields, "entrants", _read_entrant),
        match_format=str(match_format),
        mirror=_read_word(fields, "mirror", Mirror),
        groups=_read_count(fields, "groups"),
        draws=draws,
        time=_read_time(fields, "time"),
        isolation=read_text(fields, "isolation"),
        seed=parse_seed(read_text(fields, "seed")),
        seed_chosen=_read_flag(fields, "seed_chosen"),
        cpu=_read_word(fields, "cpu", Cpu),
        limits=_read_optional(fields, "limits", _read_limits) or InstanceLimits(),
        draw_probability=read_number(fields, "draw_probability"),
        pairing=_read_word(fields, "pairing", PairingScheme),
        tables=_read_optional(fields, "tables", _read_count),
        hero=read_text(fields, "hero"),
        rounds=_read_optional(fields, "rounds", _read_count),
        until_separated=_read_optional(fields, "until_separated", read_number),
        seeding=_read_optional(fields, "seeding", _read_seeding),
        seeds=tuple(_read_optional(fields, "seeds", _read_seeds) or ()),
        confidence=_read_optional(fields, "confidence", read_number),
        advance=_read_optional(fields, "advance", _read_count),
        pools=_read_optional(fields, "pools", _read_count),
        qualify=_read_optional(fields, "qualify", _read_count),
        changes=read_list(fields, "changes", _read_change),
    )
    _check(definition)
    # Older Mazzo had tournaments alone.
    kind = _read_optional(fields, "kind", read_text) or TournamentKind.TOURNAMENT
    if kind != TournamentKind.TOURNAMENT:
        raise BadRecordError(f"kind: expected a tournament, got {quote_value(kind)}")
    return definition


def _check(definition: Definition) -> None:
    """Check what holds between the fields."""
    _NAME.check(definition.name)
    if not definition.name:
        raise BadRecordError("name: expected some characters, got none")
    sides = len(definition.sides)
    definition.mirror.count_seatings(sides)
    has_bracket = definition.pairing.has_bracket
    for name in ("seeding", "confidence"):
        if (getattr(definition, name) is not None) != has_bracket:
            raise BadRecordError(f"{name}: expected with a bracket, and only there")
    has_pools = definition.pools is not None and definition.pairing is PairingScheme.KNOCK_OUT
    if (definition.pools is None) != (definition.qualify is None) or (
        definition.pools is not None and not has_pools
    ):
        raise BadRecordError("pools: expected with qualify, and in a knock-out alone")
    for name in (
        *("groups", "isolation", "tables", "rounds", "until_separated"),
        *("confidence", "advance", "pools", "qualify"),
    ):
        TournamentRequest.check_option(name, getattr(definition, name))
    names = [entrant.name for entrant in definition.entrants]
    copies = Counter(entrant.bot for entrant in definition.entrants)
    expected = [name for bot, number in copies.items() for name in name_copies(bot, number)]
    if len(names) < sides or sorted(names) != sorted(expected):
        raise BadRecordError(
            f"entrants: expected at least {sides} bots, each once, or copies of one as a, a*2, a*3 "
            f"and so on, got {quote_value(names)}"
        )
    if definition.hero and definition.hero not in names:
        raise BadRecordError(f"hero: expected an entrant, got {quote_value(definition.hero)}")
    if not 0 <= definition.draw_probability <= _MOST_DRAWS:
        raise BadRecordError(
            f"draw_probability: expected {_MOST_DRAWS} at most, got {definition.draw_probability}"
        )
    _check_time(definition.time)
    for change in definition.changes:
        if change.entrant >= len(names):
            raise BadRecordError(
                f"changes: expected an entrant below {len(names)}, got {change.entrant}"
            )
    check_tables(definition)
    if has_bracket:
        make_pairing(definition)


def _check_time(time: TimeControl) -> None:
    """Check that people may give such a time control."""
    for name, value in (
        ("limit_seconds", time.limit),
        ("start_up_seconds", time.start_up),
        ("grace_seconds", time.grace),
    ):
        TournamentRequest.check_option(name, value)
    if not 0 < time.bank < _MOST_BANK or not time.increment < _MOST_BANK:
        raise BadRecordError(
            f"time: expected a bank and an increment below {_MOST_BANK} s, got {time.bank:g} and "
            f"{time.increment:g}"
        )


def _read_entrant(record: Mapping[str, Any], key: str) -> Entrant:
    fields = read_object(record[key], key)
    name, content = read_text(fields, "name"), read_text(fields, "content_hash")
    remote = _read_flag(fields, "remote")
    if not is_name(find_bot_name(name)):
        raise BadRecordError(f"name: expected {NAME_RULE}, got {quote_value(name)}")
    if not (content == "" if remote else _HASH.fullmatch(content)):
        raise BadRecordError(
            "content_hash: expected 64 lower-case hexadecimal digits, and none of a remote bot, "
            f"got {quote_value(content)}"
        )
    return Entrant(
        name=name,
        version=_read_count(fields, "version", most=_MOST_VERSIONS),
        content_hash=content,
        remote=remote,
    )


def _read_change(record: Mapping[str, Any], key: str) -> Change:
    fields = read_object(record[key], key)
    return Change(
        entrant=read_int(fields, "entrant", least=0),
        first_group=_read_count(fields, "first_group", least=0),
        joins=_read_flag(fields, "joins"),
    )


def _read_limits(record: Mapping[str, Any], key: str) -> InstanceLimits:
    given = read_object(record[key], key)
    names = [field.name for field in list_fields(InstanceLimits)]
    limits = {name: read_int(given, name) for name in names}
    for name, number in limits.items():
        LIMIT_KINDS[name].check(number)
    if len(given) > len(names):
        raise BadRecordError(f"{key}: expected {', '.join(names)} alone, got {len(given)} limits")
    return InstanceLimits(**limits)


def _read_seeding(record: Mapping[str, Any], key: str) -> Seeding:
    return _read_word(record, key, Seeding)


def _read_seeds(record: Mapping[str, Any], key: str) -> list[int]:
    seeds = record[key]
    if not isinstance(seeds, list) or not all(type(seed) is int for seed in seeds):
        raise BadRecordError(f"{key}: expected numbers of entrants, got {quote_value(seeds)}")
    return seeds


def _read_time(record: Mapping[str, Any], key: str) -> TimeControl:
    fields = read_object(record.get(key), key)
    names = ("bank", "increment", "limit", "start_up", "grace")
    return TimeControl(**{name: read_number(fields, name) for name in names})


def _read_flag(record: Mapping[str, Any], key: str) -> bool:
    value = record.get(key)
    if not isinstance(value, bool):
        raise BadRecordError(f"{key}: expected true or false, got {quote_value(value)}")
    return value


def _read_word(record: Mapping[str, Any], key: str, words: type[_Word]) -> _Word:
    text = read_text(record, key)
    if text not in list(words):
        expected = join_alternatives(tuple(words))
        raise BadRecordError(f"{key}: expected {expected}, got {quote_value(text)}")
    return words(text)


def _read_optional(
    record: Mapping[str, Any], key: str, read: Callable[[Mapping[str, Any], str], _Value]
) -> _Value | None:
    return None if record.get(key) is None else read(record, key)


def _read_count(record: Mapping[str, Any], key: str, *, least: int = 1, most: int = MOST) -> int:
    number = read_int(record, key, least=least)
    if number > most:
        raise BadRecordError(f"{key}: expected {most:,} at most, got {quote_value(number)}")
    return number
