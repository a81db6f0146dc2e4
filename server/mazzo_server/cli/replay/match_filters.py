"""The options that say which matches are wanted, for every command that takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import replay_pb2
from mazzo_server.cli.shell.option_command import OptionCommand
from mazzo_server.cli.shell.option_group import OptionGroup
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.shell.times import parse_since

__all__ = ["MatchCommand", "MatchFilters", "read_filters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFilters:
    """The options on the command line that say which matches are wanted."""

    bot: Annotated[
        str, typer.Option("--bot", metavar="NAME", help="Matches of this bot, as it saw them.")
    ] = ""
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="NAME", help="With this bot at the table.")
    ] = ""
    variant: Annotated[
        str, typer.Option("--variant", metavar="VARIANT", help="Of this variant of a game.")
    ] = ""
    tournament: Annotated[
        int | None,
        typer.Option(
            "--tournament", metavar="ID", parser=make_whole_parser(1), help="Of this tournament."
        ),
    ] = None
    seat: Annotated[
        int | None,
        typer.Option(
            "--seat",
            metavar="N",
            parser=make_whole_parser(0),
            help="That the bot played in this seat; of a team its first one.",
        ),
    ] = None
    won: Annotated[bool, typer.Option("--won", help="That the bot won.")] = False
    drawn: Annotated[bool, typer.Option("--drawn", help="That were drawn.")] = False
    lost: Annotated[bool, typer.Option("--lost", help="That the bot lost.")] = False
    forfeited: Annotated[
        bool, typer.Option("--forfeited", help="That the bot, or without --bot anyone, forfeited.")
    ] = False
    late: Annotated[
        bool, typer.Option("--late", help="With a late decision of the bot, or of anyone.")
    ] = False
    spoilt: Annotated[
        bool, typer.Option("--spoilt", help="That a fault of the platform had spoilt before.")
    ] = False
    since: Annotated[
        Timestamp | None,
        typer.Option(
            "--since",
            metavar="WHEN",
            parser=parse_since,
            help="That ended since a day, such as 2026-11-20, or in the last 30m, 2h or 3d.",
        ),
    ] = None

    def check(self, *others: str) -> None:
        """Refuse several verdicts, and without a bot what is said of one.

        `others` are more options on the command line that are said of one bot.
        """
        if self.won + self.drawn + self.lost > 1:
            raise typer.BadParameter("expected one of --won, --drawn and --lost, got several")
        given = {
            "--opponent": self.opponent,
            "--seat": self.seat is not None,
            "--won": self.won,
            "--lost": self.lost,
        }
        of_one_bot = [*(option for option, is_given in given.items() if is_given), *others]
        if of_one_bot and not self.bot:
            raise typer.BadParameter(f"{of_one_bot[0]}: expected --bot NAME beside it")

    def make_request(self) -> replay_pb2.FindMatchesRequest:
        """Return the request for these matches; what was typed may be no text for it."""
        return replay_pb2.FindMatchesRequest(
            bot=self.bot,
            opponent=self.opponent,
            variant=self.variant,
            tournament=self.tournament or 0,
            seat=self.seat,
            verdict=self._choose_verdict(),
            forfeited=self.forfeited,
            late=self.late,
            spoilt=self.spoilt,
            since_time=self.since,
            order=replay_pb2.MATCH_ORDER_TIME,
        )

    def _choose_verdict(self) -> replay_pb2.MatchVerdict:
        if self.won:
            return replay_pb2.MATCH_VERDICT_WON
        if self.drawn:
            return replay_pb2.MATCH_VERDICT_DRAWN
        return replay_pb2.MATCH_VERDICT_LOST if self.lost else replay_pb2.MATCH_VERDICT_UNSPECIFIED


class MatchCommand(OptionCommand):
    """A command whose first options say which matches are wanted."""

    options = OptionGroup(MatchFilters)


def read_filters(context: typer.Context) -> MatchFilters:
    """Return the filters on the command line of a `MatchCommand`."""
    filters: MatchFilters = context.obj
    return filters
