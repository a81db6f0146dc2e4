"""The options that say which matches are wanted, for every command that takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import replay_pb2
from mazzo_server.cli.shell.completion.games import complete_variant
from mazzo_server.cli.shell.completion.platform import complete_bot, complete_tournament
from mazzo_server.cli.shell.option_command import OptionCommand
from mazzo_server.cli.shell.option_group import OptionGroup
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.shell.times import parse_since

__all__ = ["MatchCommand", "MatchFilters", "read_filters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFilters:
    """The options on the command line that say which matches are wanted."""

    bot: Annotated[
        str,
        typer.Option(
            "--bot",
            metavar="NAME",
            autocompletion=complete_bot,
            help="Only matches of this bot, as it saw them.",
        ),
    ] = ""
    opponent: Annotated[
        str,
        typer.Option(
            "--opponent",
            metavar="NAME",
            autocompletion=complete_bot,
            help="Only those with this bot at the table.",
        ),
    ] = ""
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="VARIANT",
            autocompletion=complete_variant,
            help="Only those of this variant.",
        ),
    ] = ""
    tournament: Annotated[
        int | None,
        typer.Option(
            "--tournament",
            metavar="ID",
            parser=make_whole_parser(1),
            autocompletion=complete_tournament,
            help="Only those of this tournament.",
        ),
    ] = None
    seat: Annotated[
        int | None,
        typer.Option(
            "--seat",
            metavar="N",
            parser=make_whole_parser(0),
            help="Only those that the bot played in this seat; of a team its first one.",
        ),
    ] = None
    won: Annotated[bool, typer.Option("--won", help="Only those that the bot won.")] = False
    drawn: Annotated[bool, typer.Option("--drawn", help="Only those that were drawn.")] = False
    lost: Annotated[bool, typer.Option("--lost", help="Only those that the bot lost.")] = False
    forfeited: Annotated[
        bool,
        typer.Option(
            "--forfeited", help="Only those that the bot, or without --bot anyone, forfeited."
        ),
    ] = False
    late: Annotated[
        bool,
        typer.Option("--late", help="Only those with a late decision of the bot, or of anyone."),
    ] = False
    spoilt: Annotated[
        bool,
        typer.Option("--spoilt", help="Only those that a fault of the platform had spoilt before."),
    ] = False
    since: Annotated[
        Timestamp | None,
        typer.Option(
            "--since",
            metavar="WHEN",
            parser=parse_since,
            help="Only those that ended since a day, such as 2026-11-20, or in the last 30m, 2h "
            "or 3d.",
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
