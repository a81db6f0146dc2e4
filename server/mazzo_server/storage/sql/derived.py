"""What was made of many matches and is kept, so that it need not be made again from the first."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, select

from mazzo_server.storage.sql.database import INTEGER_MAX, Database
from mazzo_server.storage.sql.schema import (
    checkpoints,
    ranking_states,
    schedules,
    tournaments,
)
from mazzo_server.storage.sql.tournaments import (
    IS_TOURNAMENT,
    check_tournament,
    forget_states,
    read_tournament_row,
)

__all__ = ["DerivedTables"]


class DerivedTables(Database):
    """The part of a `Store` that keeps checkpoints, schedules and the states of rankings."""

    def keep_checkpoint(
        self, tournament_id: int, groups: int, state: str, *, revision: int | None = None
    ) -> None:
        with self._writing() as connection:
            if revision not in (None, read_tournament_row(connection, tournament_id).revision):
                return
            connection.execute(delete(checkpoints).where(checkpoints.c.tournament == tournament_id))
            connection.execute(
                insert(checkpoints).values(tournament=tournament_id, groups=groups, state=state)
            )

    def checkpoint(self, tournament_id: int) -> tuple[int, str] | None:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            row = connection.execute(
                select(checkpoints.c.groups, checkpoints.c.state).where(
                    checkpoints.c.tournament == tournament_id
                )
            ).one_or_none()
        return None if row is None else (row.groups, row.state)

    def keep_schedule(self, tournament_id: int, state: str) -> None:
        with self._writing() as connection:
            check_tournament(connection, tournament_id)
            connection.execute(delete(schedules).where(schedules.c.tournament == tournament_id))
            connection.execute(insert(schedules).values(tournament=tournament_id, state=state))

    def schedule(self, tournament_id: int) -> str | None:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            return connection.scalar(
                select(schedules.c.state).where(schedules.c.tournament == tournament_id)
            )

    def keep_ranking(
        self,
        variant: str,
        tournament: int,
        state: str,
        *,
        revision: tuple[int, int] | None = None,
    ) -> None:
        with self._writing() as connection:
            check_tournament(connection, tournament)
            now = connection.execute(
                select(func.count(), func.sum(tournaments.c.revision)).where(
                    tournaments.c.id <= tournament, IS_TOURNAMENT
                )
            ).one()
            if revision not in (None, tuple(now)):
                return
            connection.execute(
                delete(ranking_states).where(
                    ranking_states.c.variant == variant, ranking_states.c.tournament == tournament
                )
            )
            connection.execute(
                insert(ranking_states).values(variant=variant, tournament=tournament, state=state)
            )

    def ranking_state(self, variant: str, before: int) -> tuple[int, str] | None:
        with self._reading() as connection:
            row = connection.execute(
                select(ranking_states.c.tournament, ranking_states.c.state)
                .where(
                    ranking_states.c.variant == variant,
                    ranking_states.c.tournament < min(before, INTEGER_MAX),
                )
                .order_by(ranking_states.c.tournament.desc())
                .limit(1)
            ).one_or_none()
        return None if row is None else (row.tournament, row.state)

    def forget_rankings(self, variant: str, from_tournament: int) -> None:
        with self._writing() as connection:
            forget_states(connection, variant, from_tournament)
