"""Bots, their versions, and access tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, or_, select, update

from mazzo_server.model import Manifest, Role, TrialReport
from mazzo_server.storage.base import BotRow, TokenRow, VersionRow
from mazzo_server.storage.encoding import (
    decode_json,
    decode_manifest,
    decode_trial,
    encode_json,
    encode_manifest,
    encode_trial,
    report_damage,
)
from mazzo_server.storage.hooks.events import Announcement
from mazzo_server.storage.refusals import (
    check_bot,
    check_same_bot,
    check_tried,
    check_unused,
    make_imported_bot,
    make_no_bot_error,
    make_no_token_error,
    make_no_version_error,
    make_token_exists_error,
)
from mazzo_server.storage.sql.database import Database, clip_to_column, is_storable
from mazzo_server.storage.sql.entries import remove_entries
from mazzo_server.storage.sql.hooks import add_announcement
from mazzo_server.storage.sql.schema import bots, tokens, versions
from mazzo_server.storage.sql.tournaments import read_tournament_rows

__all__ = ["BotTables"]


class BotTables(Database):
    """The part of a `Store` that keeps the bots and the tokens."""

    def add_version(
        self,
        name: str,
        *,
        content_hash: str,
        manifest: Manifest,
        create_time: float,
        owner: str = "",
        remote: bool = False,
    ) -> VersionRow:
        with self._writing() as connection:
            bot = _find_bot(connection, name)
            if bot is None:
                connection.execute(
                    insert(bots).values(
                        name=name,
                        retired=False,
                        create_time=create_time,
                        owner=owner,
                        remote=remote,
                    )
                )
            else:
                check_bot(bot, owner=owner, remote=remote)
                connection.execute(update(bots).where(bots.c.name == name).values(retired=False))
            newest = connection.scalar(
                select(func.max(versions.c.number)).where(versions.c.bot == name)
            )
            number = (newest or 0) + 1
            connection.execute(
                insert(versions).values(
                    bot=name,
                    number=number,
                    content_hash=content_hash,
                    manifest=encode_manifest(manifest),
                    create_time=create_time,
                )
            )
            return _find_version(connection, name, number)

    def import_versions(self, versions: Sequence[VersionRow], *, remote: Collection[str]) -> None:
        with self._writing() as connection:
            for version in versions:
                _import_version(connection, version, remote=version.bot in remote)

    def set_trial(
        self,
        name: str,
        number: int,
        *,
        trial: TrialReport,
        tried: str | None = None,
        announcement: Announcement | None = None,
    ) -> None:
        with self._writing() as connection:
            check_tried(_find_version(connection, name, number), tried)
            connection.execute(
                update(versions)
                .where(versions.c.bot == name, versions.c.number == number)
                .values(trial=encode_trial(trial))
            )
            if announcement is not None:
                add_announcement(connection, announcement)

    def bots(self) -> list[BotRow]:
        with self._reading() as connection:
            rows = [BotRow(**row) for row in connection.execute(select(bots)).mappings()]
        # Not sorted by the database: PostgreSQL may sort names in any language.
        return sorted(rows, key=lambda row: row.name)

    def bot(self, name: str) -> BotRow | None:
        with self._reading() as connection:
            return _find_bot(connection, name)

    def versions(self, name: str) -> list[VersionRow]:
        with self._reading() as connection:
            if _find_bot(connection, name) is None:
                raise make_no_bot_error(name)
            return _read_versions(connection, select(versions).where(versions.c.bot == name))

    def version(self, name: str, number: int | None = None) -> VersionRow:
        with self._reading() as connection:
            return _find_version(connection, name, number)

    def choose_version(self, name: str, number: int | None) -> None:
        with self._writing() as connection:
            _find_version(connection, name, number)
            connection.execute(update(bots).where(bots.c.name == name).values(chosen=number))

    def retire(self, name: str) -> None:
        with self._writing() as connection:
            if _find_bot(connection, name) is None:
                raise make_no_bot_error(name)
            connection.execute(update(bots).where(bots.c.name == name).values(retired=True))

    def delete_bot(self, name: str) -> list[str]:
        with self._writing() as connection:
            if _find_bot(connection, name) is None:
                raise make_no_bot_error(name)
            check_unused(name, read_tournament_rows(connection, every_kind=True))
            of_bot = select(versions.c.content_hash).where(versions.c.bot == name)
            gone = set(connection.scalars(of_bot))
            connection.execute(
                update(tokens)
                .where(tokens.c.role == Role.BOT.value, tokens.c.subject == name)
                .values(revoked=True)
            )
            remove_entries(connection, name)
            connection.execute(delete(versions).where(versions.c.bot == name))
            connection.execute(delete(bots).where(bots.c.name == name))
            kept = set(connection.scalars(select(versions.c.content_hash)))
            return sorted(gone - kept - {""})

    def add_token(self, token: TokenRow) -> None:
        with self._writing() as connection:
            if _read_tokens(connection, select(tokens).where(tokens.c.id == token.id)):
                raise make_token_exists_error(token.id)
            connection.execute(
                insert(tokens).values(
                    id=token.id,
                    role=token.role.value,
                    subject=token.subject,
                    label=encode_json(token.label),
                    hash=token.hash,
                    create_time=token.create_time,
                    revoked=token.revoked,
                    expire_time=token.expire_time,
                    last_use_time=token.last_use_time,
                )
            )

    def token(self, token_id: str) -> TokenRow | None:
        if not is_storable(token_id):
            return None
        with self._reading() as connection:
            found = _read_tokens(connection, select(tokens).where(tokens.c.id == token_id))
        return found[0] if found else None

    def tokens(self) -> list[TokenRow]:
        with self._reading() as connection:
            rows = _read_tokens(connection, select(tokens))
        return sorted(rows, key=lambda row: (row.create_time, row.id))

    def revoke_token(self, token_id: str) -> None:
        if self.token(token_id) is None:  # none is ever deleted
            raise make_no_token_error(token_id)
        with self._writing() as connection:
            connection.execute(update(tokens).where(tokens.c.id == token_id).values(revoked=True))

    def mark_token_used(self, token_id: str, time: float) -> None:
        if self.token(token_id) is None:
            raise make_no_token_error(token_id)
        with self._writing() as connection:
            connection.execute(
                update(tokens)
                .where(
                    tokens.c.id == token_id,
                    or_(tokens.c.last_use_time.is_(None), tokens.c.last_use_time < time),
                )
                .values(last_use_time=time)
            )


def _import_version(connection: Connection, version: VersionRow, *, remote: bool) -> None:
    bot = _find_bot(connection, version.bot)
    known = _read_versions(connection, select(versions).where(versions.c.bot == version.bot))
    if check_same_bot(bot, known, version, remote=remote):
        return
    if bot is None:
        new = make_imported_bot(version, remote=remote)
        connection.execute(insert(bots).values(**asdict(new)))
    connection.execute(
        insert(versions).values(
            bot=version.bot,
            number=version.number,
            content_hash=version.content_hash,
            manifest=encode_manifest(version.manifest),
            create_time=version.create_time,
        )
    )


def _find_bot(connection: Connection, name: str) -> BotRow | None:
    if not is_storable(name):
        return None
    row = connection.execute(select(bots).where(bots.c.name == name)).mappings().one_or_none()
    return None if row is None else BotRow(**row)


def _find_version(connection: Connection, name: str, number: int | None) -> VersionRow:
    if _find_bot(connection, name) is None:
        raise make_no_bot_error(name)
    query = select(versions).where(versions.c.bot == name)
    if number is None:
        return _read_versions(connection, query)[-1]
    found = _read_versions(connection, query.where(versions.c.number == clip_to_column(number)))
    if not found:
        raise make_no_version_error(name, number)
    return found[0]


def _read_versions(connection: Connection, query: Select[Any]) -> list[VersionRow]:
    rows = connection.execute(query.order_by(versions.c.number)).mappings()
    with report_damage("the versions of a bot"):
        return [
            VersionRow(
                **row
                | {
                    "manifest": decode_manifest(row["manifest"]),
                    "trial": None if row["trial"] is None else decode_trial(row["trial"]),
                }
            )
            for row in map(dict, rows)
        ]


def _read_tokens(connection: Connection, query: Select[Any]) -> list[TokenRow]:
    with report_damage("an access token"):
        return [
            TokenRow(**row | {"role": Role(row["role"]), "label": decode_json(row["label"])})
            for row in map(dict, connection.execute(query).mappings())
        ]
